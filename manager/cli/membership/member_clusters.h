#pragma once
//
// One or two clusters that a command writes to, connected by the caller's credentials.
//
// Thread rules: one user thread.

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/kubeconfig.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/cli/terminal/terminal.h"
#include "manager/tracking/workload.h"

namespace fedra::cli {

class MemberClusters final {
 public:
  // Waits until each has answered or failed. Of the first the Workloads are listed if wanted.
  MemberClusters(const std::vector<ClusterSettings>& clusters, bool lists_workloads,
                 std::chrono::milliseconds timeout, const Terminal& terminal);

  Cluster& operator[](size_t cluster) { return live_.cluster(cluster); }
  // kUnavailable: it did not answer, or refused the credentials; says which cluster.
  Result<void> Reached(size_t cluster) const;
  // Copies that have not ended: "ml/train". Of whichever manager, but for those of these UIDs; also
  // those of Kueue, which fedra takes over in mode multikueue. An error: they cannot be listed.
  Result<std::vector<std::string>> UnfinishedJobs(const std::vector<std::string>& but_of) const;

 private:
  std::vector<verify::Input> Feeds(size_t cluster, const kube::ServerInfo* server);

  const std::vector<std::string> names_;
  const bool lists_workloads_;
  FleetSignal signal_;
  verify::Cache<tracking::Workload> workloads_;
  LiveFleet live_;  // destroyed first: it feeds the list
};

// The settings of a cluster that no configuration names.
ClusterSettings MemberSettings(const std::string& name, const config::KubeAccess& access);

}  // namespace fedra::cli
