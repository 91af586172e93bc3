// What is written of a workload, and how the manager is shown among the clusters.

#include "manager/reconcile/recorder.h"

#include "manager/reconcile/manager_cluster.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"

namespace fedra::reconcile {
namespace {

placement::Decision Decided(placement::Phase phase) {
  placement::Decision decision;
  decision.phase = phase;
  return decision;
}

struct Fixture {
  Fixture() { store = store::Store::Open({.path = folder.Path("fedra.db")}).value(); }

  Picture Seen(const std::string& owner) const {
    tracking::Workload workload;
    workload.key = {"ml", "job-train-1a2b3"};
    workload.uid = "uid-train";
    workload.owner.name = owner;
    Picture picture;
    picture.job = {"ml", owner};
    picture.view.key = workload.key;
    picture.view.check = "fedra";
    picture.view.workload = std::make_shared<const tracking::Workload>(std::move(workload));
    return picture;
  }
  std::string JobOf() {
    REQUIRE(store->Flush());
    return store->Read().value()->Workloads().value().at(0).job.ToString();
  }

  const TempFolder folder;
  std::unique_ptr<store::Store> store;
};

TEST_CASE_METHOD(Fixture, "a Workload whose owner is gone keeps the name of its job") {
  Recorder recorder(*store, SystemClock());
  recorder.Record(Seen("train"), Decided(placement::Phase::kRunning));
  CHECK(JobOf() == "ml/train");
  recorder.Record(Seen(""), Decided(placement::Phase::kGone));
  CHECK(JobOf() == "ml/train");
}

TEST_CASE_METHOD(Fixture, "a Workload that never had an owner goes by its own name") {
  Recorder recorder(*store, SystemClock());
  recorder.Record(Seen(""), Decided(placement::Phase::kBlocked));
  CHECK(JobOf() == "ml/job-train-1a2b3");
}

TEST_CASE("how the manager is") {
  const WallTime now{std::chrono::hours(10)};
  const WallTime then{std::chrono::hours(9)};
  const Error refused{ErrorCode::kUnauthorized, "401 Unauthorized", {}, {}};
  const store::ClusterRow rejected =
      ManagerRow({ConnectionPhase::kRejected, then, refused}, "workloads: x", nullptr, now);
  CHECK(rejected.name.value == "manager");
  CHECK(rejected.phase == "Rejected");
  CHECK(rejected.why == "401 Unauthorized");
  CHECK(rejected.phase_since == then);
  CHECK_FALSE(rejected.last_contact);
  const ConnectionState connected{ConnectionPhase::kConnected, then, {}};
  const store::ClusterRow listing =
      ManagerRow(connected, "workloads are being listed", nullptr, now);
  CHECK(listing.phase == "Connecting");
  CHECK(listing.why == "workloads are being listed");
  const store::ClusterRow well = ManagerRow(connected, "", nullptr, now);
  CHECK(well.phase == "Connected");
  CHECK(well.why.empty());
  CHECK(well.last_contact == now);
}

}  // namespace
}  // namespace fedra::reconcile
