// Devices on several workers at once, while others reserve there.

#include "manager/reconcile/reserve.h"

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"

namespace fedra::reconcile {
namespace {

const ClusterName kEast("east"), kWest("west");

placement::Assumption Of(const std::string& name) {
  placement::Assumption assumption;
  assumption.workload = {"ml", name};
  assumption.job = {"Job.batch", {"ml", name}};
  return assumption;
}

struct Fixture {
  HandClock clock;
  AssumeCache::Pods no_pods{
      .version = [] { return uint64_t{0}; },
      .holding = [](const tracking::JobKey&) { return std::map<std::string, int>{}; }};
  AssumeCache east{no_pods, clock}, west{no_pods, clock};

  std::map<ClusterName, JudgedCache> Seen() {
    return {{kEast, {&east, east.version()}}, {kWest, {&west, west.version()}}};
  }
};

TEST_CASE("reserve: all workers or none") {
  Fixture f;
  const auto seen = f.Seen();
  REQUIRE(ReserveOnAll(Of("other"), f.Seen(), {kWest}, false).made);
  const Reservation late = ReserveOnAll(Of("late"), seen, {kEast, kWest}, false);
  CHECK_FALSE(late.made);
  CHECK(f.east.Others({})->empty());
  CHECK(ReserveOnAll(Of("late"), f.Seen(), {kEast, kWest}, false).made);
}

TEST_CASE("reserve: where users of a claim must be together, what others took elsewhere counts") {
  Fixture f;
  const auto first = f.Seen(), second = f.Seen();  // each prefers another worker
  REQUIRE(ReserveOnAll(Of("first"), first, {kEast}, true).made);
  SECTION("together") {
    CHECK_FALSE(ReserveOnAll(Of("second"), second, {kWest}, true).made);
    CHECK(f.west.UsersOf({"ml", "shared"}).empty());
    CHECK(ReserveOnAll(Of("second"), f.Seen(), {kEast}, true).made);
  }
  SECTION("each for itself") { CHECK(ReserveOnAll(Of("second"), second, {kWest}, false).made); }
}

TEST_CASE("reserve: a decision that dispatches to no worker is never out of date") {
  Fixture f;
  const auto seen = f.Seen();
  REQUIRE(ReserveOnAll(Of("first"), f.Seen(), {kEast}, true).made);
  CHECK(ReserveOnAll(Of("second"), seen, {}, true).made);
}

}  // namespace
}  // namespace fedra::reconcile
