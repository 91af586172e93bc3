#pragma once
//
// One or two clusters that a command writes to, connected by the caller's credentials.
//
// Thread rules: one user thread.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/kubeconfig.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/cli/terminal/terminal.h"
#include "manager/tracking/admission_check.h"
#include "manager/tracking/workload.h"

namespace fedra::cli {

// What is listed of the first cluster.
enum class MemberList { kNothing, kWorkloads, kChecks };

class MemberClusters final {
 public:
  // Waits until each has answered or failed, and has listed what is wanted.
  MemberClusters(const std::vector<ClusterSettings>& clusters, MemberList list,
                 std::chrono::milliseconds timeout, const Terminal& terminal);

  Cluster& operator[](size_t cluster) { return live_.cluster(cluster); }
  // kUnavailable: it did not answer, or refused the credentials; says which cluster.
  Result<void> Reached(size_t cluster) const;
  // Copies that have not ended: "ml/train". Of whichever manager, but for those of these UIDs; also
  // those of Kueue, which fedra takes over in mode multikueue. An error: they cannot be listed.
  Result<std::vector<std::string>> UnfinishedJobs(const std::vector<std::string>& but_of) const;
  // The AdmissionChecks, by name. An error: they cannot be listed.
  Result<std::vector<std::shared_ptr<const tracking::AdmissionCheck>>> Checks() const;

 private:
  std::vector<verify::Input> Feeds(size_t cluster, const kube::ServerInfo* server);
  bool IsListing(size_t cluster) const;
  // Of the first cluster's list of `resource`, which has this health.
  Result<void> Listed(const kube::Resource& resource, const watch::CacheHealth& health) const;

  const std::vector<std::string> names_;
  const MemberList list_;
  FleetSignal signal_;
  verify::Cache<tracking::Workload> workloads_;
  verify::Cache<tracking::AdmissionCheck> checks_;
  LiveFleet live_;  // destroyed first: it feeds the lists
};

// The settings of a cluster that no configuration names.
ClusterSettings MemberSettings(const std::string& name, const config::KubeAccess& access);

}  // namespace fedra::cli
