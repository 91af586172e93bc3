// Decide() where the check is found in state Retry: written by fedra, or by Kueue's MultiKueue,
// also before fedra took its place.

#include <functional>

#include "tests/support/catch.h"
#include "tests/unit/manager/placement/kueue_copies.h"
#include "tests/unit/manager/placement/situations.h"

namespace fedra::placement::retry_test {

using fedra::placement::testing::KueueCopies;
using fedra::placement::testing::RunningOnA;
using fedra::placement::testing::World;
using tracking::CheckState;
using Names = std::vector<std::string>;

namespace {

// reconcileGroup() in pkg/controller/admissionchecks/multikueue/workload.go of Kueue 0.19.2.
constexpr const char* kLost = "Admitting remote lost, Previously: \"Ready\"";
constexpr const char* kNoLongerExists = "Admitting remote no longer exists, Previously: \"Ready\"";

std::string Worded(const Action& action) {
  if (const auto* mirror = std::get_if<MirrorStatus>(&action))
    return "mirror " + mirror->cluster.value;
  if (const auto* residue = std::get_if<RecordResidue>(&action))
    return "residue on " + residue->cluster.value;
  return "something else";
}

Names Worded(const Decision& decision) {
  Names actions;
  for (const Action& action : decision.actions) actions.push_back(Worded(action));
  return actions;
}

Decision DecideIn(const World& world, bool kueue_clears) {
  WorkloadView view = world.View();
  view.kueue_clears = kueue_clears;
  return Decide(view, world.Seen(), world.record(), {}, world.now());
}

}  // namespace

TEST_CASE("a Retry that MultiKueue wrote before fedra took its place is Kueue's turn") {
  struct Row {
    const char* name;
    const char* message;
    std::function<void(World&)> happens;
    Phase phase;    // in mode multikueue
    Names actions;  // likewise; in other modes there are none
  };
  const Row row = GENERATE_COPY(Row{"the copy was deleted on its worker",
                                    kNoLongerExists,
                                    [](World& world) { world.DeleteCloneOn("a"); },
                                    Phase::kRequeued,
                                    {}},
                                Row{"the job ended before that",
                                    kNoLongerExists,
                                    [](World& world) {
                                      REQUIRE(world.Finish("a"));
                                      world.worker("a").clone = nullptr;
                                    },
                                    Phase::kRunning,
                                    {"mirror a"}},
                                Row{"the copy and the job are gone",
                                    kNoLongerExists,
                                    [](World& world) {
                                      world.worker("a").clone = nullptr;
                                      world.worker("a").job = nullptr;
                                    },
                                    Phase::kRequeued,
                                    {}},
                                Row{"the worker evicted it",
                                    "Workload evicted on worker cluster: \"a\"",
                                    [](World& world) { world.EvictOn("a"); },
                                    Phase::kRequeued,
                                    {}},
                                Row{"the worker is lost",
                                    kLost,
                                    [](World& world) { world.Disconnect("a"); },
                                    Phase::kRequeued,
                                    {"residue on a"}},
                                Row{"the worker is not in the configuration",
                                    kNoLongerExists,
                                    [](World& world) { world.workload().cluster_name = "z"; },
                                    Phase::kRequeued,
                                    {}});
  INFO(row.name);
  World world = RunningOnA();
  row.happens(world);
  // What MultiKueue did is in no store of fedra's.
  world.LoseStore();
  world.workload().checks.front().state = CheckState::kRetry;
  world.workload().checks.front().message = row.message;

  const Decision in_its_place = DecideIn(world, /*kueue_clears=*/true);
  CHECK(in_its_place.phase == row.phase);
  CHECK(Worded(in_its_place) == row.actions);
  if (row.phase == Phase::kRequeued) CHECK(in_its_place.why == row.message);

  const Decision elsewhere = DecideIn(world, /*kueue_clears=*/false);
  CHECK(elsewhere.phase == Phase::kRequeued);
  CHECK(elsewhere.why == row.message);
  CHECK(elsewhere.actions.empty());
}

TEST_CASE("where MultiKueue copies, a Retry is judged by its worker, and not by its message") {
  struct Row {
    const char* name;
    const char* message;
    std::function<void(KueueCopies&)> happens;
    std::optional<verdict::ReasonCode> failure;  // of "a"
    Names nominated;                             // when it has quota again and all is as before
  };
  const Row row = GENERATE_COPY(Row{"the copy is gone",
                                    kNoLongerExists,
                                    [](KueueCopies& world) { world.worker("a").clone = nullptr; },
                                    verdict::ReasonCode::kRecentlyFailed,
                                    {"b"}},
                                Row{"the worker evicted it",
                                    "Workload evicted on worker cluster: \"a\"",
                                    [](KueueCopies& world) { world.EvictOn("a"); },
                                    verdict::ReasonCode::kRecentlyFailed,
                                    {"b"}},
                                Row{"the worker is lost",
                                    kLost,
                                    [](KueueCopies& world) {
                                      world.SetContact("a", false);
                                      world.worker("a").kueue_connected = false;
                                    },
                                    verdict::ReasonCode::kClusterUnreachable,
                                    {"b"}},
                                Row{"the MultiKueueConfig does not name the worker any more",
                                    kNoLongerExists,
                                    [](KueueCopies& world) { world.worker("a").allowed = false; },
                                    std::nullopt,
                                    {"a"}});
  const bool store_is_lost = GENERATE(false, true);
  INFO(row.name << (store_is_lost ? ", and the store is lost" : ""));
  KueueCopies world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Settle();
  REQUIRE(world.check().state == CheckState::kReady);
  row.happens(world);
  if (store_is_lost) world.LoseStore();
  world.check().state = CheckState::kRetry;
  world.check().message = row.message;

  const Decision decision = world.Step();
  CHECK(decision.phase == Phase::kRequeued);
  CHECK(decision.worker.value == "a");
  CHECK(decision.why == row.message);
  CHECK(world.notes().back() == "Requeued");
  CHECK(world.Step().actions.empty());  // said once
  const std::vector<Failure>& failures = world.record().failures;
  REQUIRE(failures.size() == (row.failure ? 1 : 0));
  if (row.failure) {
    CHECK(failures.front().cluster.value == "a");
    CHECK(failures.front().reason == *row.failure);
  }

  world.Settle();  // Kueue evicts it and takes its quota back
  REQUIRE_FALSE(world.workload().QuotaReserved());
  world.SetContact("a", true);
  world.worker("a").kueue_connected = true;
  world.worker("a").allowed = true;
  world.Settle();  // what was left there is removed
  world.ReserveQuota();
  world.Settle();
  CHECK(world.nominated() == row.nominated);
}

}  // namespace fedra::placement::retry_test
