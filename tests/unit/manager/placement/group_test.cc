// Decide() about a group of pods: each test is one sentence about what is done with its members.

#include <algorithm>
#include <string>
#include <vector>

#include "manager/placement/decide.h"
#include "manager/placement/note_reasons.h"
#include "manager/tracking/job_members.h"
#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"

namespace fedra::placement::group_test {

using testing::Does;
using testing::Retries;
using tracking::CheckState;
using tracking::Condition;
using tracking::JobPtr;
using tracking::Ownership;

namespace {

constexpr WallTime kNow{std::chrono::hours(1)};
const ClusterName kEast("east");

Condition True(std::string reason) { return {true, std::move(reason), "", kNow}; }

JobPtr Pod(const std::string& name, const std::string& phase, bool is_copy) {
  auto pod = std::make_shared<tracking::Job>();
  pod->key = {"ml", name};
  pod->uid = (is_copy ? "copy-" : "") + name;
  pod->managed_by = tracking::kManagedBy;
  pod->suspended = phase.empty();
  pod->shows_activity = phase == "Running";
  pod->failed = phase == "Failed";
  pod->finished = pod->failed || phase == "Succeeded";
  if (is_copy) pod->marks = {"fedra", "m1", "w1", "train"};
  pod->member = std::make_shared<const tracking::GroupMember>(tracking::GroupMember{
      .group = "train", .total = 2, .copy_of = is_copy ? name : std::string(), .finalizers = {}});
  return pod;
}

// A group of pods "a" and "b" on a manager, and one worker, to which it was sent.
struct Scene {
  WorkloadView view;
  ClusterView east;
  PlacementRecord record;
  std::shared_ptr<tracking::Workload> workload = std::make_shared<tracking::Workload>();
  std::shared_ptr<tracking::Workload> clone = std::make_shared<tracking::Workload>();

  Scene() {
    workload->key = {"ml", "train"};
    workload->uid = "w1";
    workload->is_pod_group = true;
    workload->owner = {"v1", std::string(tracking::kGroupOfPods), "train", ""};
    workload->quota_reserved = True("QuotaReserved");
    workload->checks = {
        {"fedra", CheckState::kPending, "admitted", kNow + tracking::kHeldAfterQuota}};
    workload->cluster_name = kEast.value;
    view.key = workload->key;
    view.check = "fedra";
    view.holds_check = true;
    clone->key = workload->key;
    clone->admitted = True("Admitted");
    clone->quota_reserved = True("QuotaReserved");
    clone->owner = workload->owner;
    east.name = kEast;
    east.contact = Contact::kFull;
    east.verdict.outcome = verdict::Outcome::kYes;
    east.clone_is = Ownership::kOurs;
    Local({{"a", "Running"}, {"b", "Running"}});
    Remote({{"a", "Running"}, {"b", "Running"}});
  }

  using Pods = std::vector<std::pair<std::string, std::string>>;  // name and phase
  void Local(const Pods& pods) { view.job = Join(pods, false); }
  void Remote(const Pods& pods) {
    east.job = Join(pods, true);
    east.job_is = Ownership::kOurs;
  }
  Decision Decide() {
    view.workload = workload;
    east.clone = clone;
    return placement::Decide(view, {&east, 1}, record, {}, kNow + std::chrono::seconds(10));
  }

 private:
  static JobPtr Join(const Pods& pods, bool are_copies) {
    std::vector<JobPtr> members;
    for (const auto& [name, phase] : pods) members.push_back(Pod(name, phase, are_copies));
    return tracking::JoinMembers({"ml", "train"}, std::move(members));
  }
};

}  // namespace

TEST_CASE("what a worker that has a group is told of its pods") {
  struct Row {
    const char* what;
    Scene::Pods local;
    Scene::Pods remote;
    bool creates;
    bool removes;
  };
  const Row row = GENERATE(values<Row>({
      {"all are there", {{"a", ""}, {"b", ""}}, {{"a", "Running"}, {"b", ""}}, false, false},
      {"one is missing, and comes back", {{"a", ""}, {"b", ""}}, {{"a", ""}}, true, false},
      {"all are missing", {{"a", ""}, {"b", ""}}, {}, true, false},
      {"one that has ended is not run again",
       {{"a", "Succeeded"}, {"b", ""}},
       {{"b", ""}},
       false,
       false},
      {"one was replaced",
       {{"a", "Failed"}, {"b", ""}, {"c", ""}},
       {{"a", "Failed"}, {"b", ""}},
       true,
       false},
      {"one is gone here", {{"b", ""}}, {{"a", "Failed"}, {"b", ""}}, false, true},
  }));
  INFO(row.what);
  Scene scene;
  scene.Local(row.local);
  scene.Remote(row.remote);
  const Decision decision = scene.Decide();
  CHECK(decision.phase == Phase::kRunning);
  CHECK(decision.worker == kEast);
  CHECK(Does<MirrorStatus>(decision) == !row.remote.empty());
  CHECK(Does<CreateJob>(decision) == row.creates);
  CHECK(Does<RemoveSurplus>(decision) == row.removes);
  CHECK_FALSE(Does<DeleteRemote>(decision));
}

TEST_CASE("a group is sent nowhere before its other checks are Ready") {
  Scene scene;
  scene.workload->cluster_name.clear();
  scene.workload->checks = {{"fedra", CheckState::kPending, "", kNow},
                            {"budget", CheckState::kReady, "", kNow},
                            {"approval", CheckState::kPending, "", kNow}};
  scene.clone = nullptr;
  scene.Remote({});
  CHECK(scene.Decide().actions.empty());
  CHECK(scene.Decide().waits_for == WaitsFor::kAdmissionCheck);
  scene.workload->checks[2].state = CheckState::kReady;
  CHECK(Does<CreateClone>(scene.Decide()));
}

TEST_CASE("an object in the way of one pod takes the group back from the worker") {
  Scene scene;
  scene.Remote({{"a", "Running"}});
  scene.east.in_the_way = Pod("b", "Running", false);
  const Decision decision = scene.Decide();
  CHECK(Retries(decision));
  CHECK(decision.why == "a foreign job ml/b exists on east");
}

TEST_CASE("a worker that refuses a pod before any of the group has run gives the group back") {
  Scene scene;
  scene.record.nominated_at = kNow;
  scene.record.failures = {{.cluster = kEast,
                            .at = kNow + std::chrono::seconds(2),
                            .message = "east refused the job: no",
                            .refused = true}};
  scene.Remote({{"a", ""}});
  Decision decision = scene.Decide();
  CHECK(Retries(decision));
  CHECK(decision.why == "east refused the job: no");
  scene.Remote({{"a", "Running"}});
  decision = scene.Decide();
  CHECK_FALSE(Retries(decision));
  CHECK(Does<CreateJob>(decision));
  scene.Remote({{"a", ""}});
  scene.record.failures[0].at = kNow - std::chrono::seconds(2);  // in an earlier round
  CHECK(Does<CreateJob>(scene.Decide()));
}

TEST_CASE("a group that the worker's Kueue has evicted moves, whatever became of its pods") {
  Scene scene;
  scene.clone->evicted = True("Preempted");
  scene.clone->admitted->is_true = false;
  // Where no pod is replaced, Kueue finishes a group whose pods it has stopped.
  if (GENERATE(false, true)) scene.clone->finished = True("Succeeded");
  const Decision decision = scene.Decide();
  CHECK(Retries(decision));
  CHECK(Does<RecordFailure>(decision));
  CHECK_FALSE(Does<FinishWorkload>(decision));
}

TEST_CASE("a group that has ended there ends here, too, although a pod was replaced meanwhile") {
  struct Row {
    const char* what;
    Scene::Pods local;
    Scene::Pods remote;
    bool mirrors_only;
  };
  const Row row = GENERATE(values<Row>({
      {"an end is still to be seen",
       {{"a", "Succeeded"}, {"b", "Running"}},
       {{"a", "Succeeded"}, {"b", "Running"}},
       true},
      {"an end is still to be mirrored",
       {{"a", "Succeeded"}, {"b", "Running"}},
       {{"a", "Succeeded"}, {"b", "Succeeded"}},
       true},
      {"all are known, and Kueue ends it",
       {{"a", "Succeeded"}, {"b", "Succeeded"}},
       {{"a", "Succeeded"}, {"b", "Succeeded"}},
       true},
      {"b was replaced by c when it had succeeded there",
       {{"a", "Succeeded"}, {"c", ""}},
       {{"a", "Succeeded"}, {"b", "Succeeded"}},
       false},
  }));
  INFO(row.what);
  Scene scene;
  scene.clone->finished = True("Succeeded");
  scene.Local(row.local);
  scene.Remote(row.remote);
  const Decision decision = scene.Decide();
  CHECK(Does<MirrorStatus>(decision));
  CHECK(Does<FinishWorkload>(decision) == !row.mirrors_only);
  CHECK_FALSE(Does<CreateJob>(decision));
}

TEST_CASE("the end of one pod is mirrored before the copies of an evicted group go") {
  Scene scene;
  scene.workload->evicted = True("Preempted");
  scene.Remote({{"a", "Succeeded"}, {"b", "Running"}});
  Decision decision = scene.Decide();
  CHECK(Does<MirrorStatus>(decision));
  CHECK_FALSE(Does<DeleteRemote>(decision));
  scene.Local({{"a", "Succeeded"}, {"b", "Running"}});
  decision = scene.Decide();
  CHECK(Does<DeleteRemote>(decision));
  CHECK(Does<ClearActivity>(decision));
}

TEST_CASE("a group whose pods have all ended where it was waits for replacements elsewhere") {
  Scene scene;
  scene.Local({{"a", "Succeeded"}, {"b", "Failed"}});
  scene.Remote({});
  scene.clone->owner = {};
  Decision decision = scene.Decide();
  CHECK(decision.phase == Phase::kRunning);
  CHECK(decision.actions.empty());
  scene.Local({{"a", "Succeeded"}, {"b", "Failed"}, {"c", ""}});
  decision = scene.Decide();
  CHECK(Does<CreateJob>(decision));
}

}  // namespace fedra::placement::group_test
