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
const ObjectKey kThird{"ml", "job-train-3"};
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
  void Grow(const ObjectKey& from = kFirst, const ObjectKey& to = kSecond) {
    REQUIRE(manager().objects().Patch("jobs", kJob, {{"spec", {{"parallelism", 3}}}}));
    json first = *manager().objects().Get("workloads", from);
    json second = first;
    second["metadata"] = {{"name", to.name},
                          {"namespace", "ml"},
                          {"ownerReferences", first["metadata"]["ownerReferences"]},
                          {"annotations",
                           {{"kueue.x-k8s.io/elastic-job", "true"},
                            {"kueue.x-k8s.io/workload-slice-name", kFirst.name},
                            {"kueue.x-k8s.io/workload-slice-replacement-for", from.ToString()}}}};
    second["spec"]["podSets"][0]["count"] = 3;
    second.erase("status");
    REQUIRE(manager().objects().Create(second));
    json status = first["status"];
    status.erase("clusterName");
    REQUIRE(manager().objects().Patch("workloads", to, {{"status", status}}, "status"));
  }
  void HandOver(const ObjectKey& from = kFirst, const ObjectKey& to = kSecond) {
    Place(to);
    Add(manager(), from, "Finished", "WorkloadSliceReplaced");
    Await([&] { return Gather(from).view.workload->Finished(); });
    Await([&] { return HasOwnJob(East(to)); });
  }
  // A condition of a Workload.
  template <class Cluster>
  static void Add(Cluster& at, const ObjectKey& key, const char* type, const char* reason) {
    const json status = at.objects().Get("workloads", key)->value("status", json::object());
    json conditions = status.value("conditions", json::array());
    conditions.push_back({{"type", type},
                          {"status", "True"},
                          {"reason", reason},
                          {"message", ""},
                          {"lastTransitionTime", "2026-11-21T16:00:00Z"}});
    REQUIRE(
        at.objects().Patch("workloads", key, {{"status", {{"conditions", conditions}}}}, "status"));
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
  REQUIRE(f.East(kSecond).runs_by != nullptr);
  CHECK(f.East(kSecond).runs_by->key == kFirst);
  REQUIRE(f.Execute(kSecond, CreateClone{kEast}));
  const json before = *f.east().objects().Get("jobs", kJob);
  REQUIRE(f.Execute(kSecond, UpdateCopy{kEast}));
  const json after = *f.east().objects().Get("jobs", kJob);
  CHECK(after["metadata"]["uid"] == before["metadata"]["uid"]);
  CHECK(after["spec"]["parallelism"] == 3);
  CHECK(after["metadata"]["annotations"]["kueue.x-k8s.io/prebuilt-workload-name"] == kSecond.name);
  CHECK(HasOwnJob(f.East(kSecond)));
  CHECK(f.East(kSecond).runs_by == nullptr);
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

TEST_CASE(
    "a slice that is replaced before the next one is seen to have its place leaves the copy") {
  Fixture f;
  f.Grow();
  f.Add(f.manager(), kFirst, "Finished", "WorkloadSliceReplaced");
  f.Await([&] { return f.Gather(kFirst).view.workload->Finished(); });
  f.Await([&] { return f.Gather(kSecond).view.workload != nullptr; });
  CHECK_FALSE(HasOurs(f.East(kFirst)));
}

TEST_CASE("a slice that was evicted takes the copy back, although Kueue says it was replaced") {
  Fixture f;
  f.Grow();
  REQUIRE(f.manager().objects().Patch("workloads", kSecond,
                                      {{"status", {{"conditions", json::array()}}}}, "status"));
  f.Add(f.manager(), kFirst, "Evicted", "Preempted");
  f.Add(f.manager(), kFirst, "Finished", "WorkloadSliceReplaced");
  f.Await([&] { return f.Gather(kFirst).view.workload->Finished(); });
  f.Await([&] {
    const auto second = f.Gather(kSecond).view.workload;
    return second != nullptr && !second->QuotaReserved();
  });
  CHECK(HasOwnJob(f.East(kFirst)));
  CHECK_FALSE(HasOurs(f.East(kSecond)));
  REQUIRE(f.Execute(kFirst, DeleteRemote{kEast, std::nullopt}));
  CHECK_FALSE(f.east().objects().Get("jobs", kJob));
}

TEST_CASE("a slice that ends with its job before its clone is made takes the copy away") {
  Fixture f;
  f.Grow();
  f.Place(kSecond);
  f.Await([&] { return f.Gather(kFirst).view.other_slice == kSecond.name; });
  f.Add(f.manager(), kFirst, "Finished", "Succeeded");
  f.Await([&] { return f.Gather(kFirst).view.workload->Finished(); });
  CHECK_FALSE(HasOurs(f.East(kFirst)));
  f.Add(f.manager(), kSecond, "Finished", "Succeeded");
  f.Await([&] { return f.Gather(kSecond).view.workload->Finished(); });
  REQUIRE(HasOwnJob(f.East(kSecond)));
  REQUIRE(f.Execute(kSecond, DeleteRemote{kEast, std::nullopt}));
  CHECK_FALSE(f.east().objects().Get("jobs", kJob));
  // What is left of the first one is its own again.
  REQUIRE(HasOwnClone(f.East(kFirst)));
  REQUIRE(f.Execute(kFirst, DeleteRemote{kEast, std::nullopt}));
  CHECK_FALSE(f.east().objects().Get("workloads", kFirst));
}

TEST_CASE("a slice that is evicted before its clone is made has the copy until it is taken back") {
  Fixture f;
  f.Grow();
  f.HandOver();
  f.Add(f.manager(), kSecond, "Evicted", "AdmissionCheck");
  f.Await([&] { return f.Gather(kSecond).view.workload->Evicted(); });
  CHECK(HasOwnJob(f.East(kSecond)));
  CHECK_FALSE(HasOurs(f.East(kFirst)));
}

TEST_CASE("a slice that waits for quota leaves the copy to the one that it names") {
  Fixture f;
  f.Grow();
  f.Await([&] { return f.Gather(kSecond).view.workload != nullptr; });
  // It has no quota, and the first one is evicted: until it has mirrored an end, say.
  REQUIRE(f.manager().objects().Patch("workloads", kSecond,
                                      {{"status", {{"conditions", json::array()}}}}, "status"));
  f.Add(f.manager(), kFirst, "Evicted", "Preempted");
  f.Await([&] { return f.Gather(kFirst).view.workload->Evicted(); });
  f.Await([&] { return !f.Gather(kSecond).view.workload->QuotaReserved(); });
  CHECK(f.Gather(kSecond).view.other_slice.empty());
  CHECK(HasOwnJob(f.East(kFirst)));
  CHECK_FALSE(HasOurs(f.East(kSecond)));
  // One that is not known does nothing about it.
  REQUIRE(f.manager().objects().Delete("workloads", kFirst));
  f.Await([&] { return f.Gather(kFirst).view.workload == nullptr; });
  CHECK(HasOurs(f.East(kSecond)));
}

TEST_CASE("a slice looks where another one of its job has been dispatched") {
  Fixture f;
  f.Grow();
  REQUIRE(f.manager().objects().Patch("workloads", kSecond,
                                      {{"status", {{"conditions", json::array()}}}}, "status"));
  f.Await([&] {
    const auto second = f.Gather(kSecond).view.workload;
    return second != nullptr && !second->QuotaReserved();
  });
  const Gathered gathered = f.gatherer.Gather(kSecond, {});
  REQUIRE(gathered.clusters.size() == 1);
  CHECK(gathered.clusters.front().name == kEast);
}

TEST_CASE("a clone that has the job's quota stays, and is what the next one replaces") {
  Fixture f;
  f.Grow();
  f.HandOver();
  REQUIRE(f.Execute(kSecond, CreateClone{kEast}));
  // The worker admits the second one at the moment when the manager replaces it by the third one.
  f.Add(f.east(), kFirst, "Finished", "WorkloadSliceReplaced");
  f.Add(f.east(), kSecond, "Admitted", "Admitted");
  f.Grow(kSecond, kThird);
  f.HandOver(kSecond, kThird);
  f.Await([&] {
    const auto runs_by = f.East(kThird).runs_by;
    return runs_by != nullptr && runs_by->key == kSecond && runs_by->Admitted();
  });
  CHECK_FALSE(HasOurs(f.East(kFirst)));
  CHECK_FALSE(HasOurs(f.East(kSecond)));
  REQUIRE(f.Execute(kThird, CreateClone{kEast}));
  CHECK((*f.east().objects().Get(
            "workloads",
            kThird))["metadata"]["annotations"]["kueue.x-k8s.io/workload-slice-replacement-for"] ==
        kSecond.ToString());
  REQUIRE(f.Execute(kThird, UpdateCopy{kEast}));
  CHECK(HasOurs(f.East(kFirst)));
  CHECK(HasOurs(f.East(kSecond)));
}

TEST_CASE("a slice that never had quota on its worker is not what the next one replaces") {
  Fixture f;
  f.Grow();
  f.HandOver();
  REQUIRE(f.Execute(kSecond, CreateClone{kEast}));
  f.Grow(kSecond, kThird);
  f.HandOver(kSecond, kThird);
  CHECK_FALSE(HasOurs(f.East(kFirst)));
  CHECK(HasOurs(f.East(kSecond)));  // to be removed
  REQUIRE(f.Execute(kThird, CreateClone{kEast}));
  CHECK((*f.east().objects().Get(
            "workloads",
            kThird))["metadata"]["annotations"]["kueue.x-k8s.io/workload-slice-replacement-for"] ==
        kFirst.ToString());
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
  REQUIRE(f.Execute(kSecond, UpdateClone{kEast}));
  CHECK((*f.east().objects().Get("workloads", kSecond))["spec"]["podSets"][0]["count"] == 2);
  CHECK(f.East(kSecond).clone->slice->pod_counts.front() == 2);
}

}  // namespace fedra::reconcile::slices_test
