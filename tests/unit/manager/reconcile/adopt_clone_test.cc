// A job whose copy may not name its Workload, against a simulated manager and worker: what is
// written so that the worker's Kueue takes the clone for the copy's.

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "manager/reconcile/execute.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected_executor.h"

namespace fedra::reconcile::adopt_clone_test {

using namespace fedra::placement;
using nlohmann::json;

namespace {

const ClusterName kEast("east");
const ObjectKey kWorkload{"ml", "jaxjob-train"};
const ObjectKey kJob{"ml", "train"};

ConnectedOptions WithKubeflow() {
  ConnectedOptions options;
  options.workers = {kEast.value};
  options.serves_kubeflow = true;
  return options;
}

json JaxJob() {
  return json::parse(R"({"apiVersion": "kubeflow.org/v1", "kind": "JAXJob",
    "metadata": {"name": "train", "namespace": "ml",
                 "labels": {"kueue.x-k8s.io/queue-name": "gpu"}},
    "spec": {"runPolicy": {"suspend": true, "managedBy": "kueue.x-k8s.io/multikueue"},
             "jaxReplicaSpecs": {"Worker": {"replicas": 1, "template": {"spec": {
               "containers": [{"name": "c", "image": "i"}]}}}}}})");
}

struct Fixture : ConnectedExecutor {
  Fixture() : ConnectedExecutor(WithKubeflow()) {
    AddWaitingWorkload(manager(), kWorkload);
    const auto job = manager().objects().Create(JaxJob());
    REQUIRE(job);
    const json owner = {{"apiVersion", "kubeflow.org/v1"},
                        {"kind", "JAXJob"},
                        {"name", kJob.name},
                        {"uid", (*job)["metadata"]["uid"]},
                        {"controller", true}};
    REQUIRE(manager().objects().Patch("workloads", kWorkload,
                                      {{"metadata", {{"ownerReferences", json::array({owner})}}}}));
    fleet.Start();
    Await([&] { return Gather().view.job != nullptr; });
    REQUIRE(Execute(CreateClone{kEast}));
    REQUIRE(Execute(CreateJob{kEast}));
  }

  Gathered Gather() { return gatherer.Gather(kWorkload, {std::nullopt, {kEast}}); }
  ClusterView East() { return Gather().clusters.at(0); }
  Result<void> Execute(Action action) { return Carry(Gather(), {std::move(action)}); }
  json MetadataOf(const char* plural, const ObjectKey& key) {
    const auto object = east().objects().Get(plural, key);
    REQUIRE(object);
    return (*object)["metadata"];
  }
  static bool IsQueued(const json& metadata) {
    return metadata["labels"].contains("kueue.x-k8s.io/queue-name");
  }
};

}  // namespace

TEST_CASE("a JAXJob that Kueue admits without its check runs on the manager: it is not ours") {
  Fixture f;
  const auto set = [&](const json& status) {
    REQUIRE(f.manager().objects().Patch("workloads", kWorkload, {{"status", status}}, "status"));
    f.Await([&] { return f.Gather().view.check.empty(); });
  };
  SECTION("admitted") {
    set({{"admissionChecks", nullptr}});
    CHECK(f.Gather().view.unasked == placement::Unasked::kNo);
  }
  SECTION("refused: it does not run") {
    set(json::parse(R"({"admission": null, "admissionChecks": null, "conditions": [
        {"type": "QuotaReserved", "status": "False", "reason": "Inadmissible", "message": "",
         "lastTransitionTime": "2026-11-21T16:00:00Z"}]})"));
    CHECK(f.Gather().view.unasked == placement::Unasked::kRefused);
  }
}

TEST_CASE("a JAXJob's copy is ours without its Workload's name and without a queue") {
  Fixture f;
  CHECK(f.Gather().view.adoption == tracking::Adoption::kOwner);
  CHECK(f.Gather().view.holds_check);
  const json job = f.MetadataOf("jaxjobs", kJob);
  CHECK_FALSE(Fixture::IsQueued(job));
  CHECK_FALSE(job["annotations"].contains("kueue.x-k8s.io/prebuilt-workload-name"));
  CHECK(f.East().job_is == tracking::Ownership::kOurs);
  CHECK(f.East().job->prebuilt_workload == kWorkload.name);
}

TEST_CASE("the clone gets the copy as its owner, the copy its queue, and both are seen at once") {
  Fixture f;
  REQUIRE(f.Execute(AdoptClone{kEast}));
  const json job = f.MetadataOf("jaxjobs", kJob);
  CHECK(job["labels"]["kueue.x-k8s.io/queue-name"] == "gpu");
  const json clone = f.MetadataOf("workloads", kWorkload);
  CHECK(clone["labels"]["kueue.x-k8s.io/job-uid"] == job["uid"]);
  REQUIRE(clone["ownerReferences"].size() == 1);
  CHECK(clone["ownerReferences"][0]["uid"] == job["uid"]);
  CHECK(clone["ownerReferences"][0]["controller"] == true);
  const ClusterView east = f.East();
  CHECK(east.clone->owner.uid == east.job->uid);
  CHECK(east.job->queued);
  // Again: nothing is written.
  REQUIRE(f.Execute(AdoptClone{kEast}));
  CHECK(f.MetadataOf("workloads", kWorkload) == clone);
  CHECK(f.MetadataOf("jaxjobs", kJob) == job);
}

TEST_CASE("a clone that has changed since it was looked at gets no owner, and the copy no queue") {
  Fixture f;
  const Gathered seen = f.Gather();
  REQUIRE(f.east().objects().Patch("workloads", kWorkload,
                                   {{"metadata", {{"labels", {{"changed", "yes"}}}}}}));
  Decision decision;
  decision.actions.emplace_back(AdoptClone{kEast});
  const Result<void> done = f.executor.Execute(seen, decision);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kConflict);
  CHECK_FALSE(Fixture::IsQueued(f.MetadataOf("jaxjobs", kJob)));
  CHECK_FALSE(f.MetadataOf("workloads", kWorkload).contains("ownerReferences"));
}

// The queue is what starts the job.
TEST_CASE("a copy that has changed since it was looked at gets no queue") {
  Fixture f;
  const Gathered seen = f.Gather();
  REQUIRE(f.east().objects().Patch(
      "jaxjobs", kJob, {{"metadata", {{"annotations", {{"example.com/changed", "meanwhile"}}}}}}));
  const Result<void> done = f.Carry(seen, {AdoptClone{kEast}});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kConflict);
  CHECK_FALSE(Fixture::IsQueued(f.MetadataOf("jaxjobs", kJob)));
}

}  // namespace fedra::reconcile::adopt_clone_test
