// When a check is written, and how a new reservation of quota is recognised: by times and facts,
// over restarts and with a lost store, whatever the text is.

#include <algorithm>
#include <functional>
#include <set>

#include "manager/placement/message.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"

namespace fedra::placement::check_report_test {

using namespace fedra::placement::testing;
using namespace std::chrono_literals;
using tracking::CheckState;

namespace {

using Names = std::vector<std::string>;

struct After {
  std::string name;
  std::function<void(World&)> happens;
};

// What may happen to fedra between two looks.
const std::vector<After>& Interruptions() {
  static const std::vector<After> all = {
      {"nothing", [](World&) {}},
      {"a restart", [](World& world) { world.Restart(); }},
      {"a restart without the store", [](World& world) { world.LoseStore(); }},
  };
  return all;
}

bool Nominates(const Decision& decision) {
  return std::any_of(decision.actions.begin(), decision.actions.end(),
                     [](const Action& action) { return std::holds_alternative<Nominate>(action); });
}

// Blocked, and what an earlier release has said of it in other words.
World Blocked() {
  World world({"a"});
  world.Advance(1min);
  world.SetVerdict("a", No("x"));
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Message() == "no worker eligible: a: x");
  world.workload().checks.front().message = "nobody takes it: a lacks x";
  world.Advance(1min);
  return world;
}

// Dispatched to "a", and evicted by the manager's Kueue and back with quota before the next look.
World BackUnseen() {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.WorkersWithClone() == Names{"a"});
  world.Advance(10s);
  world.EvictOnManager("Pending");
  world.RunManagerKueue();
  REQUIRE_FALSE(world.workload().QuotaReserved());
  world.Advance(10s);
  world.ReserveQuota();
  REQUIRE(world.workload().nominated == Names{"a"});
  return world;
}

verdict::Verdict Counted(const std::string& holder, verdict::ReasonCode code, std::string object,
                         int free) {
  verdict::CountedCause held{.rule = verdict::Rule::kAllocated, .devices = 4 - free};
  held.holders = {{.is_job = true, .name = {"ml", holder}}};
  held.all_holders = 1;
  verdict::DeviceCounts counts{
      .requested = {.request = "r", .claim = "claim g", .device_class = "gpu", .count = 4},
      .devices = 4,
      .parts = {{.rule = verdict::Rule::kFree, .devices = free}, std::move(held)}};
  verdict::Reason reason{code, std::move(object), std::move(counts)};
  return {.outcome = verdict::Outcome::kNo, .reasons = {std::move(reason)}};
}

uint64_t FactsOf(verdict::Verdict verdict) {
  ClusterView cluster;
  cluster.name = ClusterName("a");
  cluster.verdict = std::move(verdict);
  const std::vector<ClusterView> clusters{cluster};
  return NoWorkerEligible(clusters, {}, {}, "ml").facts;
}

}  // namespace

TEST_CASE("a blocked check that says the same in other words is not written again") {
  for (const After& interruption : Interruptions()) {
    INFO(interruption.name);
    World world = Blocked();
    interruption.happens(world);
    const int before = world.writes();
    world.Settle();
    CHECK(world.writes() == before);
    CHECK(world.Message() == "nobody takes it: a lacks x");
    CHECK(world.Look().phase == Phase::kBlocked);
    // Other facts are written, also when the store was lost.
    world.SetVerdict(
        "a", {.outcome = verdict::Outcome::kNo,
              .reasons = {{verdict::ReasonCode::kQueueMissing, "", verdict::Sentence{"y"}}}});
    world.Settle();
    CHECK(world.writes() == before + 1);
    CHECK(world.Message() == "no worker eligible: a: y");
  }
}

TEST_CASE(
    "facts that changed while fedra was not running are written, if the store knows the old ones") {
  World world = Blocked();
  world.Restart();
  world.SetVerdict("a",
                   {.outcome = verdict::Outcome::kNo,
                    .reasons = {{verdict::ReasonCode::kQueueMissing, "", verdict::Sentence{"y"}}}});
  world.Settle();
  CHECK(world.Message() == "no worker eligible: a: y");
}

TEST_CASE("a check that names where the workload was sent is not written again for other words") {
  for (const After& interruption : Interruptions()) {
    INFO(interruption.name);
    World world({"a"});
    world.ReserveQuota();
    world.Settle();
    world.Advance(1min);
    world.workload().checks.front().message = "went to a";
    interruption.happens(world);
    // Without the store it is not known when the round began: another one begins, which is a write.
    if (!world.record().nominated_at) world.Step();
    const int before = world.writes();
    world.Settle();
    CHECK(world.writes() == before);
    CHECK(world.WorkersWithClone() == Names{"a"});
    // Its Kueue says something.
    world.Edit(world.worker("a"))->quota_reserved = {false, "Pending", "no cpu left", {}};
    world.Settle();
    CHECK(world.writes() == before + 1);
    CHECK_THAT(world.Message(), ContainsSubstring("(a: no cpu left)"));
  }
}

TEST_CASE("two checks are named once") {
  for (const After& interruption : Interruptions()) {
    INFO(interruption.name);
    World world({"a"});
    world.ReserveQuota();
    world.SetSecondCheck("second");
    world.Settle();
    world.Advance(1min);
    world.workload().checks.front().message = "remove one check";
    interruption.happens(world);
    const int before = world.writes();
    world.Settle();
    CHECK(world.writes() == before);
    world.SetSecondCheck("third");
    world.Settle();
    CHECK(world.writes() == before + 1);
  }
}

TEST_CASE("a new reservation of quota is known, although nobody saw the eviction") {
  for (const After& interruption : Interruptions()) {
    INFO(interruption.name);
    World world = BackUnseen();
    const int rounds = world.record().attempt;
    interruption.happens(world);
    const int known = world.record().attempt;
    CHECK((known == rounds || known == 0));
    const Decision first = world.Step();
    REQUIRE(first.actions.size() == 1);
    CHECK(std::get<DeleteRemote>(first.actions[0]).end == AttemptEnd::kEvicted);
    world.Settle();
    CHECK(world.WorkersWithClone() == Names{"a"});
    CHECK(world.record().attempt == known + 1);
  }
}

TEST_CASE("a new reservation is known by its time, whatever Kueue writes into the check") {
  World world = BackUnseen();
  world.workload().checks.front().message = "Set back by Kueue";
  world.LoseStore();
  CHECK_FALSE(Nominates(world.Step()));
  CHECK(world.WorkersWithClone().empty());
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
  SECTION("and a restart begins none") {
    world.Restart();
    const int before = world.writes();
    world.Settle();
    CHECK(world.writes() == before);
    world.LoseStore();
    const Decision decision = world.Look();
    CHECK(std::none_of(decision.actions.begin(), decision.actions.end(), [](const Action& action) {
      return std::holds_alternative<DeleteRemote>(action);
    }));
  }
}

TEST_CASE("a check that Kueue makes with a message of its own is written all the same") {
  World world({"a"});
  world.SetVerdict("a", No("x"));
  world.workload().checks.front().message = "Waiting for the controller";
  world.Advance(1min);
  world.ReserveQuota();
  world.workload().checks.front().since = world.now() + 1s;
  world.Settle();
  CHECK(world.Message() == "no worker eligible: a: x");
}

TEST_CASE("the same message is written again in the next reservation") {
  World world = Blocked();
  world.EvictOnManager("Pending");
  world.Settle();
  world.Advance(1min);
  world.ReserveQuota();
  world.Settle();
  CHECK(world.Message() == "no worker eligible: a: x");
  CHECK(world.workload().checks.front().since == world.workload().quota_reserved->since);
}

TEST_CASE("a round that an earlier release began goes on") {
  World world({"a", "b"});
  world.Advance(1min);
  world.ReserveQuota();
  world.Settle();
  // It left the date of the check as Kueue had set it at an eviction.
  world.workload().checks.front().since = world.now() - 30s;
  world.Restart();
  const int before = world.writes();
  world.Settle();
  CHECK(world.WorkersWithClone() == Names{"a"});
  CHECK(world.writes() == before);
}

TEST_CASE("the facts of a message are codes, names and numbers, not who holds devices") {
  using verdict::ReasonCode;
  const uint64_t facts = FactsOf(Counted("train", ReasonCode::kNotEnoughDevices, "gpu", 1));
  CHECK(FactsOf(Counted("other", ReasonCode::kNotEnoughDevices, "gpu", 1)) == facts);
  CHECK(FactsOf(Counted("train", ReasonCode::kNotEnoughDevices, "gpu", 2)) != facts);
  CHECK(FactsOf(Counted("train", ReasonCode::kNotEnoughDevices, "tpu", 1)) != facts);
  CHECK(FactsOf(Counted("train", ReasonCode::kQueueMissing, "gpu", 1)) != facts);
  const auto room = [](int64_t free) {
    verdict::NodeRoom busy{.resources = {{"cpu", Quantity(8), Quantity(free), Quantity(64), 2}}};
    return FactsOf({.outcome = verdict::Outcome::kNo,
                    .reasons = {{ReasonCode::kNodeResources, "", std::move(busy)}}});
  };
  CHECK(room(3) == room(3));
  CHECK(room(3) != room(4));
}

TEST_CASE("what waits for devices says so without counts, which change with every device") {
  using verdict::ReasonCode;
  const uint64_t facts = FactsOf(Counted("train", ReasonCode::kDevicesAllocated, "gpu", 1));
  CHECK(FactsOf(Counted("train", ReasonCode::kDevicesAllocated, "gpu", 0)) == facts);
  CHECK(FactsOf({.outcome = verdict::Outcome::kNo,
                 .reasons = {{ReasonCode::kInLine, "", verdict::InLine{}}}}) == facts);
}

TEST_CASE("a job waits as soon as devices are all that it waits for on one worker") {
  using verdict::ReasonCode;
  const auto waits = [](size_t workers, size_t busy) {
    std::vector<ClusterView> clusters(workers);
    for (size_t i = 0; i < workers; ++i) {
      clusters[i].name = ClusterName("w" + std::to_string(i));
      const ReasonCode code =
          i < busy ? ReasonCode::kDevicesAllocated : ReasonCode::kTemplateMissing;
      clusters[i].verdict = {.outcome = verdict::Outcome::kNo,
                             .reasons = {{code, "", verdict::Sentence{"x"}}}};
    }
    return NoWorkerEligible(clusters, {}, WallTime{}, "ml").waits;
  };
  for (const size_t workers : {size_t{2}, size_t{9}}) {
    CHECK_FALSE(waits(workers, 0));
    CHECK(waits(workers, 1));
    CHECK(waits(workers, workers));
  }
}

TEST_CASE("of a long fleet the reasons are counted, and their words do not matter") {
  using verdict::ReasonCode;
  const auto facts_of = [](ReasonCode last, const std::string& words) {
    std::vector<ClusterView> clusters(6);
    for (size_t i = 0; i < clusters.size(); ++i) {
      clusters[i].name = ClusterName("w" + std::to_string(i));
      const bool is_last = i + 1 == clusters.size();
      clusters[i].verdict = {.outcome = verdict::Outcome::kNo,
                             .reasons = {{is_last ? last : ReasonCode::kTemplateMissing, "",
                                          verdict::Sentence{words}}}};
    }
    return NoWorkerEligible(clusters, {}, WallTime{}, "ml").facts;
  };
  const uint64_t facts = facts_of(ReasonCode::kQueueMissing, "it is not there");
  CHECK(facts_of(ReasonCode::kQueueMissing, "it does not exist") == facts);
  CHECK(facts_of(ReasonCode::kTemplateMissing, "it is not there") != facts);
  CHECK(facts_of(ReasonCode::kDevicesAllocated, "it is not there") != facts);
}

TEST_CASE("what MultiKueue has nominated and admitted is taken as it is by who is in its place") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.LoseStore();
  // MultiKueue leaves a Pending check as Kueue makes it.
  world.workload().checks.front().message = "";
  const auto decide = [&](bool in_its_place) {
    WorkloadView view = world.View();
    view.kueue_clears = in_its_place;
    std::set<std::string> kinds;
    const Decision decision = Decide(view, world.Seen(), world.record(), {}, world.now());
    for (const Action& action : decision.actions) {
      if (std::holds_alternative<Admit>(action)) kinds.insert("admit");
      if (std::holds_alternative<DeleteRemote>(action)) kinds.insert("delete");
    }
    return kinds;
  };
  CHECK(decide(true) == std::set<std::string>{"admit"});
  // In other modes an eviction leaves nominations in place: they may be of an earlier reservation.
  CHECK(decide(false) == std::set<std::string>{"delete"});
  world.workload().nominated.clear();
  CHECK(decide(true) == std::set<std::string>{"delete"});
}

TEST_CASE(
    "an end that Kueue's eviction overtook is reported, though Kueue has cleared the worker") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Settle();
  REQUIRE(world.WorkersWithJob() == Names{"a"});
  REQUIRE(world.Finish("a"));
  world.Deactivate();
  REQUIRE(world.workload().Evicted());
  REQUIRE(world.workload().QuotaReserved());
  world.workload().cluster_name.clear();
  const auto mirrors = [&](bool kueue_clears) {
    WorkloadView view = world.View();
    view.kueue_clears = kueue_clears;
    const Decision decision = Decide(view, world.Seen(), world.record(), {}, world.now());
    return std::any_of(decision.actions.begin(), decision.actions.end(), [](const Action& action) {
      return std::holds_alternative<MirrorStatus>(action);
    });
  };
  CHECK(mirrors(true));
  CHECK_FALSE(mirrors(false));
}

}  // namespace fedra::placement::check_report_test
