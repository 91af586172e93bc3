// An elastic job's copy passes from one of its Workloads to the next, against a simulated manager
// and worker: whose it is, and what is written.

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected_executor.h"

namespace fedra::reconcile::slices_test {

using namespace fedra::placement;
using nlohmann::json;

namespace {

const ClusterName kEast("east");
const ObjectKey kFirst{"ml", "job-train-1"};
const ObjectKey kSecond{"ml", "job-train-2"};
const ObjectKey kJob{"ml", "train"};

ConnectedOptions OneWorker() {
  ConnectedOptions options;
  options.workers = {kEast.value};
  return options;
}

// A Job with one pod that runs on east by its first Workload.
struct Fixture : ConnectedExecutor {
  Fixture() : ConnectedExecutor(OneWorker()) {
    AddWaitingWorkload(manager(), kFirst, json::object());
    REQUIRE(manager().objects().Patch(
        "jobs", kJob,
        {{"metadata", {{"annotations", {{"kueue.x-k8s.io/elastic-job", "true"}}}}},
         {"spec", {{"parallelism", 1}, {"completions", 9}}}}));
    Annotate(kFirst, {{"kueue.x-k8s.io/elastic-job", "true"},
                      {"kueue.x-k8s.io/workload-slice-name", kFirst.name}});
    fleet.Start();
    Await([&] {
      const Gathered gathered = Gather(kFirst);
      return gathered.view.job != nullptr && gathered.view.job->elastic &&
             gathered.view.workload->slice != nullptr;
    });
    REQUIRE(Execute(kFirst, CreateClone{kEast}));
    REQUIRE(Execute(kFirst, CreateJob{kEast}));
    Place(kFirst);
    Await([&] { return HasOwnJob(East(kFirst)); });
  }

  Gathered Gather(const ObjectKey& key) { return gatherer.Gather(key, {std::nullopt, {kEast}}); }
  ClusterView East(const ObjectKey& key) { return Gather(key).clusters.at(0); }
  Result<void> Execute(const ObjectKey& key, Action action) {
    return Carry(Gather(key), {std::move(action)});
  }
  void Annotate(const ObjectKey& key, const json& annotations) {
    REQUIRE(manager().objects().Patch("workloads", key,
                                      {{"metadata", {{"annotations", annotations}}}}));
  }
  void Place(const ObjectKey& key) {
    json status = {{"clusterName", kEast.value}};
    json workload = *manager().objects().Get("workloads", key);
    if (!workload["metadata"]["annotations"].contains(
            "kueue.x-k8s.io/workload-slice-replacement-for")) {
      REQUIRE(manager().objects().Patch(
          "workloads", key, {{"status", {{"nominatedClusterNames", {kEast.value}}}}}, "status"));
      status["nominatedClusterNames"] = nullptr;
    }
    REQUIRE(manager().objects().Patch("workloads", key, {{"status", status}}, "status"));
  }
  // As Kueue does when there is quota for more pods.
  void Grow() {
    REQUIRE(manager().objects().Patch("jobs", kJob, {{"spec", {{"parallelism", 3}}}}));
    json first = *manager().objects().Get("workloads", kFirst);
    json second = first;
    second["metadata"] = {{"name", kSecond.name},
                          {"namespace", "ml"},
                          {"ownerReferences", first["metadata"]["ownerReferences"]},
                          {"annotations",
                           {{"kueue.x-k8s.io/elastic-job", "true"},
                            {"kueue.x-k8s.io/workload-slice-name", kFirst.name},
                            {"kueue.x-k8s.io/workload-slice-replacement-for", "ml/job-train-1"}}}};
    second["spec"]["podSets"][0]["count"] = 3;
    second.erase("status");
    REQUIRE(manager().objects().Create(second));
    json status = first["status"];
    status.erase("clusterName");
    REQUIRE(manager().objects().Patch("workloads", kSecond, {{"status", status}}, "status"));
  }
  void HandOver() {
    Place(kSecond);
    json conditions = (*manager().objects().Get("workloads", kFirst))["status"]["conditions"];
    conditions.push_back({{"type", "Finished"},
                          {"status", "True"},
                          {"reason", "WorkloadSliceReplaced"},
                          {"message", ""},
                          {"lastTransitionTime", "2026-11-21T16:00:00Z"}});
    REQUIRE(manager().objects().Patch("workloads", kFirst,
                                      {{"status", {{"conditions", conditions}}}}, "status"));
    Await([&] { return Gather(kFirst).view.workload->Finished(); });
    Await([&] { return HasOwnJob(East(kSecond)); });
  }
};

}  // namespace

TEST_CASE("the copy is the first slice's while the second one has no place") {
  Fixture f;
  f.Grow();
  f.Await([&] { return f.Gather(kSecond).view.workload != nullptr; });
  f.Await([&] { return f.Gather(kSecond).view.workload->QuotaReserved(); });
  CHECK(HasOwnJob(f.East(kFirst)));
  CHECK(HasOwnClone(f.East(kFirst)));
  CHECK(f.Gather(kFirst).view.other_slice.empty());
  CHECK_FALSE(HasOurs(f.East(kSecond)));
  CHECK(f.Gather(kSecond).view.other_slice == kFirst.name);
}

TEST_CASE("the copy passes to the second slice, and what it names stays as long as it does") {
  const bool is_deleted = GENERATE(false, true);
  Fixture f;
  f.Grow();
  f.HandOver();
  if (is_deleted) {
    REQUIRE(f.manager().objects().Delete("workloads", kFirst));
    f.Await([&] { return f.Gather(kFirst).view.workload == nullptr; });
  }
  // Nothing of the first one's is taken away: its clone is what the worker's Kueue looks at.
  CHECK_FALSE(HasOurs(f.East(kFirst)));
  REQUIRE(f.Execute(kSecond, CreateClone{kEast}));
  const json before = *f.east().objects().Get("jobs", kJob);
  REQUIRE(f.Execute(kSecond, UpdateCopy{kEast}));
  const json after = *f.east().objects().Get("jobs", kJob);
  CHECK(after["metadata"]["uid"] == before["metadata"]["uid"]);
  CHECK(after["spec"]["parallelism"] == 3);
  CHECK(after["metadata"]["annotations"]["kueue.x-k8s.io/prebuilt-workload-name"] == kSecond.name);
  CHECK(HasOwnJob(f.East(kSecond)));
  // Now the first one's clone is of no use, and the job still none of its business.
  CHECK(HasOurs(f.East(kFirst)));
  CHECK(f.East(kFirst).job == nullptr);
  REQUIRE(f.Execute(kFirst, DeleteRemote{kEast, std::nullopt}));
  CHECK_FALSE(f.east().objects().Get("workloads", kFirst));
  CHECK(f.east().objects().Get("jobs", kJob));
}

TEST_CASE("a copy that has changed since it was looked at passes to no other slice") {
  Fixture f;
  f.Grow();
  f.HandOver();
  REQUIRE(f.Execute(kSecond, CreateClone{kEast}));
  const Gathered seen = f.Gather(kSecond);
  REQUIRE(f.east().objects().Patch(
      "jobs", kJob, {{"metadata", {{"annotations", {{"example.com/changed", "meanwhile"}}}}}}));
  const json before = *f.east().objects().Get("jobs", kJob);
  const Result<void> done = f.Carry(seen, {UpdateCopy{kEast}});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kConflict);
  CHECK(*f.east().objects().Get("jobs", kJob) == before);
}

TEST_CASE("a copy of another job that had the name is no slice's") {
  Fixture f;
  f.Grow();
  f.HandOver();
  REQUIRE(f.east().objects().Patch(
      "jobs", kJob,
      {{"metadata", {{"annotations", {{"kueue.x-k8s.io/prebuilt-workload-name", "other"}}}}}}));
  f.Await([&] { return !HasOwnJob(f.East(kSecond)); });
  CHECK(HasOurs(f.East(kSecond)));
}

TEST_CASE("a clone that is to shrink gets the Workload's counts") {
  Fixture f;
  f.Grow();
  f.HandOver();
  REQUIRE(f.Execute(kSecond, CreateClone{kEast}));
  json pod_sets = (*f.manager().objects().Get("workloads", kSecond))["spec"]["podSets"];
  pod_sets[0]["count"] = 2;
  REQUIRE(f.manager().objects().Patch("workloads", kSecond, {{"spec", {{"podSets", pod_sets}}}}));
  f.Await([&] { return f.Gather(kSecond).view.workload->slice->pod_counts.front() == 2; });
  REQUIRE(f.Execute(kSecond, ShrinkClone{kEast}));
  CHECK((*f.east().objects().Get("workloads", kSecond))["spec"]["podSets"][0]["count"] == 2);
  CHECK(f.East(kSecond).clone->slice->pod_counts.front() == 2);
}

}  // namespace fedra::reconcile::slices_test
