// How many Events are written about one object, by a table of moments and by a random history.

#include "manager/reconcile/event_correlator.h"

#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/support/histories.h"

namespace fedra::reconcile::event_correlator_test {

using namespace std::chrono_literals;

namespace {

constexpr SteadyTime kBegin{1h};

// How many of so many at one moment are written.
int Written(EventCorrelator& events, const EventCorrelator::Event& event, int times,
            SteadyTime now) {
  int written = 0;
  for (int i = 0; i < times; ++i) written += events.Correlate(event, now).has_value() ? 1 : 0;
  return written;
}

}  // namespace

TEST_CASE(
    "of one object 25 events of a type are written at once, and one more every five minutes") {
  EventCorrelator events;
  const EventCorrelator::Event warning{"job-1", "Requeued", true, "gone"};
  CHECK(Written(events, warning, 100, kBegin) == 25);
  CHECK(Written(events, warning, 100, kBegin + 299s) == 0);
  // What was left out is counted with the one that is written.
  const auto next = events.Correlate(warning, kBegin + 301s);
  REQUIRE(next);
  CHECK(next->times == 176);
  CHECK(Written(events, warning, 100, kBegin + 302s) == 0);
  CHECK(Written(events, warning, 100, kBegin + 24h) == 25);
  // Others have their own.
  CHECK(Written(events, {"job-1", "Placed", false, "on east"}, 100, kBegin) == 25);
  CHECK(Written(events, {"job-2", "Requeued", true, "gone"}, 100, kBegin) == 25);
}

TEST_CASE("the tenth message of one reason within ten minutes is combined with all that follow") {
  EventCorrelator events;
  const auto is_combined = [&](int number, const char* reason, SteadyTime now) {
    const std::string message = fmt::format("{} devices are missing", number);
    const auto written = events.Correlate({"job-1", reason, true, message}, now);
    REQUIRE(written);
    return written->is_combined;
  };
  for (int i = 0; i < 9; ++i) CHECK_FALSE(is_combined(i, "WaitingForDevices", kBegin + i * 1s));
  CHECK(is_combined(9, "WaitingForDevices", kBegin + 9s));
  CHECK(is_combined(10, "WaitingForDevices", kBegin + 10s));
  CHECK_FALSE(is_combined(11, "Requeued", kBegin + 11s));
  CHECK_FALSE(is_combined(12, "WaitingForDevices", kBegin + 10s + 601s));
}

TEST_CASE("the same message again is never combined") {
  EventCorrelator events;
  for (int i = 0; i < 20; ++i)
    CHECK_FALSE(events.Correlate({"job-1", "Requeued", true, "gone"}, kBegin)->is_combined);
}

TEST_CASE("whatever happens, no more is written than was promised, and all of it is counted") {
  for (unsigned seed = 0; seed < Histories(50); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto draw = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    EventCorrelator events;
    SteadyTime now = kBegin;
    std::map<std::string, int> written;
    int happened = 0, counted = 0;
    for (int i = 0; i < 2000; ++i) {
      now += std::chrono::seconds(draw(4) == 0 ? draw(600) : 0);
      const std::string object = fmt::format("job-{}", draw(3));
      const std::string message = fmt::format("message {}", draw(7));
      ++happened;
      const auto one = events.Correlate({object, "Requeued", true, message}, now);
      if (!one) continue;
      counted += one->times;
      const double passed = std::chrono::duration<double>(now - kBegin) / 5min;
      CHECK(++written[object] <= 25 + passed);
    }
    // Once there is room for all, what is missing is told.
    for (int message = 0; message <= 7; ++message) {
      for (int object = 0; object <= 3; ++object) {
        now += 1h;
        const auto one = events.Correlate(
            {fmt::format("job-{}", object), "Requeued", true, fmt::format("message {}", message)},
            now);
        ++happened;
        REQUIRE(one);
        counted += one->times;
      }
    }
    CHECK(counted == happened);
  }
}

TEST_CASE("of objects without number the last ones are remembered") {
  EventCorrelator events;
  const auto use_up = [&](int object) {
    const std::string name = fmt::format("job-{}", object);
    return Written(events, {name, "Requeued", true, "gone"}, 30, kBegin);
  };
  for (int i = 0; i < 10'000; ++i) CHECK(use_up(i) == 25);
  CHECK(use_up(9'999) == 0);
  CHECK(use_up(6'500) == 0);
  CHECK(use_up(0) == 25);
}

}  // namespace fedra::reconcile::event_correlator_test
