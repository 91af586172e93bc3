// What was sent is counted once, in order, and a decision on old news does not count.

#include "manager/reconcile/in_flight.h"

#include "tests/support/catch.h"

using namespace fedra;
using namespace fedra::reconcile;
using std::chrono::minutes;

namespace {

const ClusterName kEast("east");
const ClusterName kWest("west");

Sent Of(const std::string& name, SteadyTime since = {}) {
  return {
      .workload = {"ml", name}, .job = {"ml", name}, .claims = {}, .demands = {}, .since = since};
}

}  // namespace

TEST_CASE("two decisions on the same picture: the second is refused and sees the first") {
  InFlight in_flight;
  const uint64_t seen = in_flight.version();
  CHECK(in_flight.Settle(Of("a"), {kEast}, {}, seen).outcome == InFlight::Outcome::kSettled);
  CHECK(in_flight.Settle(Of("b"), {kEast}, {}, seen).outcome == InFlight::Outcome::kOutdated);
  CHECK(in_flight.On(kEast, {"ml", "a"}).empty());
  REQUIRE(in_flight.On(kEast, {"ml", "b"}).size() == 1);
  CHECK(in_flight.Settle(Of("b"), {kEast}, {}, in_flight.version()).outcome ==
        InFlight::Outcome::kSettled);
  CHECK(in_flight.On(kEast, {}).size() == 2);
}

TEST_CASE("staying where it is needs no fresh picture; leaving frees what was kept") {
  InFlight in_flight;
  const uint64_t seen = in_flight.version();
  in_flight.Settle(Of("a"), {kEast}, {}, seen);
  in_flight.Settle(Of("b"), {kWest}, {}, in_flight.version());
  CHECK(in_flight.Settle(Of("a"), {kEast}, {}, seen).outcome == InFlight::Outcome::kSettled);
  CHECK(in_flight.Settle(Of("a"), {}, {}, seen).outcome == InFlight::Outcome::kTakenBack);
  CHECK(in_flight.Settle(Of("a"), {}, {}, seen).outcome == InFlight::Outcome::kSettled);
  CHECK(in_flight.On(kEast, {}).empty());
  CHECK(in_flight.On(kWest, {}).size() == 1);
}

TEST_CASE("oldest first") {
  InFlight in_flight;
  in_flight.Settle(Of("a", SteadyTime(minutes(2))), {kEast}, {}, in_flight.version());
  in_flight.Settle(Of("b", SteadyTime(minutes(1))), {kEast}, {}, in_flight.version());
  const auto all = in_flight.On(kEast, {});
  REQUIRE(all.size() == 2);
  CHECK(all[0].workload.name == "b");
}

TEST_CASE("devices are not kept for ever for pods that do not come") {
  InFlight in_flight;
  in_flight.Settle(Of("a"), {kEast}, {}, in_flight.version());
  const SteadyTime later = SteadyTime() + InFlight::kKeptFor;
  CHECK(in_flight.Settle(Of("a", later - minutes(1)), {kEast}, {}, 0).outcome ==
        InFlight::Outcome::kSettled);
  CHECK(in_flight.On(kEast, {}).size() == 1);
  CHECK(in_flight.Settle(Of("a", later), {kEast}, {}, 0).outcome == InFlight::Outcome::kTakenBack);
  CHECK(in_flight.On(kEast, {}).empty());
  CHECK(in_flight.Settle(Of("a", later), {kEast}, {}, 0).outcome == InFlight::Outcome::kSettled);
}

TEST_CASE("what has its devices is not in flight any more, and nobody has to be told") {
  InFlight in_flight;
  in_flight.Settle(Of("a"), {kEast}, {}, in_flight.version());
  CHECK(in_flight.Settle(Of("a"), {kEast}, {kEast}, 0).outcome == InFlight::Outcome::kSettled);
  CHECK(in_flight.On(kEast, {}).empty());
  CHECK_FALSE(in_flight.Settle(Of("a"), {kEast}, {}, 0).overdue_at);
  CHECK(in_flight.Settle(Of("a"), {}, {}, 0).outcome == InFlight::Outcome::kSettled);
}

TEST_CASE("a decision for one worker does not grow old by what is sent to another") {
  InFlight in_flight;
  const uint64_t seen = in_flight.version();
  CHECK(in_flight.Settle(Of("a"), {kEast}, {}, seen).outcome == InFlight::Outcome::kSettled);
  CHECK(in_flight.Settle(Of("b"), {kWest}, {}, seen).outcome == InFlight::Outcome::kSettled);
  CHECK(in_flight.Settle(Of("c"), {kWest}, {}, seen).outcome == InFlight::Outcome::kOutdated);
}

TEST_CASE("a named claim's users are known by where they were sent, whatever their devices") {
  InFlight in_flight;
  Sent sent = Of("a");
  sent.claims = {"shared"};
  in_flight.Settle(sent, {kWest, kEast}, {}, in_flight.version());
  const ObjectKey claim{"ml", "shared"};
  const ObjectKey user{"ml", "a"};
  CHECK(in_flight.UsersOf(claim, {"ml", "b"}).at(user) == std::set<ClusterName>{kEast, kWest});
  CHECK(in_flight.UsersOf(claim, user).empty());
  CHECK(in_flight.UsersOf({"other", "shared"}, {}).empty());
  sent.since = SteadyTime() + InFlight::kKeptFor;
  in_flight.Settle(sent, {kWest}, {}, 0);
  CHECK(in_flight.UsersOf(claim, {}).at(user) == std::set<ClusterName>{kWest});
  CHECK(in_flight.Settle(sent, {}, {}, 0).outcome == InFlight::Outcome::kTakenBack);
}
