// Decide() about a pod that was evicted on the manager, and that Kueue does not queue again.

#include <chrono>
#include <memory>

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/placement/situations.h"

namespace fedra::placement::requeue_test {

using testing::Does;
using tracking::CheckState;
using tracking::Condition;

namespace {

constexpr WallTime kNow{std::chrono::hours(1)};

// Preempted on the manager, where it has given its quota back, and gone from its worker.
struct Scene {
  WorkloadView view;
  std::shared_ptr<tracking::Workload> workload = std::make_shared<tracking::Workload>();
  std::shared_ptr<tracking::Job> pod = std::make_shared<tracking::Job>();

  Scene() {
    workload->key = {"ml", "pod-train"};
    workload->uid = "w1";
    workload->owner = {"v1", "Pod", "train", "p1"};
    workload->checks = {{"fedra", CheckState::kPending, "", kNow}};
    workload->evicted = Condition{true, "Preempted", "by another job", kNow};
    workload->quota_reserved = Condition{false, "Pending", "", kNow};
    workload->is_left_unqueued = true;
    view.key = workload->key;
    view.check = "fedra";
    view.holds_check = true;
    pod->key = {"ml", "train"};
    pod->managed_by = tracking::kManagedBy;
  }
  Decision Decide() {
    view.workload = workload;
    view.job = pod;
    return placement::Decide(view, {}, {}, {}, kNow);
  }
};

}  // namespace

TEST_CASE("a pod that Kueue has left out is queued again, while it is there to run") {
  struct Row {
    const char* what;
    void (*change)(Scene& scene);
    bool requeues;
  };
  const Row row = GENERATE(values<Row>({
      {"it waits", [](Scene&) {}, true},
      {"Kueue queues it", [](Scene& s) { s.workload->is_left_unqueued = false; }, false},
      {"its quota is still to be given back",
       [](Scene& s) { s.workload->quota_reserved->is_true = true; }, false},
      {"it is switched off", [](Scene& s) { s.workload->active = false; }, false},
      {"it has ended", [](Scene& s) { s.pod->finished = true; }, false},
      {"it is going", [](Scene& s) { s.pod->deleting = true; }, false},
      {"it is gone", [](Scene& s) { s.pod = nullptr; }, false},
      {"it is of a kind that Kueue stops itself", [](Scene& s) { s.view.holds_check = false; },
       false},
  }));
  INFO(row.what);
  Scene scene;
  row.change(scene);
  const Decision decision = scene.Decide();
  CHECK(Does<Requeue>(decision) == row.requeues);
  CHECK_FALSE(Does<Note>(decision));
}

}  // namespace fedra::placement::requeue_test
