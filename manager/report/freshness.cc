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

std::string StaleText(const Daemon& daemon, WallTime now) {
  if (!daemon.heartbeat) {
    return daemon.holds_store == true ? ""
                                      : "the daemon is not running, and none has written here yet";
  }
  const std::string age = FormatAge(now - daemon.heartbeat->at);
  if (!IsRunning(daemon, now)) {
    return fmt::format("the daemon is not running, and what it knew is as of {}, {} ago",
                       FormatRfc3339(daemon.heartbeat->at), age);
  }
  if (!IsFresh(daemon, now)) return fmt::format("the daemon has written nothing for {}", age);
  if (!IsStandby(daemon)) return {};
  const auto& decided_at = daemon.heartbeat->decided_at;
  const std::string leader = daemon.heartbeat->leader;
  return fmt::format("this is a standby, and what it knows of jobs is {}; {}",
                     decided_at ? fmt::format("as of {}, {} ago", FormatRfc3339(*decided_at),
                                              FormatAge(now - *decided_at))
                                : std::string("nothing: it has never led"),
                     leader.empty() ? "no replica leads" : "ask the leader, " + leader);
}

}  // namespace fedra::report
