#pragma once
//
// Connected clusters, a store, and what carries decisions out on them, put together as Federation
// does it. Nothing is decided here: a test says which actions are due.
//
// Thread rules: the test's thread. Nothing connects before fleet.Start().

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "manager/reconcile/execute.h"
#include "manager/reconcile/record_keeper.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/support/connected.h"
#include "tests/unit/manager/support/no_telemetry.h"

namespace fedra::reconcile {

struct ExecutorOptions {
  bool verifies_devices = false;
  const Clock& clock = SystemClock();
  Telemetry* telemetry = nullptr;  // null: nothing counts
  bool has_replicas = false;       // beside this one
  bool verifies_quota = false;     // what is assumed of it is counted
  const Clock& cluster_clock = SystemClock();
  std::function<void()> on_transaction = {};  // of the store, on its thread
};

struct ConnectedExecutor {
  // What `with` names must outlive it.
  explicit ConnectedExecutor(const ConnectedOptions& options, const ExecutorOptions& with = {})
      : fleet(options, with.cluster_clock), outside(with) {
    if (with.has_replicas) fleet.manager().ReadRecords();
  }

  const TempFolder folder;
  Connected fleet;
  const ExecutorOptions outside;
  NoTelemetry nobody;
  Telemetry& telemetry = outside.telemetry == nullptr ? nobody : *outside.telemetry;
  std::atomic<int> transactions = 0;  // of the store
  std::unique_ptr<store::Store> store = store::Store::Open({.path = folder.Path("fedra.db"),
                                                            .on_transaction =
                                                                [this](const auto&) {
                                                                  ++transactions;
                                                                  if (outside.on_transaction)
                                                                    outside.on_transaction();
                                                                }})
                                            .value();
  PlacementStore placements{*store};
  StatusWriter status_writer{*store, outside.clock};
  EventWriter events{{"fedra.dev/federation", "fedra"}, fleet.manager().cluster(), outside.clock};
  ConcurrencyLimiter limiter{outside.clock, {}};
  CopyFailures copy_failures;
  RunLoop<ObjectKey> template_loop{
      {.subject = "template"}, outside.clock, [](const ObjectKey&) { return Result<void>(); }};
  TemplateReconciler templates{{.mode = templates::SyncPolicy::kNever, .us = {.origin = "fedra"}},
                               fleet.manager().templates(),
                               fleet.manager().identity(),
                               fleet.workers(),
                               limiter,
                               copy_failures,
                               outside.clock,
                               template_loop,
                               [](const ObjectKey&) {}};
  Gatherer gatherer{{.controller_name = "fedra.dev/federation",
                     .us = {.origin = "fedra"},
                     .devices = outside.verifies_devices,
                     .quota = outside.verifies_quota},
                    fleet.manager(),
                    fleet.workers(),
                    copy_failures};
  Bookkeeping bookkeeping{*store, placements, status_writer, events, telemetry, outside.clock};
  WorkerPool beside{2};
  ManagerWrites manager_writes{fleet.manager().cluster(),
                               fleet.manager().jobs(),
                               bookkeeping,
                               telemetry,
                               outside.clock,
                               beside};
  WorkerWrites worker_writes{
      {"fedra", ""}, fleet.manager().identity(), templates, limiter, bookkeeping, telemetry,
      outside.clock};
  RecordKeeper records{outside.has_replicas, fleet.manager().cluster(), fleet.manager().records(),
                       placements, outside.clock};
  Executor executor{manager_writes, worker_writes, bookkeeping};

  sim::Server& manager() { return fleet.manager_server(); }
  sim::Server& east() { return fleet.server(0); }
  void Await(const std::function<bool()>& holds) { REQUIRE(fleet.WaitUntil(holds)); }
  Result<void> Carry(const Gathered& gathered, std::vector<placement::Action> actions) {
    placement::Decision decision;
    decision.actions = std::move(actions);
    return executor.Execute(gathered, decision);
  }
};

}  // namespace fedra::reconcile
