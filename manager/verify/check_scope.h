#pragma once
//
// Which workers an AdmissionCheck of ours means: all, or those of its MultiKueueConfig in this
// order, which are out of service, and to which of them Kueue is connected. Source: spec.parameters
// of kueue.x-k8s.io/v1beta2 (Kueue 0.19.2). A check of MultiKueue's own must have them.
//
// Thread rules: any thread; what the manager says may change between two questions.
// Lifetime: the caches must outlive it.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "manager/tracking/admission_check.h"
#include "manager/tracking/multi_kueue_cluster.h"
#include "manager/verify/existence.h"

namespace fedra::verify {

struct CheckScope {
  bool all = true;  // no parameters, on a check that needs none
  // Otherwise these, in this order: at most 20, as the schema of a MultiKueueConfig has it (Kueue
  // 0.19.2).
  std::vector<std::string> names;
  std::string problem;  // why the parameters cannot be used; empty when they can

  // Place in the order of preference; 0 for all when no order is given. Nothing: not allowed.
  std::optional<size_t> PlaceOf(const ClusterName& worker) const;
};

// Which workers are out of service at one moment, for every job, by all our checks. Where one of
// them drains a worker, it is drained. Holds the checks, and copies nothing of them.
//
// Thread rules: plain value.
class CordonsNow final {
 public:
  explicit CordonsNow(std::vector<std::shared_ptr<const tracking::AdmissionCheck>> checks)
      : checks_(std::move(checks)) {}

  // Null: the worker is in service. Lives as long as this.
  const tracking::Cordon* Find(const ClusterName& worker) const;
  tracking::Cordons All() const;

 private:
  std::vector<std::shared_ptr<const tracking::AdmissionCheck>> checks_;  // that have some
};

class CheckScopes final {
 public:
  // `controller_name`: of our checks.
  CheckScopes(std::string controller_name, const Cache<tracking::AdmissionCheck>& checks,
              const Cache<tracking::MultiKueueConfig>& configs)
      : controller_name_(std::move(controller_name)), checks_(checks), configs_(configs) {}

  bool IsOurs(const tracking::AdmissionCheck& check) const {
    return check.controller_name == controller_name_;
  }
  // Whether there is a check of that name, and it is ours.
  bool IsOurs(const std::string& check) const;
  CheckScope Of(const tracking::AdmissionCheck& check) const;
  // Of the check of that name; of one that is not there, or of none (empty), all workers.
  CheckScope Of(const std::string& check) const;
  CordonsNow Cordons() const;

 private:
  const std::string controller_name_;
  const Cache<tracking::AdmissionCheck>& checks_;
  const Cache<tracking::MultiKueueConfig>& configs_;
};

// Why Kueue can copy nothing to the worker: its MultiKueueCluster is missing or not Active.
std::optional<verdict::Reason> WhyDisconnected(
    const Cache<tracking::MultiKueueCluster>& worker_clusters, const ClusterName& worker);

}  // namespace fedra::verify
