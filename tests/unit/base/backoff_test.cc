#include "base/backoff.h"

#include "tests/support/catch.h"

namespace fedra::backoff_test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("each failure waits longer, up to the limit, however many there are") {
  const ExponentialBackoff twice{100ms, 1s};
  CHECK(twice.After(0) == 100ms);
  CHECK(twice.After(1) == 100ms);
  CHECK(twice.After(2) == 200ms);
  CHECK(twice.After(4) == 800ms);
  CHECK(twice.After(5) == 1s);
  CHECK(twice.After(2'000'000'000) == 1s);
  const ExponentialBackoff four_times{50ms, 2s, 4};
  CHECK(four_times.After(3) == 800ms);
  CHECK(four_times.After(4) == 2s);
  CHECK(ExponentialBackoff{5s, 1s}.After(1) == 1s);
}

TEST_CASE("jitter only shortens, by less than a quarter") {
  CHECK(Shortened(1s, 0) == 1s);
  CHECK(Shortened(1s, 0.5) == 875ms);
  CHECK(Shortened(1s, 0.99) > 750ms);
}

}  // namespace
}  // namespace fedra::backoff_test
