#include "manager/report/freshness.h"

#include <fmt/format.h>

#include "base/time.h"

namespace fedra::report {
namespace {

// The daemon writes its heartbeat every two seconds; a few may be missed on a busy disk.
constexpr std::chrono::seconds kFresh{15};

}  // namespace

bool IsRunning(const Daemon& daemon, WallTime now) {
  return daemon.holds_store.value_or(IsFresh(daemon, now));
}

bool IsFresh(const Daemon& daemon, WallTime now) {
  return daemon.heartbeat && now - daemon.heartbeat->at <= kFresh;
}

bool IsStandby(const Daemon& daemon) {
  return daemon.heartbeat && daemon.heartbeat->role == store::kStandbyRole;
}

std::optional<WallTime> JobsAsOf(const Daemon& daemon) {
  if (!daemon.heartbeat) return std::nullopt;
  return IsStandby(daemon) ? daemon.heartbeat->decided_at : daemon.heartbeat->at;
}

bool KnowsJobs(const StatusData& data) {
  const Daemon& daemon = data.daemon;
  return data.shows_jobs && (!IsStandby(daemon) || daemon.heartbeat->decided_at.has_value());
}

std::string StandbyText(const Daemon& daemon, WallTime now) {
  const store::HeartbeatRow& row = *daemon.heartbeat;
  const std::string what =
      row.decided_at
          ? fmt::format("jobs are as of {} ago, by a standby (replica {})",
                        FormatAge(now - *row.decided_at), row.identity)
          : fmt::format("no job is known to this standby (replica {}), which has never led",
                        row.identity);
  const bool runs = IsRunning(daemon, now);
  if (row.leader.empty()) return what + (runs ? "; no replica leads" : "; no replica led");
  return fmt::format("{}; the leader {} {}", what, runs ? "is" : "was", row.leader);
}

std::string StaleText(const Daemon& daemon, WallTime now) {
  if (!daemon.heartbeat) {
    return daemon.holds_store == true ? ""
                                      : "the daemon is not running, and none has written here yet";
  }
  const std::string age = FormatAge(now - daemon.heartbeat->at);
  if (!IsRunning(daemon, now)) {
    if (IsStandby(daemon)) return "the daemon is not running, and " + StandbyText(daemon, now);
    return fmt::format("the daemon is not running, and what it knew is as of {}, {} ago",
                       FormatRfc3339(daemon.heartbeat->at), age);
  }
  if (!IsFresh(daemon, now)) return fmt::format("the daemon has written nothing for {}", age);
  return IsStandby(daemon) ? StandbyText(daemon, now) : std::string();
}

}  // namespace fedra::report
