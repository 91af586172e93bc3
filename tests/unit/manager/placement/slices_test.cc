// Decide() about the Workloads of an elastic job, of which one replaces the other.

#include "manager/placement/slices.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"

namespace fedra::placement::slices_test {

using namespace std::chrono_literals;
using testing::Does;
using testing::Retries;
using tracking::CheckState;
using tracking::Condition;
using tracking::Ownership;
using tracking::Slice;

namespace {

constexpr WallTime kNow{std::chrono::hours(1)};
const ClusterName kEast("east");

Condition True(std::string reason) { return {true, std::move(reason), "", kNow}; }

template <class What>
size_t PlaceOf(const Decision& decision) {
  for (size_t i = 0; i < decision.actions.size(); ++i)
    if (std::holds_alternative<What>(decision.actions[i])) return i;
  return decision.actions.size();
}

// A job that runs on east by the slice before, and whose new one has just got quota and that
// slice's place.
struct Scene {
  WorkloadView view;
  ClusterView east;
  PlacementRecord record;
  std::shared_ptr<tracking::Workload> workload = std::make_shared<tracking::Workload>();
  std::shared_ptr<tracking::Workload> clone = std::make_shared<tracking::Workload>();
  // Of the slice before: the job runs by it.
  std::shared_ptr<tracking::Workload> before = std::make_shared<tracking::Workload>();
  std::shared_ptr<tracking::Job> local = std::make_shared<tracking::Job>();
  std::shared_ptr<tracking::Job> copy = std::make_shared<tracking::Job>();

  Scene() {
    workload->key = {"ml", "job-train-2"};
    workload->uid = "w2";
    workload->owner = {"batch/v1", "Job", "train", "j1"};
    workload->slice =
        std::make_shared<const Slice>(Slice{"job-train-1", "job-train-1", std::vector{3}});
    workload->quota_reserved = True("QuotaReserved");
    workload->cluster_name = kEast.value;
    workload->checks = {{"fedra", CheckState::kPending, "", kNow}};
    view.key = workload->key;
    view.check = "fedra";
    for (const auto& job : {local, copy}) {
      job->key = {"ml", "train"};
      job->elastic = true;
      job->pod_counts = {3};
      job->followed = 3;
    }
    local->uid = "j1";
    local->managed_by = tracking::kManagedBy;
    local->shows_activity = true;
    copy->uid = "r1";
    copy->pod_counts = {2};
    copy->followed = 2;
    copy->prebuilt_workload = "job-train-1";
    clone->key = workload->key;
    clone->uid = "c2";
    clone->slice = workload->slice;
    before->key = {"ml", "job-train-1"};
    before->uid = "c1";
    before->slice = std::make_shared<const Slice>(Slice{"job-train-1", "", std::vector{2}});
    before->admitted = True("Admitted");
    before->quota_reserved = True("QuotaReserved");
    east.runs_by = before;
    east.name = kEast;
    east.contact = Contact::kFull;
    east.job = copy;
    east.job_is = Ownership::kOurs;
  }

  void MakeClone() {
    east.clone = clone;
    east.clone_is = Ownership::kOurs;
  }
  void AdmitClone() {
    clone->admitted = True("Admitted");
    clone->quota_reserved = True("QuotaReserved");
    MakeClone();
  }
  // Its check is Ready, and the copy is its own.
  void Place() {
    AdmitClone();
    workload->checks.front() = {"fedra", CheckState::kReady, "admitted", kNow};
    copy->prebuilt_workload = workload->key.name;
    copy->pod_counts = {3};
    copy->followed = 3;
    east.runs_by = nullptr;
  }
  void AwaitCheck() { workload->checks.push_back({"approval", CheckState::kPending, "", kNow}); }
  Decision Decide() {
    view.workload = workload;
    view.job = local;
    return placement::Decide(view, {&east, 1}, record, {}, kNow + 10s);
  }
};

// Nothing of the job's ends.
void CheckRunsOn(const Decision& decision) {
  CHECK(decision.phase == Phase::kRunning);
  CHECK(decision.worker == kEast);
  CHECK_FALSE(Does<DeleteRemote>(decision));
  CHECK_FALSE(Does<ClearActivity>(decision));
  CHECK_FALSE(Does<ClearPlacement>(decision));
  CHECK_FALSE(Retries(decision));
}

}  // namespace

TEST_CASE("a new slice goes where the job runs, which runs on as it was meanwhile") {
  Scene scene;
  Decision decision = scene.Decide();
  CheckRunsOn(decision);
  CHECK(Does<CreateClone>(decision));
  CHECK_FALSE(Does<Admit>(decision));
  scene.MakeClone();
  decision = scene.Decide();
  CheckRunsOn(decision);
  CHECK_FALSE(Does<UpdateCopy>(decision));
  CHECK_FALSE(Does<Admit>(decision));
  CHECK(Does<MirrorStatus>(decision));
  CHECK(decision.why.find("grows when that admits it") != std::string::npos);
}

TEST_CASE("a new slice that its worker admits gets the copy, and only then the manager says so") {
  Scene scene;
  scene.AdmitClone();
  const Decision decision = scene.Decide();
  CheckRunsOn(decision);
  CHECK_FALSE(Does<CreateJob>(decision));
  REQUIRE(Does<UpdateCopy>(decision));
  CHECK(PlaceOf<UpdateCopy>(decision) < PlaceOf<Admit>(decision));
  CHECK(NeedsAllBefore(decision.actions.at(PlaceOf<Admit>(decision))));
}

TEST_CASE("a new slice takes the job back when its worker cannot be used") {
  struct Row {
    const char* what;
    void (*change)(Scene& scene);
  };
  const Row row = GENERATE(values<Row>({
      {"it is lost",
       [](Scene& s) {
         s.east.contact = Contact::kNone;
         s.east.lost_since = kNow - 1h;
       }},
      {"it is not configured", [](Scene& s) { s.workload->cluster_name = "west"; }},
      {"it is drained", [](Scene& s) { s.east.drained_for = "maintenance"; }},
      {"it evicts the new clone",
       [](Scene& s) {
         s.AdmitClone();
         s.clone->evicted = True("Preempted");
       }},
      {"something else has the clone's name",
       [](Scene& s) {
         s.MakeClone();
         s.east.clone_is = Ownership::kForeign;
       }},
  }));
  INFO(row.what);
  Scene scene;
  row.change(scene);
  CHECK(Retries(scene.Decide()));
}

TEST_CASE("an eviction beside a clusterName is none of a slice that was handed over") {
  Scene scene;
  scene.workload->checks.front().message = "Reset to Pending after eviction. Previously: Ready";
  scene.workload->checks.front().since = kNow - 10s;
  CHECK(Does<ClearPlacement>(scene.Decide()));
  // Nor is a first slice, which no scheduler gives a place.
  Scene first;
  first.workload->slice = std::make_shared<const Slice>(Slice{"job-train-2", "", std::vector{3}});
  CHECK(Does<ClearPlacement>(first.Decide()));
}

TEST_CASE("other checks come first, and the job is mirrored meanwhile") {
  Scene scene;
  scene.AwaitCheck();
  const Decision decision = scene.Decide();
  CheckRunsOn(decision);
  CHECK_FALSE(Does<CreateClone>(decision));
  CHECK(Does<MirrorStatus>(decision));
  CHECK(decision.why == "waiting for the admission check approval");
}

namespace {

// How far its own clone is.
struct Stage {
  const char* what;
  void (*change)(Scene& scene);
};
const std::vector<Stage> kWaiting = {
    {"there is no clone of its own yet", [](Scene&) {}},
    {"its clone waits", [](Scene& s) { s.MakeClone(); }},
    {"another check comes first", [](Scene& s) { s.AwaitCheck(); }},
};

}  // namespace

TEST_CASE("while a new slice waits, the job's run ends as it would by the slice before") {
  struct Row {
    const char* what;
    void (*change)(Scene& scene);
    bool retries, fails, mirrors;
  };
  const Row row = GENERATE(values<Row>({
      {"it runs", [](Scene&) {}, false, false, true},
      {"its clone is evicted", [](Scene& s) { s.before->evicted = True("Preempted"); }, true, true,
       false},
      {"its clone has lost its quota", [](Scene& s) { s.before->admitted.reset(); }, true, true,
       false},
      {"its clone is gone", [](Scene& s) { s.east.runs_by = nullptr; }, true, false, false},
      {"its clone is being deleted", [](Scene& s) { s.before->deleting = true; }, true, false,
       false},
      {"its copy was deleted",
       [](Scene& s) {
         s.before->finished = True(std::string(tracking::kOwnerNotFound));
         s.east.job = nullptr;
       },
       true, false, false},
      {"its copy is another one than its clone",
       [](Scene& s) { s.before->finished = True(std::string(tracking::kOutOfSync)); }, true, true,
       false},
      {"it has ended, and its clone with it",
       [](Scene& s) {
         s.before->finished = True(std::string(tracking::kSucceeded));
         s.copy->finished = true;
       },
       false, false, true},
      {"it has ended, and its clone not yet",
       [](Scene& s) { s.copy->finished = s.copy->failed = true; }, false, false, true},
      {"it was refused by its operator",
       [](Scene& s) {
         s.before->admitted.reset();
         s.copy->finished = s.copy->failed = true;
       },
       false, false, true},
      {"another clone took its place there, and none has the quota",
       [](Scene& s) { s.before->finished = True(std::string(tracking::kSliceReplaced)); }, false,
       false, true},
      {"its worker is drained", [](Scene& s) { s.east.drained_for = ""; }, true, false, false},
      {"its worker is drained, and it has ended",
       [](Scene& s) {
         s.east.drained_for = "";
         s.copy->finished = true;
       },
       false, false, true},
  }));
  for (const Stage& stage : kWaiting) {
    INFO(row.what << "; " << stage.what);
    Scene scene;
    stage.change(scene);
    row.change(scene);
    const Decision decision = scene.Decide();
    CHECK(Retries(decision) == row.retries);
    CHECK(Does<RecordFailure>(decision) == row.fails);
    CHECK(Does<MirrorStatus>(decision) == row.mirrors);
    CHECK_FALSE(Does<Admit>(decision));
    CHECK_FALSE(Does<DeleteRemote>(decision));
  }
}

TEST_CASE("a clone that waits is kept as the Workload wants it") {
  struct Row {
    const char* what;
    void (*change)(Scene& scene);
    bool priority, update;
  };
  const Row row = GENERATE(values<Row>({
      {"nothing has changed", [](Scene&) {}, false, false},
      {"the job has shrunk",
       [](Scene& s) {
         s.workload->slice =
             std::make_shared<const Slice>(Slice{"job-train-1", "job-train-1", std::vector{1}});
       },
       false, true},
      {"it is more important now",
       [](Scene& s) {
         s.workload->priority = {"kueue.x-k8s.io", "WorkloadPriorityClass", "high", 9};
         s.clone->priority = {"kueue.x-k8s.io", "WorkloadPriorityClass", "low", 1};
       },
       true, false},
      {"the job runs by another one there than it is to replace",
       [](Scene& s) { s.before->key.name = "job-train-0"; }, false, true},
      {"what it is to replace was replaced",
       [](Scene& s) {
         s.before->key.name = "job-train-0";
         s.before->finished = True(std::string(tracking::kSliceReplaced));
       },
       false, false},
  }));
  INFO(row.what);
  Scene scene;
  scene.MakeClone();
  row.change(scene);
  const Decision decision = scene.Decide();
  CheckRunsOn(decision);
  CHECK(Does<SetClonePriority>(decision) == row.priority);
  CHECK(Does<UpdateClone>(decision) == row.update);
}

TEST_CASE("a job that waits to grow is moved when a user asks for it") {
  Scene scene;
  scene.MakeClone();
  auto requests = std::make_shared<tracking::JobRequests>();
  requests->move = tracking::MoveRequest{.at = kNow + 5s};
  scene.workload->requests = requests;
  Decision decision = scene.Decide();
  CheckRunsOn(decision);  // there is no other worker
  CHECK(Does<Note>(decision));
  CHECK(decision.why.find("asked to move") != std::string::npos);
}

TEST_CASE("a job's end that the manager shows ends every slice of it that has quota") {
  const bool failed = GENERATE(false, true);
  const bool waits = GENERATE(false, true);
  Scene scene;
  if (!waits) scene.Place();
  scene.local->finished = true;
  scene.local->failed = failed;
  const Decision decision = scene.Decide();
  REQUIRE(decision.actions.size() == 1);
  const auto* finish = std::get_if<FinishWorkload>(&decision.actions.front());
  REQUIRE(finish != nullptr);
  CHECK(finish->reason == (failed ? tracking::kFailed : tracking::kSucceeded));
  // Of any other job that is Kueue's to say.
  scene.workload->slice = nullptr;
  scene.workload->checks.front() = {"fedra", CheckState::kReady, "admitted", kNow};
  CHECK_FALSE(Does<FinishWorkload>(scene.Decide()));
}

TEST_CASE("beside a slice that has the copy nothing is done for another one") {
  struct Row {
    const char* what;
    void (*change)(tracking::Workload& workload);
    Phase phase;
  };
  const Row row = GENERATE(values<Row>({
      {"it waits for quota, to grow", [](tracking::Workload& w) { w.quota_reserved.reset(); },
       Phase::kWaiting},
      {"it was replaced, and Kueue has not said so yet",
       [](tracking::Workload& w) {
         w.checks.front() = {"fedra", CheckState::kReady, "admitted", kNow};
       },
       Phase::kRunning},
      {"it has quota, and no place", [](tracking::Workload& w) { w.cluster_name.clear(); },
       Phase::kRunning},
  }));
  INFO(row.what);
  Scene scene;
  row.change(*scene.workload);
  scene.view.other_slice = "job-train-1";
  scene.east.job = nullptr;  // as FindCopies() leaves it out
  const Decision decision = scene.Decide();
  CHECK(decision.actions.empty());
  CHECK(decision.phase == row.phase);
}

TEST_CASE("a slice that was replaced is over, and leaves no end of the job") {
  Scene scene;
  scene.workload->finished = True(std::string(tracking::kSliceReplaced));
  scene.east.job = nullptr;
  scene.AdmitClone();  // of its own, which nothing names any more
  const Decision decision = scene.Decide();
  CHECK(decision.phase == Phase::kGone);
  CHECK(Does<DeleteRemote>(decision));
  bool told = false;
  for (const Action& action : decision.actions)
    if (const auto* note = std::get_if<Note>(&action)) told |= note->reason == "Replaced";
  CHECK(told);
}

TEST_CASE("a job that shrinks: first its clone, then its copy") {
  Scene scene;
  scene.Place();
  CHECK_FALSE(Does<UpdateCopy>(scene.Decide()));
  CHECK_FALSE(Does<UpdateClone>(scene.Decide()));
  scene.local->pod_counts = {1};
  scene.local->followed = 1;
  CHECK_FALSE(Does<UpdateCopy>(scene.Decide()));  // its Workload does not know yet
  scene.workload->slice =
      std::make_shared<const Slice>(Slice{"job-train-1", "job-train-1", std::vector{1}});
  const Decision decision = scene.Decide();
  CheckRunsOn(decision);
  REQUIRE(Does<UpdateClone>(decision));
  CHECK(PlaceOf<UpdateClone>(decision) < PlaceOf<UpdateCopy>(decision));
  // One without the other would end the clone (OutOfSync).
  CHECK_FALSE(IsIndependent(decision.actions.at(PlaceOf<UpdateClone>(decision))));
}

TEST_CASE("a job that has shrunk before it began: first its clone, then its copy") {
  Scene scene;
  scene.workload->cluster_name.clear();
  scene.workload->nominated = {kEast.value};
  scene.workload->checks.front() = {"fedra", CheckState::kPending, "dispatched", kNow};
  scene.workload->slice =
      std::make_shared<const Slice>(Slice{"job-train-1", "job-train-1", std::vector{1}});
  scene.AdmitClone();
  scene.east.job = nullptr;
  scene.east.runs_by = nullptr;
  scene.east.verdict.outcome = verdict::Outcome::kYes;
  const Decision decision = scene.Decide();
  REQUIRE(Does<CreateJob>(decision));
  CHECK(PlaceOf<UpdateClone>(decision) < PlaceOf<CreateJob>(decision));
  scene.workload->slice = scene.clone->slice;
  CHECK_FALSE(Does<UpdateClone>(scene.Decide()));
}

TEST_CASE("a job that is never dispatched is rejected, but not where it runs") {
  Scene scene;
  scene.local->never = "spec.autoscaled is true";
  CheckRunsOn(scene.Decide());
  scene.workload->cluster_name.clear();
  const Decision decision = scene.Decide();
  CHECK(decision.phase == Phase::kBlocked);
  CHECK(decision.why == "spec.autoscaled is true");
  REQUIRE(Does<SetCheck>(decision));
  CHECK(std::get<SetCheck>(decision.actions.at(PlaceOf<SetCheck>(decision))).state ==
        CheckState::kRejected);
}

}  // namespace fedra::placement::slices_test
