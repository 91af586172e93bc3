#pragma once
//
// Pings systemd's watchdog (WatchdogSec=, sd_watchdog_enabled(3)), but only while every part of the
// daemon gets something done: a thread that hangs must not be hidden by others that go on. Where
// there is no systemd, /livez says the same to a kubelet.
//
// Pure but for the two functions that it is given. Thread rules: one thread, the one that ticks; so
// a ping also says that this thread goes on. IsOverdue, HasTicked: any thread.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace fedra {

// A part of the daemon that is watched.
struct WatchedPart {
  std::string name;  // as the log has it: "store"
  // A number that is another one whenever the part got something done, or has nothing to do. Asked
  // four times within the limit; must not wait.
  std::function<uint64_t()> progress;
};

class Watchdog final {
 public:
  // `limit`: systemd acts when it heard no ping for so long.
  Watchdog(std::chrono::microseconds limit, std::vector<WatchedPart> parts,
           std::function<void()> ping);

  // Call at least four times within the limit.
  void Tick(SteadyTime now);
  // Whether it was called within so long, or not at all yet. Any thread.
  bool HasTicked(SteadyTime now, SteadyTime::duration within) const;

  // The parts that got nothing done since the last ping.
  std::vector<std::string> Silent() const;

  // Whether there was no ping for longer than the limit. Before the first tick there is none to
  // miss.
  bool IsOverdue(SteadyTime now) const;

 private:
  struct Watched {
    WatchedPart part;
    uint64_t last = 0;
    bool moved = true;  // since the last ping
  };

  void Look();

  // Constant after construction.
  const SteadyTime::duration limit_;
  const SteadyTime::duration interval_;
  const std::function<void()> ping_;

  std::vector<Watched> parts_;
  std::optional<SteadyTime> last_look_;
  int silent_looks_ = 0;  // without a ping, in a row

  static constexpr SteadyTime kNever = SteadyTime::max();
  std::atomic<SteadyTime> last_ping_{kNever};  // or the first look
  std::atomic<SteadyTime> last_tick_{kNever};
};

// The limit that systemd has set for this process (WATCHDOG_USEC, WATCHDOG_PID); nothing: none.
std::optional<std::chrono::microseconds> WatchdogLimit();

}  // namespace fedra
