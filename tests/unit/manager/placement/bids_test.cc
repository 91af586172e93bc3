#include "manager/placement/bids.h"

#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"

namespace fedra::placement::bids_test {
namespace {

using testing::World;
using verdict::Outcome;
using verdict::ReasonCode;

const ClusterName kA("a"), kB("b");

// Its devices are in use.
verdict::Verdict Full() {
  return {.outcome = Outcome::kNo,
          .pods_fitting = 1,
          .pods_wanted = 3,
          .fits_when_free = true,
          .reasons = {
              {ReasonCode::kDevicesAllocated, "", verdict::Sentence{"4 devices: 4 allocated"}}}};
}

// A world whose workload wants devices, of which each worker has some.
World Waiting(Policy policy = {}) {
  World world({"a", "b"}, policy);
  world.ReserveQuota();
  std::vector<dra::PodDemand> demands(1);
  demands[0].claims.push_back({.pod_claim = "gpu", .template_name = "one-gpu", .claim_name = ""});
  world.workload().requirement.demands =
      std::make_shared<const std::vector<dra::PodDemand>>(std::move(demands));
  for (const char* name : {"a", "b"}) {
    world.worker(name).serving =
        std::make_shared<const dra::DeviceSet>(std::vector<uint64_t>{1, 2, 3});
  }
  return world;
}

std::optional<Contender> ContenderIn(const World& world) {
  return MakeContender(world.View(), {}, nullptr, /*by_weight=*/false);
}

Bids BidsIn(const World& world, const Policy& policy = {}) {
  return BidsOf(world.View(), world.Seen(), world.record(), policy, {{kA, 7}}, world.now());
}

TEST_CASE("a workload is in line while a worker is all that it lacks") {
  World world = Waiting();
  const auto contender = ContenderIn(world);
  REQUIRE(contender);
  CHECK(contender->rank.since == world.workload().created);
  CHECK(contender->reserved_at == world.workload().quota_reserved->since);
  CHECK_FALSE(contender->dispatched);

  SECTION("not while another AdmissionCheck is pending") {
    world.workload().checks.push_back({"approval", tracking::CheckState::kPending, "", {}});
    CHECK_FALSE(ContenderIn(world));
    world.workload().checks.back().state = tracking::CheckState::kReady;
    CHECK(ContenderIn(world));
  }
  SECTION("not with two checks of fedra") {
    WorkloadView view = world.View();
    view.second_check = "fedra-too";
    CHECK_FALSE(MakeContender(view, {}, nullptr, false));
  }
  SECTION("not without its job") {
    WorkloadView view = world.View();
    view.job = nullptr;
    CHECK_FALSE(MakeContender(view, {}, nullptr, false));
  }
  SECTION("not without devices") {
    world.workload().requirement.demands = std::make_shared<const std::vector<dra::PodDemand>>(1);
    CHECK_FALSE(ContenderIn(world));
  }
  SECTION("not without quota") {
    world.workload().quota_reserved.reset();
    CHECK_FALSE(ContenderIn(world));
  }
}

TEST_CASE("its ClusterQueue says what happens behind it, and shares by its weight") {
  World world = Waiting();
  tracking::SharedQueue queue;
  queue.order = "Strict";
  queue.weight = 3;
  const auto contender = MakeContender(world.View(), {}, &queue, /*by_weight=*/true);
  REQUIRE(contender);
  CHECK(contender->order.policy == OrderPolicy::kStrict);
  REQUIRE(contender->share);
  CHECK(contender->share->weight == 3);
  queue.order = "strict";
  CHECK(MakeContender(world.View(), {}, &queue, true)->order.policy == OrderPolicy::kBackfill);
  CHECK_FALSE(MakeContender(world.View(), {}, &queue, false)->share);
  CHECK_FALSE(MakeContender(world.View(), {}, &queue, true, 2.0)->share->local);
  queue.local_queues_share = true;
  const auto local = MakeContender(world.View(), {}, &queue, true, 2.0)->share->local;
  CHECK(local == LocalShare{"ml/" + world.workload().requirement.queue, 2});
  CHECK(MakeContender(world.View(), {}, &queue, true)->share->local->weight == 1);
}

TEST_CASE("it bids where it fits, and where it would once devices are free") {
  World world = Waiting();
  Bids bids = BidsIn(world);
  CHECK(bids.at(kA).chance == Bid::Chance::kFits);
  CHECK(bids.at(kA).as_of == 7);
  CHECK(bids.at(kB).as_of == 0);

  world.SetVerdict("b", Full());
  bids = BidsIn(world);
  CHECK(bids.at(kB).chance == Bid::Chance::kWaits);
  CHECK(bids.at(kB).missing == 2);

  world.SetVerdict("b", testing::No("ResourceClaimTemplate ml/one-gpu does not exist there"));
  CHECK(BidsIn(world).at(kB).chance == Bid::Chance::kNone);

  world.SetVerdict("b", Full());
  world.worker("b").allowed = false;
  CHECK(BidsIn(world).at(kB).chance == Bid::Chance::kNone);

  world.worker("a").serving = nullptr;
  CHECK_FALSE(BidsIn(world).contains(kA));
  world.worker("a").contact = Contact::kNone;
  CHECK(BidsIn(world).at(kA).chance == Bid::Chance::kAway);
}

TEST_CASE("it does not wait in line where it was refused, until it may be asked again") {
  World world = Waiting();
  world.SetVerdict("b", Full());
  world.Fail("a");
  world.Fail("b");
  CHECK(BidsIn(world).at(kA).chance == Bid::Chance::kNone);
  CHECK(BidsIn(world).at(kB).chance == Bid::Chance::kNone);
  world.Advance(std::chrono::hours(1));
  CHECK(BidsIn(world).at(kA).chance == Bid::Chance::kFits);
  CHECK(BidsIn(world).at(kB).chance == Bid::Chance::kWaits);
}

TEST_CASE("one that no worker admits in time waits in line for the others") {
  World world = Waiting();
  world.SetVerdict("b", Full());
  world.Settle();
  REQUIRE(world.WorkersWithClone() == std::vector<std::string>{"a"});
  const auto is_over = [&] {
    return IsRoundOver(world.View(), world.Seen(), world.record(), {}, world.now());
  };
  CHECK_FALSE(is_over());
  CHECK(BidsIn(world).empty());
  world.Advance(Policy{}.admission_timeout);
  CHECK(is_over());
  const Bids bids = BidsIn(world);
  CHECK(bids.at(kB).chance == Bid::Chance::kWaits);
  CHECK_FALSE(bids.contains(kA));
  // What is said again of the worker that it has is no further dispatch.
  Decision decision;
  decision.actions.emplace_back(Nominate{{kA}, "", false, {}});
  CHECK(NewlyDispatched(world.View(), decision).empty());
  decision.actions.emplace_back(Nominate{{kA, kB}, "", true, {}});
  CHECK(NewlyDispatched(world.View(), decision) == std::set<ClusterName>{kB});
  world.Admit("a");
  CHECK_FALSE(is_over());
}

TEST_CASE("one that was dispatched bids for further workers once it wants some") {
  World world = Waiting();
  world.Settle();
  REQUIRE(world.WorkersWithClone() == std::vector<std::string>{"a"});
  REQUIRE(ContenderIn(world));
  CHECK(ContenderIn(world)->dispatched);
  CHECK(BidsIn(world).empty());
  world.Advance(Policy{}.admission_timeout);
  const Bids bids = BidsIn(world);
  CHECK(bids.size() == 1);
  CHECK(bids.at(kB).chance == Bid::Chance::kFits);
}

// Else a move, which bars the worker that has it, would send it past those ahead (Restrict).
TEST_CASE("one that went back where it was moved from bids for the workers it is to go to") {
  World world = Waiting();
  world.SetVerdict("b", testing::No("the template is missing"));
  world.AskToMove({world.now(), "a"});
  world.Settle();
  REQUIRE(world.WorkersWithClone() == std::vector<std::string>{"a"});
  world.SetVerdict("b", {.outcome = Outcome::kYes});
  std::vector<ClusterView> judged = world.Seen();
  judged[0].verdict = {.outcome = Outcome::kYes};  // as it is before the move is followed
  CHECK(BidsOf(world.View(), judged, world.record(), {}, {}, world.now()).contains(kB));
}

TEST_CASE("wherever it would be sent it bids, also in a race where a worker has just refused it") {
  const Policy policy = GENERATE(Policy{}, testing::Race());
  World world = Waiting(policy);
  world.Fail("a");
  const Bids bids = BidsIn(world, policy);
  const std::set<ClusterName> sent = NewlyDispatched(world.View(), world.Look());
  REQUIRE(sent.contains(kB));
  for (const ClusterName& worker : sent) {
    CAPTURE(worker.value);
    CHECK(bids.at(worker).chance == Bid::Chance::kFits);
  }
}

TEST_CASE("nominations from before the quota was reserved are no dispatch: its turn comes again") {
  World world = Waiting();
  world.Settle();
  REQUIRE(ContenderIn(world)->dispatched);
  // Evicted and reserved again, before the next look.
  world.workload().quota_reserved->since = world.now() + std::chrono::seconds(5);
  REQUIRE_FALSE(world.workload().nominated.empty());
  CHECK_FALSE(ContenderIn(world)->dispatched);
  CHECK(BidsIn(world).at(kA).chance == Bid::Chance::kFits);
}

TEST_CASE("one whose turn has not come is no candidate there, and its check stays as it is") {
  World world = Waiting();
  world.SetVerdict("a", Full());
  world.SetVerdict("b", Full());
  world.Settle();
  CHECK(world.Message() == "waiting in line for devices on a, b");
  const int writes = world.writes();

  std::vector<ClusterView> clusters = world.Seen();
  clusters[0].verdict = {.outcome = Outcome::kYes};
  const bool after_waiting = GENERATE(false, true);
  StandInLine({{kA, {ObjectKey{"ml", "first"}, after_waiting}}}, clusters);
  CHECK(clusters[0].verdict.outcome == Outcome::kNo);
  CHECK(verdict::Headline(clusters[0].verdict) == "InLine");
  CHECK(clusters[1].verdict.reasons.size() == 1);
  world.CarryOut(Decide(world.View(), clusters, world.record(), {}, world.now()));
  CHECK(world.writes() == writes);
}

}  // namespace
}  // namespace fedra::placement::bids_test
