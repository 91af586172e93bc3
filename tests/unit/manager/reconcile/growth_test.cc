// What a job costs as the fleet grows, in operations: judgements as many as there are workers while
// one is looked for, and nothing else that grows.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/reconcile/workload_reconciler.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/unit/manager/support/connected_executor.h"

namespace fedra::reconcile::growth_test {
namespace {

using nlohmann::json;

const ObjectKey kTrain{"ml", "job-train"};
const char* const kReserved = "2026-11-21T16:00:00Z";

struct Counting final : NoTelemetry {
  std::atomic<int> judged = 0;
  void Judged(const ClusterName&, const verdict::Verdict&) override { ++judged; }
};

struct Surroundings {
  HandClock clock;
  Counting counting;
};

ConnectedOptions Of(int workers) {
  ConnectedOptions options;
  options.workers.clear();
  for (int i = 0; i < workers; ++i) options.workers.push_back(fmt::format("worker-{}", i));
  return options;
}

json PodWithClaim() {
  return json::parse(R"({
      "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "g"}]}}],
      "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one-gpu"}]})");
}

// One job that fits on each of the workers.
struct Fleet : Surroundings, ConnectedExecutor {
  RunLoop<ObjectKey> loop{
      {.subject = "workload"}, clock, [](const ObjectKey&) { return Result<void>(); }};
  WakeIndex wake_index;
  DispatchOrder order;
  CopyPlaces places;
  PhaseCounter phases;
  WorkloadReconciler workloads{{.policy = {}, .devices = true},
                               {gatherer, wake_index, places, order, placements, records,
                                status_writer, executor, loop, phases, counting, clock}};
  const int count;

  explicit Fleet(int workers)
      : ConnectedExecutor(Of(workers),
                          {.verifies_devices = true, .clock = clock, .telemetry = &counting}),
        count(workers) {
    for (int i = 0; i < workers; ++i) AddDevices(fleet.server(At(i)), 1);
    AddWaitingWorkload(fleet.manager_server(), kTrain, PodWithClaim());
    clock.JumpWall(std::chrono::duration_cast<std::chrono::milliseconds>(
        ParseRfc3339("2026-11-21T16:00:01Z").value() - clock.Now()));
    fleet.Start();
    Await([&] {
      const Gathered seen = gatherer.Gather(kTrain, {});
      return fleet.manager().identity().IdentifySoon() && seen.view.job != nullptr && seen.judged &&
             std::ranges::all_of(seen.clusters, [](const auto& cluster) {
               return cluster.verdict.outcome == verdict::Outcome::kYes;
             });
    });
  }
  static size_t At(int i) { return static_cast<size_t>(i); }
  // Requests that change something, of all servers; Events are written by a thread of their own.
  size_t Writes() {
    size_t writes = 0;
    const auto add = [&](const std::map<std::string, size_t>& counts) {
      for (const auto& [what, times] : counts) {
        const std::string verb = what.substr(0, what.find(' '));
        const bool reads = verb == "get" || verb == "list" || verb == "watch";
        if (!reads && !what.ends_with("events")) writes += times;
      }
    };
    add(fleet.manager_server().RequestCounts());
    for (int i = 0; i < count; ++i) add(fleet.server(At(i)).RequestCounts());
    return writes;
  }
  int Where() {
    for (int i = 0; i < count; ++i)
      if (fleet.server(At(i)).objects().Get("workloads", kTrain)) return i;
    return -1;
  }
  void Admit(int worker) {
    const auto condition = [](const char* type) {
      return json{{"type", type},
                  {"status", "True"},
                  {"reason", type},
                  {"message", ""},
                  {"lastTransitionTime", kReserved}};
    };
    const json assignments = json::array({{{"name", "main"}}});
    const json status = {
        {"admission", {{"clusterQueue", "gpu"}, {"podSetAssignments", assignments}}},
        {"conditions", json::array({condition("QuotaReserved"), condition("Admitted")})}};
    REQUIRE(fleet.server(At(worker))
                .objects()
                .Patch("workloads", kTrain, {{"status", status}}, "status"));
    Await([&] {
      const auto clone = fleet.worker(At(worker)).objects().clones().Find(kTrain);
      return clone != nullptr && clone->Admitted();
    });
  }
  bool IsPlaced() { return !gatherer.Gather(kTrain, {}).view.workload->cluster_name.empty(); }
};

struct Costs {
  int to_dispatch = 0;  // judgements
  int until_admitted = 0;
  int afterwards = 0;
  size_t writes = 0;
};

Costs CostsOf(int workers) {
  Fleet fleet(workers);
  Costs costs;
  const size_t before = fleet.Writes();
  const auto judged = [&] { return fleet.counting.judged.exchange(0); };
  REQUIRE(fleet.workloads.Reconcile(kTrain));
  costs.to_dispatch = judged();
  for (int i = 0; i < 3 && fleet.Where() < 0; ++i) REQUIRE(fleet.workloads.Reconcile(kTrain));
  (void)judged();
  const int where = fleet.Where();
  REQUIRE(where >= 0);
  for (int i = 0; i < 3; ++i) REQUIRE(fleet.workloads.Reconcile(kTrain));
  costs.until_admitted = judged();
  fleet.Admit(where);
  for (int i = 0; i < 5 && !fleet.IsPlaced(); ++i) REQUIRE(fleet.workloads.Reconcile(kTrain));
  REQUIRE(fleet.IsPlaced());
  (void)judged();
  for (int i = 0; i < 3; ++i) REQUIRE(fleet.workloads.Reconcile(kTrain));
  costs.afterwards = judged();
  costs.writes = fleet.Writes() - before;
  return costs;
}

}  // namespace

TEST_CASE(
    "growth: with four times the workers a job costs four times the judgements, and no more") {
  const Costs few = CostsOf(2), many = CostsOf(8);
  CHECK(few.to_dispatch == 2);
  CHECK(many.to_dispatch == 8);
  CHECK(many.until_admitted == few.until_admitted);
  CHECK(many.afterwards == 0);
  CHECK(few.afterwards == 0);
  CHECK(many.writes == few.writes);
}

}  // namespace fedra::reconcile::growth_test
