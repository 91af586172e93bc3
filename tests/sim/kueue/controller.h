#pragma once
//
// The actor behind Kueue (kueue.h): queues, jobs and Workloads of one cluster, one queue of keys
// for all.
//
// Thread rules and lifetime: see actors/actor.h. All members are under the store's lock.

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/actors/actor.h"
#include "tests/sim/actors/quota.h"
#include "tests/sim/kinds/job_kind.h"
#include "tests/sim/kueue.h"

namespace fedra::sim {

class KueueController final : public Actor {
 public:
  KueueController(Core& core, KueueOptions options);
  ~KueueController() override;

  // Each takes the store's lock.
  void SetOptions(KueueOptions options);
  KueueOptions options();
  bool Evict(const ObjectKey& workload, const std::string& reason, const std::string& message);

 private:
  using Clock = std::chrono::steady_clock;

  // The queues of a Workload, as far as they exist.
  struct Queues {
    const Object* local = nullptr;
    const Object* cluster = nullptr;
    std::string local_name;
    std::string cluster_name;
  };

  void Notice(const Store& store, const ResourceType& type, const Event& event) override;
  void Reconcile(Store& store, const Place& place) override;

  // controller.cc
  // Null pointer: no kind of job.
  const JobKind* KindOf(const ResourceType* type) const;
  void NoticeJob(const Store& store, const ResourceType& type, const Event& event);
  void NoticeWorkload(const Store& store, const Event& event);
  void EnqueueAll(const Store& store, const ResourceType& type);
  void WriteStatus(Store& store, const Place& place, Object& object, Json status);
  void MutateOnCreate(const ResourceType& type, Json& body) const;

  // queues.cc
  void ReconcileClusterQueue(Store& store, const Place& place);
  void ReconcileLocalQueue(Store& store, const Place& place);
  void WakeQueue(const Store& store, const std::string& cluster_queue);
  Queues QueuesOf(const Store& store, const Json& workload) const;

  // jobs.cc
  void ReconcileJob(Store& store, const Place& place, const JobKind& kind);
  // The Workload that a copy names; empty: none.
  std::string PrebuiltNameOf(const Json& job) const;
  void FollowPriority(const Store& store, const Object& job, Json& spec) const;
  Object* EnsureWorkload(Store& store, const Place& job_place, Object& job);
  Object* AdoptPrebuilt(Store& store, const Place& job_place, Object& job, const ObjectKey& key);
  // `part`: of one of several Workloads of the job, its index; empty: it has one.
  // `replaced`: of an elastic job the Workload whose place it takes; null pointer: it is the first.
  void CreateWorkload(Store& store, const Place& job_place, const Object& job,
                      const std::string& part = {}, const Object* replaced = nullptr);
  void HandleEvicted(Store& store, const Place& job_place, Object& job, Object& workload);
  // Takes the quota of an evicted Workload back.
  void ReleaseEvicted(Store& store, const ObjectKey& key, Object& workload);
  void StartJob(Store& store, const Place& place, Object& job, Object& workload);
  // Null pointer: the Workload is gone, and what Kueue wrote into the job stays there.
  void StopJob(Store& store, const Place& place, Object& job, const Object* workload);
  void RemoveFinalizer(Store& store, const Place& place, Object& workload);

  // owners.cc
  // The key of the Workload that the job controls, or else of the one that Kueue makes of it.
  ObjectKey WorkloadKeyOf(const Store& store, const Place& job_place, const Object& job) const;
  // Of a job that has a group's (JobKind::has_group).
  Object* FindGroupWorkload(Store& store, const Place& job_place, Object& job,
                            const std::string& part = {});

  // parts.cc
  void ReconcileParts(Store& store, const Place& place, const JobKind& kind);
  // Whether the pods of this Workload run.
  bool KeepPart(Store& store, const ObjectKey& key, Object& workload);
  // Those of the job but these.
  void RemoveParts(Store& store, const std::string& job_uid, const std::set<ObjectKey>& wanted);

  // slices.cc: elastic jobs.
  // Of its Workloads the latest, as large as the job; null pointer: it has none, or has ended
  // otherwise.
  Object* EnsureSlice(Store& store, const Place& job_place, Object& job);
  // Of several that have not ended, the oldest first, the one that is the job's now; others end.
  Object* SelectSlice(Store& store, const std::vector<ObjectKey>& living);
  void FinishSlice(Store& store, const ObjectKey& key, const std::string& reason,
                   const std::string& message);
  // The one whose place it takes, while that has quota; null pointer: none.
  Object* FindReplaced(Store& store, const Json& workload) const;
  // It has got quota.
  void ReplaceSlice(Store& store, const Object& workload, Json& status);

  // pod_groups.cc
  struct Group {
    const ResourceType* type = nullptr;  // pods
    ObjectKey key;                       // of the group and of its Workload
    std::vector<ObjectKey> pods;         // that Kueue manages
  };
  Group GroupOf(const Store& store, const ResourceType& type, const ObjectKey& key) const;
  void ReconcileGroup(Store& store, const ResourceType& type, const ObjectKey& key);
  Object* AdoptForGroup(Store& store, const Group& group);
  Object* MatchGroup(Store& store, Group& group);
  // Leaves `count` of `live`.
  void RemoveExcess(Store& store, const Group& group, size_t count, std::vector<ObjectKey>& live);
  void CreateGroupWorkload(Store& store, Group& group);
  void OwnByAll(Store& store, const Group& group, const std::vector<ObjectKey>& pods,
                Object& workload);
  std::optional<JobEnd> GroupEnd(const Store& store, const Group& group) const;
  bool IsGroupActive(const Store& store, const Group& group) const;
  void StartGroup(Store& store, const Group& group, const Object& workload);
  // `ended_too`: those that are gated or over as well. Null pointer: there is no Workload.
  void StopGroup(Store& store, const Group& group, const Object* workload, bool ended_too);
  void FinalizePods(Store& store, const Group& group, const std::vector<ObjectKey>& pods);
  // Marks it as Kueue's to end, and deletes it.
  void StopPod(Store& store, const Place& place, const Object* workload);

  // workloads.cc
  void ReconcileWorkload(Store& store, const Place& place);
  bool FinalizeOrphan(Store& store, const Place& place, Object& workload);
  void Account(const Place& place, const Object& workload);
  void Free(const ObjectKey& workload);  // its quota, for those who wait
  void WakeNext(const std::string& cluster_queue);
  // Whether a queue's spec is another than when this was last asked.
  bool IsNews(const Place& queue, int64_t generation);
  bool Requeue(const Place& place, Json& status, int64_t generation);
  void Deactivate(const Owners& owners, Json& status, int64_t generation);
  void EvictOrDrain(const Object& workload, const Queues& queues, Json& status);
  // Whether its claims cannot be counted. Then its conditions say so.
  bool RefuseClaims(const Store& store, const Object& workload, const std::string& queue,
                    Json& status) const;
  void TryReserve(Store& store, const Place& place, const Object& workload, const Queues& queues,
                  Json& status);
  bool LatencyOver(const Place& place);

  // topology.cc
  // Writes what is said of the topology that pod sets ask for, or that their flavors have. Not
  // empty: why their flavors do not suit them.
  std::string AssignTopology(const Store& store, const Object& cluster_queue, const Json& workload,
                             Json& admission) const;
  std::string WhyFlavorUnsuited(const Store& store, const std::string& flavor, const Json& pod_set,
                                bool has_only_topologies) const;
  // Of a flavor; empty: it has none.
  std::string TopologyOf(const Store& store, const std::string& flavor) const;

  // devices.cc: what the claims of one pod set are charged; the error is why the Workload is
  // inadmissible.
  tl::expected<Amounts, std::string> DeviceRequests(const Store& store, const std::string& ns,
                                                    const Json& pod_set, size_t index) const;
  tl::expected<std::vector<Amounts>, std::string> RequestsOf(const Store& store,
                                                             const Object& workload,
                                                             const std::string& queue) const;

  std::map<const ResourceType*, const JobKind*> kinds_;  // of jobs, that are served
  const ResourceType& workloads_;
  const ResourceType& priority_classes_;
  const ResourceType& local_queues_;
  const ResourceType& cluster_queues_;
  const ResourceType& checks_;
  const ResourceType& flavors_;
  const ResourceType& topologies_;
  const ResourceType& namespaces_;
  const ResourceType* const templates_;  // null pointer: resource.k8s.io is not served

  KueueOptions options_;
  Quota quota_;
  std::map<Place, int64_t> queue_generations_;
  std::map<ObjectKey, std::set<Place>> prebuilt_;            // Workload to the jobs that name it
  std::map<Place, ObjectKey> groups_;                        // pods to their groups
  std::map<ObjectKey, Clock::time_point> admissible_since_;  // Workloads that sit out the latency
};

// The admission checks that a ClusterQueue asks for.
std::vector<std::string> CheckNames(const Json& cluster_queue);

// Null pointer: no object controls it.
const Json* ControllerOf(const Json& object);
// Of a Workload, to its job.
Json JobReference(const JobKind& kind, const Object& job);
// Of a Workload that is a group's and whose job is no pod (JobKind::has_group).
Json GroupAnnotations(const JobKind& kind, const Object& job);

// Of a job or a Workload.
bool IsElastic(const Json& object);
// The key of the Workload whose place this one takes ("ml/train"); empty: of none.
std::string_view ReplacedBy(const Json& workload);
// Writes the annotations of a new slice.
void MarkSlice(const Object* replaced, Json& metadata);

// A job as Kueue reads it.
std::string QueueNameOf(const Json& job);
// Of a pod; empty: it is of no group.
std::string GroupNameOf(const Json& pod);
bool IsGroupWorkload(const Json& workload);
// What Kueue's webhook writes into a pod of a group.
void PrepareGroupPod(Json& pod);
// "jobset-<name>-<5 hex>".
std::string WorkloadNameOf(const JobKind& kind, const Json& job, const std::string& part = {});

}  // namespace fedra::sim
