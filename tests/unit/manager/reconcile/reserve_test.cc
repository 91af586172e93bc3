// Devices on several workers at once, while others reserve there.

#include "manager/reconcile/reserve.h"

#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"

namespace fedra::reconcile::reserve_test {
namespace {

using Names = std::vector<ClusterName>;

const ClusterName kEast("east"), kWest("west");
const ObjectKey kShared{"ml", "shared"};

// One pod that takes devices of a claim that others may use, too.
placement::Assumption Of(const std::string& name) {
  dra::PodDemand demand;
  demand.name = name;
  demand.count = 1;
  placement::Assumption assumption;
  assumption.workload = {"ml", name};
  assumption.job = {"Job.batch", {"ml", name}};
  assumption.claims = {kShared.name};
  assumption.demands = std::make_shared<const std::vector<dra::PodDemand>>(1, demand);
  return assumption;
}

struct Fixture {
  HandClock clock;
  AssumeCache::Pods no_pods{
      .version = [] { return uint64_t{0}; },
      .holding = [](const tracking::JobKey&) { return std::map<std::string, int>{}; }};
  AssumeCache east{no_pods, clock}, west{no_pods, clock};

  std::map<ClusterName, JudgedCache> Seen() {
    return {{kEast, {&east, {east.version()}}}, {kWest, {&west, {west.version()}}}};
  }
  // Judged as of `seen`. Nothing is assumed for it before but on `places`.
  ReserveResult Try(const std::string& name, const std::map<ClusterName, JudgedCache>& seen,
                    const std::set<ClusterName>& dispatched, bool all_count = false,
                    const std::map<ClusterName, AssumeCache*>& places = {}) const {
    return ReserveOnAll({.assumption = Of(name),
                         .dispatched = dispatched,
                         .judged = seen,
                         .places = places,
                         .all_count = all_count});
  }
  // Whose pods will take devices there, by name: "first last".
  static std::string Coming(const AssumeCache& cache) {
    std::string names;
    const dra::AssumedList others = cache.Others({});
    for (const dra::AssumedPods& pods : *others)
      names += (names.empty() ? "" : " ") + pods.demand->name;
    return names;
  }
};

TEST_CASE_METHOD(Fixture, "reserve: all workers or none") {
  const auto seen = Seen();
  REQUIRE(Try("other", Seen(), {kWest}).made);
  const ReserveResult late = Try("late", seen, {kEast, kWest});
  CHECK_FALSE(late.made);
  // What it had of the first one is free again.
  CHECK(late.freed == Names{kEast});
  CHECK(Coming(east).empty());
  CHECK(Coming(west) == "other");
  CHECK(Try("late", Seen(), {kEast, kWest}).made);
  CHECK(Coming(east) == "late");
  CHECK(Coming(west) == "late other");
}

TEST_CASE_METHOD(Fixture, "reserve: of two that want the same workers one gets through") {
  const auto first = Seen(), second = Seen();
  CHECK(Try("first", first, {kEast, kWest}).made);
  const ReserveResult late = Try("second", second, {kEast, kWest});
  CHECK_FALSE(late.made);
  CHECK(late.freed.empty());  // it came no further than the first worker
  CHECK(Coming(east) == "first");
  CHECK(Coming(west) == "first");
}

TEST_CASE_METHOD(
    Fixture,
    "reserve: where users of a claim must be together, what others took elsewhere counts") {
  const auto first = Seen(), second = Seen();  // each prefers another worker
  REQUIRE(Try("first", first, {kEast}, true).made);
  SECTION("together") {
    const ReserveResult late = Try("second", second, {kWest}, true);
    CHECK_FALSE(late.made);
    CHECK(late.freed == Names{kWest});
    CHECK(west.UsersOf(kShared).empty());
    CHECK(Try("second", Seen(), {kEast}, true).made);
    CHECK(east.UsersOf(kShared).size() == 2);
  }
  SECTION("each for itself") {
    CHECK(Try("second", second, {kWest}, false).made);
    CHECK(west.UsersOf(kShared).size() == 1);
  }
}

TEST_CASE_METHOD(Fixture, "reserve: a decision that dispatches to no worker is never out of date") {
  const auto seen = Seen();
  REQUIRE(Try("first", Seen(), {kEast}, true).made);
  CHECK(Try("second", seen, {}, true).made);
}

TEST_CASE_METHOD(Fixture, "reserve: what was reserved elsewhere is off, once the rest is made") {
  const std::map<ClusterName, AssumeCache*> places{{kEast, &east}, {kWest, &west}};
  REQUIRE(Try("job", Seen(), {kWest}).made);
  SECTION("it goes to another worker") {
    const ReserveResult moved = Try("job", Seen(), {kEast}, false, places);
    CHECK(moved.made);
    CHECK(moved.freed == Names{kWest});
    CHECK(Coming(east) == "job");
    CHECK(Coming(west).empty());
  }
  SECTION("it stays, and goes to another one, too") {
    CHECK(Try("job", Seen(), {kEast, kWest}, false, places).freed.empty());
    CHECK(Coming(east) == "job");
    CHECK(Coming(west) == "job");
  }
  SECTION("it goes nowhere") {
    CHECK(Try("job", {}, {}, false, places).freed == Names{kWest});
    CHECK(Coming(west).empty());
  }
  SECTION("refused, it keeps what it had") {
    const auto seen = Seen();
    REQUIRE(Try("other", Seen(), {kEast}).made);
    CHECK_FALSE(Try("job", seen, {kEast}, false, places).made);
    CHECK(Coming(west) == "job");
  }
  SECTION("what its objects show stays") {
    west.Observe({"ml", "job"}, [] { return std::optional(Of("job")); });
    CHECK(Try("job", Seen(), {kEast}, false, places).freed.empty());
    CHECK(Coming(west) == "job");
  }
}

}  // namespace
}  // namespace fedra::reconcile::reserve_test
