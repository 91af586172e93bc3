// A slow worker is waited for by few.

#include "manager/reconcile/call_gate.h"

#include "tests/support/catch.h"

using namespace fedra;
using reconcile::CallGate;
using namespace std::chrono_literals;

namespace {

class HandClock final : public Clock {
 public:
  WallTime Now() const override { return {}; }
  SteadyTime Steady() const override { return now; }
  SteadyTime now{};
};

}  // namespace

TEST_CASE("no more than the limit are inside, and leaving makes room") {
  HandClock clock;
  CallGate gate(clock, 2, 500ms);
  const auto first = gate.TryEnter();
  auto second = gate.TryEnter();
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(gate.TryEnter() == nullptr);
  second.reset();
  CHECK(gate.TryEnter() != nullptr);
}

TEST_CASE("while one has been inside for too long nobody joins") {
  HandClock clock;
  CallGate gate(clock, 8, 500ms);
  auto slow = gate.TryEnter();
  clock.now += 501ms;
  CHECK(gate.TryEnter() == nullptr);
  slow.reset();
  CHECK(gate.TryEnter() != nullptr);
}
