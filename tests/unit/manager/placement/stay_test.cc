// When a dispatched workload stays with its workers, so that no other one is looked at.
// history_test.cc compares what is decided with and without the others, in random histories.

#include "manager/placement/stay.h"

#include <set>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::stay_test {

using namespace std::chrono_literals;
using testing::No;
using testing::Race;
using testing::Unknown;
using testing::World;

namespace {

std::set<std::string> Stays(const World& world, const Policy& policy = {}) {
  std::set<std::string> names;
  for (const ClusterName& name : StaysWith(world.View(), world.record(), policy, world.now()))
    names.insert(name.value);
  return names;
}

bool MayStayOnA(const World& world, const Policy& policy = {}) {
  return MayStay({ClusterName("a")}, world.View(), world.Seen(), world.record(), policy,
                 world.now());
}

// Dispatched to a, which has not admitted it.
World Dispatched(Policy policy = {}) {
  World world({"a", "b"}, policy);
  world.ReserveQuota();
  CHECK(Stays(world).empty());
  world.Settle();
  REQUIRE(world.WorkersWithClone().front() == "a");
  return world;
}

}  // namespace

TEST_CASE("a dispatched job stays with its worker until the round's time is over") {
  World world = Dispatched();
  CHECK(Stays(world) == std::set<std::string>{"a"});
  world.Advance(119s);
  CHECK(Stays(world) == std::set<std::string>{"a"});
  world.Advance(1s);
  CHECK(Stays(world).empty());
}

TEST_CASE("a race, too few workers and a move ask about the others") {
  World world = Dispatched();
  CHECK(Stays(world, Race()).empty());
  Policy two;
  two.candidates = 2;
  CHECK(Stays(world, two).empty());
  CHECK(Stays(Dispatched(two), two) == std::set<std::string>{"a", "b"});
  world.AskToMove({.at = world.now()});
  CHECK(Stays(world).empty());
}

TEST_CASE("once it has its worker, or the quota is gone, nothing is to be stayed with") {
  World world = Dispatched();
  SECTION("it runs") {
    world.Admit("a");
    world.Settle();
  }
  SECTION("it was evicted") { world.EvictOnManager("Preempted"); }
  CHECK(Stays(world).empty());
}

TEST_CASE("it may not stay where it could not be dispatched any more") {
  World world = Dispatched();
  Policy strict;
  strict.unknown = UnknownPolicy::kNever;
  CHECK(MayStayOnA(world, strict));
  SECTION("a No") { world.SetVerdict("a", No("its template is gone")); }
  SECTION("an Unknown that does not count") { world.SetVerdict("a", Unknown()); }
  SECTION("no contact") { world.Disconnect("a"); }
  SECTION("a failure in this round") { world.Fail("a"); }
  CHECK_FALSE(MayStayOnA(world, strict));
}

TEST_CASE("it may not stay where its job could not be created for as long as a round is") {
  World world = Dispatched();
  world.SetFailures([](const Action& action) { return std::holds_alternative<CreateJob>(action); });
  world.Admit("a");
  world.Step();
  CHECK(MayStayOnA(world));
  world.Advance(120s);
  CHECK_FALSE(MayStayOnA(world));
}

}  // namespace fedra::placement::stay_test
