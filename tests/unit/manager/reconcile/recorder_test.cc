// What is written of a workload, and how the manager is shown among the clusters.

#include "manager/reconcile/recorder.h"

#include <algorithm>

#include <fmt/format.h>

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

TEST_CASE_METHOD(Fixture, "the labels of the job and the queue it waits in are kept") {
  Recorder recorder(*store, SystemClock());
  Picture seen = Seen("train");
  tracking::Job job;
  job.labels_json = R"({"team":"vision"})";
  seen.view.job = std::make_shared<const tracking::Job>(job);
  seen.cluster_queue = "team-gpu";
  recorder.Record(seen, Decided(placement::Phase::kWaiting));
  REQUIRE(store->Flush());
  const store::WorkloadRow row = store->Read().value()->Workloads().value().at(0);
  CHECK(row.labels_json == R"({"team":"vision"})");
  CHECK(row.cluster_queue == "team-gpu");
}

TEST_CASE_METHOD(Fixture, "a Workload that never had an owner goes by its own name") {
  Recorder recorder(*store, SystemClock());
  recorder.Record(Seen(""), Decided(placement::Phase::kBlocked));
  CHECK(JobOf() == "ml/job-train-1a2b3");
}

TEST_CASE_METHOD(Fixture, "what a workload needs is written as facts") {
  Recorder recorder(*store, SystemClock());
  Picture picture = Seen("train");
  tracking::Workload workload = *picture.view.workload;
  workload.requirement.pod_sets = {
      {"main", 2, {{.pod_claim = "gpu", .template_name = "one-gpu", .claim_name = ""}}},
      {"side", 1, {{.pod_claim = "gpu", .template_name = "", .claim_name = "shared"}}}};
  picture.view.workload = std::make_shared<const tracking::Workload>(std::move(workload));
  recorder.Record(picture, Decided(placement::Phase::kBlocked));
  REQUIRE(store->Flush());
  CHECK(store->Read().value()->Workloads().value().at(0).needs_json ==
        R"({"claims":["shared"],"pods":3,"templates":["one-gpu"]})");
}

TEST_CASE_METHOD(Fixture, "a row that is the same is not written again") {
  HandClock clock;
  Recorder recorder(*store, clock);
  recorder.Record(Seen("train"), Decided(placement::Phase::kBlocked));
  const auto updated = [&] {
    REQUIRE(store->Flush());
    return store->Read().value()->Workloads().value().at(0).updated_at;
  };
  const WallTime first = updated();
  clock.Advance(std::chrono::seconds(5));
  recorder.Record(Seen("train"), Decided(placement::Phase::kBlocked));
  CHECK(updated() == first);
  recorder.Record(Seen("train"), Decided(placement::Phase::kDispatching));
  CHECK(updated() == clock.Now());
}

TEST_CASE_METHOD(Fixture, "of a large fleet nominated workers and refusals are remembered first") {
  Recorder recorder(*store, SystemClock());
  Picture picture = Seen("train");
  tracking::Workload workload = *picture.view.workload;
  workload.nominated = {"w099"};
  picture.view.workload = std::make_shared<const tracking::Workload>(std::move(workload));
  picture.judged = true;
  for (int i = 0; i < 100; ++i) {
    placement::ClusterView cluster;
    cluster.name = ClusterName(fmt::format("w{:03}", i));
    cluster.verdict.outcome = i == 98 ? verdict::Outcome::kNo : verdict::Outcome::kYes;
    picture.clusters.push_back(std::move(cluster));
  }
  recorder.Record(picture, Decided(placement::Phase::kDispatching));
  REQUIRE(store->Flush());
  const auto rows = store->Read().value()->Verdicts("uid-train").value();
  CHECK(rows.size() == 64);
  const auto has = [&](const std::string& name) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const store::VerdictRow& row) { return row.cluster.value == name; });
  };
  CHECK(has("w099"));
  CHECK(has("w098"));
  CHECK(has("w061"));
  CHECK_FALSE(has("w062"));
}

TEST_CASE_METHOD(Fixture, "a note with the subject of the one before it is no news") {
  Recorder recorder(*store, SystemClock());
  const Picture picture = Seen("train");
  const placement::Note full{
      "PlacementRejected", {}, "no room on a", {"a=QuotaMissing", "b=DriverMissing"}};
  CHECK(recorder.Tell(picture, full));
  placement::Note reworded = full;
  reworded.message = "no room on a: 3 of 4";
  CHECK_FALSE(recorder.Tell(picture, reworded));
  placement::Note other = full;
  // A worker that comes and goes is none, either.
  placement::Note without = full;
  without.subjects.erase("b=DriverMissing");
  CHECK_FALSE(recorder.Tell(picture, without));
  CHECK_FALSE(recorder.Tell(picture, full));
  other.subjects = {"a=TemplateMissing"};
  CHECK(recorder.Tell(picture, other));
  CHECK(recorder.Tell(picture, full));
  const placement::Note always{"Dispatched", {}, "sent to a"};
  CHECK(recorder.Tell(picture, always));
  CHECK(recorder.Tell(picture, always));
  REQUIRE(store->Flush());
  CHECK(store->Read().value()->Events("uid-train").value().size() == 5);
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
  CHECK(listing.phase == "Syncing");
  CHECK(listing.why == "workloads are being listed");
  const store::ClusterRow well = ManagerRow(connected, "", nullptr, now);
  CHECK(well.phase == "Connected");
  CHECK(well.why.empty());
  CHECK(well.last_contact == now);
}

}  // namespace
}  // namespace fedra::reconcile
