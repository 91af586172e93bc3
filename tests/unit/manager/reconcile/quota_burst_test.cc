// A burst of jobs without devices: those that are dispatched at the same moment see each other in
// the quota of the workers' queues, which their Kueue has not counted yet.

#include "manager/reconcile/workload_reconciler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected_executor.h"

namespace fedra::reconcile::quota_burst_test {
namespace {

using nlohmann::json;

constexpr int kJobs = 20;

ObjectKey KeyOf(int job) { return {"ml", fmt::format("job-{}", job)}; }

json QuotaReserved() {
  return {{"type", "QuotaReserved"},
          {"status", "True"},
          {"reason", "QuotaReserved"},
          {"message", ""},
          {"lastTransitionTime", kReserved}};
}

// Each asks for one cpu, has quota on the manager and waits for fedra's check.
void AddJob(sim::Server& manager, int number) {
  const json container = {
      {"name", "c"}, {"image", "i"}, {"resources", {{"requests", {{"cpu", "1"}}}}}};
  AddWaitingWorkload(manager, KeyOf(number), {{"containers", json::array({container})}},
                     fmt::format("train-{}", number));
}

void SetQuota(sim::Server& worker, int cpu) {
  const json resources = json::array({{{"name", "cpu"}, {"nominalQuota", fmt::format("{}", cpu)}}});
  const json flavors = json::array({{{"name", "default"}, {"resources", resources}}});
  const json groups =
      json::array({{{"coveredResources", json::array({"cpu"})}, {"flavors", flavors}}});
  REQUIRE(worker.objects().Patch("clusterqueues", {"", "gpu"},
                                 {{"spec", {{"resourceGroups", groups}}}}));
}

ConnectedOptions WithoutDevices() {
  ConnectedOptions options;
  options.devices = false;
  return options;
}

struct Surroundings {
  HandClock clock;
};

// Workers east and west, of which nothing admits by itself.
struct Burst : Surroundings, ConnectedExecutor {
  RunLoop<ObjectKey> loop{
      {.subject = "workload"}, clock, [](const ObjectKey&) { return Result<void>(); }};
  WakeIndex wake_index;
  DispatchOrder order;
  CopyPlaces places;
  PhaseCounter phases;
  WorkloadReconciler workloads{{.policy = {}, .devices = false, .quota = true},
                               {gatherer, wake_index, places, order, placements, records,
                                status_writer, executor, loop, phases, nobody, clock}};

  Burst(int east, int west)
      : ConnectedExecutor(WithoutDevices(),
                          {.clock = clock, .verifies_quota = true, .cluster_clock = clock}) {
    SetQuota(fleet.server(0), east);
    SetQuota(fleet.server(1), west);
    for (int i = 0; i < kJobs; ++i) AddJob(fleet.manager_server(), i);
    clock.JumpWall(std::chrono::duration_cast<std::chrono::milliseconds>(
        ParseRfc3339(kReserved).value() - clock.Now() + std::chrono::seconds(1)));
    fleet.Start();
    REQUIRE(WaitUntil([&] { return fleet.manager().identity().IdentifySoon() && AreAllSeen(); }));
  }
  bool IsSeen(int job) const {
    const Gathered seen = gatherer.Gather(KeyOf(job), {});
    return seen.judged && seen.view.job != nullptr &&
           std::ranges::all_of(seen.clusters, [](const auto& cluster) {
             return cluster.verdict.outcome == verdict::Outcome::kYes;
           });
  }
  bool AreAllSeen() const {
    for (int i = 0; i < kJobs; ++i)
      if (!IsSeen(i)) return false;
    return true;
  }
  // As the loop does with what failed: again.
  Result<void> Dispatch(int job) {
    Result<void> done;
    (void)WaitUntil([&] { return bool(done = workloads.Reconcile(KeyOf(job))); });
    return done;
  }
  size_t ClonesOn(size_t worker) { return fleet.server(worker).objects().List("workloads").size(); }
  // What its Kueue does with the clones there: it admits as many as have room, in the order of the
  // jobs. What is reserved it reports a second later.
  int Admit(size_t worker, int most) {
    int admitted = 0;
    json condition = QuotaReserved();
    condition["type"] = condition["reason"] = "Admitted";
    const json assignments = json::array({{{"name", "main"}}});
    const json status = {
        {"admission", {{"clusterQueue", "gpu"}, {"podSetAssignments", assignments}}},
        {"conditions", json::array({QuotaReserved(), condition})}};
    for (int i = 0; i < kJobs && admitted < most; ++i) {
      const auto clone = fleet.server(worker).objects().Get("workloads", KeyOf(i));
      if (!clone) continue;
      ++admitted;
      if (clone->value("status", json::object()).contains("admission")) continue;
      REQUIRE(fleet.server(worker).objects().Patch("workloads", KeyOf(i), {{"status", status}},
                                                   "status"));
      REQUIRE(fleet.WaitUntil([&] {
        const auto seen = fleet.worker(worker).objects().clones().Find(KeyOf(i));
        return seen != nullptr && seen->Admitted();
      }));
      (void)gatherer.Observe(KeyOf(i), fleet.worker(worker));  // as the event's handler does
    }
    return admitted;
  }
};

TEST_CASE("a burst: no more jobs go to a worker than its queue has room for") {
  constexpr int kEast = 15, kWest = kJobs - kEast;
  Burst burst(kEast, kWest);
  std::array<Result<void>, kJobs> outcomes;
  std::vector<std::thread> threads;
  threads.reserve(kJobs);
  for (int i = 0; i < kJobs; ++i) {
    Result<void>& outcome = outcomes.at(static_cast<std::size_t>(i));
    threads.emplace_back([&burst, &outcome, i] { outcome = burst.Dispatch(i); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Result<void>& outcome : outcomes) {
    INFO((outcome ? "" : outcome.error().message));
    CHECK(outcome);
  }
  CHECK(burst.ClonesOn(0) == kEast);
  CHECK(burst.ClonesOn(1) == kWest);
  // A queue that is full is no refusal: one more goes to the worker where fewer wait.
  AddJob(burst.fleet.manager_server(), kJobs);
  REQUIRE(burst.fleet.WaitUntil([&] { return burst.IsSeen(kJobs); }));
  CHECK(burst.Dispatch(kJobs));
  CHECK(burst.ClonesOn(0) + burst.ClonesOn(1) == kJobs + 1);
}

TEST_CASE("a burst: what a worker's Kueue has admitted and not reported counts") {
  Burst burst(kJobs / 2, kJobs / 2);
  for (int i = 0; i < kJobs; ++i) {
    REQUIRE(burst.Dispatch(i));
    // Where it is admitted at once, no clone waits, and the first worker is preferred again.
    const int without_quota = static_cast<int>(burst.ClonesOn(0) + burst.ClonesOn(1)) -
                              burst.Admit(0, kJobs / 2) - burst.Admit(1, kJobs / 2);
    INFO("after " << i + 1 << " jobs");
    REQUIRE(without_quota == 0);
  }
  CHECK(burst.ClonesOn(0) == kJobs / 2);
  CHECK(burst.ClonesOn(1) == kJobs / 2);
}

}  // namespace
}  // namespace fedra::reconcile::quota_burst_test
