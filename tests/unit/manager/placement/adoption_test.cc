// Decide() about a job whose copy may not name its Workload: each test is one sentence about when
// the clone gets its owner.

#include <algorithm>
#include <memory>
#include <string>

#include "manager/placement/decide.h"
#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"

namespace fedra::placement::adoption_test {

using testing::Does;
using testing::Retries;
using tracking::CheckState;
using tracking::Condition;
using tracking::Ownership;

namespace {

constexpr WallTime kNow{std::chrono::hours(1)};
const ClusterName kEast("east");

Condition True(std::string reason) { return {true, std::move(reason), "", kNow}; }

// A job that "east" has admitted and that is there, suspended, as it was created.
struct Scene {
  WorkloadView view;
  ClusterView east;
  PlacementRecord record;
  std::shared_ptr<tracking::Workload> workload = std::make_shared<tracking::Workload>();
  std::shared_ptr<tracking::Workload> clone = std::make_shared<tracking::Workload>();
  std::shared_ptr<tracking::Job> local = std::make_shared<tracking::Job>();
  std::shared_ptr<tracking::Job> copy = std::make_shared<tracking::Job>();

  Scene() {
    workload->key = {"ml", "jaxjob-train"};
    workload->uid = "w1";
    workload->owner = {"kubeflow.org/v1", "JAXJob", "train", "j1"};
    workload->quota_reserved = True("QuotaReserved");
    workload->checks = {
        {"fedra", CheckState::kPending, "admitted", kNow + tracking::kHeldAfterQuota}};
    workload->cluster_name = kEast.value;
    view.key = workload->key;
    view.check = "fedra";
    view.holds_check = true;
    view.adoption = tracking::Adoption::kOwner;
    local->key = copy->key = {"ml", "train"};
    local->uid = "j1";
    local->managed_by = tracking::kManagedBy;
    copy->uid = "copy-j1";
    copy->suspended = true;
    clone->key = workload->key;
    clone->admitted = True("Admitted");
    clone->quota_reserved = True("QuotaReserved");
    east.name = kEast;
    east.contact = Contact::kFull;
    east.verdict.outcome = verdict::Outcome::kYes;
    east.clone_is = east.job_is = Ownership::kOurs;
  }

  void Adopt() {
    clone->owner = {"kubeflow.org/v1", "JAXJob", "train", copy->uid};
    copy->queued = true;
  }

  Decision Decide() {
    view.workload = workload;
    view.job = local;
    east.clone = clone;
    east.job = copy;
    return placement::Decide(view, {&east, 1}, record, {}, kNow + std::chrono::seconds(10));
  }
};

}  // namespace

TEST_CASE("a copy that was created gets the clone, and nothing is mirrored before") {
  Scene scene;
  const Decision decision = scene.Decide();
  CHECK(decision.phase == Phase::kRunning);
  CHECK(Does<AdoptClone>(decision));
  CHECK_FALSE(Does<MirrorStatus>(decision));
}

TEST_CASE("what is half done is done to its end, and then no more") {
  Scene scene;
  scene.Adopt();
  scene.copy->queued = false;
  CHECK(Does<AdoptClone>(scene.Decide()));
  scene.copy->queued = true;
  CHECK_FALSE(Does<AdoptClone>(scene.Decide()));
  CHECK(Does<MirrorStatus>(scene.Decide()));
}

TEST_CASE("a job that names its clone needs no adoption of ours") {
  Scene scene;
  scene.view.adoption = tracking::Adoption::kPrebuilt;
  CHECK_FALSE(Does<AdoptClone>(scene.Decide()));
}

TEST_CASE("a copy that is being deleted is given nothing") {
  Scene scene;
  scene.copy->deleting = true;
  CHECK_FALSE(Does<AdoptClone>(scene.Decide()));
}

TEST_CASE("a worker that refuses the adoption in this round gives the job back") {
  Scene scene;
  scene.record.nominated_at = kNow;
  scene.record.failures = {{.cluster = kEast,
                            .at = kNow + std::chrono::seconds(2),
                            .message = "east refused to make the copy the job's Workload: no",
                            .refused = true}};
  const Decision decision = scene.Decide();
  CHECK(Retries(decision));
  CHECK(decision.why == "east refused to make the copy the job's Workload: no");
  scene.record.failures[0].at = kNow - std::chrono::seconds(2);  // in an earlier round
  CHECK(Does<AdoptClone>(scene.Decide()));
}

TEST_CASE("a copy that was deleted there is not created again while its clone has an owner") {
  Scene scene;
  scene.Adopt();
  scene.copy = nullptr;
  CHECK_FALSE(Does<CreateJob>(scene.Decide()));
  scene.clone->owner = {};
  CHECK(Does<CreateJob>(scene.Decide()));
}

}  // namespace fedra::placement::adoption_test
