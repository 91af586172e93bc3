// Which workloads a change on a worker affects.

#include "manager/reconcile/wake_index.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

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
  Keys In(Kind kind, const std::string& ns, const std::string& name) {
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

namespace {

// Many that ask for the same; `i` is the order of their creation.
tracking::Workload OfMany(int i, tracking::Demands demands) {
  tracking::Workload workload;
  workload.key = {"ml", fmt::format("job-{:05}", i)};
  workload.uid = workload.key.name;
  workload.created = WallTime(std::chrono::seconds(i));
  workload.requirement.ns = "ml";
  workload.requirement.queue = "gpu";
  workload.requirement.demands = std::move(demands);
  return workload;
}

tracking::Demands OneDevice() {
  dra::PodDemand demand;
  demand.claims = {{"g", "one-gpu", ""}};
  return std::make_shared<const std::vector<dra::PodDemand>>(1, demand);
}

}  // namespace

TEST_CASE(
    "of thousands that ask for the same, devices wake the first ones, and who goes the next") {
  constexpr int kMany = 10'000;
  Fixture f;
  const tracking::Demands demands = OneDevice();
  for (int i = kMany - 1; i >= 0; --i) f.Seen(OfMany(i, demands), true);
  for (const Kind kind : {Kind::kDevices, Kind::kDevicesTaken, Kind::kDevicesOffered})
    CHECK(f.In(kind, "", "") == Keys{"job-00000", "job-00001"});
  // Each that is dispatched wakes one: as many are looked at as could fit.
  for (int i = 0; i < 100; ++i) {
    Gathered gathered;
    tracking::Workload gone = OfMany(i, demands);
    gone.cluster_name = "east";
    gathered.view.key = gone.key;
    gathered.view.check = "fedra";
    gathered.view.workload = std::make_shared<const tracking::Workload>(std::move(gone));
    const auto next = f.index.Update(gathered, {});
    REQUIRE(next.size() == 1);
    CHECK(next[0].name == fmt::format("job-{:05}", i + 1));
  }
  // One of a higher priority comes first.
  tracking::Workload urgent = OfMany(kMany, demands);
  urgent.priority.value = 100;
  f.Seen(urgent, true);
  CHECK(f.In(Kind::kDevices, "", "") == Keys{"job-00100", "job-10000"});
}

TEST_CASE("who asks for something else, or in another place, is woken by devices as well") {
  Fixture f;
  const tracking::Demands demands = OneDevice();
  for (int i = 0; i < 100; ++i) f.Seen(OfMany(i, demands), true);
  f.Seen(OfMany(200, OneDevice()), true);  // equal, and not known to be: never too few
  tracking::Workload other_queue = OfMany(201, demands);
  other_queue.requirement.queue = "other";
  f.Seen(other_queue, true);
  tracking::Workload shares = OfMany(202, demands);
  shares.requirement.pod_sets = {{"main", 1, {{"s", "", "shared"}}}};
  f.Seen(shares, true);
  tracking::Workload refused = OfMany(203, demands);
  Gathered gathered;
  gathered.view.key = refused.key;
  gathered.view.check = "fedra";
  gathered.view.workload = std::make_shared<const tracking::Workload>(refused);
  gathered.judged = true;
  f.index.Update(gathered, {}, /*alone=*/true);
  CHECK(f.In(Kind::kDevices, "", "") ==
        Keys{"job-00000", "job-00001", "job-00200", "job-00201", "job-00202", "job-00203"});
}

TEST_CASE("nobody behind others of its class is forgotten: each is looked at again in its turn") {
  constexpr int kMany = 1000;
  Fixture f;
  const tracking::Demands demands = OneDevice();
  for (int i = 0; i < kMany; ++i) f.Seen(OfMany(i, demands), true);
  CHECK(f.index.Overdue(10).empty());  // nothing has changed since they were looked at
  f.In(Kind::kDevices, "", "");
  std::set<std::string> seen;
  for (int round = 0; round < kMany / 10; ++round) {
    const auto overdue = f.index.Overdue(10);
    CHECK(overdue.size() == 10);
    for (const ObjectKey& key : overdue) seen.insert(key.name);
  }
  CHECK(seen.size() == kMany);
  CHECK(f.index.Overdue(10).empty());
  // Who has been looked at since is not overdue.
  f.In(Kind::kDevices, "", "");
  for (int i = 0; i < kMany - 5; ++i) f.Seen(OfMany(i, demands), true);
  CHECK(f.index.Overdue(10).size() == 5);
}

TEST_CASE("contact wakes the first ones of those without devices, too, and forgets nobody") {
  constexpr int kMany = 1000;
  Fixture f;
  const auto cpu = std::make_shared<const std::vector<dra::PodDemand>>(1);
  for (int i = 0; i < kMany; ++i) f.Seen(OfMany(i, cpu), true);
  tracking::Workload counted = OfMany(kMany, cpu);  // another queue may hold it
  counted.requirement.counted = std::make_shared<const std::vector<dra::PodDemand>>(2);
  f.Seen(counted, true);
  tracking::Workload placed = OfMany(kMany + 1, cpu);
  placed.cluster_name = "east";
  f.Seen(placed, false);
  CHECK(f.In(Kind::kDevices, "", "").empty());
  CHECK(f.index.Overdue(10).empty());
  const auto contact = [&](const ClusterName& worker) {
    return Fixture::Sorted(f.index.AffectedByContact(worker));
  };
  CHECK(contact(kEast) == Keys{"job-00000", "job-00001", "job-01000", "job-01001"});
  CHECK(contact(kWest) == Keys{"job-00000", "job-00001", "job-01000"});
  // Each that goes wakes the next.
  Gathered gathered;
  tracking::Workload gone = OfMany(0, cpu);
  gone.cluster_name = "east";
  gathered.view.key = gone.key;
  gathered.view.check = "fedra";
  gathered.view.workload = std::make_shared<const tracking::Workload>(gone);
  CHECK(Fixture::Sorted(f.index.Update(gathered, {})) == Keys{"job-00001"});
  // The others in turn, once it has lasted; a change of devices makes none of them due again.
  CHECK(f.index.Overdue(10).empty());
  f.index.AgeByContact();
  std::set<std::string> seen;
  for (int round = 0; round < kMany / 10; ++round) {
    for (const ObjectKey& key : f.index.Overdue(10)) seen.insert(key.name);
  }
  CHECK(seen.size() == kMany);
  f.In(Kind::kDevices, "", "");
  CHECK(f.index.Overdue(10).empty());
}

TEST_CASE("a few that ask for the same are all woken by devices") {
  Fixture f;
  const tracking::Demands demands = OneDevice();
  for (int i = 0; i < 16; ++i) f.Seen(OfMany(i, demands), true);
  CHECK(f.In(Kind::kDevices, "", "").size() == 16);
}

}  // namespace fedra::reconcile::wake_index_test
