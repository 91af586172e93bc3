#pragma once
//
// Everything of one worker that decides whether a job can run there: the lists of its API server,
// and what is kept of them in other shapes for devices and dependencies.
//
// Inputs() is the one list of what must be read. The daemon watches it, `check` and `devices` watch
// it for a moment, `snapshot` records it, a snapshot file is fed into it, and `config validate
// --connect` asks for the rights to it.
//
// Thread rules: the sink of each input by one thread at a time, all else from any thread; Inputs(),
// SetServer() and UseKinds() by one at a time. The listener is called on the thread that feeds, or
// in SetServer() on the caller's, outside of every lock of theirs.
// Lifetime: who feeds must end before the objects; the clock must outlive them.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "cluster-clients/kube/discovery.h"
#include "cluster-clients/kube/resource.h"
#include "cluster-clients/watch/tracked_cache.h"
#include "cluster-clients/watch/watch_spec.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/workload.h"
#include "manager/verify/dependencies.h"
#include "manager/verify/device_state.h"
#include "manager/verify/existence.h"
#include "manager/verify/input.h"
#include "manager/verify/objects.h"
#include "manager/verify/queue_quota.h"

namespace fedra::verify {

WatchSpec WatchOf(const Input& input);

// An object that verdicts depend on has changed.
struct InputChange {
  // kDevices: anything that decides whether devices can be had there; the key is empty.
  // kDevicesOffered: the same, where which devices there are is what changed; kDevicesTaken: where
  // none can have become free (DeviceChange).
  enum class Kind {
    kNamespace,
    kQueue,
    kClusterQueue,
    kTemplate,
    kClaim,
    kClass,
    kDependency,
    kDevices,
    kDevicesOffered,
    kDevicesTaken,
  };
  Kind kind = Kind::kClass;
  ObjectKey key;
};

struct WorkerObjectsListener {
  watch::TrackedCache<tracking::Workload>::OnObject on_clone = [](const ObjectKey&, const auto&,
                                                                  const auto&) {};
  std::function<void(const tracking::JobAdapter& kind, const ObjectKey& key,
                     const std::shared_ptr<const tracking::Job>& before,
                     const std::shared_ptr<const tracking::Job>& after)>
      on_job = [](const auto&, const auto&, const auto&, const auto&) {};
  std::function<void(const InputChange&)> on_input = [](const InputChange&) {};
  // A ClusterQueue of this name was written, be it only what of it is in use.
  std::function<void(const std::string& name)> on_cluster_queue = [](const std::string&) {};
  std::function<void()> on_health = [] {};  // of any input
};

struct WorkerObjectsOptions {
  // That this fedra runs. Read is only what is in use: see UseKinds().
  tracking::JobKindsPtr kinds = tracking::BuiltInKinds();
  std::optional<DeviceStateOptions> devices;      // absent: devices are not verified
  std::optional<DependencyOptions> dependencies;  // absent: not looked for
  bool queue_quota = true;                        // whether ClusterQueues are read

  bool operator==(const WorkerObjectsOptions&) const = default;
};

// Whether all jobs of a kind on a worker are known, by the health that was read of their list: it
// is in step, or the kind is not served there and none was seen before.
bool AreKnown(const watch::TrackedCache<tracking::Job>& jobs, const watch::CacheHealth& health);

class WorkerObjects final {
 public:
  WorkerObjects(const WorkerObjectsOptions& options, WorkerObjectsListener listener,
                const Clock& clock = SystemClock());
  ~WorkerObjects();

  // Everything that must be read, as this server serves it; null: nothing is known of it. To be
  // asked again when what it serves has changed.
  std::vector<Input> Inputs(const kube::ServerInfo* server);
  // Of all Inputs(), the clones first.
  std::vector<NamedHealth> Healths() const;
  // By whose rules its devices are judged, and which kinds it does not serve. Null: not known.
  void SetServer(const kube::ServerInfo* server);
  // From now on jobs of these kinds are read, too; of batch/v1 Job they always are. Inputs() says
  // so: not while it is being asked.
  void UseKinds(std::span<const tracking::JobAdapter* const> kinds);
  bool Uses(const tracking::JobAdapter& kind) const;
  const tracking::JobKinds& kinds() const { return *kinds_; }
  // Whether this sink of Inputs() is fed with what may be copies: Workloads, or jobs of a kind.
  bool IsOfCopies(const watch::CacheSink& sink) const;
  // Whether some list of Inputs() is arriving (IsSyncing).
  bool IsListing() const { return is_listing_.Copy(); }

  watch::TrackedCache<tracking::Workload>& clones() { return clones_; }
  const watch::TrackedCache<tracking::Workload>& clones() const { return clones_; }
  watch::TrackedCache<tracking::Job>& jobs(const tracking::JobAdapter& adapter);
  const watch::TrackedCache<tracking::Job>& jobs(const tracking::JobAdapter& adapter) const;
  // Other objects that jobs of the kind name.
  const ReferenceIndex& references(const tracking::JobAdapter& adapter) const;
  watch::TrackedCache<ClaimSummary>& templates() { return templates_; }
  const watch::TrackedCache<ClaimSummary>& templates() const { return templates_; }
  const Cache<Namespace>& namespaces() const { return namespaces_; }
  const Cache<LocalQueue>& queues() const { return queues_; }
  // Empty when they are not read, or may not be: then nothing is said about quota.
  const Cache<ClusterQueue>& cluster_queues() const { return cluster_queues_; }
  const Cache<ClaimSummary>& claims() const { return claims_; }
  const Cache<ClassSummary>& classes() const { return classes_; }
  // Null when devices are not verified.
  DeviceState* devices() { return devices_.get(); }
  const DeviceState* devices() const { return devices_.get(); }
  // Null when they are not looked for.
  const DependencyIndex* dependencies() const { return dependencies_.get(); }

 private:
  template <class T>
  typename watch::ObjectCache<T>::OnObject Changed(InputChange::Kind kind);
  watch::CacheSink* Tee(watch::ObjectSink& first, watch::ObjectSink& second);
  void MakeOptionalParts(const WorkerObjectsOptions& options);
  bool IsRead(size_t kind, const kube::ServerInfo* server) const;
  bool IsOfJobs(const watch::CacheSink& sink) const;
  // visit(name, sink) for each of Inputs(), those of jobs last. Where a kind is not served nothing
  // is asked for what its jobs name.
  template <class Visit>
  void VisitSinks(Visit visit) const;
  // Every change of a list's health comes here.
  void OnHealth();
  void NoteListing();
  void AddKinds(const kube::ServerInfo* server, std::vector<Input>& inputs);
  void AddForDevices(std::string_view version, const kube::ServerInfo* server,
                     std::vector<Input>& inputs);

  // Constant after construction.
  const tracking::JobKindsPtr kinds_;
  const WorkerObjectsListener listener_;
  const bool reads_quota_;
  const Clock& clock_;

  watch::TrackedCache<tracking::Workload> clones_;
  // With their names: "resourceslices.resource.k8s.io".
  using NamedSinks = std::vector<std::pair<std::string, const watch::CacheSink*>>;
  struct JobsOfKind {
    std::unique_ptr<watch::TrackedCache<tracking::Job>> cache;
    std::unique_ptr<ReferenceIndex> references;
    NamedSinks sinks;  // of these two
    std::atomic<bool> used = false;
    bool watched = false;  // of Inputs(): what is watched says itself whether it is served
  };
  std::vector<JobsOfKind> jobs_;  // in the order of kinds_
  Cache<Namespace> namespaces_;
  Cache<LocalQueue> queues_;
  Cache<ClusterQueue> cluster_queues_;
  watch::TrackedCache<ClaimSummary> templates_;
  Cache<ClaimSummary> claims_;
  Cache<ClassSummary> classes_;
  std::unique_ptr<DeviceState> devices_;
  std::unique_ptr<DependencyIndex> dependencies_;
  // Where the objects of these go, which may be wanted twice.
  std::vector<std::unique_ptr<TeeSink>> tees_;
  watch::CacheSink* templates_sink_ = nullptr;
  watch::CacheSink* claims_sink_ = nullptr;
  watch::CacheSink* classes_sink_ = nullptr;
  watch::CacheSink* pod_groups_sink_ = nullptr;  // null: nothing wants them
  NamedSinks sinks_;                             // of Inputs() but those of jobs
  // Of all sinks: every look asks, few change it. Its lock is taken before that of a sink's health.
  Guarded<bool> is_listing_{true};
};

}  // namespace fedra::verify
