#pragma once
//
// Looks for orphans on the workers of a configuration, beside the Workloads of its manager, and
// deletes them: the one thing in fleet/ that writes. orphan_list.h decides what is an orphan.
//
// Thread rules: one thread. Lifetime: the terminal must outlive the constructor alone.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/load.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/cli/fleet/orphan_list.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/ownership.h"

namespace fedra::cli {

class OrphanSearch final {
 public:
  // Connects, and waits for the lists for `timeout` at most.
  OrphanSearch(const config::Loaded& loaded, std::chrono::milliseconds timeout,
               const Terminal& terminal);
  ~OrphanSearch();

  // Why nothing can be said at all; empty: something can.
  std::string Problem() const;
  // Workers that nothing is known about, and what is left out on the others.
  OrphanGaps Gaps() const;
  // Without Problem() only. Asks the manager about each that its list does not have.
  std::vector<Orphan> Find();
  // Asks the manager once more. The job goes first by the order of Find(): its pods must not
  // outlive the quota. kConflict: it is none any more.
  Result<void> Delete(const Orphan& orphan);

 private:
  struct Listed;

  std::vector<verify::Input> Feeds(size_t cluster, const kube::ServerInfo* server);
  bool IsListing(size_t cluster) const;
  std::string ProblemOf(size_t cluster) const;
  LivingWorkloads Living() const;
  // The list may be older than the object: only the manager itself can say.
  Result<bool> IsDead(const Orphan& orphan);
  Cluster& Of(const ClusterName& worker);

  const tracking::JobKindsPtr kinds_;
  Result<tracking::Identity> us_;  // an error: who made a copy cannot be told
  std::string nameless_;           // why the manager's UID is not known; empty: it is
  FleetSignal signal_;
  std::vector<ClusterSettings> clusters_;  // the manager first
  std::vector<Listed> listed_;             // of each of them
  std::unique_ptr<LiveFleet> live_;        // destroyed first: it feeds the lists
};

}  // namespace fedra::cli
