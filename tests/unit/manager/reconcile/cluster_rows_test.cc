// What the store says of an outage: one beginning, by the wall clock as it is now.

#include "manager/reconcile/cluster_rows.h"

#include "manager/verify/capabilities.h"
#include "manager/verify/capacity.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::cluster_rows_test {

using namespace std::chrono_literals;

namespace {

ConnectedOptions East() {
  ConnectedOptions options;
  options.workers = {"east"};
  options.devices = false;
  options.keeps_rejected = true;
  return options;
}

// It refuses fedra its LocalQueues.
ConnectedOptions RefusingQueues() {
  ConnectedOptions options = East();
  options.faults.answers.push_back({.kind = sim::InjectedAnswer::Kind::kStatus,
                                    .method = "GET",
                                    .path_contains = "/localqueues",
                                    .code = 403});
  return options;
}

struct Fixture {
  const TempFolder folder;
  HandClock clock;
  Connected fleet;
  std::unique_ptr<store::Store> store =
      store::Store::Open({.path = folder.Path("fedra.db")}).value();
  ClusterRows rows{*store, clock};
  tracking::Cordons cordons;

  explicit Fixture(const ConnectedOptions& options = East()) : fleet(options, clock) {
    fleet.Start();
    // Before it has answered once, that it is away is a slow start.
    REQUIRE(fleet.WaitUntil([&] { return fleet.worker(0).Status().answered; }));
  }
  void Disconnect() {
    sim::Faults away;
    away.refuse = true;
    fleet.server(0).SetFaults(away);
    REQUIRE(fleet.WaitUntil([&] { return fleet.worker(0).Status().lost_since.has_value(); }));
  }
  void Reconnect() {
    fleet.server(0).SetFaults({});
    REQUIRE(fleet.WaitUntil([&] { return !fleet.worker(0).Status().lost_since; }));
  }
  // As stored after a look.
  store::ClusterRow Row(const std::string& name = "east", const std::string& left_out = {}) {
    const ManagerCluster& manager = fleet.manager();
    rows.Record(manager.Row(clock.Now()), manager.IsUsable() ? &manager.queues() : nullptr,
                *fleet.workers().Now(), cordons, left_out);
    REQUIRE(store->Flush());
    const std::vector<store::ClusterRow> stored = store->Read().value()->Clusters().value();
    for (const store::ClusterRow& row : stored) {
      if (row.name.value == name) return row;
    }
    return {};
  }
  std::optional<WallTime> LostSince() { return Row().lost_since; }
};

}  // namespace

TEST_CASE("one outage has one beginning, also while the clock is slewed") {
  Fixture f;
  CHECK_FALSE(f.LostSince());
  f.Disconnect();
  const WallTime lost = f.clock.Now();
  CHECK(f.LostSince() == lost);
  f.clock.Advance(10min);
  f.clock.JumpWall(900ms);
  CHECK(f.LostSince() == lost);
  CHECK(f.rows.Lost({}) == Outages{{ClusterName("east"), lost}});
  f.Reconnect();
  CHECK_FALSE(f.LostSince());
  CHECK(f.rows.Lost({}).empty());
}

TEST_CASE(
    "of a worker that has not answered yet the outage stands that another process has noted") {
  Fixture f;
  const ClusterName east("east");
  f.Disconnect();
  const WallTime lost = f.LostSince().value();
  ClusterRows next(*f.store, f.clock);
  std::vector<WorkerSettings> workers(1);
  workers[0].cluster.name = east;
  REQUIRE(next.Load(workers));
  CHECK(workers[0].lost_since == lost);
  CHECK(next.Lost({}).empty());
  CHECK(next.Lost({{east, lost + 1h}, {ClusterName("no-worker"), lost}}) ==
        Outages{{east, lost + 1h}});
  next.Record(f.fleet.manager().Row(f.clock.Now()), nullptr, *f.fleet.workers().Now());
  CHECK(next.Lost({{east, lost + 1h}}) == Outages{{east, lost}});
}

TEST_CASE("a worker that is back and lost again between two looks begins another outage") {
  Fixture f;
  f.Disconnect();
  CHECK(f.LostSince());
  f.clock.Advance(10min);
  f.Reconnect();
  f.Disconnect();
  CHECK(f.LostSince() == f.clock.Now());
}

TEST_CASE("a rejection for which jobs stay is no outage after a restart") {
  Fixture f;
  f.Disconnect();
  CHECK(f.LostSince());
  sim::Faults rejecting;
  rejecting.reject_credentials = true;
  f.fleet.server(0).SetFaults(rejecting);
  REQUIRE(f.fleet.WaitUntil([&] { return f.fleet.worker(0).Status().keeps_jobs; }));
  f.clock.Advance(1h);
  CHECK_FALSE(f.LostSince());
  ClusterRows restarted(*f.store, f.clock);
  std::vector<WorkerSettings> workers(1);
  workers[0].cluster.name = ClusterName("east");
  REQUIRE(restarted.Load(workers));
  CHECK_FALSE(workers[0].lost_since);
}

TEST_CASE("the workers of the last run are remembered, but those that were removed") {
  Fixture f;
  store::ClusterRow removed = f.Row();
  removed.name = ClusterName("removed");
  removed.is_removed = true;
  REQUIRE(f.store->Commit({store::PutCluster{removed}}));
  REQUIRE_FALSE(f.Row("manager").name.empty());
  const ClusterRows restarted(*f.store, f.clock);
  const ClusterName east("east");
  CHECK(restarted.Remembered({}) == std::vector<ClusterName>{east});
  CHECK(restarted.Remembered({ClusterName("west")}) == std::vector<ClusterName>{east});
  CHECK(restarted.Remembered({east}).empty());
}

TEST_CASE("a clock that is set moves the beginning of the outage that is stored") {
  Fixture f;
  f.Disconnect();
  CHECK(f.LostSince() == f.clock.Now());
  f.clock.Advance(5min);
  const auto jump = GENERATE(1h, -1h);
  f.clock.JumpWall(jump);
  CHECK(f.LostSince() == f.clock.Now() - 5min);
}

TEST_CASE("what is wrong with a worker's lists is told once") {
  Fixture f(RefusingQueues());
  const store::ClusterRow row = f.Row();
  CHECK(row.phase == "Connected");
  CHECK(row.why == "not allowed to list or watch localqueues.kueue.x-k8s.io (403)");
  CHECK(row.note.empty());
  CHECK(verify::ParseCapabilities(row.capabilities_json)->missing_rights ==
        std::vector<std::string>{"localqueues.kueue.x-k8s.io"});
}

TEST_CASE("a worker whose queue is stopped says so") {
  Fixture f;
  CHECK(f.Row().note.empty());
  const std::string why = "Can't submit new workloads to clusterQueue";
  const nlohmann::json inactive{{"type", "Active"}, {"status", "False"}, {"message", why}};
  REQUIRE(f.fleet.server(0).objects().Patch(
      "localqueues", {"ml", "gpu"},
      {{"status", {{"conditions", nlohmann::json::array({inactive})}}}}, "status"));
  REQUIRE(f.fleet.WaitUntil([&] {
    const auto queue = f.fleet.worker(0).objects().queues().Find({"ml", "gpu"});
    return queue != nullptr && !queue->active;
  }));
  CHECK(f.Row().note.empty());  // they are not counted at every look
  f.clock.Advance(1s);
  CHECK(f.Row().note == "LocalQueue ml/gpu is not active: " + why);
  const auto capacity = verify::ParseCapacity(f.Row().capacity_json);
  REQUIRE(capacity);
  CHECK(capacity->queues == 1);
  CHECK(capacity->stopped_queues ==
        std::vector<verify::StoppedQueue>{{"LocalQueue ml/gpu", "gpu", why}});
  CHECK(f.Row().phase == "Connected");

  // Kueue's words do not say who has stopped it.
  REQUIRE(f.fleet.server(0).objects().Patch("clusterqueues", {"", "gpu"},
                                            {{"spec", {{"stopPolicy", "HoldAndDrain"}}}}));
  REQUIRE(f.fleet.WaitUntil([&] {
    const auto queue = f.fleet.worker(0).objects().cluster_queues().Find({"", "gpu"});
    return queue != nullptr && queue->stop != verify::StopPolicy::kNone;
  }));
  f.clock.Advance(1s);
  CHECK(f.Row().note ==
        "LocalQueue ml/gpu is not active: ClusterQueue gpu is being drained (stopPolicy "
        "HoldAndDrain)");

  // Its own stop names it already.
  REQUIRE(f.fleet.server(0).objects().Patch("clusterqueues", {"", "gpu"},
                                            {{"spec", {{"stopPolicy", "None"}}}}));
  REQUIRE(f.fleet.server(0).objects().Patch("localqueues", {"ml", "gpu"},
                                            {{"spec", {{"stopPolicy", "Hold"}}}}));
  REQUIRE(f.fleet.WaitUntil([&] {
    const auto queue = f.fleet.worker(0).objects().queues().Find({"ml", "gpu"});
    const auto above = f.fleet.worker(0).objects().cluster_queues().Find({"", "gpu"});
    return queue != nullptr && queue->stop != verify::StopPolicy::kNone && above != nullptr &&
           above->stop == verify::StopPolicy::kNone;
  }));
  f.clock.Advance(1s);
  CAPTURE(f.Row().note);
  CHECK(f.Row().note.starts_with("LocalQueue ml/gpu is stopped (stopPolicy Hold)"));
}

TEST_CASE("what a worker can is recorded at the first contact, and kept while it is unreachable") {
  Fixture f;
  const auto can = [&] { return verify::ParseCapabilities(f.Row().capabilities_json).value(); };
  const verify::WorkerCapabilities first = can();
  CHECK(first.job_kinds.front() == "Job");
  CHECK(first.kueue_versions.front() == "v1beta2");
  CHECK(first.missing_rights.empty());
  f.Disconnect();
  f.clock.Advance(1s);
  CHECK(can() == first);
}

TEST_CASE("a right that a worker grants later is missing no more") {
  Fixture f(RefusingQueues());
  const auto missing = [&] {
    return verify::ParseCapabilities(f.Row().capabilities_json).value().missing_rights;
  };
  CHECK(missing().size() == 1);
  // The connection is lost and made anew, so that the list is tried again at once.
  f.Disconnect();
  f.Reconnect();
  REQUIRE(f.fleet.WaitUntil([&] {
    return f.fleet.worker(0).objects().queues().health().state == watch::CacheState::kSynced;
  }));
  CHECK(missing().size() == 1);  // it is not looked at every time
  f.clock.Advance(1s);
  CHECK(missing().empty());
}

TEST_CASE("what a worker has to give is counted anew once a second, and written when it changes") {
  Fixture f;
  const auto queues = [&] { return verify::ParseCapacity(f.Row().capacity_json).value().queues; };
  CHECK(queues() == 1);
  REQUIRE(f.fleet.server(0).objects().Create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                                              {"kind", "LocalQueue"},
                                              {"metadata", {{"namespace", "ml"}, {"name", "b"}}},
                                              {"spec", {{"clusterQueue", "gpu"}}}}));
  REQUIRE(f.fleet.WaitUntil(
      [&] { return f.fleet.worker(0).objects().queues().Find({"ml", "b"}) != nullptr; }));
  f.clock.Advance(999ms);
  CHECK(queues() == 1);
  f.clock.Advance(1ms);
  CHECK(queues() == 2);
}

TEST_CASE("workers that the manager tells of and that are not used are said with the manager") {
  Fixture f;
  CHECK(f.Row("manager").why.empty());
  CHECK(f.Row("manager", "MultiKueueCluster east: is not used").why ==
        "MultiKueueCluster east: is not used");
  CHECK(f.Row("manager").why.empty());
}

TEST_CASE("a worker that is out of service says so, and why") {
  Fixture f;
  f.cordons[ClusterName("east")] = {false, "new disks"};
  CHECK(f.Row().cordon == "Cordoned");
  CHECK(f.Row().why == "cordoned: new disks");
  f.cordons[ClusterName("east")] = {true, ""};
  CHECK(f.Row().cordon == "Draining");
  CHECK(f.Row().why == "drained");
  f.cordons.clear();
  CHECK(f.Row().cordon.empty());
  CHECK(f.Row().why.empty());
}

TEST_CASE("a cordon that no worker has is said with the manager") {
  Fixture f;
  f.cordons[ClusterName("east")] = {false, ""};
  CHECK(f.Row("manager").why.empty());
  f.cordons[ClusterName("north")] = {true, "x"};
  f.cordons[ClusterName("west")] = {false, "new disks"};
  CHECK(f.Row("manager", "MultiKueueCluster east: is not used").why ==
        "MultiKueueCluster east: is not used; cordoned, and no worker: north, west (fedra uncordon "
        "north)");
  f.cordons.clear();
  CHECK(f.Row("manager").why.empty());
}

}  // namespace fedra::reconcile::cluster_rows_test
