// Decide() about a placed job whose place in a topology the manager's Kueue waits for.

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"

namespace fedra::placement::delayed_topology_test {

using testing::Does;

TEST_CASE("a job that was placed without a word about its topology gets it, and runs on") {
  testing::World world = testing::RunningOnA();
  CHECK_FALSE(Does<SetCheck>(world.Look()));
  world.workload().awaits_topology = true;
  const Decision decision = world.Look();
  CHECK(decision.phase == Phase::kRunning);
  REQUIRE(Does<SetCheck>(decision));
  for (const Action& action : decision.actions)
    if (const auto* check = std::get_if<SetCheck>(&action))
      CHECK(check->state == tracking::CheckState::kReady);
  // While the worker cannot be seen nothing is said of it.
  world.Disconnect("a");
  CHECK_FALSE(Does<SetCheck>(world.Look()));
}

}  // namespace fedra::placement::delayed_topology_test
