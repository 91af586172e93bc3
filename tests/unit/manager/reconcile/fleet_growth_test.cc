// What a worker that goes and comes back costs as the line of waiting jobs grows, in looks at jobs:
// some for each class of jobs that ask for the same, and none for each job.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cluster-clients/threads.h"
#include "manager/reconcile/federation.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"
#include "tests/unit/manager/support/no_telemetry.h"

namespace fedra::reconcile::fleet_growth_test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using tracking::Mode;

constexpr int kDevices = 4;  // of each worker

struct Counting final : NoTelemetry {
  std::atomic<int> looks = 0;
  void LookedAt(size_t) override { ++looks; }
};

void AddJob(sim::Server& manager, int number, int pods) {
  const json pod = json::parse(R"({
      "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "g"}]}}],
      "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one-gpu"}]})");
  AddWaitingWorkload(manager, {"ml", fmt::format("job-{:04}", number)}, pod,
                     fmt::format("train-{:04}", number), pods);
}

// As Kueue says of it, in whose place it may copy jobs.
void SetReached(sim::Server& manager, const std::string& worker, bool reached) {
  const json active = {{"type", "Active"},
                       {"status", reached ? "True" : "False"},
                       {"reason", reached ? "Active" : "ClientConnectionFailed"},
                       {"message", ""},
                       {"lastTransitionTime", kReserved}};
  REQUIRE(manager.objects().Patch("multikueueclusters", {"", worker},
                                  {{"status", {{"conditions", json::array({active})}}}}, "status"));
}

// The first job needs two devices, the others one, and on each worker `free` are free.
class Fleet final {
 public:
  Fleet(int workers, int jobs, int free, Mode mode = Mode::kAdmissionCheck) {
    sim::Furnish(manager_, /*manager=*/true);
    settings_.gather = {.controller_name = "fedra.dev/federation",
                        .us = {.origin = "fedra", .mode = mode},
                        .mode = mode,
                        .devices = true,
                        .order = {.policy = placement::OrderPolicy::kStrict}};
    settings_.manager.name = ClusterName("manager");
    settings_.manager.access = AccessTo(manager_);
    settings_.manager.options = Quick();
    settings_.threads = 4;
    for (int i = 0; i < workers; ++i) {
      AddWorker(NameOf(i), free);
      if (mode != Mode::kDispatcher) continue;
      REQUIRE(manager_.objects().Create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                                         {"kind", "MultiKueueCluster"},
                                         {"metadata", {{"name", NameOf(i)}}}}));
      SetReached(manager_, NameOf(i), true);
    }
    for (int i = 0; i < jobs; ++i) AddJob(manager_, i, i == 0 ? 2 : 1);
    federation_ = std::make_unique<Federation>(settings_, threads_.loop, threads_.pool, *store_,
                                               counting_, SystemClock());
    REQUIRE(federation_->Start());
    Await([&] { return federation_->IsWorking() && counting_.looks >= jobs; });
    Settle();
  }
  ~Fleet() { federation_->Stop(); }

  // Looks until it is back and all is quiet again.
  int LooksForOutage() {
    counting_.looks = 0;
    sim::Faults away;
    away.refuse = true;
    servers_.front()->SetFaults(away);
    Await([&] { return Contact() == placement::Contact::kNone; });
    Settle();
    servers_.front()->SetFaults({});
    Await([&] { return Contact() == placement::Contact::kFull; });
    Settle();
    return counting_.looks;
  }

  // Looks until Kueue has lost the first worker and reaches it again, and all is quiet.
  int LooksForKueueOutage() {
    counting_.looks = 0;
    for (const bool reached : {false, true}) {
      SetReached(manager_, NameOf(0), reached);
      Settle();
    }
    return counting_.looks;
  }

 private:
  static std::string NameOf(int worker) { return fmt::format("worker-{}", worker); }
  static ClusterOptions Quick() {
    ClusterOptions options;
    options.discover_groups = {"batch", "kueue.x-k8s.io", "resource.k8s.io", "scheduling.k8s.io"};
    options.probe_interval = 200ms;
    return options;
  }
  void AddWorker(const std::string& name, int free) {
    servers_.push_back(std::make_unique<sim::Server>(sim::ServerOptions{.name = name}));
    sim::Server& server = *servers_.back();
    sim::Furnish(server, /*manager=*/false);
    ActivateQueue(server);
    AddDevices(server, kDevices);
    AddClaimInUse(server, {"ml", "others"}, kDevices - free);
    WorkerSettings worker;
    worker.cluster.name = ClusterName(name);
    worker.cluster.access = AccessTo(server);
    worker.cluster.options = Quick();
    worker.verified.devices.emplace();
    settings_.workers.push_back(std::move(worker));
  }
  placement::Contact Contact() const { return federation_->workers()->all().front()->contact(); }
  void Await(const std::function<bool()>& holds) {
    REQUIRE(WaitUntil([&] {
      federation_->Tick();
      return holds();
    }));
  }
  // No job is looked at while so much time goes by, ticks included: longer than what a look writes
  // takes to come back.
  void Settle() {
    SteadyTime since = SystemClock().Steady();
    int before = counting_.looks;
    Await([&] {
      const int now = counting_.looks;
      if (now != std::exchange(before, now)) since = SystemClock().Steady();
      return SystemClock().Steady() - since > Stretched(500ms);
    });
  }

  Threads threads_{4};
  sim::Server manager_{{}};
  std::vector<std::unique_ptr<sim::Server>> servers_;
  const TempFolder folder_;
  std::unique_ptr<store::Store> store_ =
      store::Store::Open({.path = folder_.Path("fedra.db")}).value();
  Counting counting_;
  FederationSettings settings_;
  std::unique_ptr<Federation> federation_;
};

}  // namespace

TEST_CASE(
    "growth: a short outage of a worker wakes the first waiting jobs of each class, not all") {
  // With none free they wait for devices, with one for the job that is the first in line. What is
  // reported of each list may wake the first ones again.
  const int free = GENERATE(0, 1);
  CAPTURE(free);
  constexpr int kJobs = 400;
  Fleet fleet(/*workers=*/2, kJobs, free);
  CHECK(fleet.LooksForOutage() < kJobs / 2);
}

TEST_CASE("growth: where Kueue copies, that it loses a worker wakes the first waiting jobs alone") {
  constexpr int kJobs = 400;
  Fleet fleet(/*workers=*/2, kJobs, /*free=*/0, Mode::kDispatcher);
  const int looks = fleet.LooksForKueueOutage();
  CHECK(looks > 0);
  CHECK(looks < kJobs / 2);
}

}  // namespace fedra::reconcile::fleet_growth_test
