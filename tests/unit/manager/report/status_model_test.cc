// From a store's file to what is shown: the same path that the commands take.
#include "manager/report/load_status.h"

#include "manager/report/job_name.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/report/rows.h"

namespace fedra::report::status_model_test {
namespace {

struct Fixture {
  std::unique_ptr<store::Reader> Written() {
    auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
    const FleetRows fleet = FleetStatus();
    store->Enqueue(store::SetHeartbeat{*fleet.daemon.heartbeat});
    for (const auto& row : fleet.clusters) store->Enqueue(store::PutCluster{row});
    for (const auto& row : fleet.workloads) store->Enqueue(store::PutWorkload{row});
    store->Enqueue(store::PutVerdicts{"uid-sweep-3", SweepVerdicts()});
    store->Enqueue(store::PutAttempt{
        {"uid-train-7b", 1, ClusterName("gpu-east"), kNow, std::nullopt, "", ""}});
    store->Enqueue(store::AddEvent{{0, "uid-train-7b", {"ml", "x"}, kNow, "Placed", {}, ""}});
    REQUIRE(store->Flush());
    return store->Read().value();
  }

  const TempFolder folder;
};

TEST_CASE_METHOD(Fixture, "the fleet is loaded with the verdicts of what is blocked") {
  const auto reader = Written();
  StatusData data = LoadFleet(*reader).value();
  REQUIRE(LoadJobs(*reader, {.now = kNow}, JobDetail::kDocument, data));
  store::HeartbeatRow heartbeat = *FleetStatus().daemon.heartbeat;
  heartbeat.decided_at = heartbeat.at;  // it is no standby's
  CHECK(data.daemon.heartbeat == heartbeat);
  CHECK(data.daemon.holds_store == true);
  CHECK(data.clusters == FleetStatus().clusters);
  CHECK(data.jobs.shown.size() == 5);
  CHECK(data.verdicts == SweepVerdicts());
}

TEST_CASE_METHOD(Fixture, "the manager is no worker") {
  Written();
  auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  store->Enqueue(store::PutCluster{LostWorker("manager", -1, std::chrono::minutes(5))});
  REQUIRE(store->Flush());
  const auto reader = store->Read().value();
  const StatusData data = LoadFleet(*reader).value();
  CHECK(data.clusters == FleetStatus().clusters);
  REQUIRE(data.manager);
  CHECK(data.manager->why == "connection refused");
  const WorkloadData workload = LoadWorkload(*reader, {{"", {"ml", "train-7b"}}}, kNow).value();
  CHECK(workload.configured_workers == 3);
  CHECK(workload.manager.has_value());
}

TEST_CASE_METHOD(Fixture, "a worker that was removed is not configured") {
  Written();
  auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  store::ClusterRow removed = FleetStatus().clusters.back();
  removed.is_removed = true;
  store->Enqueue(store::PutCluster{removed});
  REQUIRE(store->Flush());
  const auto reader = store->Read().value();
  CHECK(LoadWorkload(*reader, {{"", {"ml", "train-7b"}}}, kNow).value().configured_workers == 2);
}

TEST_CASE_METHOD(Fixture, "a workload is found by its job's and by its own name") {
  const auto reader = Written();
  for (const char* const name : {"train-7b", "job-train-7b-1a2b3"}) {
    const WorkloadData data = LoadWorkload(*reader, {{"", {"ml", name}}}, kNow).value();
    REQUIRE(data.incarnations.size() == 1);
    CHECK(data.configured_workers == 3);
    CHECK(data.incarnations[0].attempts.size() == 1);
    CHECK(data.incarnations[0].events.size() == 1);
  }
  CHECK(LoadWorkload(*reader, {{"", {"ml", "sweep-3"}}}, kNow).value().incarnations[0].verdicts ==
        SweepVerdicts());
}

TEST_CASE_METHOD(Fixture, "an unknown name is an error that says how to find the right one") {
  // A store that is open has a daemon.
  auto reader = Written();
  auto daemon = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  const auto unknown = LoadWorkload(*daemon->Read().value(), {{"", {"ml", "nothing"}}}, kNow);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::kNotFound);
  CHECK_THAT(unknown.error().message,
             ContainsSubstring("ml/nothing") && ContainsSubstring("fedra status jobs"));
}

TEST_CASE_METHOD(Fixture, "without a daemon an unknown name is not blamed on its queue") {
  Written();
  const auto reader = store::Reader::Open(folder.Path("fedra.db")).value();
  const auto unknown = LoadWorkload(*reader, {{"", {"ml", "six"}}}, kNow + std::chrono::seconds(6));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message ==
        "the daemon is not running, and what it knew is as of 2026-11-21T16:11:17Z, 8s ago: no job "
        "or Workload ml/six was known then");
}

TEST_CASE_METHOD(Fixture, "a bare name is enough where only one namespace has it") {
  Written();
  auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  store::WorkloadRow other = Job("train-1b", "Blocked", "", std::chrono::hours(1));
  other.uid = "other";
  other.job.ns = other.key.ns = "dev";
  store->Enqueue(store::PutWorkload{other});
  REQUIRE(store->Flush());
  const auto reader = store->Read().value();
  const auto ask = [&](const std::string& text, const std::string& ns) {
    return LoadWorkload(*reader, ParseWorkloadName(text, ns).value(), kNow);
  };
  for (const char* const text : {"train-7b", "job/train-7b", "jobs/ml/train-7b",
                                 "workload/job-train-7b-1a2b3", "workload/ml/job-train-7b-1a2b3"}) {
    CAPTURE(text);
    const auto found = ask(text, "");
    REQUIRE(found);
    CHECK(found->incarnations.front().row.uid == "uid-train-7b");
  }
  CHECK(ask("job/train-1b", "dev").value().incarnations.front().row.uid == "other");
  const auto ambiguous = ask("train-1b", "");
  REQUIRE_FALSE(ambiguous);
  CHECK(ambiguous.error().message ==
        "train-1b is in several namespaces: choose one of dev/train-1b, ml/train-1b");
}

TEST_CASE_METHOD(Fixture, "a name that jobs of several kinds have needs its kind") {
  Written();
  auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  store::WorkloadRow other = Job("train-7b", "Running", "", std::chrono::hours(1));
  other.uid = "job-set";
  other.job_kind = "JobSet";
  other.key.name = "jobset-train-7b-1a2b3";
  store->Enqueue(store::PutWorkload{other});
  REQUIRE(store->Flush());
  const auto reader = store->Read().value();
  const auto ask = [&](const std::string& text, const std::string& ns = "") {
    return LoadWorkload(*reader, ParseWorkloadName(text, ns).value(), kNow);
  };
  const auto ambiguous = ask("ml/train-7b");
  REQUIRE_FALSE(ambiguous);
  CHECK(ambiguous.error().message ==
        "ml/train-7b is a job of several kinds: choose one of job/ml/train-7b, "
        "jobset/ml/train-7b");
  for (const char* const text : {"jobset/ml/train-7b", "JobSets/ml/train-7b", "jobset/train-7b",
                                 "jobsets.jobset.x-k8s.io/ml/train-7b",
                                 "workload/ml/jobset-train-7b-1a2b3", "ml/jobset-train-7b-1a2b3"}) {
    CAPTURE(text);
    const auto found = ask(text);
    REQUIRE(found);
    REQUIRE(found->incarnations.size() == 1);
    CHECK(found->incarnations.front().row.uid == "job-set");
  }
  CHECK(ask("job/train-7b", "ml").value().incarnations.front().row.uid == "uid-train-7b");
  const auto none = ask("rayjob/ml/train-7b");
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kNotFound);
  // Its end leaves one that lives.
  store->Enqueue(store::RemoveWorkload{other.uid, kNow});
  REQUIRE(store->Flush());
  const auto later = LoadWorkload(*store->Read().value(), {{"", {"ml", "train-7b"}}}, kNow);
  REQUIRE(later);
  CHECK(later->incarnations.front().row.uid == "uid-train-7b");
}

TEST_CASE_METHOD(Fixture, "a group of pods that has a job's name is chosen by its word") {
  Written();
  auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  store::WorkloadRow group = Job("train-7b", "Running", "", std::chrono::hours(1));
  group.uid = "group";
  group.job_kind = "Pod group";
  group.key.name = "train-7b";
  store->Enqueue(store::PutWorkload{group});
  REQUIRE(store->Flush());
  const auto reader = store->Read().value();
  const auto ask = [&](const std::string& text) {
    return LoadWorkload(*reader, ParseWorkloadName(text, "ml").value(), kNow);
  };
  const auto ambiguous = ask("ml/train-7b");
  REQUIRE_FALSE(ambiguous);
  CHECK_THAT(ambiguous.error().message,
             ContainsSubstring("job/ml/train-7b, pod-group/ml/train-7b"));
  CHECK(ask("pod-group/train-7b").value().incarnations.front().row.uid == "group");
  CHECK(ask("pod-group/ml/train-7b").value().incarnations.front().row.uid == "group");
}

}  // namespace
}  // namespace fedra::report::status_model_test
