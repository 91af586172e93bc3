#pragma once
//
// Looks at every workload whenever something that concerns it has changed: gather, decide, record,
// execute.
//
// Owns the clusters, the queue and the threads that work on it. Level-based: events only say which
// workload to look at, never what to do.
//
// Thread rules: Start and Stop from one thread; the rest from any. Lifetime: loop, pool, store,
// telemetry and clock must outlive it.

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "manager/reconcile/check_keeper.h"
#include "manager/reconcile/cluster_rows.h"
#include "manager/reconcile/execute.h"
#include "manager/reconcile/gather.h"
#include "manager/reconcile/interest.h"
#include "manager/reconcile/queue.h"

namespace fedra::reconcile {

struct ReconcilerSettings {
  GatherSettings gather;
  TemplateSettings templates;
  placement::Policy policy;
  kube::AccessSettings manager_access;
  ClusterOptions manager_options;
  std::vector<WorkerSettings> workers;
  size_t threads = 64;  // they mostly wait for answers
};

class Reconciler final {
 public:
  Reconciler(ReconcilerSettings settings, http::HttpLoop& loop, WorkerPool& pool,
             store::Store& store, Telemetry& telemetry, const Clock& clock);
  ~Reconciler();

  // Takes over what the last run remembered, and connects. Decisions begin when the manager's
  // objects are listed and every worker has answered or failed once (or a few seconds have passed).
  Result<void> Start();
  // Lets running decisions finish their current request, then disconnects.
  void Stop();

  ManagerCluster& manager() { return manager_; }
  const Workers& workers() const { return workers_; }
  const Queue& queue() const { return queue_; }
  // Whether decisions are being made.
  bool IsWorking() const { return working_.load(); }

  // For metrics.
  std::map<std::string_view, int> WorkloadsByPhase() const;

  // Writes the clusters' rows, forgets writes that were not seen in time, and begins to work when
  // it is time. Waits for no cluster. Call about once a second.
  void Tick();

 private:
  WorkerListener ListenTo();
  ManagerListener ListenToManager();
  void OnContact(const Worker& worker);
  void AddAll(const std::vector<ObjectKey>& keys);
  void AddProgress(const ObjectKey& key);
  void AddSoon(const std::vector<ObjectKey>& keys);
  void AddChecks();
  bool MayBegin() const;
  void Work();
  void Look(const ObjectKey& key);
  Result<void> LookOnce(const ObjectKey& key);
  std::pair<Picture, placement::Decision> Decide(const ObjectKey& key, WallTime now);
  // Notes where the decision sends the workload. False: something else was sent meanwhile, and the
  // verdicts may be wrong by now.
  bool Settle(const Picture& picture, const placement::Decision& decision);
  void EndResidues(const Picture& picture);
  void Retry(const ObjectKey& key, const Error& error);
  void TellTelemetry(const Picture& picture) const;
  void CountPhase(const ObjectKey& key, placement::Phase phase);

  // Constant after construction.
  const ReconcilerSettings settings_;
  Telemetry& telemetry_;
  const Clock& clock_;
  const SteadyTime started_;

  Queue queue_;
  Interest interest_;
  InFlight in_flight_;
  CopyFailures copy_failures_;
  Records records_;
  Recorder recorder_;
  ClusterRows cluster_rows_;
  std::atomic<bool> working_{false};
  Guarded<int> looking_;  // threads inside Look()
  Guarded<std::unordered_map<ObjectKey, placement::Phase>> phases_;
  Guarded<std::unordered_map<ObjectKey, int>> failures_;  // consecutive, per workload
  Guarded<std::unordered_map<ClusterName, placement::Contact>>
      contact_;  // as of the last OnContact

  ManagerCluster manager_;
  Workers workers_;
  Gatherer gatherer_;
  EventWriter events_;
  CheckKeeper keeper_;
  CallGates gates_;
  // Made when the workers are known.
  std::unique_ptr<TemplateKeeper> templates_;
  Bookkeeping bookkeeping_;
  ManagerWrites manager_writes_;
  std::unique_ptr<WorkerWrites> worker_writes_;
  std::unique_ptr<Executor> executor_;
  std::vector<std::thread> threads_;
};

}  // namespace fedra::reconcile
