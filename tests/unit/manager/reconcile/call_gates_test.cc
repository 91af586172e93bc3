// Workers that are slow or silent are waited for by few.

#include "manager/reconcile/call_gates.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"

namespace fedra::call_gates_test {

using reconcile::CallGates;
using namespace std::chrono_literals;

namespace {

const ClusterName kEast("east");
const ClusterName kWest("west");

using Passes = std::vector<std::unique_ptr<CallGates::Pass>>;

// Enters until it is told to come back later.
Passes Fill(CallGates& gates, const ClusterName& worker) {
  Passes passes;
  while (auto pass = gates.TryEnter(worker)) passes.push_back(std::move(pass));
  return passes;
}

}  // namespace

TEST_CASE("few wait for a slow worker, and leaving makes room") {
  HandClock clock;
  CallGates gates(
      clock, {.per_slow_worker = 2, .beyond_first = 100, .fast_below = 50ms, .stuck_after = 500ms});
  const auto slow = gates.TryEnter(kEast);
  clock.Advance(51ms);
  Passes passes = Fill(gates, kEast);
  CHECK(passes.size() == 1);
  CHECK(gates.TryEnter(kWest) != nullptr);
  passes.pop_back();
  CHECK(gates.TryEnter(kEast) != nullptr);
}

TEST_CASE("who is not let in is told when to come back") {
  HandClock clock;
  CallGates gates(
      clock, {.per_slow_worker = 1, .beyond_first = 0, .fast_below = 50ms, .stuck_after = 500ms});
  const auto first = gates.Enter(kEast);
  REQUIRE(first.has_value());
  const auto second = gates.Enter(kEast);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::kUnavailable);
  CHECK(second.error().retry_after == 50ms);
}

TEST_CASE("a fast_below worker is asked by as many as the budget allows") {
  HandClock clock;
  CallGates gates(
      clock, {.per_slow_worker = 2, .beyond_first = 9, .fast_below = 50ms, .stuck_after = 500ms});
  gates.TryEnter(kEast).reset();  // it has answered
  CHECK(Fill(gates, kEast).size() == 10);
}

TEST_CASE("nobody joins a thread that has waited for too long") {
  HandClock clock;
  CallGates gates(
      clock, {.per_slow_worker = 6, .beyond_first = 100, .fast_below = 50ms, .stuck_after = 500ms});
  auto slow = gates.TryEnter(kEast);
  clock.Advance(500ms);
  CHECK(gates.TryEnter(kEast) != nullptr);
  clock.Advance(1ms);
  CHECK(gates.TryEnter(kEast) == nullptr);
  CHECK(gates.TryEnter(kWest) != nullptr);
  slow.reset();
  CHECK(gates.TryEnter(kEast) != nullptr);
}

TEST_CASE("workers that hang at once leave threads to the others") {
  HandClock clock;
  const CallGates::Limits limits;
  CallGates gates(clock, limits);
  std::vector<Passes> hanging;
  size_t taken = 0;
  for (int i = 0; i < 16; ++i) {
    const ClusterName silent("silent-" + std::to_string(i));
    gates.TryEnter(silent).reset();  // it did answer a moment ago
    hanging.push_back(Fill(gates, silent));
    CHECK(!hanging.back().empty());
    taken += hanging.back().size();
  }
  CHECK(taken == 16 + limits.beyond_first);
  // A worker that answers is asked, one thread at a time until the silent ones are given up.
  auto first = gates.TryEnter(kEast);
  CHECK(first != nullptr);
  CHECK(gates.TryEnter(kEast) == nullptr);
  first.reset();
  CHECK(gates.TryEnter(kEast) != nullptr);
  hanging.clear();
  CHECK(Fill(gates, kEast).size() == 1 + limits.beyond_first);
}

TEST_CASE("workers that are silent from the very start leave threads to the others") {
  HandClock clock;
  const CallGates::Limits limits;
  CallGates gates(clock, limits);
  gates.TryEnter(kEast).reset();
  Passes hanging;
  for (int i = 0; i < 60; ++i) {
    auto pass = gates.TryEnter(ClusterName("silent-" + std::to_string(i)));
    if (pass != nullptr) hanging.push_back(std::move(pass));
  }
  CHECK(hanging.size() == limits.in_doubt);
  CHECK(Fill(gates, kEast).size() == 1 + limits.beyond_first);
  CHECK(hanging.size() + 1 + limits.beyond_first < 64);  // the reconciler's threads
  hanging.pop_back();
  CHECK(gates.TryEnter(ClusterName("silent-59")) != nullptr);
}

TEST_CASE("one silent worker leaves room for a worker that was only not asked lately") {
  HandClock clock;
  const CallGates::Limits limits;
  CallGates gates(clock, limits);
  const Passes silent = Fill(gates, kEast);
  CHECK(silent.size() == limits.per_slow_worker);
  clock.Advance(2s);
  CHECK(gates.TryEnter(kEast) == nullptr);
  CHECK(gates.TryEnter(kWest) != nullptr);
}

TEST_CASE("an answer speaks for a worker for a while only, and a late one does not") {
  HandClock clock;
  CallGates gates(clock, {.in_doubt = 1});
  gates.TryEnter(kWest).reset();
  const auto silent = gates.TryEnter(kEast);
  REQUIRE(silent != nullptr);
  CHECK(gates.TryEnter(kWest) != nullptr);
  clock.Advance(1'001ms);
  CHECK(gates.TryEnter(kWest) == nullptr);

  CallGates others(clock, {.in_doubt = 1});
  auto late = others.TryEnter(kWest);
  clock.Advance(501ms);
  late.reset();
  const auto first = others.TryEnter(kEast);
  CHECK(others.TryEnter(kWest) == nullptr);
}

TEST_CASE("whoever leaves gives back what he took, in whatever order") {
  HandClock clock;
  CallGates gates(
      clock, {.per_slow_worker = 3, .beyond_first = 2, .fast_below = 50ms, .stuck_after = 500ms});
  for (int round = 0; round < 3; ++round) {
    Passes east = Fill(gates, kEast);
    REQUIRE(east.size() == 3);
    CHECK(Fill(gates, kWest).size() == 1);
    east.erase(east.begin());
    CHECK(Fill(gates, kWest).size() == 2);
  }
}

TEST_CASE("a worker that comes back under a name of old is in doubt until it answers") {
  HandClock clock;
  CallGates gates(clock, {.per_slow_worker = 2, .beyond_first = 9});
  gates.TryEnter(kEast).reset();
  gates.Forget(kEast);
  CHECK(Fill(gates, kEast).size() == 2);
}

}  // namespace fedra::call_gates_test
