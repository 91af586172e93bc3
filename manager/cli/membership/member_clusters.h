#pragma once
//
// One or two clusters that a command writes to, connected by the caller's credentials; with what is
// listed of the first: nothing, a worker's copies, or the manager's AdmissionChecks.
//
// Thread rules: one user thread.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/kubeconfig.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/cli/terminal/terminal.h"
#include "manager/tracking/admission_check.h"
#include "manager/tracking/workload.h"
#include "manager/verify/check_scope.h"

namespace fedra::cli {

// What is listed of the first cluster, too. All of it must outlive the clusters.
struct MemberFeed {
  std::vector<verify::Input> inputs;
  std::function<bool()> is_listing;
  FleetSignal& signal;  // that a list raises when it is complete or cannot be had
};

class MemberClusters final {
 public:
  // Waits until each has answered or failed, and the lists of `feed` have arrived or failed.
  // Without `feed` nothing is listed.
  MemberClusters(const std::vector<ClusterSettings>& clusters, std::chrono::milliseconds timeout,
                 const Terminal& terminal, const std::optional<MemberFeed>& feed = {});

  Cluster& operator[](size_t cluster) { return live_.cluster(cluster); }
  // kUnavailable: it did not answer, or refused the credentials; says which cluster.
  Result<void> Reached(size_t cluster) const;
  // Whether the first cluster has given its list of `resource`, which has this health. An error
  // says which cluster and why not.
  Result<void> Listed(const kube::Resource& resource, const watch::CacheHealth& health) const;

 private:
  const std::vector<std::string> names_;
  FleetSignal signal_;  // where nothing is listed
  LiveFleet live_;
};

// The copies on a worker, which is the first of these clusters.
class MemberJobs final {
 public:
  MemberJobs(const std::vector<ClusterSettings>& clusters, std::chrono::milliseconds timeout,
             const Terminal& terminal);

  MemberClusters& clusters() { return clusters_; }
  // Copies that have not ended: "ml/train". Of whichever manager, but for those of these UIDs; also
  // those of Kueue, which fedra takes over in mode multikueue. An error: they cannot be listed.
  Result<std::vector<std::string>> UnfinishedJobs(const std::vector<std::string>& but_of) const;

 private:
  FleetSignal signal_;
  verify::Cache<tracking::Workload> workloads_;
  MemberClusters clusters_;  // destroyed first: it feeds the list
};

// The AdmissionChecks of the manager, with the workers that they name.
class ManagerChecks final {
 public:
  ManagerChecks(const ClusterSettings& manager, std::chrono::milliseconds timeout,
                const Terminal& terminal);

  Cluster& manager() { return clusters_[0]; }
  // By name. An error: they cannot be listed.
  Result<std::vector<std::shared_ptr<const tracking::AdmissionCheck>>> All() const;
  // Which workers one of these may use.
  verify::CheckScope ScopeOf(const tracking::AdmissionCheck& check) const {
    return scopes_.Of(check);
  }

 private:
  FleetSignal signal_;
  verify::Cache<tracking::AdmissionCheck> checks_;
  verify::Cache<tracking::MultiKueueConfig> configs_;
  const verify::CheckScopes scopes_;
  MemberClusters clusters_;  // destroyed first: it feeds the lists
};

// The settings of a cluster that no configuration names.
ClusterSettings MemberSettings(const std::string& name, const config::KubeAccess& access);

}  // namespace fedra::cli
