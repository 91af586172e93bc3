#pragma once
//
// The devices of one worker that dispatched workloads will take, until their pods hold them, and
// the quota, until Kueue counts it: a burst of jobs is not dispatched to the same free device, nor
// to a queue that is full by then. kube-scheduler's cache does the same for nodes: AssumePod before
// the binding is written, ForgetPod when that fails, AddPod when the watch shows it
// (pkg/scheduler/backend/cache/interface.go of Kubernetes, commit 16913111debc).
//
// Entries follow from API objects (placement/assumption.h, and the worker's pods and claims), so
// that after a restart, or in another replica, the same ones result from the caches alone. Only
// what a decision reserves until its writes can be seen is local: Reserve() comes before the
// writes, Observe() when objects have changed, Forget() when the next look decides otherwise.
//
// Two workloads may be judged at the same time and find the same device free. Therefore Reserve()
// refuses when anything was added here since the verdict was made, and the look is made again. One
// of them always gets through. Of quota not every change outdates a verdict, for jobs without
// devices are dispatched by the hundred a second: Reserve() refuses one that found room where there
// is none by now.
//
// An entry takes devices for ten minutes from the creation of the clone, or from when that got its
// quota, if later; from here if it is not there yet. A decision of this process counts from then at
// the earliest, whatever the worker's clock.
//
// The list for judgements is made once per change, of all entries of those minutes, and shared by
// the workloads that are judged.
//
// Thread rules: any thread. Pods and queues are asked under the lock, `shown` as a rule outside of
// it: their locks are taken after this one, and who holds them must not come here.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/types.h"
#include "dra/judge/judge.h"
#include "manager/placement/assumption.h"
#include "manager/reconcile/assumed_quota.h"

namespace fedra::reconcile {

class AssumeCache final {
 public:
  // How long devices are kept for pods that do not appear.
  static constexpr std::chrono::minutes kKeptFor{10};

  // The worker's pods.
  struct Pods {
    std::function<uint64_t()> version;  // grows with every change of `holding`
    // That have their devices, of this job, by pod set; under the empty name those that do not tell
    // theirs.
    std::function<std::map<std::string, int>(const tracking::JobKey& job)> holding;
  };
  // The clock, and what the functions look at, must outlive it.
  AssumeCache(Pods pods, const Clock& clock, AssumedQuota::Queues queues = {});

  // Grows whenever something is added. To be read before the verdicts that Reserve() relies on.
  uint64_t version() const;
  // What other workloads will take, oldest first: pods that do not hold their devices yet. Not
  // null; the same list as long as it says the same.
  dra::AssumedList Others(const ObjectKey& workload) const;
  // What other workloads will take of a ClusterQueue, beside what its status counts.
  verify::QuotaAmounts QuotaOfOthers(const ObjectKey& workload,
                                     const std::string& cluster_queue) const;
  // The workloads here that share this claim, whether their pods hold their devices or not.
  std::set<ObjectKey> UsersOf(const ObjectKey& claim) const;

  // What a verdict was made of.
  struct Basis {
    uint64_t version = 0;   // version(), from before
    bool had_room = false;  // it found room in the queue
  };
  // Before the writes that make it visible. False: devices were taken since that verdict, or the
  // room in the queue, and nothing was changed. One that is here already needs no fresh verdict.
  bool Reserve(const placement::Assumption& assumption, Basis judged);
  // This LocalQueue of the worker has changed; this ClusterQueue was written.
  void OnQueue(const ObjectKey& local_queue);
  void OnClusterQueue(const std::string& cluster_queue);

  // What has come of an entry.
  struct Change {
    bool is_here = false;
    bool freed = false;                    // what was kept, or where its claims belong
    std::optional<SteadyTime> overdue_at;  // when to observe again, should nothing happen before
  };
  // The objects may say otherwise now; `shown` is what they say. It may be asked twice.
  using Shown = std::function<std::optional<placement::Assumption>()>;
  Change Observe(const ObjectKey& workload, const Shown& shown);
  // What was reserved is not wanted any more, if no object shows it.
  Change Forget(const ObjectKey& workload);

 private:
  struct Entry {
    placement::Assumption what;
    SteadyTime since{};     // the ten minutes
    bool decided = false;   // by this process
    bool reserved = false;  // no object shows it yet
    bool overdue = false;   // and reported so
    uint64_t observed = 0;  // Observe() with this number saw it
    // Others() for this one: of which list, and what.
    std::weak_ptr<const std::vector<dra::AssumedPods>> all;
    dra::AssumedList others;
  };
  // Oldest clone first; those without one last. The same in every replica.
  using Rank = std::pair<WallTime, ObjectKey>;
  using PodCounts = std::map<std::string, int>;  // by pod set, as Pods::holding has them
  // All entries of a job: of one that has several Workloads they share its pods.
  struct OfJob {
    std::set<ObjectKey> workloads;  // not empty
    PodCounts wanted;               // by all of them together
  };
  struct State {
    explicit State(AssumedQuota assumed) : quota(std::move(assumed)) {}

    uint64_t version = 0;
    uint64_t changes = 0;
    uint64_t removed = 0;  // the last Observe() that has found an entry's objects gone
    std::unordered_map<ObjectKey, Entry> entries;
    std::set<Rank> counting;                         // without those that are known to be overdue
    std::map<ObjectKey, std::set<ObjectKey>> users;  // by claim
    std::map<tracking::JobKey, OfJob> of_job;
    AssumedQuota quota;
    // The list, and what it was made from.
    dra::AssumedList list;
    uint64_t list_changes = 0;
    uint64_t list_pods = 0;
    SteadyTime list_until{};
  };

  static Rank RankOf(const Entry& entry);
  static bool IsOverdue(const Entry& entry, SteadyTime now);
  // By the worker's clock; absent: no clone is there yet.
  static std::optional<WallTime> CountsFrom(const placement::Assumption& what);
  SteadyTime BeginOf(const placement::Assumption& what, SteadyTime now) const;
  // The pods of this one that are still to come. Takes those that are there out of `holding`.
  static void AddComing(const Entry& entry, PodCounts& holding,
                        std::vector<dra::AssumedPods>& list);
  // Of the pods of its job that have their devices those that are not of another entry: overdue
  // entries come first, they have had their time, then by rank. A job may have thousands of
  // entries, which are looked at only while some of its pods have their devices and others do not.
  PodCounts HoldingFor(const State& state, const Entry& entry, SteadyTime now) const;
  bool IsComing(const State& state, const Entry& entry, SteadyTime now) const;
  void Insert(State& state, Entry entry) const;
  bool Remove(State& state, const ObjectKey& workload, SteadyTime now) const;
  Change Update(State& state, Entry& entry, placement::Assumption shown, SteadyTime now) const;
  const dra::AssumedList& List(State& state, SteadyTime now) const;

  const Pods pods_;
  const Clock& clock_;

  std::atomic<uint64_t> observations_{0};
  mutable Guarded<State> state_;
};

}  // namespace fedra::reconcile
