// Workers that are slow or silent are waited for by few.

#include "manager/reconcile/call_gates.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace fedra;
using reconcile::CallGates;
using namespace std::chrono_literals;

namespace {

class HandClock final : public Clock {
 public:
  WallTime Now() const override { return {}; }
  SteadyTime Steady() const override { return now; }
  SteadyTime now{};
};

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
  CallGates gates(clock,
                  {.per_slow_worker = 2, .beyond_first = 100, .brisk = 50ms, .patience = 500ms});
  const auto slow = gates.TryEnter(kEast);
  clock.now += 51ms;
  Passes passes = Fill(gates, kEast);
  CHECK(passes.size() == 1);
  CHECK(gates.TryEnter(kWest) != nullptr);
  passes.pop_back();
  CHECK(gates.TryEnter(kEast) != nullptr);
}

TEST_CASE("who is not let in is told when to come back") {
  HandClock clock;
  CallGates gates(clock,
                  {.per_slow_worker = 1, .beyond_first = 0, .brisk = 50ms, .patience = 500ms});
  const auto first = gates.Enter(kEast);
  REQUIRE(first.has_value());
  const auto second = gates.Enter(kEast);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::kUnavailable);
  CHECK(second.error().retry_after == 50ms);
}

TEST_CASE("a brisk worker is asked by as many as the budget allows") {
  HandClock clock;
  CallGates gates(clock,
                  {.per_slow_worker = 2, .beyond_first = 9, .brisk = 50ms, .patience = 500ms});
  CHECK(Fill(gates, kEast).size() == 10);
}

TEST_CASE("nobody joins a thread that has waited for too long") {
  HandClock clock;
  CallGates gates(clock,
                  {.per_slow_worker = 6, .beyond_first = 100, .brisk = 50ms, .patience = 500ms});
  auto slow = gates.TryEnter(kEast);
  clock.now += 500ms;
  CHECK(gates.TryEnter(kEast) != nullptr);
  clock.now += 1ms;
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
    hanging.push_back(Fill(gates, ClusterName("silent-" + std::to_string(i))));
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

TEST_CASE("whoever leaves gives back what he took, in whatever order") {
  HandClock clock;
  CallGates gates(clock,
                  {.per_slow_worker = 3, .beyond_first = 2, .brisk = 50ms, .patience = 500ms});
  for (int round = 0; round < 3; ++round) {
    Passes east = Fill(gates, kEast);
    REQUIRE(east.size() == 3);
    CHECK(Fill(gates, kWest).size() == 1);
    east.erase(east.begin());
    CHECK(Fill(gates, kWest).size() == 2);
  }
}
