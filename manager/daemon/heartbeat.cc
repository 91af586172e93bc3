#include "manager/daemon/heartbeat.h"

#include <unistd.h>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "manager/version.h"

namespace fedra {
namespace {

constexpr std::chrono::milliseconds kHeartbeatInterval{2'000};

}  // namespace

DaemonHeartbeat::DaemonHeartbeat(store::Store& store, const reconcile::Federation& federation,
                                 const Replica& replica, WallTime started)
    : store_(store), federation_(federation), replica_(replica), started_(started) {}

void DaemonHeartbeat::Beat(const std::string& restart_needed) {
  store::HeartbeatRow row{.at = SystemClock().Now(),
                          .pid = getpid(),
                          .version = kVersion,
                          .started_at = started_,
                          .dispatch_order = std::string(placement::ToString(federation_.order())),
                          .restart_needed = restart_needed};
  PutReplica(row, replica_);
  NoteDifference(row.config_differs);
  const std::string lead = row.role + " " + row.leader + " " + row.config_differs;
  const SteadyTime now = SystemClock().Steady();
  if (lead == reported_lead_ && now - last_ < kHeartbeatInterval) return;
  reported_lead_ = lead;
  last_ = now;
  store_.Enqueue(store::SetHeartbeat{std::move(row)});
}

void DaemonHeartbeat::NoteDifference(const std::string& sections) {
  if (std::exchange(differs_in_, sections) == sections) return;
  if (sections.empty()) {
    log::Info("the configuration is the leader's again, or another one leads");
  } else {
    log::Warn(
        "the configuration is not the leader's: if this replica led, it would decide otherwise",
        {{"sections", sections}});
  }
}

}  // namespace fedra
