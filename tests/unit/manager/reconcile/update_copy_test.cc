// A LeaderWorkerSet that gets other replicas, against a simulated manager and worker: what is
// written to its copy.

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected_executor.h"

namespace fedra::reconcile::update_copy_test {

using namespace fedra::placement;
using nlohmann::json;

namespace {

const ClusterName kEast("east");
const ObjectKey kWorkload{"ml", "leaderworkerset-serve-0"};
const ObjectKey kSet{"ml", "serve"};

ConnectedOptions WithLeaderWorkerSets() {
  ConnectedOptions options;
  options.workers = {kEast.value};
  options.kinds = tracking::BuiltInKindsAndPods();
  options.serves_kubeflow = true;
  return options;
}

json LeaderWorkerSet() {
  return json::parse(R"({"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet",
    "metadata": {"name": "serve", "namespace": "ml",
                 "labels": {"kueue.x-k8s.io/queue-name": "gpu"}},
    "spec": {"replicas": 2, "leaderWorkerTemplate": {"size": 1, "workerTemplate": {"spec": {
      "containers": [{"name": "c", "image": "i"}]}}}}})");
}

// Its first Workload, and the copy, with two replicas.
struct Fixture : ConnectedExecutor {
  Fixture() : ConnectedExecutor(WithLeaderWorkerSets()) {
    AddWaitingWorkload(manager(), kWorkload);
    const auto set = manager().objects().Create(LeaderWorkerSet());
    REQUIRE(set);
    const json owner = {{"apiVersion", "leaderworkerset.x-k8s.io/v1"},
                        {"kind", "LeaderWorkerSet"},
                        {"name", kSet.name},
                        {"uid", (*set)["metadata"]["uid"]}};
    const json annotations = {
        {"kueue.x-k8s.io/job-owner-gvk", "leaderworkerset.x-k8s.io/v1, Kind=LeaderWorkerSet"},
        {"kueue.x-k8s.io/job-owner-name", kSet.name},
        {"kueue.x-k8s.io/component-workload-index", "0"}};
    const json metadata = {{"ownerReferences", json::array({owner})}, {"annotations", annotations}};
    REQUIRE(manager().objects().Patch("workloads", kWorkload, {{"metadata", metadata}}));
    fleet.Start();
    Await([&] { return Gather().view.job != nullptr; });
    REQUIRE(Execute(CreateClone{kEast}));
    REQUIRE(Execute(CreateJob{kEast}));
    REQUIRE(CopyReplicas() == 2);
  }

  Gathered Gather() { return gatherer.Gather(kWorkload, {std::nullopt, {kEast}}); }
  ClusterView East() { return Gather().clusters.at(0); }
  Result<void> Execute(Action action) { return Carry(Gather(), {std::move(action)}); }
  int CopyReplicas() {
    const auto copy = east().objects().Get("leaderworkersets", kSet);
    REQUIRE(copy);
    return (*copy)["spec"]["replicas"].get<int>();
  }
  void Scale(int replicas) {
    REQUIRE(
        manager().objects().Patch("leaderworkersets", kSet, {{"spec", {{"replicas", replicas}}}}));
    Await([&] { return Gather().view.job->parts == replicas; });
  }
  void Annotate(const json& annotations) {
    REQUIRE(east().objects().Patch("leaderworkersets", kSet,
                                   {{"metadata", {{"annotations", annotations}}}}));
  }
};

}  // namespace

TEST_CASE("the copy of a LeaderWorkerSet gets its replicas, more or less, and it is seen at once") {
  const int replicas = GENERATE(1, 3);
  Fixture f;
  f.Scale(replicas);
  CHECK(f.CopyReplicas() == 2);
  REQUIRE(f.Execute(UpdateCopy{kEast}));
  CHECK(f.CopyReplicas() == replicas);
  CHECK(f.East().job->parts == replicas);
}

TEST_CASE("a copy that has changed since it was looked at keeps its replicas until the next look") {
  Fixture f;
  f.Scale(3);
  const Gathered seen = f.Gather();
  f.Annotate({{"changed", "yes"}});
  const Result<void> done = f.Carry(seen, {UpdateCopy{kEast}});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kConflict);
  CHECK(f.CopyReplicas() == 2);
}

TEST_CASE("a worker that refuses to change the copy is told of, once, and keeps its attempt") {
  Fixture f;
  f.Scale(3);
  sim::Faults faults = f.east().faults();
  faults.answers.push_back({.kind = sim::InjectedAnswer::Kind::kStatus,
                            .method = "PATCH",
                            .path_contains = "/leaderworkersets",
                            .code = 403});
  f.east().SetFaults(faults);
  for (int i = 0; i < 2; ++i) {
    const Result<void> done = f.Execute(UpdateCopy{kEast});
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::kForbidden);
  }
  REQUIRE(f.store->Flush());
  const auto reader = f.store->Read().value();
  const std::string uid = f.Gather().view.workload->uid;
  const auto events = reader->Events(uid).value();
  REQUIRE(events.size() == 1);
  CHECK(events[0].reason == "DispatchFailed");
  CHECK(events[0].message.find("east refused to change the copy") != std::string::npos);
}

TEST_CASE("a copy that is not this Workload's keeps its replicas") {
  Fixture f;
  f.Scale(3);
  const char* uid = GENERATE("of-another", "");
  f.Annotate({{"fedra.dev/workload-uid", uid}});
  f.Await([&] { return !HasOwnJob(f.East()); });
  REQUIRE(f.Execute(UpdateCopy{kEast}));
  CHECK(f.CopyReplicas() == 2);
}

}  // namespace fedra::reconcile::update_copy_test
