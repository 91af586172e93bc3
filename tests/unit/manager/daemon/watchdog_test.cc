#include "manager/daemon/watchdog.h"

#include <unistd.h>

#include <cstdlib>

#include "manager/daemon/systemd_report.h"
#include "tests/support/catch.h"

namespace fedra::watchdog_test {

using namespace std::chrono_literals;

namespace {

// A watchdog of two parts with a limit of 40 s, ticked every second.
struct Watched {
  uint64_t loop = 0, store = 0;
  int pings = 0;
  SteadyTime now{1h};
  Watchdog watchdog{40s,
                    {{"loop", [this] { return loop; }}, {"store", [this] { return store; }}},
                    [this] { ++pings; }};

  void Run(std::chrono::seconds duration, bool loop_works, bool store_works) {
    for (const SteadyTime end = now + duration; now < end; now += 1s) {
      loop += loop_works;
      store += store_works;
      watchdog.Tick(now);
    }
  }
};

}  // namespace

TEST_CASE("watchdog: pings four times within the limit while every part gets something done") {
  Watched watched;
  watched.Run(40s, true, true);
  CHECK(watched.pings == 4);
}

TEST_CASE("watchdog: one part that hangs ends the pings although the others go on") {
  Watched watched;
  watched.Run(40s, true, true);
  watched.Run(10s, true, false);  // what it did before this look still counts
  const int before = watched.pings;
  watched.Run(120s, true, false);
  CHECK(watched.pings == before);
  CHECK(watched.watchdog.Silent() == std::vector<std::string>{"store"});

  SECTION("and they come again when it goes on") {
    watched.Run(10s, true, true);
    CHECK(watched.pings == before + 1);
    CHECK(watched.watchdog.Silent().size() == 2);  // since the last ping
  }
}

TEST_CASE("watchdog: overdue when it could not ping for longer than the limit") {
  Watched watched;
  CHECK(!watched.watchdog.IsOverdue(watched.now));  // it has not begun
  watched.Run(60s, true, true);
  CHECK(!watched.watchdog.IsOverdue(watched.now + 30s));
  CHECK(watched.watchdog.IsOverdue(watched.now + 50s));  // the thread that ticks hangs

  watched.Run(70s, true, false);
  CHECK(watched.watchdog.IsOverdue(watched.now));
  watched.Run(10s, true, true);
  CHECK(!watched.watchdog.IsOverdue(watched.now));
}

TEST_CASE("watchdog: a part that never gets anything done is overdue, too") {
  Watched watched;
  watched.Run(90s, false, false);
  CHECK(watched.watchdog.IsOverdue(watched.now));
}

TEST_CASE("watchdog: progress in any look since the last ping counts, not only in the same one") {
  Watched watched;
  watched.Run(40s, true, true);
  watched.Run(10s, false, false);
  const int before = watched.pings;
  watched.Run(10s, true, false);
  CHECK(watched.pings == before);
  watched.Run(10s, false, true);
  CHECK(watched.pings == before + 1);
}

TEST_CASE("watchdog: a thread that does not tick is seen long before the limit") {
  Watched watched;
  CHECK(watched.watchdog.HasTicked(watched.now, 10s));  // it has not begun
  watched.Run(5s, true, true);
  const SteadyTime last = watched.now - 1s;
  CHECK(watched.watchdog.HasTicked(last + 10s, 10s));
  CHECK_FALSE(watched.watchdog.HasTicked(last + 10s + 1ns, 10s));
  CHECK_FALSE(watched.watchdog.IsOverdue(last + 11s));
}

TEST_CASE("watchdog: the limit is systemd's, for the process that it names") {
  unsetenv("WATCHDOG_PID");
  unsetenv("WATCHDOG_USEC");
  CHECK(!WatchdogLimit());
  setenv("WATCHDOG_USEC", "120000000", 1);
  CHECK(WatchdogLimit() == 120s);
  setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  CHECK(WatchdogLimit() == 120s);
  setenv("WATCHDOG_PID", std::to_string(getpid() + 1).c_str(), 1);
  CHECK(!WatchdogLimit());
  unsetenv("WATCHDOG_PID");
  for (const char* const wrong : {"", "0", "-5", "12s", "99999999999999999999"}) {
    setenv("WATCHDOG_USEC", wrong, 1);
    CHECK(!WatchdogLimit());
  }
  unsetenv("WATCHDOG_USEC");
}

TEST_CASE("watchdog: the status line says how many workers answer") {
  CHECK(StatusLine({.is_working = false, .workers = 4, .connected = 2}) ==
        "waiting for the manager's API server and the first lists");
  CHECK(StatusLine({.is_working = true, .workers = 4, .connected = 3}) ==
        "3 of 4 workers connected");
  CHECK(StatusLine({.stands_by = true, .workers = 4, .connected = 3}) ==
        "standby, 3 of 4 workers connected");
}

}  // namespace fedra::watchdog_test
