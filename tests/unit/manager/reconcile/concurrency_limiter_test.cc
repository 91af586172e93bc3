// Workers that are slow or silent are waited for by few.

#include "manager/reconcile/concurrency_limiter.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"

namespace fedra::concurrency_limiter_test {

using reconcile::ConcurrencyLimiter;
using namespace std::chrono_literals;

namespace {

const ClusterName kEast("east");
const ClusterName kWest("west");

using Permits = std::vector<std::unique_ptr<ConcurrencyLimiter::Permit>>;

// Enters until it is told to come back later.
Permits Fill(ConcurrencyLimiter& limiter, const ClusterName& worker) {
  Permits permits;
  while (auto permit = limiter.TryEnter(worker)) permits.push_back(std::move(permit));
  return permits;
}

}  // namespace

TEST_CASE("few wait for a slow worker, and leaving makes room") {
  HandClock clock;
  ConcurrencyLimiter limiter(
      clock, {.per_slow_worker = 2, .beyond_first = 100, .fast_below = 50ms, .stuck_after = 500ms});
  const auto slow = limiter.TryEnter(kEast);
  clock.Advance(51ms);
  Permits permits = Fill(limiter, kEast);
  CHECK(permits.size() == 1);
  CHECK(limiter.TryEnter(kWest) != nullptr);
  permits.pop_back();
  CHECK(limiter.TryEnter(kEast) != nullptr);
}

TEST_CASE("who is not let in is told when to come back") {
  HandClock clock;
  ConcurrencyLimiter limiter(
      clock, {.per_slow_worker = 1, .beyond_first = 0, .fast_below = 50ms, .stuck_after = 500ms});
  const auto first = limiter.Enter(kEast);
  REQUIRE(first.has_value());
  const auto second = limiter.Enter(kEast);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::kUnavailable);
  CHECK(second.error().retry_after == 50ms);
}

TEST_CASE("a fast_below worker is asked by as many as the budget allows") {
  HandClock clock;
  ConcurrencyLimiter limiter(
      clock, {.per_slow_worker = 2, .beyond_first = 9, .fast_below = 50ms, .stuck_after = 500ms});
  limiter.TryEnter(kEast).reset();  // it has answered
  CHECK(Fill(limiter, kEast).size() == 10);
}

TEST_CASE("nobody joins a thread that has waited for too long") {
  HandClock clock;
  ConcurrencyLimiter limiter(
      clock, {.per_slow_worker = 6, .beyond_first = 100, .fast_below = 50ms, .stuck_after = 500ms});
  auto slow = limiter.TryEnter(kEast);
  clock.Advance(500ms);
  CHECK(limiter.TryEnter(kEast) != nullptr);
  clock.Advance(1ms);
  CHECK(limiter.TryEnter(kEast) == nullptr);
  CHECK(limiter.TryEnter(kWest) != nullptr);
  slow.reset();
  CHECK(limiter.TryEnter(kEast) != nullptr);
}

TEST_CASE("workers that hang at once leave threads to the others") {
  HandClock clock;
  const ConcurrencyLimiter::Limits limits;
  ConcurrencyLimiter limiter(clock, limits);
  std::vector<Permits> hanging;
  size_t taken = 0;
  for (int i = 0; i < 16; ++i) {
    const ClusterName silent("silent-" + std::to_string(i));
    limiter.TryEnter(silent).reset();  // it did answer a moment ago
    hanging.push_back(Fill(limiter, silent));
    CHECK(!hanging.back().empty());
    taken += hanging.back().size();
  }
  CHECK(taken == 16 + limits.beyond_first);
  // A worker that answers is asked, one thread at a time until the silent ones are given up.
  auto first = limiter.TryEnter(kEast);
  CHECK(first != nullptr);
  CHECK(limiter.TryEnter(kEast) == nullptr);
  first.reset();
  CHECK(limiter.TryEnter(kEast) != nullptr);
  hanging.clear();
  CHECK(Fill(limiter, kEast).size() == 1 + limits.beyond_first);
}

TEST_CASE("workers that are silent from the very start leave threads to the others") {
  HandClock clock;
  const ConcurrencyLimiter::Limits limits;
  ConcurrencyLimiter limiter(clock, limits);
  limiter.TryEnter(kEast).reset();
  Permits hanging;
  for (int i = 0; i < 60; ++i) {
    auto permit = limiter.TryEnter(ClusterName("silent-" + std::to_string(i)));
    if (permit != nullptr) hanging.push_back(std::move(permit));
  }
  CHECK(hanging.size() == limits.suspects);
  CHECK(Fill(limiter, kEast).size() == 1 + limits.beyond_first);
  CHECK(hanging.size() + 1 + limits.beyond_first < 64);  // the reconciler's threads
  hanging.pop_back();
  CHECK(limiter.TryEnter(ClusterName("silent-59")) != nullptr);
}

TEST_CASE("one silent worker leaves room for a worker that was only not asked lately") {
  HandClock clock;
  const ConcurrencyLimiter::Limits limits;
  ConcurrencyLimiter limiter(clock, limits);
  const Permits silent = Fill(limiter, kEast);
  CHECK(silent.size() == limits.per_slow_worker);
  clock.Advance(2s);
  CHECK(limiter.TryEnter(kEast) == nullptr);
  CHECK(limiter.TryEnter(kWest) != nullptr);
}

TEST_CASE("an answer speaks for a worker for a while only, and a late one does not") {
  HandClock clock;
  ConcurrencyLimiter limiter(clock, {.suspects = 1});
  limiter.TryEnter(kWest).reset();
  const auto silent = limiter.TryEnter(kEast);
  REQUIRE(silent != nullptr);
  CHECK(limiter.TryEnter(kWest) != nullptr);
  clock.Advance(1'001ms);
  CHECK(limiter.TryEnter(kWest) == nullptr);

  ConcurrencyLimiter others(clock, {.suspects = 1});
  auto late = others.TryEnter(kWest);
  clock.Advance(501ms);
  late.reset();
  const auto first = others.TryEnter(kEast);
  CHECK(others.TryEnter(kWest) == nullptr);
}

TEST_CASE("whoever leaves gives back what he took, in whatever order") {
  HandClock clock;
  ConcurrencyLimiter limiter(
      clock, {.per_slow_worker = 3, .beyond_first = 2, .fast_below = 50ms, .stuck_after = 500ms});
  for (int round = 0; round < 3; ++round) {
    Permits east = Fill(limiter, kEast);
    REQUIRE(east.size() == 3);
    CHECK(Fill(limiter, kWest).size() == 1);
    east.erase(east.begin());
    CHECK(Fill(limiter, kWest).size() == 2);
  }
}

TEST_CASE("a worker that comes back under a name of old is suspect until it answers") {
  HandClock clock;
  ConcurrencyLimiter limiter(clock, {.per_slow_worker = 2, .beyond_first = 9});
  limiter.TryEnter(kEast).reset();
  limiter.Forget(kEast);
  CHECK(Fill(limiter, kEast).size() == 2);
}

}  // namespace fedra::concurrency_limiter_test
