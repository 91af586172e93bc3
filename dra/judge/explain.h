#pragma once
//
// Why devices do not satisfy a request, in counts: every device of the cluster is counted once,
// under the first reason against it.
//
//   24 devices: 8 other driver, 6 fail class selector device.attributes["gpu.example.com"].model ==
//   "h100", 6 fail request selector 1, 3 allocated (ml/train-1, ml/train-2), 1 tainted NoSchedule
//   maintenance (DeviceTaintRule maint)
//
// Pure but for the MatchCache.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dra/allocator/capacity.h"
#include "dra/allocator/match.h"
#include "dra/allocator/pod_claims.h"
#include "dra/model/node_view.h"
#include "dra/model/snapshot.h"
#include "verdict/reason.h"

namespace fedra::dra {

// One request (or alternative) against all devices of the cluster.
struct RequestReport {
  std::string claim;              // "ml/shared", or the pod's name for it
  std::string claim_description;  // "ResourceClaim ml/shared", "claim gpu (template large-only)"
  std::string request;            // "req" or "req/sub"
  std::string device_class;
  int64_t wanted = 0;  // per pod; for All: 0
  bool all = false;
  int devices = 0;        // in total; the rest adds up to it
  int unusable_pool = 0;  // in pools that are incomplete or invalid, and may be of use once mended
  std::vector<std::string> pool_problems;  // of those pools, each once, at most kMaxPoolProblems
  int other_driver = 0;
  std::vector<verdict::CountedCause> class_selectors;    // false, per selector
  std::vector<verdict::CountedCause> request_selectors;  // false, per selector
  std::vector<verdict::CountedCause>
      errors;                 // selectors that cannot be evaluated, with one such device
  std::string compile_error;  // of a selector that no device can be tried with; may be empty
  int other_node = 0;         // match, but belong to nodes where the pod cannot run
  std::vector<verdict::CountedCause> taints;
  int allocated = 0;
  std::vector<ObjectKey> claims;         // that hold those, each once, at most kMaxClaimsKept
  size_t all_claims = 0;                 // how many there are
  std::vector<verdict::Holder> holders;  // each once; see NameHolders
  int assumed = 0;  // reserved for dispatched workloads whose pods do not hold them yet
  int placed = 0;   // taken by pods of the same workload
  // Whose compatibility groups do not go with those in use, per counter set.
  std::vector<verdict::CountedCause> groups;
  int capacity = 0;                               // not enough capacity left, or not published
  std::optional<verdict::CapacityNeed> shortage;  // of the one that has most left
  int free = 0;                                   // could be taken
  int most_on_one_node = 0;  // the largest number of free ones that one node reaches
  bool shareable = false;    // some of them serve several claims at a time

  // Of this request of this claim: what is counted may have been counted for another one.
  void NameAfter(const PodClaims& pod, const SubRequest& ask);
  verdict::RequestedDevices Requested() const;
  // The counts as far as they are not 0. Of the holders the first few, and the first few of `ns`.
  std::vector<verdict::CountedCause> Parts(std::string_view ns = {}) const;
  verdict::DeviceCounts Counts(std::string_view ns = {}) const;
};

inline constexpr size_t kMaxClaimsKept = 256;
inline constexpr size_t kMaxPoolProblems = 3;

// `usable`: whether the pod may run on a node. `placed`: what the simulation holds; may be null.
RequestReport Explain(const PodClaims& pod, uint32_t ask, const Snapshot& snapshot,
                      const std::function<bool(const Node&)>& usable, const Workspace* placed,
                      MatchCache& matches);

// Which job's pods use a claim.
using JobOfClaim = std::unordered_map<ObjectKey, ObjectKey>;

// RequestReport::holders for its claims: jobs, or the claims where no job is known. `jobs`: may be
// null.
void NameHolders(const JobOfClaim* jobs, RequestReport& report);

// How many of the ask's devices one node has free.
int CountFreeFor(const PodClaims& pod, uint32_t ask, const NodeView& node, const Snapshot& snapshot,
                 const Workspace* placed, MatchCache& matches);

verdict::CapacityNeed NeedOf(const CapacityShortage& shortage, const Symbol& device);

}  // namespace fedra::dra
