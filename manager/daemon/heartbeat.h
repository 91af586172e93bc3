#pragma once
//
// The daemon's row in the store: that it runs, since when, and who leads. Readers of the store see
// by it how old the rest is.
//
// Thread rules: one thread, the one that ticks.

#include <string>

#include "base/clock.h"
#include "manager/daemon/replica.h"
#include "manager/reconcile/federation.h"
#include "store/store.h"

namespace fedra {

class DaemonHeartbeat final {
 public:
  // `started`: the process. All must outlive it.
  DaemonHeartbeat(store::Store& store, const reconcile::Federation& federation,
                  const Replica& replica, WallTime started);

  // `restart_needed`: as of store::HeartbeatRow. Writes every few seconds; a change of the leader
  // at once. Logs when this standby's configuration becomes another one than the leader's.
  void Beat(const std::string& restart_needed);

 private:
  void NoteDifference(const std::string& sections);

  store::Store& store_;
  const reconcile::Federation& federation_;
  const Replica& replica_;
  const WallTime started_;
  SteadyTime last_{};
  std::string reported_lead_;  // role, leader and difference, as of the last one
  std::string differs_in_;     // as logged last
};

}  // namespace fedra
