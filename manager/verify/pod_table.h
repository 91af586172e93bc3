#pragma once
//
// The pods of one worker: what they take of their nodes, and which of a job's hold it.
//
// A pod holds what it takes when all of that shows in the worker's objects: its claims are
// allocated, or it has its node and no claims, or it has succeeded and takes nothing any more.
// Until then its devices seem free, so they are assumed for the job that was dispatched there. A
// pod that failed does not count: what replaces it takes devices again.
//
// Thread rules: plain values; one user at a time.
//
// Sources: core/v1 of Kubernetes 1.36, and the labels that the controllers of jobs put on pods
// (tracking::PodLabel).

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/types.h"
#include "dra/judge/explain.h"
#include "dra/model/parse.h"
#include "dra/model/pod_demand.h"
#include "dra/model/snapshot.h"
#include "manager/tracking/kinds/job_kinds.h"

namespace fedra::verify {

// What one pod takes of its node, and of which job it is.
struct PodFacts {
  dra::Symbol node;      // empty: not bound yet
  tracking::JobKey job;  // name empty: of none that fedra could have made
  std::string pod_set;   // of its Workload; empty: its Kueue has not said so
  ObjectKey group;       // PodGroup; name empty: of none
  bool ended = false;    // its node is free of it
  bool failed = false;   // ended, and its job may make another one
  std::string failure;   // of one that failed: "exit code 137 (OOMKilled)", "Evicted"; may be empty
  std::string failed_container;          // that ended with an error; may be empty
  dra::Amounts requests;                 // with what its devices take of the node
  std::vector<std::string> node_claims;  // through which they do
  std::vector<std::string> claims;       // that are known: named ones, and those generated for it
  size_t claims_to_come = 0;             // entries whose claim has not been generated yet
  // Namespaces whose pods its required anti-affinity may keep away; "*": any.
  std::set<std::string> repels;

  bool operator==(const PodFacts&) const = default;
};

Result<PodFacts> ParsePodFacts(const nlohmann::json& object, const tracking::JobKinds& kinds,
                               dra::ParseContext& context);

struct FailedContainer {
  ObjectKey pod;
  std::string name;
};

// How many pods of a job, by pod set; under the empty name those that do not tell theirs.
using PodCounts = std::map<std::string, int>;

// dra::JudgeOptions::node_claims.
using NodeClaims = std::map<dra::Symbol, std::set<ObjectKey>>;

class PodTable final {
 public:
  // False: nothing has changed.
  bool Set(const ObjectKey& key, PodFacts pod);
  bool Drop(const ObjectKey& key);

  struct Use {
    std::shared_ptr<const dra::NodeUse> by_node;
    std::shared_ptr<const NodeClaims> node_claims;
    std::shared_ptr<const dra::JobOfClaim> jobs;            // of the claims that running pods use
    std::shared_ptr<const std::set<std::string>> repelled;  // dra::JudgeOptions::repelled
    uint64_t serial = 0;                                    // another one when a pod has changed
  };
  // Counted when it is asked for.
  Use CountUse();

  // How many pods of this job hold what they take. `snapshot`: of the same worker; a claim that it
  // lacks is not allocated, because pods and claims are watched apart.
  PodCounts Holding(const tracking::JobKey& job, const dra::Snapshot& snapshot) const;
  // How this job's failed pods ended, the most frequent first: "exit code 1 (3 pods), Evicted".
  // At most a few; empty: none has failed.
  std::string FailuresOf(const tracking::JobKey& job) const;
  // One of this job's pods with a container that ended with an error; nothing: there is none.
  std::optional<FailedContainer> FailedContainerOf(const tracking::JobKey& job) const;
  // Pods of this PodGroup that have not ended.
  int64_t InGroup(const ObjectKey& group) const;

 private:
  std::unordered_map<ObjectKey, PodFacts> pods_;
  std::unordered_map<tracking::JobKey, std::vector<ObjectKey>> pods_of_job_;
  Use use_;  // null: to be counted again
};

}  // namespace fedra::verify
