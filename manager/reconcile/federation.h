#pragma once
//
// The daemon's working part, put together: clusters, run loops, reconcilers and what they share.
// Wires, starts and stops them; says when decisions begin, and lets removed workers go. take_over.h
// has what is due before and after where another process has decided until then. README.md draws
// who wakes whom.
//
// Thread rules: Start, Tick and Stop from one thread; the rest from any. Lifetime: loop, pool,
// store, telemetry and clock must outlive it.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manager/reconcile/admission_check_reconciler.h"
#include "manager/reconcile/cluster_rows.h"
#include "manager/reconcile/event_handlers.h"
#include "manager/reconcile/line_rows.h"
#include "manager/reconcile/phase_counter.h"
#include "manager/reconcile/shared_outages.h"
#include "manager/reconcile/take_over.h"
#include "manager/reconcile/templates/template_survey.h"
#include "manager/reconcile/worker_cluster_reconciler.h"
#include "manager/reconcile/worker_roster.h"
#include "manager/reconcile/workload_reconciler.h"

namespace fedra::reconcile {

struct FederationSettings {
  GatherSettings gather;
  TemplateSettings templates;
  placement::Policy policy;
  ClusterSettings manager;
  tracking::JobKindsPtr kinds = tracking::BuiltInKinds();
  std::vector<WorkerSettings> workers;  // at the start
  // With any, workers are not known at the start: objects of the manager tell. Decisions begin
  // after the first SetWorkers(), and `workers` are of no use.
  Discovery discovery;
  bool drains_removed = false;
  std::string reporting_controller = "fedra.dev/federation";  // in Events
  std::string instance = "fedra";                             // of this process, in Events
  size_t threads = 64;     // for workloads; they mostly wait for answers
  WakeSettings wake = {};  // how many of those that ask for the same are woken at once
  // Whether this process may decide; once it may, it does to its end. Null: it may, and there is no
  // other one.
  std::function<bool()> may_decide = {};
  // The ConfigMap by which such processes share outages; without a name there is none.
  ObjectKey outages = {};
};

class Federation final {
 public:
  Federation(FederationSettings settings, http::HttpLoop& loop, WorkerPool& pool,
             store::Store& store, Telemetry& telemetry, const Clock& clock);
  ~Federation();

  // Takes over what the last run remembered, and connects. Decisions begin when the manager's
  // objects are listed and every worker has answered or failed once (or a few seconds have passed).
  Result<void> Start();
  // Lets running decisions finish their current request, then disconnects. Whether all had ended
  // by then: nothing that was begun can still reach a server.
  bool Stop();

  ManagerCluster& manager() { return manager_; }
  // Who we are on copies of jobs; without the manager's UID until that is known.
  tracking::Identity Us() const { return manager_.identity().Complete(settings_.gather.us); }
  std::shared_ptr<const WorkerList> workers() const { return workers_.Now(); }
  // As of ClusterRows::Remembered(). The thread of Tick.
  std::vector<ClusterName> RememberedWorkers(const std::set<ClusterName>& others) const {
    return cluster_rows_.Remembered(others);
  }
  // Workers come, go and change while the daemon runs. `drains`: whether jobs are taken back from
  // those that go; else they are kept until their jobs have ended. `left_out`: as of
  // ClusterRows::Record(). The thread of Tick.
  void SetWorkers(std::vector<WorkerSettings> workers, bool drains, std::string left_out = {});
  // Workloads that are ready to be looked at.
  size_t queue_depth() const { return workload_loop_.depth(); }
  // Looks at workloads that have ended, since the start: what the watchdog watches.
  uint64_t turns() const { return workload_loop_.turns(); }
  // Workloads and templates that are to be looked at, also later.
  size_t keys_held() const { return workload_loop_.held() + template_loop_.held(); }
  // Whether decisions are being made.
  bool IsWorking() const { return working_.load(); }
  // Whether it is only that: all is listed, and another process decides. As of the last Tick().
  bool IsStandby() const { return standby_.load(); }
  // Why neither is true yet; empty: one of them is. As of the last Tick().
  std::string WhyNotReady() const { return not_ready_.Copy(); }
  // Whether it may decide for so long, and could not begin until now. As of the last Tick().
  bool HasWaitedFor(SteadyTime::duration limit) const;

  // For metrics.
  KindPhases WorkloadsByPhase() const { return phases_.ByPhase(); }
  std::map<std::string_view, BlockedFacts> BlockedByReason() const {
    return phases_.BlockedByReason(clock_.Now());
  }
  std::map<ClusterName, placement::LineFacts> LinesNow() const {
    return order_.Facts(clock_.Now());
  }

  // Threads that look at a workload, and of all threads those that wait for a worker's answer.
  size_t threads_busy() const { return workload_loop_.working(); }
  size_t threads_waiting() const { return limiter_.held(); }
  uint64_t events_dropped() const { return events_.dropped(); }

  // What would be done about copies of templates now. `mode` null: as configured.
  templates::TemplateSurvey SurveyTemplates(std::optional<templates::SyncPolicy> mode);

  // dispatch.order, of ClusterQueues that do not say otherwise.
  placement::OrderPolicy order() const { return settings_.gather.order.policy; }

  // Writes the clusters' rows, forgets writes that were not seen in time, and begins to work when
  // it is time. Waits for no cluster. Call a few times a second.
  void Tick();

 private:
  // What the first decision waits for; empty: nothing.
  std::string Awaited() const;
  Result<void> StartWorkers(std::vector<WorkerSettings> workers, bool drains);
  void RecordClusters();
  void BeginWork(const WorkerList& workers);
  // As a standby.
  void ForgetGone();
  void Wake(const RosterChange& change);
  // Lets go removed workers on which nothing of ours is left.
  void ReleaseRemoved();

  // Constant after construction.
  const FederationSettings settings_;
  const Clock& clock_;

  // Each with the thread rules of its header; in the order in which they are made.
  RunLoop<ObjectKey> workload_loop_;
  RunLoop<std::string> check_loop_;
  RunLoop<ObjectKey> template_loop_;
  RunLoop<std::string> worker_cluster_loop_;
  RunLoop<std::string> outage_loop_;
  WakeIndex wake_index_;
  DispatchOrder order_;
  CopyFailures copy_failures_;
  CopyPlaces places_;
  WorkerSet workers_;
  PlacementStore placements_;
  StatusWriter status_writer_;
  ConcurrencyLimiter limiter_;
  EventHandlers handlers_;
  ManagerCluster manager_;
  Gatherer gatherer_;
  EventWriter events_;
  Bookkeeping bookkeeping_;
  TemplateReconciler templates_;
  WorkerPool beside_;  // copies that are made while the manager answers
  ManagerWrites manager_writes_;
  WorkerWrites worker_writes_;
  Executor executor_;
  AdmissionCheckReconciler checks_;
  WorkerClusterReconciler worker_clusters_;
  PhaseCounter phases_;
  RecordKeeper records_;
  SharedOutages outages_;
  WorkloadReconciler workloads_;
  std::atomic<bool> working_{false};
  std::atomic<bool> standby_{false};
  Guarded<std::string> not_ready_{std::string("the daemon is starting")};
  // Of jobs that a worker may still have, whether or not the manager serves the kind now.
  std::vector<const tracking::JobAdapter*> remembered_kinds_;  // before the first worker is made

  // Of the thread that starts, ticks and stops.
  ClusterRows cluster_rows_;
  LineRows line_rows_;
  TakeOver take_over_;
  WorkerRoster roster_;
  SteadyTime last_release_{};
  std::string left_out_;
  // When the workers were set, or the take-over; nothing: no workers were set yet.
  std::optional<SteadyTime> began_;
  size_t kept_ = 0;  // keys that were held after ForgetGone()
};

}  // namespace fedra::reconcile
