#pragma once
//
// The management cluster: its connection, and what we cache of it.
//
// Thread rules: any thread. Listeners run on the pool's threads, and in DropOverdue() on the
// caller's; outside of every lock.
// Lifetime: loop, pool and clock must outlive it; the listeners' targets must outlive Stop().

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster-clients/cluster.h"
#include "cluster-clients/watch/tracked_cache.h"
#include "manager/reconcile/manager_inputs.h"
#include "manager/reconcile/queue_index.h"
#include "manager/tracking/admission_check.h"
#include "manager/tracking/cluster_profile.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/multi_kueue_cluster.h"
#include "manager/tracking/shared_queue.h"
#include "manager/tracking/workload.h"
#include "manager/verify/capacity.h"
#include "manager/verify/existence.h"
#include "store/rows.h"

namespace fedra::reconcile {

struct ManagerListener {
  // Jobs of these kinds, which the manager serves, are read from now on. Told before anything is
  // known of them.
  std::function<void(const std::vector<const tracking::JobAdapter*>& kinds)> on_kinds;
  std::function<void(const ObjectKey& workload)> on_workload;  // it, or its job, changed
  // What the job's status says of its pods has changed: as a rule our own mirror's echo.
  std::function<void(const ObjectKey& workload)> on_progress;
  // An AdmissionCheck, a MultiKueueConfig, or an object that jobs name (ReferenceIndex) changed.
  std::function<void()> on_checks;
  std::function<void(const std::string& name)> on_worker_cluster;  // this MultiKueueCluster changed
  // What orders these, which have not ended, is something else now: the order or the weight of
  // their ClusterQueue, or the weight of their LocalQueue.
  std::function<void(const std::vector<ObjectKey>& workloads)> on_order;
  // A ResourceClaimTemplate changed here.
  std::function<void(const ObjectKey& claim_template)> on_template;
  // A workload that names this template has come, changed or gone.
  std::function<void(const ObjectKey& claim_template)> on_template_use;
  // Whether the templates can be read has changed.
  std::function<void()> on_templates_health;
};

// What the workloads want of one template.
struct TemplateUse {
  bool named = false;             // by one that has not ended
  std::set<ClusterName> workers;  // that have, or are getting, a workload that names it
};

// The manager among the clusters of the store. `problem` and `gaps`: as of Problem() and
// Gaps(). `server`: null when it is not known yet. Pure.
store::ClusterRow ManagerRow(const ConnectionState& state, const std::string& problem,
                             const std::vector<Gap>& gaps, const kube::ServerInfo* server,
                             WallTime now);

// The namespace whose UID stands for its cluster, for as long as that lives.
inline constexpr const char* kIdentityNamespace = "kube-system";
// Blocks for one call.
Result<std::string> ReadClusterUid(Cluster& cluster);

class ManagerCluster final {
 public:
  // `nominates` (kueue.mode dispatcher): its MultiKueueClusters are read and required, and
  // `on_checks` is called when they change.
  ManagerCluster(ClusterSettings settings, tracking::JobKindsPtr kinds, http::HttpLoop& loop,
                 WorkerPool& pool, const Clock& clock, ManagerListener listener,
                 bool nominates = false);
  ~ManagerCluster();

  // What makes workers is read, too. Before Start(), and before another thread asks for anything.
  void DiscoverWorkers(Discovery discovery);
  void Start();
  void Stop();

  Cluster& cluster() { return cluster_; }
  // Asks for the cluster's UID unless it is known. Blocks for one call. A server that does not let
  // us read it is no error: then the UID stays empty.
  Result<void> Identify();
  // Whether that has been done; if not, the pool is doing it when this returns.
  bool IdentifySoon();
  // Forgets our own writes that no watch has shown in time, and tells of their objects. Call about
  // once a second.
  void DropOverdue();
  // Empty: not known.
  std::string uid() const { return uid_.Copy().value_or(""); }
  // Whether everything that decisions need has been listed at least once.
  bool IsListed() const;
  // The same, of what the server holds now: after a Cluster::Relist() everything has been listed
  // again, as far as it may be.
  bool IsListedNow() const;
  // For /readyz: what is not listed, or cannot be watched now; empty when all is well.
  std::string Problem() const;
  // Connected, and nothing of that.
  bool IsUsable() const;
  // What may not be read, or fails, and is not needed: of the inputs that are read, in their order.
  std::vector<Gap> Gaps() const;
  // Those that it has not returned since they could be read last: an outage, after which they are
  // still withheld, makes none of them new. Call now and then.
  std::vector<Gap> TakeNewGaps();

  watch::TrackedCache<tracking::Workload>& workloads() { return workloads_; }
  const watch::TrackedCache<tracking::Workload>& workloads() const { return workloads_; }
  // With what its job asks for and it does not show.
  std::shared_ptr<const tracking::Workload> Completed(
      std::shared_ptr<const tracking::Workload> workload) const;
  // The job that owns the Workload; null: it is not known, or another job has its name now, which
  // belongs to another Workload. Of a group of pods those that the Workload names as owners: Kueue
  // has taken these for members, and deletes others that are too many.
  std::shared_ptr<const tracking::Job> JobOf(const tracking::Workload& workload) const;
  const tracking::JobKinds& kinds() const { return *kinds_; }
  // Those that are read: batch/v1 Job, and what the manager serves or has served since the start.
  std::vector<const tracking::JobAdapter*> KindsInUse() const;
  watch::TrackedCache<tracking::Job>& jobs(const tracking::JobAdapter& adapter);
  // Other objects that jobs of the kind name.
  const verify::ReferenceIndex& references(const tracking::JobAdapter& adapter) const;
  const watch::ObjectCache<tracking::AdmissionCheck>& checks() const { return checks_; }
  const watch::ObjectCache<tracking::MultiKueueConfig>& configs() const { return configs_; }
  // As of DiscoverWorkers() or `nominates`. What was listed once stays when it cannot be listed any
  // more.
  const watch::ObjectCache<tracking::MultiKueueCluster>& worker_clusters() const {
    return worker_clusters_;
  }
  // The same of one of the namespaces of DiscoverWorkers().
  const watch::ObjectCache<tracking::ClusterProfile>& cluster_profiles(
      const std::string& ns) const {
    return *profiles_.at(ns);
  }
  // Null when there is none of that name, or they may not be read.
  std::shared_ptr<const tracking::SharedQueue> Queue(const std::string& name) const {
    return queues_.Find({"", name});
  }
  // The ClusterQueue behind a LocalQueue; empty when it is not known.
  std::string ClusterQueueOf(const ObjectKey& local_queue) const;
  // Of a LocalQueue; nothing: it has none, or is not known.
  std::optional<double> WeightOf(const ObjectKey& local_queue) const;
  // Whether any ClusterQueue has a fair-sharing weight, or lets its LocalQueues share.
  bool SharesByWeight() const { return sharing_queues_ > 0; }
  const verify::Cache<verify::ClaimSummary>& templates() const { return templates_; }

  // How the manager is, as `fedra status` shows it; without its queues.
  store::ClusterRow Row(WallTime now) const;
  // Its ClusterQueues, and which of them are stopped. Looks at all of them.
  verify::Capacity Queues() const;

  // Whether a workload that has not ended names this template.
  bool IsNamed(const ObjectKey& claim_template) const;
  TemplateUse UseOf(const ObjectKey& claim_template) const;
  std::vector<ObjectKey> NamedTemplates() const;

  // The workload whose owner is this job, or the object of this name as a member of a group.
  std::optional<ObjectKey> WorkloadOf(const tracking::JobKey& job) const;

 private:
  friend std::vector<ManagerInput> ManagerInputs(const tracking::JobKinds& kinds,
                                                 const kube::ServerInfo* server, bool nominates,
                                                 const Discovery& discovery);

  void OnServer();
  void MakeInputs();
  bool IsRead(const ManagerInput& input) const;
  // visit(input, health) for each input that is read.
  template <class Visit>
  void VisitRead(Visit visit) const;
  watch::TrackedCache<tracking::Job>::OnObject JobListener(const tracking::JobAdapter& kind);
  void MakeJobCaches(const Clock& clock);
  void NoteKinds(const kube::ServerInfo* server);
  void IndexOwner(const tracking::JobKey& job, const ObjectKey& workload,
                  const std::shared_ptr<const tracking::Workload>& after);
  void IndexMember(const ObjectKey& key, const tracking::Job* before, const tracking::Job* after);
  // The Workload of its group; nothing: it is of none, or there is no such Workload.
  std::optional<ObjectKey> GroupWorkloadOf(const tracking::Job& job) const;
  std::shared_ptr<const tracking::Job> GroupOf(const tracking::Workload& workload,
                                               const tracking::JobAdapter& adapter) const;

  void IndexTemplates(const ObjectKey& workload);
  using QueuePtr = std::shared_ptr<const tracking::SharedQueue>;
  void OnQueue(const std::string& name, const QueuePtr& before, const QueuePtr& after);
  void OnLocalQueue(const ObjectKey& key, std::optional<double> before, std::optional<double> now);

  WorkerPool& pool_;
  const tracking::JobKindsPtr kinds_;
  const ManagerListener listener_;
  const std::optional<Error> misconfigured_;  // as of the settings
  const bool nominates_;
  Discovery discovery_;        // constant since Start()
  Guarded<bool> identifying_;  // a function of the pool uses `this` until it is false
  // A Workload of a job: when the job is replaced, the old one and the new one are there together
  // for a while.
  struct Owned {
    ObjectKey workload;
    bool ends = false;  // being deleted, or finished
    WallTime created{};
  };
  Guarded<std::unordered_map<tracking::JobKey, std::vector<Owned>>> workloads_of_;  // none is empty
  // The objects that say that they are of a group, by its name; none is empty.
  Guarded<std::unordered_map<ObjectKey, std::set<ObjectKey>>> members_of_;
  Guarded<std::optional<std::string>> uid_;  // nothing: it was not asked for
  // ResourceClaimTemplates and the workloads that have not ended and name them, both ways.
  struct NamedTemplatesIndex {
    std::unordered_map<ObjectKey, std::set<ObjectKey>> by_template;
    std::unordered_map<ObjectKey, std::set<ObjectKey>> by_workload;
  };
  Guarded<NamedTemplatesIndex> named_;

  // Fed by the cluster's reflectors, which end before these go.
  watch::TrackedCache<tracking::Workload> workloads_;
  struct JobsOfKind {
    std::unique_ptr<watch::TrackedCache<tracking::Job>> cache;
    std::unique_ptr<verify::ReferenceIndex> references;
    std::atomic<bool> used = false;
  };
  std::vector<JobsOfKind> jobs_;  // in the order of kinds_
  watch::ObjectCache<tracking::AdmissionCheck> checks_;
  watch::ObjectCache<tracking::MultiKueueConfig> configs_;
  watch::ObjectCache<tracking::MultiKueueCluster> worker_clusters_;
  // By namespace; constant since Start().
  std::map<std::string, std::unique_ptr<watch::ObjectCache<tracking::ClusterProfile>>> profiles_;
  std::atomic<int> sharing_queues_ = 0;
  QueueIndex of_queues_;
  watch::ObjectCache<tracking::SharedQueue> queues_;
  verify::Cache<verify::LocalQueue> local_queues_;
  verify::Cache<verify::ClaimSummary> templates_;
  // All of ManagerInputs(), with their sinks. Constant since Start().
  std::vector<std::pair<ManagerInput, const watch::CacheSink*>> inputs_;
  Guarded<std::set<std::string>> known_gaps_;  // Gap::resource; of TakeNewGaps()

  Cluster cluster_;
};

}  // namespace fedra::reconcile
