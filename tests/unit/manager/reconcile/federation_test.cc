// A start: what is looked at first, and that it can be ended.

#include "manager/reconcile/federation.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cluster-clients/http/write_gate.h"
#include "cluster-clients/threads.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"
#include "tests/unit/manager/support/no_telemetry.h"
#include "tests/unit/manager/support/replica_fixture.h"

namespace fedra::reconcile::federation_test {

using namespace std::chrono_literals;
using nlohmann::json;

namespace {

// Of each workload's last write, by which they are in the order of the writes.
std::map<long, std::string> Versions(sim::Server& manager) {
  std::map<long, std::string> versions;
  for (const std::string& name : kNames) {
    const json workload = *manager.objects().Get("workloads", {"ml", name});
    versions[std::stol(workload["metadata"]["resourceVersion"].get<std::string>())] = name;
  }
  return versions;
}

}  // namespace

TEST_CASE("after a start the workloads that a write was announced for are looked at first") {
  Threads threads{4};
  sim::Server manager{{}};
  sim::Furnish(manager, /*manager=*/true);
  AddWorkloads(manager);
  const long before = Versions(manager).rbegin()->first;
  const TempFolder folder;
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  for (const std::string& name : kNames) {
    store::WorkloadRow row;
    row.uid = (*manager.objects().Get("workloads", {"ml", name}))["metadata"]["uid"];
    row.key = {"ml", name};
    store->Enqueue(store::PutWorkload{row});
  }
  REQUIRE(store->Commit({store::AddIntent{
      {1, "uid", "CreateClone", ClusterName("east"), {"ml", kNames.back()}, {}}}}));
  REQUIRE(store->Flush());

  NoTelemetry telemetry;
  Federation federation(Alone(manager), threads.loop, threads.pool, *store, telemetry,
                        SystemClock());
  REQUIRE(federation.Start());
  CHECK(WaitUntil([&] {
    federation.Tick();
    return Versions(manager).begin()->first > before;
  }));
  federation.Stop();
  const auto versions = Versions(manager);
  REQUIRE(versions.begin()->first > before);
  CHECK(versions.begin()->second == kNames.back());
}

TEST_CASE("a restart rewrites no check that says the same in other words, store or no store") {
  const bool keeps_store = GENERATE(true, false);
  CAPTURE(keeps_store);
  Threads threads{4};
  sim::Server manager{{}};
  sim::Furnish(manager, /*manager=*/true);
  AddWorkloads(manager);
  const TempFolder folder;
  NoTelemetry telemetry;
  const auto run_until_all_are_blocked = [&](const std::string& file) {
    const auto store = store::Store::Open({.path = folder.Path(file)}).value();
    Federation federation(Alone(manager), threads.loop, threads.pool, *store, telemetry,
                          SystemClock());
    REQUIRE(federation.Start());
    CHECK(WaitUntil([&] {
      federation.Tick();
      return AreAllBlocked(federation);
    }));
    federation.Stop();
    CHECK(federation.turns() >= kNames.size());
    REQUIRE(store->Flush());
  };
  run_until_all_are_blocked("fedra.db");
  for (const std::string& name : kNames) {
    json status = (*manager.objects().Get("workloads", {"ml", name}))["status"];
    json& message = status["admissionChecks"][0]["message"];
    CHECK_THAT(message.get<std::string>(), ContainsSubstring("no worker eligible"));
    message = "nobody takes it";
    REQUIRE(manager.objects().Patch("workloads", {"ml", name}, {{"status", status}}, "status"));
  }
  const auto before = Versions(manager);
  run_until_all_are_blocked(keeps_store ? "fedra.db" : "another.db");
  CHECK(Versions(manager) == before);
}

TEST_CASE("a manager that says nothing more after its lists holds up neither a tick nor the end") {
  Threads threads{4};
  sim::Server manager{{}};
  sim::Furnish(manager, /*manager=*/true);
  sim::Faults faults;
  faults.answers.push_back({.kind = sim::InjectedAnswer::Kind::kHang,
                            .method = "GET",
                            .path_contains = "/namespaces/kube-system"});
  manager.SetFaults(faults);
  const TempFolder folder;
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  NoTelemetry telemetry;
  Federation federation(Alone(manager), threads.loop, threads.pool, *store, telemetry,
                        SystemClock());
  REQUIRE(federation.Start());
  REQUIRE(WaitUntil([&] { return federation.manager().lists().AreListed(); }));
  const SteadyTime listed = SystemClock().Steady();
  for (int i = 0; i < 10; ++i) federation.Tick();
  CHECK_FALSE(federation.IsWorking());
  federation.Stop();
  CHECK(SystemClock().Steady() - listed < 5s);
}

namespace {

class SwitchedGate final : public http::WriteGate {
 public:
  std::optional<Permit> Ask() const override {
    ++asked;
    return std::nullopt;
  }
  mutable std::atomic<int> asked = 0;
};

}  // namespace

TEST_CASE("a standby lists everything and writes nothing; when it may, it lists again and begins") {
  ReplicaFixture f;
  store::PlacementRow stale;
  stale.uid = "of another leader's time";
  stale.key = {"ml", "gone"};
  stale.attempt = 7;
  REQUIRE(f.store->Commit({store::PutPlacement{stale}}));
  Candidate federation(f);
  REQUIRE(federation.IsStandbySoon());
  for (int i = 0; i < 10; ++i) federation->Tick();
  CHECK_FALSE(federation->IsWorking());
  CHECK(WritesOn(f.manager).empty());
  CHECK(WritesOn(f.worker).empty());
  CHECK(f.store->Read().value()->Placements().value().size() == 1);

  const size_t lists = ListsOf(f.manager, "workloads");
  const size_t worker_lists = ListsOf(f.worker, "workloads");
  federation.leads = true;
  CHECK(federation.IsWorkingSoon());
  CHECK_FALSE(federation->IsStandby());
  CHECK(ListsOf(f.manager, "workloads") == lists + 1);
  CHECK(ListsOf(f.worker, "workloads") == worker_lists + 1);
  CHECK(federation.TicksUntil([&] { return !WritesOn(f.worker).empty(); }));
  CHECK(federation->Stop());
  // What a worker takes costs no request for the replica that may take over.
  for (const std::string& write : WritesOn(f.manager)) CHECK_FALSE(write.ends_with("records"));
  REQUIRE(f.store->Flush());
  const std::vector<store::PlacementRow> rows = f.store->Read().value()->Placements().value();
  for (const store::PlacementRow& row : rows) CHECK(row.uid != stale.uid);
}

TEST_CASE("a standby that may not read the MultiKueueConfigs takes over all the same") {
  ReplicaFixture f;
  sim::Faults faults;
  faults.answers.push_back({.method = "GET", .path_contains = "/multikueueconfigs", .code = 403});
  f.manager.SetFaults(faults);
  Candidate federation(f);
  REQUIRE(federation.IsStandbySoon());
  CHECK(federation->WhyNotReady().empty());
  federation.leads = true;
  CHECK(federation.IsWorkingSoon());
  CHECK(federation->Stop());
}

TEST_CASE("one that may decide and gets no lists says what it waits for, and for how long") {
  ReplicaFixture f;
  sim::Faults faults;
  faults.answers.push_back({.method = "GET", .path_contains = "/workloads", .code = 500});
  f.manager.SetFaults(faults);
  Candidate federation(f);
  const auto says = [&](const std::string& words) {
    return federation->WhyNotReady().find(words) != std::string::npos;
  };
  CHECK(
      federation.TicksUntil([&] { return says("the manager's lists: workloads.kueue.x-k8s.io"); }));
  CHECK_FALSE(federation->IsStandby());
  CHECK_FALSE(federation->HasWaitedFor(0s));
  federation.leads = true;
  CHECK(federation.TicksUntil([&] { return federation->HasWaitedFor(100ms); }));
  CHECK_FALSE(federation->HasWaitedFor(1h));
  f.manager.SetFaults({});
  CHECK(federation.IsWorkingSoon());
  CHECK_FALSE(federation->HasWaitedFor(0s));
  CHECK(federation->WhyNotReady().empty());
  CHECK(federation->Stop());
}

TEST_CASE("a standby holds the keys of what is there, not of what has come and gone") {
  ReplicaFixture f;
  store::WorkloadRow left;
  left.uid = "of a job that ended meanwhile";
  left.key = {"ml", "ended"};
  REQUIRE(f.store->Commit({store::PutWorkload{left}}));
  Candidate federation(f);
  REQUIRE(federation.IsStandbySoon());
  json other = *f.manager.objects().Get("workloads", {"ml", kNames.front()});
  const auto known = [&] { return federation->manager().jobs().workloads().cache().size(); };
  for (int i = 0; i < 6; ++i) {
    std::vector<ObjectKey> jobs;
    for (int each = 0; each < 100; ++each) {
      jobs.push_back({"ml", "short-" + std::to_string(i) + "-" + std::to_string(each)});
      other["metadata"] = {{"namespace", "ml"}, {"name", jobs.back().name}};
      REQUIRE(f.manager.objects().Create(other));
    }
    REQUIRE(federation.TicksUntil([&] { return known() == kNames.size() + jobs.size(); }));
    // The cache reports a change just after it has it.
    CHECK(federation.TicksUntil([&] { return federation->keys_held() >= known(); }));
    for (const ObjectKey& job : jobs) REQUIRE(f.manager.objects().Delete("workloads", job));
    REQUIRE(federation.TicksUntil([&] { return known() == kNames.size(); }));
  }
  // What was there when they were counted last, and what has come since.
  CHECK(federation.TicksUntil([&] { return federation->keys_held() < 300; }));
  const auto rows = [&] { return f.store->Read().value()->Workloads().value(); };
  CHECK(rows().size() == 1);
  federation.leads = true;
  REQUIRE(federation.IsWorkingSoon());
  // All that is there is looked at, and what its row says of the other is over.
  CHECK(federation.TicksUntil([&] { return !WritesOn(f.worker).empty(); }));
  CHECK(federation.TicksUntil([&] {
    REQUIRE(f.store->Flush());
    return std::ranges::none_of(rows(), [&](const auto& row) { return row.uid == left.uid; });
  }));
  (void)federation->Stop();
}

TEST_CASE("an end that leaves an Event under way says so: its lead must run out") {
  ReplicaFixture f;
  f.settings.may_decide = [] { return true; };
  sim::Faults faults;
  faults.answers.push_back({.kind = sim::InjectedAnswer::Kind::kLatency,
                            .method = "POST",
                            .path_contains = "/events",
                            .delay = 30s});
  f.manager.SetFaults(faults);
  Federation federation = f.Make();
  REQUIRE(federation.Start());
  const auto tells = [&] {
    federation.Tick();
    return f.manager.RequestCounts().contains("create events");
  };
  REQUIRE(WaitUntil(tells));
  CHECK_FALSE(federation.Stop());
}

TEST_CASE("whatever a deposed leader decides, nothing of it reaches a server") {
  ReplicaFixture f;
  const auto gate = std::make_shared<SwitchedGate>();
  f.settings.manager.options.gate = gate;
  f.settings.workers[0].cluster.options.gate = gate;
  Federation federation = f.Make();
  REQUIRE(federation.Start());
  // It tries, again and again, and with everything: conditions, nominations, clones, Events.
  CHECK(WaitUntil([&] {
    federation.Tick();
    return gate->asked > 15;
  }));
  (void)federation.Stop();
  CHECK(WritesOn(f.manager).empty());
  CHECK(WritesOn(f.worker).empty());
}

TEST_CASE("where workers are discovered, nothing is decided before they are known") {
  Threads threads{4};
  sim::Server manager{{}};
  sim::Furnish(manager, /*manager=*/true);
  AddWorkloads(manager);
  const long before = Versions(manager).rbegin()->first;
  const TempFolder folder;
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  store::ClusterRow row;
  row.name = ClusterName("east");
  row.lost_since = WallTime{};
  REQUIRE(store->Commit({store::PutCluster{row}}));
  NoTelemetry telemetry;
  FederationSettings settings = Alone(manager);
  settings.discovery.secrets_in = "kueue-system";
  Federation federation(std::move(settings), threads.loop, threads.pool, *store, telemetry,
                        SystemClock());
  REQUIRE(federation.Start());
  CHECK(WaitUntil([&] { return federation.manager().lists().AreListed(); }));
  const auto works = [&] {
    federation.Tick();
    return federation.IsWorking();
  };
  CHECK_FALSE(HappensWithin(works, 1s));
  CHECK(Versions(manager).rbegin()->first == before);
  const auto rows_now = [&] {
    REQUIRE(store->Flush());
    return store->Read().value()->Clusters().value();
  };
  const auto has_row = [&](const char* name) {
    return std::ranges::any_of(rows_now(), [&](const auto& one) { return one.name.value == name; });
  };
  // What the last run knew of its workers is not forgotten meanwhile.
  CHECK(has_row("east"));

  WorkerSettings west;
  west.cluster.name = ClusterName("west");
  west.cluster.misconfigured = Error{ErrorCode::kInvalidArgument, "no kubeconfig", {}, {}};
  federation.SetWorkers({west}, /*drains=*/false);
  // At once, for the next run: a job may be there before the next tick.
  CHECK(has_row("west"));
  WorkerSettings south = west;
  south.cluster.name = ClusterName("south");
  federation.SetWorkers({west, south}, /*drains=*/false);
  CHECK(has_row("south"));
  CHECK(WaitUntil(works));
  CHECK(WaitUntil([&] { return Versions(manager).begin()->first > before; }));
  (void)federation.Stop();
  CHECK_FALSE(has_row("east"));
}

}  // namespace fedra::reconcile::federation_test
