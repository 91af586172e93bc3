#include "manager/daemon/systemd_report.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "manager/daemon/notify.h"

namespace fedra {
namespace {

// What fedra.service has, for where there is no unit.
constexpr std::chrono::minutes kLimit{2};

}  // namespace

std::string StatusLine(const ServiceState& state) {
  if (state.stands_by)
    return fmt::format("standby, {} of {} workers connected", state.connected, state.workers);
  if (!state.is_working) return "waiting for the manager's API server and the first lists";
  return fmt::format("{} of {} workers connected", state.connected, state.workers);
}

SystemdReport::SystemdReport(std::vector<WatchedPart> parts)
    : watchdog_(WatchdogLimit().value_or(kLimit), std::move(parts),
                [] { NotifySystemd("WATCHDOG=1"); }) {}

void SystemdReport::Tick(SteadyTime now, const ServiceState& state) {
  watchdog_.Tick(now);
  if (std::string status = StatusLine(state); status != status_) {
    NotifySystemd("STATUS=" + status);
    status_ = std::move(status);
  }
  if (!ready_told_ && (state.is_working || state.stands_by)) {
    ready_told_ = true;
    NotifySystemd("READY=1");
  }
}

}  // namespace fedra
