// From a store's file to what is shown: the same path that the commands take.
#include "manager/cli/view_data.h"

#include "manager/cli/why_view.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/cli/rows.h"

namespace fedra::cli {
namespace {

struct Fixture {
  std::unique_ptr<store::Reader> Written() {
    auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
    const StatusData fleet = Fleet();
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
  const StatusData data = LoadStatus(*reader).value();
  CHECK(data.daemon.heartbeat == Fleet().daemon.heartbeat);
  CHECK(data.daemon.holds_store == true);
  CHECK(data.clusters == Fleet().clusters);
  CHECK(data.workloads.size() == 5);
  CHECK(data.verdicts == SweepVerdicts());
}

TEST_CASE_METHOD(Fixture, "the manager is no worker") {
  Written();
  auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  store->Enqueue(store::PutCluster{LostWorker("manager", -1, std::chrono::minutes(5))});
  REQUIRE(store->Flush());
  const auto reader = store->Read().value();
  const StatusData data = LoadStatus(*reader).value();
  CHECK(data.clusters == Fleet().clusters);
  REQUIRE(data.manager);
  CHECK(data.manager->why == "connection refused");
  const WorkloadData workload = LoadWorkload(*reader, {"ml", "train-7b"}).value();
  CHECK(workload.configured_workers == 3);
  CHECK(workload.manager.has_value());
}

TEST_CASE_METHOD(Fixture, "a workload is found by its job's and by its own name") {
  const auto reader = Written();
  for (const char* const name : {"train-7b", "job-train-7b-1a2b3"}) {
    const WorkloadData data = LoadWorkload(*reader, {"ml", name}).value();
    REQUIRE(data.incarnations.size() == 1);
    CHECK(data.configured_workers == 3);
    CHECK(data.incarnations[0].attempts.size() == 1);
    CHECK(data.incarnations[0].events.size() == 1);
  }
  CHECK(LoadWorkload(*reader, {"ml", "sweep-3"}).value().incarnations[0].verdicts ==
        SweepVerdicts());
}

TEST_CASE_METHOD(Fixture, "an unknown name is an error that says how to find the right one") {
  const auto unknown = LoadWorkload(*Written(), {"ml", "nothing"});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::kNotFound);
  CHECK_THAT(unknown.error().message,
             ContainsSubstring("ml/nothing") && ContainsSubstring("fedra status workloads"));
}

}  // namespace
}  // namespace fedra::cli
