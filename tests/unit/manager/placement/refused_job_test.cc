// Decide() about a job that its operator on the worker refuses to run: a RayJob that is
// ValidationFailed has failed, and Kueue lets its Workload lie.

#include <chrono>
#include <memory>

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"

namespace fedra::placement::refused_job_test {

using testing::Does;
using testing::Retries;
using tracking::CheckState;
using tracking::Condition;
using tracking::Ownership;

namespace {

constexpr WallTime kNow{std::chrono::hours(1)};

// It was placed on east, where Kueue has taken its quota back.
struct Scene {
  WorkloadView view;
  ClusterView east;
  std::shared_ptr<tracking::Workload> workload = std::make_shared<tracking::Workload>();
  std::shared_ptr<tracking::Workload> clone = std::make_shared<tracking::Workload>();
  std::shared_ptr<tracking::Job> local = std::make_shared<tracking::Job>();
  std::shared_ptr<tracking::Job> copy = std::make_shared<tracking::Job>();

  Scene() {
    workload->key = clone->key = {"ml", "rayjob-train"};
    workload->uid = "w1";
    workload->owner = {"ray.io/v1", "RayJob", "train", "j1"};
    workload->quota_reserved = Condition{true, "QuotaReserved", "", kNow};
    workload->cluster_name = "east";
    workload->checks = {{"fedra", CheckState::kReady, "admitted", kNow}};
    view.key = workload->key;
    view.check = "fedra";
    local->key = copy->key = {"ml", "train"};
    local->managed_by = tracking::kManagedBy;
    copy->finished = copy->failed = true;
    clone->uid = "c1";
    clone->quota_reserved = Condition{false, "OnHold", "Job is on hold", kNow};
    east.name = ClusterName("east");
    east.contact = Contact::kFull;
    east.clone_is = east.job_is = Ownership::kOurs;
  }
  Decision Decide() {
    view.workload = workload;
    view.job = local;
    east.clone = clone;
    east.job = copy;
    return placement::Decide(view, {&east, 1}, {}, {}, kNow);
  }
};

}  // namespace

TEST_CASE("what ended while its clone lost its quota is shown, and not tried elsewhere") {
  Scene scene;
  for (const bool is_shown : {false, true}) {
    scene.local->finished = scene.local->failed = is_shown;
    const Decision decision = scene.Decide();
    CHECK(Does<MirrorStatus>(decision));
    CHECK_FALSE(Retries(decision));
    CHECK_FALSE(Does<DeleteRemote>(decision));
  }
}

TEST_CASE("an eviction is one, whatever the job says") {
  Scene scene;
  SECTION("the clone was evicted") {
    scene.clone->evicted = Condition{true, "Preempted", "", kNow};
  }
  SECTION("the job has not ended") { scene.copy->finished = scene.copy->failed = false; }
  SECTION("the job is going") { scene.copy->deleting = true; }
  CHECK(Retries(scene.Decide()));
}

TEST_CASE("once the manager's Kueue holds it back it has failed, and its copies go") {
  Scene scene;
  scene.local->finished = scene.local->failed = true;
  scene.workload->quota_reserved = Condition{false, "OnHold", "Job is on hold", kNow};
  const Decision decision = scene.Decide();
  CHECK(decision.phase == Phase::kFailed);
  CHECK(decision.why == "Job is on hold");
  CHECK(Does<DeleteRemote>(decision));
}

}  // namespace fedra::placement::refused_job_test
