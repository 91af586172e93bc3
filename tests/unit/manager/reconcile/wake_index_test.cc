// Which workloads a change on a worker affects.

#include "manager/reconcile/wake_index.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace fedra::reconcile::wake_index_test {

using Kind = InputChange::Kind;
using Keys = std::vector<std::string>;

namespace {

const ClusterName kEast("east");
const ClusterName kWest("west");

// Of ml, for queue gpu: one pod with a claim from template one-gpu and the claim shared, a
// ConfigMap.
tracking::Workload WorkloadOf(const std::string& name) {
  tracking::Workload workload;
  workload.key = {"ml", name};
  workload.requirement.ns = "ml";
  workload.requirement.queue = "gpu";
  workload.requirement.pod_sets = {{"main", 1, {{"g", "one-gpu", ""}, {"s", "", "shared"}}}};
  workload.requirement.dependencies = {{tracking::Dependency::Kind::kConfigMap, "settings"}};
  return workload;
}

struct Fixture {
  WakeIndex index;

  void Seen(tracking::Workload workload, bool judged, const ClusterName& sent_to = {}) {
    Gathered gathered;
    gathered.view.key = workload.key;
    gathered.view.check = "fedra";
    gathered.view.workload = std::make_shared<const tracking::Workload>(std::move(workload));
    gathered.judged = judged;
    index.Update(gathered, {.worker = sent_to});
  }
  Keys In(Kind kind, const std::string& ns, const std::string& name) const {
    return Sorted(index.AffectedBy({kind, {ns, name}}));
  }
  Keys InContact(const ClusterName& worker) const { return Sorted(index.AffectedBy(worker)); }

  static Keys Sorted(const std::vector<ObjectKey>& keys) {
    Keys names;
    for (const ObjectKey& key : keys) names.push_back(key.name);
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace

TEST_CASE("a change concerns who looks for a worker and names the object, in its namespace") {
  Fixture f;
  f.Seen(WorkloadOf("a"), true);
  struct Row {
    Kind kind;
    const char* ns;
    const char* name;
    bool concerns;
  };
  const Row rows[] = {
      {Kind::kNamespace, "", "ml", true},
      {Kind::kNamespace, "", "other", false},
      {Kind::kQueue, "ml", "gpu", true},
      {Kind::kQueue, "other", "gpu", false},
      {Kind::kQueue, "ml", "cpu", false},
      {Kind::kTemplate, "ml", "one-gpu", true},
      {Kind::kTemplate, "ml", "shared", false},
      {Kind::kTemplate, "other", "one-gpu", false},
      {Kind::kClaim, "ml", "shared", true},
      {Kind::kClaim, "ml", "one-gpu", false},
      {Kind::kClass, "", "whatever", true},
      {Kind::kDependency, "ml", "settings", true},
      {Kind::kDependency, "ml", "other", false},
      {Kind::kDependency, "other", "settings", false},
      {Kind::kDevices, "", "", true},  // its demands cannot be read: it may need some
  };
  for (const Row& row : rows) {
    INFO(static_cast<int>(row.kind) << " " << row.ns << "/" << row.name);
    CHECK(f.In(row.kind, row.ns, row.name) == (row.concerns ? Keys{"a"} : Keys{}));
  }
}

TEST_CASE("a workload that needs no devices is left alone by changes of devices") {
  Fixture f;
  tracking::Workload workload = WorkloadOf("a");
  workload.requirement.pod_sets[0].claims.clear();
  workload.requirement.demands = std::make_shared<const std::vector<dra::PodDemand>>(1);
  f.Seen(workload, true);
  CHECK(f.In(Kind::kDevices, "", "").empty());
  CHECK(f.In(Kind::kClass, "", "gpu").empty());
}

TEST_CASE("who has a worker hears of that worker's contact only") {
  Fixture f;
  f.Seen(WorkloadOf("looking"), true);
  tracking::Workload placed = WorkloadOf("placed");
  placed.cluster_name = "east";
  f.Seen(placed, false);
  f.Seen(WorkloadOf("sent"), true, kWest);
  CHECK(f.InContact(kEast) == Keys{"looking", "placed", "sent"});
  CHECK(f.InContact(kWest) == Keys{"looking", "sent"});
  CHECK(f.In(Kind::kQueue, "ml", "gpu") == Keys{"looking", "sent"});
}

TEST_CASE("whoever is being looked at is concerned by everything, until it has been") {
  Fixture f;
  f.index.Begin({"ml", "a"});
  CHECK(f.In(Kind::kQueue, "other", "none") == Keys{"a"});
  CHECK(f.InContact(kEast) == Keys{"a"});
  f.Seen(WorkloadOf("a"), false);  // neither looks for a worker nor has one
  CHECK(f.In(Kind::kQueue, "ml", "gpu").empty());
  CHECK(f.InContact(kEast).empty());
}

TEST_CASE("what a workload no longer names, or needs no longer, affects it no longer") {
  Fixture f;
  f.Seen(WorkloadOf("a"), true);
  tracking::Workload moved = WorkloadOf("a");
  moved.requirement.queue = "cpu";
  f.Seen(moved, true);
  CHECK(f.In(Kind::kQueue, "ml", "gpu").empty());
  CHECK(f.In(Kind::kQueue, "ml", "cpu") == Keys{"a"});
  moved.cluster_name = "east";
  f.Seen(moved, false);
  CHECK(f.In(Kind::kQueue, "ml", "cpu").empty());
  CHECK(f.InContact(kEast) == Keys{"a"});
}

TEST_CASE("an object without namespace affects who names it, whatever the namespace") {
  Fixture f;
  f.Seen(WorkloadOf("a"), true);
  CHECK(f.In(Kind::kDependency, "", "settings") == Keys{"a"});
}

TEST_CASE("an object that the job itself names concerns it, in its namespace or in none") {
  Fixture f;
  tracking::Workload of_cluster = WorkloadOf("a");
  of_cluster.requirement.references = {{{.kind = "ClusterTrainingRuntime"}, {"", "torch"}}};
  f.Seen(of_cluster, true);
  tracking::Workload of_namespace = WorkloadOf("b");
  of_namespace.requirement.references = {{{.kind = "TrainingRuntime"}, {"ml", "torch"}}};
  f.Seen(of_namespace, true);
  CHECK(f.In(Kind::kDependency, "", "torch") == Keys{"a"});
  CHECK(f.In(Kind::kDependency, "ml", "torch") == Keys{"b"});
  CHECK(f.In(Kind::kDependency, "other", "torch").empty());
}

}  // namespace fedra::reconcile::wake_index_test
