#pragma once
//
// One worker cluster: its connection, everything we cache of it, and since when it is away.
//
// Thread rules: any thread. Listeners run on the parse workers' threads, outside of every lock.
// Lifetime: loop, pool and clock must outlive the worker; the listeners' targets must outlive
// Stop().

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "cluster-clients/cluster.h"
#include "manager/placement/view.h"
#include "manager/reconcile/tracked_cache.h"
#include "manager/tracking/job.h"
#include "manager/tracking/workload.h"
#include "manager/verify/dependencies.h"
#include "manager/verify/device_picture.h"
#include "manager/verify/dra_api.h"
#include "manager/verify/existence.h"
#include "manager/verify/objects.h"

namespace fedra::reconcile {

// An object that verdicts depend on has changed.
struct InputChange {
  // kDevices: anything that decides whether devices can be had there; the key is empty.
  enum class Kind { kNamespace, kQueue, kTemplate, kClaim, kClass, kDependency, kDevices };
  Kind kind = Kind::kClass;
  ObjectKey key;
};

class Worker;

struct WorkerListener {
  // A clone or a remote job of this workload has changed, or a foreign object of its name.
  std::function<void(const ObjectKey& workload)> on_workload;
  // A job of this name has changed. It concerns whichever workload has the manager's job of that
  // name: the copy of a job that was deleted and made anew is in the way of the new one's.
  std::function<void(const ObjectKey& job)> on_job;
  // Pods of the job that this workload has there have started or ended.
  std::function<void(const ObjectKey& workload)> on_progress;
  std::function<void(const Worker& worker, const InputChange& change)> on_input;
  // Contact was gained or lost, or a cache changed its health: everything about the worker may be
  // different.
  std::function<void(const Worker& worker)> on_contact;
};

struct WorkerSettings {
  ClusterName name;
  kube::AccessSettings access;
  std::optional<Error> misconfigured;  // the kubeconfig cannot be used
  ClusterOptions options;
  std::string origin;
  std::optional<verify::DevicePictureOptions> devices;    // absent: devices are not verified
  std::optional<verify::DependencyOptions> dependencies;  // absent: not looked for
  std::vector<std::string> capabilities;                  // declared, ascending or not
  std::optional<WallTime> lost_since;                     // as remembered from before the start
};

class Worker final {
 public:
  Worker(WorkerSettings settings, http::HttpLoop& loop, WorkerPool& pool, const Clock& clock,
         WorkerListener listener);
  ~Worker();

  void Start();
  void Stop();
  // New credentials or address, or that there are none. True when that changes anything.
  bool Reconfigure(const kube::AccessSettings& access, std::optional<Error> misconfigured);

  const ClusterName& name() const { return settings_.name; }
  Cluster& cluster() { return cluster_; }
  ConnectionState connection() const { return cluster_.state(); }
  std::shared_ptr<const kube::ServerInfo> server() const { return cluster_.server(); }
  placement::Contact contact() const;
  // Whether the connection attempt has ended, and if it went well every list has been answered:
  // after an outage, too.
  bool IsSettled() const;
  // Whether that is about to happen: a connection or list that takes too long is none.
  bool IsSettling() const;
  // Forgets our own writes that no watch has shown in time, and tells of their objects. Call about
  // once a second.
  void DropOverdue();
  // Null while there is full contact.
  std::optional<WallTime> lost_since() const;
  // Why there is no full contact although the connection stands; empty when there is none to
  // report.
  std::string sync_problem() const;

  std::shared_ptr<const tracking::Workload> Clone(const ObjectKey& workload) const {
    return clones_.Find(workload);
  }
  std::shared_ptr<const tracking::Job> Job(const tracking::JobAdapter& adapter,
                                           const ObjectKey& job) const;
  // The job here that names this workload as its clone.
  std::optional<ObjectKey> JobOf(const ObjectKey& workload) const;
  TrackedCache<tracking::Workload>& clones() { return clones_; }
  const TrackedCache<tracking::Workload>& clones() const { return clones_; }
  TrackedCache<tracking::Job>& jobs(const tracking::JobAdapter& adapter);
  const TrackedCache<tracking::Job>& jobs(const tracking::JobAdapter& adapter) const;
  // Our clones that are not admitted yet, those just sent included.
  int waiting_clones() const;
  // Our clones, in whatever state: for status.
  int our_clones() const { return our_clones_.load(); }
  // The versions of resource.k8s.io it serves, newest first.
  std::vector<std::string> DraVersions() const;

  TrackedCache<verify::Claim>& templates() { return templates_; }
  const TrackedCache<verify::Claim>& templates() const { return templates_; }
  // Whether a copy of this template of the manager could be used there: its namespace is there,
  // stays, and may have admin access if the template asks for it, and the DeviceClasses that it
  // names are there.
  bool CanHold(const verify::Claim& original) const;

  // Null when devices are not verified.
  const verify::DevicePicture* devices() const { return devices_.get(); }

  // Null when they are not looked for.
  const verify::DependencyPicture* dependencies() const { return dependencies_.get(); }

  // For VerifyExistence; `workload` and `job` are looked up by the caller and must outlive the
  // picture.
  verify::WorkerPicture Picture(const tracking::JobAdapter& adapter,
                                const tracking::Workload* workload, const tracking::Job* job) const;

 private:
  void OnState(const ConnectionState& state);
  void NotePhase();
  void OnServer();
  void OnHealth();
  void UpdateLoss();
  void StartWatches();
  // In the versions of this API; what is watched in another one is watched anew.
  void WatchDra(const verify::DraApi& api);
  void CountClones(const std::shared_ptr<const tracking::Workload>& before,
                   const std::shared_ptr<const tracking::Workload>& after);
  TrackedCache<tracking::Job>::OnObject JobListener();
  // The job of this name is not, or no longer, `job`: its workload has none here, and hears of it.
  void ForgetJob(const ObjectKey& key, const tracking::Job& job);
  template <class T>
  typename watch::ObjectCache<T>::OnObject Input(InputChange::Kind kind);
  bool IsOurs(const tracking::Workload& clone) const;

  // Constant after construction.
  const WorkerSettings settings_;
  const Clock& clock_;
  const WorkerListener listener_;

  // As of the last Reconfigure, or the start.
  struct Access {
    kube::AccessSettings settings;
    std::string misconfigured;  // why; empty: usable
    bool operator==(const Access&) const = default;
  };
  Guarded<Access> access_;

  std::atomic<int> waiting_clones_{0};
  std::atomic<int> our_clones_{0};
  // When the connection's phase was entered: by the wall clock, as of ConnectionState, to tell one
  // phase from another, and in steady time to count from.
  struct PhaseBegin {
    WallTime since{};
    SteadyTime at{};
  };
  Guarded<PhaseBegin> phase_begin_;
  // When contact was lost, in steady time, so that a jump of the wall clock moves no deadline.
  Guarded<std::optional<SteadyTime>> lost_;
  Guarded<std::unordered_map<ObjectKey, ObjectKey>> job_of_;  // clone -> remote job

  // Fed by the cluster's reflectors, which end before these go.
  TrackedCache<tracking::Workload> clones_;
  std::vector<std::unique_ptr<TrackedCache<tracking::Job>>> jobs_;  // in the order of JobAdapters()
  verify::Cache<verify::Namespace> namespaces_;
  verify::Cache<verify::LocalQueue> queues_;
  TrackedCache<verify::Claim> templates_;
  verify::Cache<verify::Claim> claims_;
  verify::Cache<verify::DeviceClass> classes_;
  std::unique_ptr<verify::DevicePicture> devices_;
  std::unique_ptr<verify::DependencyPicture> dependencies_;
  // Objects that both the caches and the picture want; null when there is no picture.
  std::unique_ptr<verify::TeeSink> both_templates_;
  std::unique_ptr<verify::TeeSink> both_claims_;
  std::unique_ptr<verify::TeeSink> both_classes_;
  std::unique_ptr<verify::TeeSink> both_pod_groups_;  // null unless both pictures are there
  watch::CacheSink* pod_groups_ = nullptr;            // of whoever wants them; null: nobody

  // Of OnServer() only: what is watched; nothing before the first connection.
  std::optional<verify::DraApi> dra_;

  Cluster cluster_;
};

}  // namespace fedra::reconcile
