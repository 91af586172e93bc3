#pragma once
//
// What a change on a cluster wakes: every event keeps what is derived from objects in step (lines,
// assumptions, where copies are), and becomes keys of the run loops. No call to an API server.
//
// Thread rules: the parse workers' threads and the main thread, outside of every lock of the
// caches; each function is quick. Lifetime: everything given at construction may be made after the
// handlers, but before the first cluster is started, and must outlive the clusters' Stop().

#include <string>
#include <unordered_map>
#include <vector>

#include "manager/reconcile/copy_places.h"
#include "manager/reconcile/dispatch_order.h"
#include "manager/reconcile/gather.h"
#include "manager/reconcile/manager_cluster.h"
#include "manager/reconcile/placement_store.h"
#include "manager/reconcile/run_loop.h"
#include "manager/reconcile/templates/template_reconciler.h"
#include "manager/reconcile/wake_index.h"

namespace fedra::reconcile {

class EventHandlers final {
 public:
  struct Targets {
    RunLoop<ObjectKey>& workloads;
    RunLoop<std::string>& checks;  // by name
    TemplateReconciler& templates;
    RunLoop<std::string>* worker_clusters = nullptr;  // by name; null: Kueue keeps them itself
  };
  struct Sources {
    WakeIndex& wake_index;
    const PlacementStore& placements;
    ManagerCluster& manager;
    const WorkerSet& workers;
    CopyPlaces& places;
    const Gatherer& gatherer;
    DispatchOrder& order;
  };
  EventHandlers(Targets targets, Sources sources, const Clock& clock);

  ManagerListener ForManager();
  WorkerListener ForWorker(const ClusterName& name);

  // Everything that a change of the set of workers may concern: `worker` was added, removed or
  // changed. Not while it is a member that events still come from.
  void OnMembership(const ClusterName& worker);
  // All AdmissionChecks of ours.
  void WakeChecks();
  // All MultiKueueClusters.
  void WakeWorkerClusters();
  // Workloads that the template concerns: it has changed, or a worker would take a copy now.
  void WakeTemplateUsers(const ObjectKey& claim_template);
  // What can be read of a worker has been different for longer than a flap: then all that wait have
  // verdicts that are too old, not only the first ones. To be called now and then.
  void NoteLasting();
  // Where no loop runs, what has come and gone would be kept until one does: keys, places and lines
  // of workloads, and keys of templates, that no cluster shows any more.
  void ForgetGone();

 private:
  void OnChecks();
  void OnWorkerCluster(const std::string& name);
  void OnKueueReach(const ClusterName& worker);
  void OnOrder(const std::vector<ObjectKey>& workloads);
  void OnCopy(const ClusterName& worker, const ObjectKey& workload);
  // Wakes the workload that owns the job of this name, and of an elastic one all of its slices.
  void OnJob(const ClusterName& worker, const tracking::JobKey& job);
  void OnWorkload(const ObjectKey& key);
  // Keeps in step what is derived of it.
  void Follow(const ObjectKey& key);
  // What the workload will take of the worker may be something else now.
  void Observe(const ObjectKey& workload, const ClusterName& worker);
  void OnInput(const ClusterName& worker, const InputChange& change);
  // What was judged of them there, or anywhere, does not hold any more.
  void LookAgain(const std::vector<ObjectKey>& workloads, const std::optional<ClusterName>& worker);
  void OnContact(const Worker& worker);
  void LookAtEnded(const Worker& worker);
  bool IsGone(const ObjectKey& workload);

  // Constant after construction.
  const Targets targets_;
  const Sources sources_;
  const Clock& clock_;

  // Of a worker, as of OnContact.
  struct Sight {
    Readability now;
    Readability lasting;                     // what is no flap
    std::optional<SteadyTime> differs = {};  // since when they do
  };
  Guarded<std::unordered_map<ClusterName, Sight>> readable_;
  // Workers of which it is otherwise whether Kueue reaches them, and since when.
  Guarded<std::unordered_map<ClusterName, SteadyTime>> reach_differs_;
};

}  // namespace fedra::reconcile
