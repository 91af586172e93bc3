#pragma once
//
// A manager with waiting workloads, a worker that could have them, and federations between them
// that lead when a test says so.
//
// Thread rules: the test's thread, but for Candidate::leads.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cluster-clients/threads.h"
#include "manager/reconcile/federation.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"
#include "tests/unit/manager/support/no_telemetry.h"

namespace fedra::reconcile {

// Of the workloads.
inline const std::vector<std::string> kNames = {"a", "b", "c", "d"};

// A waiting workload of each name, all of one job.
inline void AddWorkloads(sim::Server& manager) {
  AddWaitingWorkload(manager, {"ml", kNames.front()});
  const nlohmann::json first = *manager.objects().Get("workloads", {"ml", kNames.front()});
  for (size_t i = 1; i < kNames.size(); ++i) {
    nlohmann::json other = first;
    other["metadata"] = {{"namespace", "ml"},
                         {"name", kNames[i]},
                         {"ownerReferences", first["metadata"]["ownerReferences"]}};
    REQUIRE(manager.objects().Create(other));
    REQUIRE(manager.objects().Patch("workloads", {"ml", kNames[i]}, {{"status", first["status"]}},
                                    "status"));
  }
}

// Without workers every look writes why there is none that could have the workload.
inline FederationSettings Alone(const sim::Server& manager) {
  FederationSettings settings;
  settings.gather = {.controller_name = "fedra.dev/federation", .us = {.origin = "fedra"}};
  settings.manager.name = ClusterName("manager");
  settings.manager.access = AccessTo(manager);
  settings.threads = 1;
  return settings;
}

inline bool AreAllBlocked(const Federation& federation) {
  const auto phases = federation.WorkloadsByPhase();
  const auto blocked = phases.find({"Job", "Blocked"});
  return blocked != phases.end() && blocked->second == static_cast<int>(kNames.size());
}

// Everything that has reached a server and was more than reading.
inline std::vector<std::string> WritesOn(const sim::Server& server) {
  std::vector<std::string> writes;
  for (const auto& [request, count] : server.RequestCounts())
    if (!request.starts_with("get ") && !request.starts_with("list ") &&
        !request.starts_with("watch "))
      writes.push_back(request);
  return writes;
}

inline size_t CountOf(const sim::Server& server, const std::string& request) {
  const auto counts = server.RequestCounts();
  const auto found = counts.find(request);
  return found == counts.end() ? 0 : found->second;
}

inline size_t ListsOf(const sim::Server& server, const std::string& resource) {
  return CountOf(server, "list " + resource);
}

// A manager with waiting workloads, a worker that could have them, and a federation between them.
struct ReplicaFixture {
  Threads threads{4};
  sim::Server manager{{}};
  sim::Server worker{{}};
  TempFolder folder;
  std::unique_ptr<store::Store> store =
      store::Store::Open({.path = folder.Path("fedra.db")}).value();
  NoTelemetry telemetry;
  FederationSettings settings = Alone(manager);

  ReplicaFixture() {
    sim::Furnish(manager, /*manager=*/true);
    sim::Furnish(worker, /*manager=*/false);
    ActivateQueue(worker);
    AddWorkloads(manager);
    WorkerSettings one;
    one.cluster.name = ClusterName("east");
    one.cluster.access = AccessTo(worker);
    settings.workers.push_back(one);
  }
  Federation Make() {
    return {settings, threads.loop, threads.pool, *store, telemetry, SystemClock()};
  }
};

// A federation that stands by until `leads`.
class Candidate final {
 public:
  explicit Candidate(ReplicaFixture& replica) : federation_(MakeFor(replica)) {
    REQUIRE(federation_.Start());
  }
  Federation* operator->() { return &federation_; }
  const Federation& operator*() const { return federation_; }

  bool TicksUntil(const std::function<bool()>& holds) {
    return WaitUntil([&] {
      federation_.Tick();
      return holds();
    });
  }
  bool IsStandbySoon() {
    return TicksUntil([&] { return federation_.IsStandby(); });
  }
  bool IsWorkingSoon() {
    return TicksUntil([&] { return federation_.IsWorking(); });
  }

  std::atomic<bool> leads = false;

 private:
  Federation MakeFor(ReplicaFixture& replica) {
    replica.settings.may_decide = [this] { return leads.load(); };
    return replica.Make();
  }

  Federation federation_;
};

}  // namespace fedra::reconcile
