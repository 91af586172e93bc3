#pragma once
//
// What systemd hears of the running daemon: that it is ready, a line for `systemctl status`, and
// the watchdog's pings. Says nothing outside of a Type=notify unit, but watches there, too.
//
// Thread rules: one thread, the one that ticks. IsOverdue, IsAlive: any thread.

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "manager/daemon/watchdog.h"

namespace fedra {

struct ServiceState {
  bool is_working = false;  // decisions are being made
  bool stands_by = false;   // another fedra makes them, and the lists here are complete
  size_t workers = 0;
  size_t connected = 0;  // of them
};

// "3 of 4 workers connected".
std::string StatusLine(const ServiceState& state);

class SystemdReport final {
 public:
  // `parts`: see Watchdog.
  explicit SystemdReport(std::vector<WatchedPart> parts);

  void Tick(SteadyTime now, const ServiceState& state);
  // Whether some part got nothing done for longer than the unit's limit, or two minutes.
  bool IsOverdue(SteadyTime now) const { return watchdog_.IsOverdue(now); }
  // Not that, and the thread that ticks has come by within so long.
  bool IsAlive(SteadyTime now, SteadyTime::duration within) const {
    return !watchdog_.IsOverdue(now) && watchdog_.HasTicked(now, within);
  }

 private:
  Watchdog watchdog_;
  std::string status_;  // as last reported
  bool ready_told_ = false;
};

}  // namespace fedra
