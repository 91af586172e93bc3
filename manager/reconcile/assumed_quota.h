#pragma once
//
// How much of the ClusterQueues of one worker dispatched workloads will take, beside what the
// queues' status counts.
//
// A workload counts from its assumption on until its clone has quota, and a moment longer: Kueue
// writes what is reserved into the ClusterQueue a second after the first of the changes that it
// writes together. So a clone that has just got its quota counts until the queue is written again,
// or for kReportedWithin. Queues and clones are two watches: a status that comes within
// kMayBeOlder of the quota may have been counted before it, and proves nothing. What remains: one
// that does count the clone, and comes that early, or even before the quota is seen; the clone then
// counts twice until the next one, which with many changes is a second later, or for
// kReportedWithin.
//
// Where this process has seen that the clone had no quota, or is about to make it, the time counts
// from when the quota is seen, whatever the worker's clock. Otherwise, after a start, in whatever
// order the objects come, the quota is as old as the clone says.
//
// Costs: Put, Remove and Others are O(log n), whatever is assumed; each workload is taken off the
// sums once (steps()).
//
// Source: pkg/controller/core/clusterqueue_controller.go of Kueue 0.19.2 (AddAfter of
// UpdatesBatchPeriod, of which a pending one is kept; updateCqStatusIfChanged writes all counts at
// once).
//
// Thread rules: one at a time; AssumeCache has it under its lock. `Queues` is asked there.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/types.h"
#include "manager/placement/assumption.h"
#include "manager/verify/queue_quota.h"
#include "manager/verify/quota_amounts.h"

namespace fedra::reconcile {

class AssumedQuota final {
 public:
  // Since a clone has had its quota, until the status of its ClusterQueue says so: three times as
  // long as Kueue waits for further changes.
  static constexpr std::chrono::seconds kReportedWithin{3};
  // How old a status may be when it arrives: a request with its webhooks, and an event.
  static constexpr std::chrono::milliseconds kMayBeOlder{250};

  // The queues of the worker, as they are now.
  struct Queues {
    // The name of the ClusterQueue behind a LocalQueue; empty: it is not known.
    std::function<std::string(const ObjectKey& local_queue)> behind = [](const auto&) {
      return std::string();
    };
    // Null: it is not known.
    std::function<std::shared_ptr<const verify::ClusterQueue>(const std::string& cluster_queue)>
        find = [](const auto&) { return nullptr; };
    verify::IsDevice is_device = [](const auto&) { return false; };
  };
  // What the functions look at, and the clock, must outlive it.
  AssumedQuota(Queues queues, const Clock& clock);

  // What the workload takes, or that it takes something else now.
  void Put(const ObjectKey& workload, const placement::QuotaAssumption& what);
  void Remove(const ObjectKey& workload);
  // The LocalQueue may belong to another ClusterQueue than it did, or is known only now.
  void Relink(const ObjectKey& local_queue);
  // The ClusterQueue was written: it counts what has had its quota for long enough.
  void Reported(const std::string& cluster_queue);

  // What all but this workload take.
  verify::QuotaAmounts Others(const ObjectKey& workload, const std::string& cluster_queue);
  // Whether the queue has no room for this one beside them (verify::WhyFull).
  bool IsFull(const ObjectKey& workload, const placement::QuotaAssumption& what);

  // Workloads that were looked at, since the start: what a call costs is how many more there are.
  size_t steps() const { return steps_; }

 private:
  enum class Stage {
    kWaiting,     // for its quota
    kUnreported,  // it has its quota, which the status need not show yet
    kCounted,     // by the status: it takes nothing beside
  };
  struct Entry {
    placement::QuotaAssumption what;
    Stage stage = Stage::kWaiting;
    bool was_without = false;  // of kWaiting: known to have had no quota
    SteadyTime until{};        // of kUnreported
  };
  struct LocalQueue {
    std::string cluster_queue;  // empty: not known
    size_t workloads = 0;
    verify::QuotaAmounts taken;
  };
  struct ClusterQueue {
    verify::QuotaAmounts taken;                             // by all its LocalQueues
    std::set<std::pair<SteadyTime, ObjectKey>> unreported;  // those in kUnreported, by their end
  };

  static ObjectKey QueueOf(const ObjectKey& workload, const Entry& entry);
  LocalQueue& LocalQueueOf(const ObjectKey& workload, const Entry& entry);
  ClusterQueue& ClusterQueueOf(const ObjectKey& workload, const Entry& entry);
  // To the sums, or off them.
  void Take(const ObjectKey& workload, const Entry& entry);
  void GiveBack(const ObjectKey& workload, const Entry& entry);
  // Its clone has quota.
  void AwaitReport(const ObjectKey& workload, Entry& entry, WallTime reserved_at);
  void Leave(const ObjectKey& workload, Entry& entry);
  // Takes those off the sums that would not be awaited after this time.
  void LeaveUntil(ClusterQueue& queue, SteadyTime until);
  void DropIfEmpty(const std::string& cluster_queue);

  // Constant after construction.
  const Queues ask_;
  const Clock& clock_;

  std::unordered_map<ObjectKey, Entry> entries_;
  std::unordered_map<ObjectKey, LocalQueue> local_queues_;        // of the entries
  std::unordered_map<std::string, ClusterQueue> cluster_queues_;  // behind these, "" included
  size_t steps_ = 0;
};

}  // namespace fedra::reconcile
