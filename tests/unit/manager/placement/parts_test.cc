// Decide() about one of several Workloads of a job: they all go to one worker, and the copy of the
// job is the first one's.

#include "manager/placement/parts.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "manager/placement/move.h"
#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"

namespace fedra::placement::parts_test {

using namespace std::chrono_literals;
using testing::Does;
using testing::Retries;
using tracking::CheckState;
using tracking::Condition;
using tracking::Ownership;

namespace {

constexpr WallTime kNow{std::chrono::hours(1)};
const ClusterName kEast("east");
const ClusterName kWest("west");

Condition True(std::string reason) { return {true, std::move(reason), "", kNow}; }

// A part with quota, on no worker.
struct Scene {
  WorkloadView view;
  ClusterView east;
  PlacementRecord record;
  std::shared_ptr<tracking::Workload> workload = std::make_shared<tracking::Workload>();
  std::shared_ptr<tracking::Workload> clone = std::make_shared<tracking::Workload>();
  std::shared_ptr<tracking::Job> local = std::make_shared<tracking::Job>();

  explicit Scene(bool follows) {
    workload->key = {"ml", "leaderworkerset-serve"};
    workload->uid = "w1";
    workload->owner = {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "serve", "s1"};
    workload->is_part = true;
    workload->follows = follows;
    workload->quota_reserved = True("QuotaReserved");
    workload->checks = {{"fedra", CheckState::kPending, "", kNow}};
    view.key = workload->key;
    view.check = "fedra";
    view.holds_check = true;
    view.adoption = tracking::Adoption::kByOriginUid;
    local->key = {"ml", "serve"};
    local->uid = "s1";
    local->managed_by = tracking::kManagedBy;
    clone->key = workload->key;
    clone->uid = "clone";
    east.name = kEast;
    east.contact = Contact::kFull;
    east.verdict.outcome = verdict::Outcome::kYes;
  }

  void Nominate() {
    workload->checks.front().message = "dispatched to east";
    workload->nominated = {kEast.value};
    record.nominated = {kEast};
    record.nominated_at = kNow;
  }
  void AdmitClone() {
    clone->admitted = True("Admitted");
    clone->quota_reserved = True("QuotaReserved");
    east.clone = clone;
    east.clone_is = Ownership::kOurs;
  }
  void Place() {
    AdmitClone();
    workload->checks.front() = {"fedra", CheckState::kPending, "admitted",
                                kNow + tracking::kHeldAfterQuota};
    workload->cluster_name = kEast.value;
  }

  Decision Decide(WallTime now = kNow + 10s) {
    view.workload = workload;
    view.job = local;
    return placement::Decide(view, {&east, 1}, record, {}, now);
  }
};

}  // namespace

TEST_CASE("a part that follows waits for the first one, whatever the workers say") {
  Scene scene(/*follows=*/true);
  const Decision waits = scene.Decide();
  CHECK(waits.phase == Phase::kWaiting);
  CHECK(waits.actions.empty());
  CHECK(waits.why.find("first Workload") != std::string::npos);
  scene.view.first_on = kEast;
  CHECK(Does<CreateClone>(scene.Decide()));
}

TEST_CASE("a part that waits for the first one leaves nothing where it was nominated") {
  Scene scene(/*follows=*/true);
  scene.Nominate();
  scene.AdmitClone();
  const Decision decision = scene.Decide();
  CHECK(decision.phase == Phase::kWaiting);
  CHECK(Does<DeleteRemote>(decision));
  CHECK(Does<Nominate>(decision));
  CHECK(NominatedBy(decision).empty());
  // While that one is there, its quota is its own.
  scene.view.first_on = kEast;
  CHECK_FALSE(Does<DeleteRemote>(scene.Decide()));
}

TEST_CASE("the first one waits for nobody") {
  Scene scene(/*follows=*/false);
  CHECK(Does<CreateClone>(scene.Decide()));
}

TEST_CASE("the first one creates the copy, and who follows does not") {
  const bool follows = GENERATE(false, true);
  Scene scene(follows);
  scene.view.first_on = kEast;
  scene.Nominate();
  scene.AdmitClone();
  const Decision decision = scene.Decide();
  CHECK(Does<CreateJob>(decision) != follows);
  CHECK(Does<Admit>(decision));
}

TEST_CASE("the first one that comes back to the others finds the copy there") {
  Scene scene(/*follows=*/false);
  scene.view.siblings = {{kEast, 1}};
  scene.Nominate();
  scene.AdmitClone();
  scene.east.spares_job = true;
  // However long ago its clone was admitted: it waits for no job.
  scene.record.placing = Placing{kEast, kNow};
  const Decision decision = scene.Decide(kNow + 1h);
  CHECK(decision.phase == Phase::kRunning);
  CHECK(Does<Admit>(decision));
  CHECK_FALSE(Does<CreateJob>(decision));
  CHECK_FALSE(Does<RecordPlacing>(decision));
  // Another worker that it could have does not get it.
  ClusterView west;
  west.name = kWest;
  west.contact = Contact::kFull;
  west.verdict.outcome = verdict::Outcome::kYes;
  const std::vector<ClusterView> clusters = {scene.east, west};
  CHECK(Does<Admit>(Decide(scene.view, clusters, scene.record, {}, kNow + 1h)));
}

TEST_CASE("a part may run by the others' copy as soon as its clone is admitted") {
  struct Row {
    const char* what;
    std::map<ClusterName, int> others;
    void (*change)(Scene& scene);
    bool runs;
  };
  const auto nothing = [](Scene&) {};
  const Row row = GENERATE_COPY(values<Row>({
      {"it is admitted", {{kEast, 1}}, nothing, true},
      {"no other part is there", {{kWest, 1}}, nothing, false},
      {"there is no clone", {{kEast, 1}}, [](Scene& s) { s.east.clone = nullptr; }, false},
      {"it has quota alone", {{kEast, 1}}, [](Scene& s) { s.clone->admitted.reset(); }, false},
      {"it is evicted",
       {{kEast, 1}},
       [](Scene& s) { s.clone->evicted = True("Preempted"); },
       false},
      {"it is going", {{kEast, 1}}, [](Scene& s) { s.clone->deleting = true; }, false},
      {"it is an earlier Workload's",
       {{kEast, 1}},
       [](Scene& s) { s.east.clone_is = Ownership::kOursEarlier; },
       false},
  }));
  INFO(row.what);
  Scene scene(/*follows=*/true);
  scene.AdmitClone();
  scene.view.siblings = row.others;
  row.change(scene);
  CHECK(RunsByTheirCopy(scene.view, scene.east) == row.runs);
}

TEST_CASE("a part that may run already is not sent again while its worker is out of reach") {
  Scene scene(/*follows=*/true);
  scene.view.first_on = kEast;
  scene.view.siblings = {{kEast, 1}};
  scene.Nominate();
  scene.AdmitClone();
  scene.east.contact = Contact::kNone;
  scene.east.verdict.outcome = verdict::Outcome::kUnknown;
  scene.east.lost_since = kNow;
  const Decision decision = scene.Decide();
  CHECK(decision.phase == Phase::kDispatching);
  CHECK(decision.worker == kEast);
  CHECK(decision.actions.empty());
}

TEST_CASE("a running part is left alone while the first one is there, or nowhere") {
  Scene scene(/*follows=*/true);
  scene.Place();
  for (const ClusterName& first : {kEast, ClusterName()}) {
    scene.view.first_on = first;
    const Decision decision = scene.Decide();
    CHECK(decision.phase == Phase::kRunning);
    CHECK(decision.actions.empty());
  }
}

TEST_CASE("a running part follows the first one to another worker") {
  Scene scene(/*follows=*/true);
  scene.Place();
  scene.view.first_on = kWest;
  const Decision decision = scene.Decide();
  CHECK(Retries(decision));
  CHECK(decision.why == "the job's first Workload is on west");
}

TEST_CASE("the copy of a job that is gone from its worker is made again by the first one") {
  const bool follows = GENERATE(false, true);
  Scene scene(follows);
  scene.view.first_on = kEast;
  scene.Place();
  CHECK(Does<CreateJob>(scene.Decide()) != follows);
}

TEST_CASE("the copy gets what it follows of the job from the first one, once that has it") {
  struct Row {
    const char* what;
    bool follows;
    int of_job, of_copy;
    bool is_going;
    bool scales;
    uint64_t followed = 0;
  };
  const Row row =
      GENERATE(values<Row>({{"more", false, 3, 2, false, true},
                            {"less", false, 1, 2, false, true},
                            {"as many", false, 2, 2, false, false},
                            {"another text", false, 2, 2, false, true, 7},
                            {"who follows leaves it to the first", true, 3, 2, false, false},
                            {"a copy that is going", false, 3, 2, true, false}}));
  INFO(row.what);
  Scene scene(row.follows);
  scene.view.first_on = row.follows ? kEast : ClusterName();
  scene.Place();
  scene.local->parts = row.of_job;
  auto copy = std::make_shared<tracking::Job>(*scene.local);
  copy->parts = row.of_copy;
  copy->followed = row.followed;
  copy->deleting = row.is_going;
  scene.east.job = copy;
  scene.east.job_is = Ownership::kOurs;
  const Decision decision = scene.Decide();
  CHECK(decision.phase == Phase::kRunning);
  CHECK(Does<UpdateCopy>(decision) == row.scales);
}

TEST_CASE("a move is the first one's") {
  const bool follows = GENERATE(false, true);
  Scene scene(follows);
  scene.view.first_on = kEast;
  scene.Place();
  auto requests = std::make_shared<tracking::JobRequests>();
  requests->move = {.at = kNow + std::chrono::seconds(5), .from = kEast.value, .to = {}};
  scene.workload->requests = requests;
  ClusterView west = scene.east;
  west.name = kWest;
  west.clone = nullptr;
  scene.view.workload = scene.workload;
  scene.view.job = scene.local;
  const std::vector<ClusterView> clusters = {scene.east, west};
  CHECK(Retries(Decide(scene.view, clusters, scene.record, {}, kNow + std::chrono::seconds(10))) !=
        follows);
}

TEST_CASE("where the others are: the first one's worker, or the one that most of them have") {
  struct Row {
    const char* what;
    bool follows, is_placed;
    std::map<ClusterName, int> others;
    std::optional<std::chrono::seconds> moved_ago;
    const char* place;
  };
  const Row row = GENERATE(values<Row>({
      {"who follows goes to the first one", true, false, {{kWest, 1}}, {}, "west"},
      {"also from another worker", true, true, {{kWest, 1}}, {}, "west"},
      {"a request of its own does not count", true, false, {{kWest, 1}}, 1s, "west"},
      {"the first one is free while none is anywhere", false, false, {}, {}, ""},
      {"it comes back to the others", false, false, {{kWest, 1}}, {}, "west"},
      {"to the most of them", false, false, {{kEast, 1}, {kWest, 2}}, {}, "west"},
      {"of as many to the first by name", false, false, {{kEast, 1}, {kWest, 1}}, {}, "east"},
      {"it stays where it is", false, true, {{kWest, 2}}, {}, ""},
      {"unless it is moved", false, false, {{kWest, 1}}, 1s, ""},
      {"not for ever", false, false, {{kWest, 1}}, kMoveMemory, "west"},
      {"not before its time", false, false, {{kWest, 1}}, -1s, "west"},
  }));
  INFO(row.what);
  Scene scene(row.follows);
  if (row.is_placed) scene.Place();
  if (row.moved_ago) {
    auto requests = std::make_shared<tracking::JobRequests>();
    requests->move = {.at = kNow - *row.moved_ago, .from = kWest.value, .to = {}};
    scene.workload->requests = requests;
  }
  scene.view.workload = scene.workload;
  scene.view.siblings = row.others;
  if (row.follows) scene.view.first_on = kWest;
  CHECK(PlaceOfOthers(scene.view, kNow).value == row.place);
  scene.view.kueue_copies = true;
  CHECK(PlaceOfOthers(scene.view, kNow).value.empty());
}

TEST_CASE("the copy is spared by who follows, and by the first one while others run by it") {
  const auto spares = [](bool follows, bool is_placed, int others,
                         Ownership copy_is = Ownership::kOurs) {
    Scene scene(follows);
    if (is_placed) scene.Place();
    scene.view.workload = scene.workload;
    if (others > 0) scene.view.siblings = {{kEast, others}};
    return SparesCopy(scene.view, kEast, copy_is);
  };
  CHECK(spares(true, true, 0));
  CHECK(spares(true, false, 0));
  CHECK(spares(true, false, 0, Ownership::kOursEarlier));
  CHECK(spares(false, false, 1));
  CHECK_FALSE(spares(false, true, 1));
  CHECK_FALSE(spares(false, false, 0));
  // Of a first one that was deleted, say: no Workload could make it its own any more.
  CHECK_FALSE(spares(false, false, 1, Ownership::kOursEarlier));
  CHECK_FALSE(spares(false, false, 1, Ownership::kForeign));
  // It is over, and so is the job.
  Scene scene(/*follows=*/false);
  scene.workload->deleting = true;
  scene.view.workload = scene.workload;
  scene.view.siblings = {{kEast, 1}};
  CHECK_FALSE(SparesCopy(scene.view, kEast, Ownership::kOurs));
  scene.view.workload = nullptr;
  CHECK_FALSE(SparesCopy(scene.view, kEast, Ownership::kOurs));
}

TEST_CASE("a part has its worker from the moment that its check says so, until it is evicted") {
  Scene scene(/*follows=*/false);
  const auto place = [&] {
    scene.view.workload = scene.workload;
    return PlaceOf(scene.view).value;
  };
  CHECK(place().empty());
  scene.Place();
  CHECK(place() == "east");
  scene.workload->checks.front().state = CheckState::kRetry;
  CHECK(place().empty());
  scene.workload->checks.front().state = CheckState::kPending;
  scene.workload->evicted = True("Preempted");
  CHECK(place().empty());
}

TEST_CASE("whatever makes PlaceOf() say something else is a move, each by itself") {
  struct Row {
    const char* what;
    void (*change)(tracking::Workload& workload);
  };
  const Row row = GENERATE(values<Row>({
      {"another worker", [](auto& of) { of.cluster_name = "west"; }},
      {"no worker", [](auto& of) { of.cluster_name.clear(); }},
      {"it is deleted", [](auto& of) { of.deleting = true; }},
      {"it is finished", [](auto& of) { of.finished = True("Succeeded"); }},
      {"it is evicted", [](auto& of) { of.evicted = True("Preempted"); }},
      {"its quota is gone", [](auto& of) { of.quota_reserved->is_true = false; }},
      {"nothing is said of its quota", [](auto& of) { of.quota_reserved.reset(); }},
      {"it was reserved again", [](auto& of) { of.quota_reserved->since += 1min; }},
      {"another check", [](auto& of) { of.checks.front().name = "other"; }},
      {"no check", [](auto& of) { of.checks.clear(); }},
      {"its state", [](auto& of) { of.checks.front().state = CheckState::kRetry; }},
      {"no words", [](auto& of) { of.checks.front().message.clear(); }},
      {"its date", [](auto& of) { of.checks.front().since -= 1min; }},
  }));
  INFO(row.what);
  Scene scene(/*follows=*/false);
  scene.Place();
  scene.view.workload = scene.workload;
  const auto changed = std::make_shared<tracking::Workload>(*scene.workload);
  row.change(*changed);
  WorkloadView view = scene.view;
  view.workload = changed;
  REQUIRE(PlaceOf(scene.view) != PlaceOf(view));
  CHECK(MayHaveMoved(scene.workload.get(), changed.get()));
  CHECK(MayHaveMoved(changed.get(), scene.workload.get()));
}

TEST_CASE("a Workload that is not there has no worker, and what else changes is no move") {
  Scene scene(/*follows=*/false);
  scene.Place();
  tracking::Workload changed = *scene.workload;
  changed.active = false;
  changed.admitted = True("Admitted");
  changed.nominated = {"west"};
  changed.checks.front().message = "in other words";
  CHECK_FALSE(MayHaveMoved(scene.workload.get(), &changed));
  CHECK(MayHaveMoved(nullptr, &changed));
  CHECK(MayHaveMoved(&changed, nullptr));
  CHECK_FALSE(MayHaveMoved(nullptr, nullptr));
}

TEST_CASE("where Kueue copies, it sends the parts to one worker by itself") {
  Scene scene(/*follows=*/true);
  scene.view.kueue_copies = true;
  scene.view.workload = scene.workload;
  CHECK_FALSE(WaitsForFirst(scene.view));
  CHECK_FALSE(SparesCopy(scene.view, kEast, Ownership::kOurs));
}

}  // namespace fedra::placement::parts_test
