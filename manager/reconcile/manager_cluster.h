#pragma once
//
// The management cluster, put together: its connection, and the classes that its reflectors feed.
// Each of these has a contract of its own. Who needs one or two of them takes those; the whole is
// for who looks at nearly all of it (Gatherer), and for who runs it.
//
// Thread rules: any thread. Listeners run on the pool's threads, and in DropOverdue() on the
// caller's; outside of every lock.
// Lifetime: loop, pool and clock must outlive it; the listeners' targets must outlive Stop().

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster-clients/cluster.h"
#include "cluster-clients/watch/object_cache.h"
#include "cluster-clients/watch/tracked_cache.h"
#include "manager/reconcile/manager_identity.h"
#include "manager/reconcile/manager_inputs.h"
#include "manager/reconcile/manager_jobs.h"
#include "manager/reconcile/manager_lists.h"
#include "manager/reconcile/manager_queues.h"
#include "manager/reconcile/manager_templates.h"
#include "manager/tracking/admission_check.h"
#include "manager/tracking/cluster_profile.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/multi_kueue_cluster.h"
#include "manager/tracking/record_object.h"
#include "store/rows.h"

namespace fedra::reconcile {

struct ManagerListener {
  // Jobs of these kinds, which the manager serves, are read from now on. Told before anything is
  // known of them.
  std::function<void(const std::vector<const tracking::JobAdapter*>& kinds)> on_kinds;
  std::function<void(const ObjectKey& workload)> on_workload;  // it, or its job, changed
  // What the job's status says of its pods has changed: as a rule our own mirror's echo.
  std::function<void(const ObjectKey& workload)> on_progress;
  // Of one of several Workloads of a job the place has changed, or their job has come or gone:
  // these others have to do with it. Nothing of their own has changed.
  std::function<void(const std::vector<ObjectKey>& workloads)> on_siblings;
  // An AdmissionCheck, a MultiKueueConfig, or an object that jobs name (ReferenceIndex) changed.
  std::function<void()> on_checks;
  // Only what an AdmissionCheck's status says has changed: as a rule our own write.
  std::function<void()> on_check_status;
  std::function<void(const std::string& name)> on_worker_cluster;  // this MultiKueueCluster changed
  // Kueue can make copies on this worker now, or cannot any more: its MultiKueueCluster has come,
  // gone, or become active or inactive. In kueue.mode dispatcher only.
  std::function<void(const ClusterName& worker)> on_kueue_reach;
  // What orders these, which have not ended, is something else now: the order or the weight of
  // their ClusterQueue, or the weight of their LocalQueue.
  std::function<void(const std::vector<ObjectKey>& workloads)> on_order;
  // Which AdmissionChecks the ClusterQueues of these have, about which Kueue has decided without
  // any, is something else now, or known at last.
  std::function<void(const std::vector<ObjectKey>& workloads)> on_queue_checks;
  // A ResourceClaimTemplate changed here.
  std::function<void(const ObjectKey& claim_template)> on_template;
  // A workload that names this template has come, changed or gone.
  std::function<void(const ObjectKey& claim_template)> on_template_use;
  // Whether the templates can be read has changed.
  std::function<void()> on_templates_health;
};

// The manager among the clusters of the store. `problem` and `gaps`: as of ManagerLists. `server`:
// null when it is not known yet. Pure.
store::ClusterRow ManagerRow(const ConnectionState& state, const std::string& problem,
                             const std::vector<Gap>& gaps, const kube::ServerInfo* server,
                             WallTime now);

class ManagerCluster final {
 public:
  // `nominates` (kueue.mode dispatcher): its MultiKueueClusters are read and required, and
  // `on_kueue_reach` is called.
  ManagerCluster(ClusterSettings settings, tracking::JobKindsPtr kinds, http::HttpLoop& loop,
                 WorkerPool& pool, const Clock& clock, ManagerListener listener,
                 bool nominates = false);
  ~ManagerCluster();

  // What makes workers is read, too. Before Start(), and before another thread asks for anything.
  void DiscoverWorkers(Discovery discovery);
  // PlacementRecords are read, too. Likewise.
  void ReadRecords();
  void Start();
  void Stop();

  // What decisions wait for is listed again; as of Cluster::Relist.
  std::weak_ptr<const void> Relist();

  // The connection: to write, and to read what no cache holds.
  Cluster& cluster() { return cluster_; }
  // What is cached of it: Workloads and their jobs, queues, templates.
  ManagerJobs& jobs() { return jobs_; }
  const ManagerJobs& jobs() const { return jobs_; }
  const ManagerQueues& queues() const { return queues_; }
  const ManagerTemplates& templates() const { return templates_; }
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
  // Empty without ReadRecords(). What was listed once stays when it cannot be listed any more.
  watch::TrackedCache<tracking::RecordObject>& records() { return records_; }
  const watch::TrackedCache<tracking::RecordObject>& records() const { return records_; }
  // How far its lists are, and what is missing.
  ManagerLists& lists() { return lists_; }
  const ManagerLists& lists() const { return lists_; }
  // Which cluster it is.
  ManagerIdentity& identity() { return identity_; }
  const ManagerIdentity& identity() const { return identity_; }

  // Forgets our own writes that no watch has shown in time, and reports their objects as changed.
  // Call about once a second.
  void DropOverdue();
  // Connected, and everything that decisions need has been listed again since Relist().
  bool IsListedNow() const;
  // Connected, and there is no problem.
  bool IsUsable() const;
  // How the manager is, as `fedra status` shows it; without its queues.
  store::ClusterRow Row(WallTime now) const;

 private:
  ManagerJobsListener ForJobs();
  ManagerSinks Sinks();
  // In the versions that the server is read in; null: it is not known.
  std::vector<ManagerInput> Inputs(const kube::ServerInfo* server) const;
  void OnServer();
  void MakeLists();
  bool IsRead(const ManagerInput& input) const;

  const ManagerListener listener_;
  const std::optional<Error> misconfigured_;  // as of the settings
  const bool nominates_;
  Discovery discovery_;         // constant since Start()
  bool reads_records_ = false;  // constant since Start()

  // Fed by the cluster's reflectors, which end before these go.
  ManagerJobs jobs_;
  ManagerQueues queues_;
  ManagerTemplates templates_;
  watch::ObjectCache<tracking::AdmissionCheck> checks_;
  watch::ObjectCache<tracking::MultiKueueConfig> configs_;
  watch::ObjectCache<tracking::MultiKueueCluster> worker_clusters_;
  // By namespace; constant since Start().
  std::map<std::string, std::unique_ptr<watch::ObjectCache<tracking::ClusterProfile>>> profiles_;
  watch::TrackedCache<tracking::RecordObject> records_;
  ManagerLists lists_;  // all of ManagerInputs(), with their sinks

  Cluster cluster_;
  ManagerIdentity identity_;  // asks the cluster; Stop() waits for it
};

}  // namespace fedra::reconcile
