#pragma once
//
// How much of the ClusterQueues of one worker dispatched workloads will take, beside what the
// queues' status counts.
//
// A workload counts from its assumption on until its clone has quota, and a moment longer: Kueue
// writes what is reserved into the ClusterQueue a second later, together with what else has changed
// meanwhile. So a clone that has just got its quota counts until the queue is another object, or
// for kReportedWithin.
//
// Costs: Put, Remove and Others are O(log n), whatever is assumed; each workload is taken off the
// sums once.
//
// Source: pkg/controller/core/clusterqueue_controller.go of Kueue 0.19.2 (AddAfter of
// UpdatesBatchPeriod; updateCqStatusIfChanged writes all counts at once).
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

  // The queues of the worker, as they are now.
  struct Queues {
    // The name of the ClusterQueue behind a LocalQueue; empty: it is not known.
    std::function<std::string(const ObjectKey& local_queue)> behind = [](const auto&) {
      return std::string();
    };
    // Null: it is not known. Another object when anything of it has changed.
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

  // What all but this workload take.
  verify::QuotaAmounts Others(const ObjectKey& workload, const std::string& cluster_queue);
  // Whether the queue has no room for this one beside them (verify::WhyFull).
  bool IsFull(const ObjectKey& workload, const placement::QuotaAssumption& what);

 private:
  using ClusterQueuePtr = std::shared_ptr<const verify::ClusterQueue>;
  enum class Stage {
    kWaiting,     // for its quota
    kUnreported,  // it has its quota, which the status need not show yet
    kCounted,     // by the status: it takes nothing beside
  };
  struct Entry {
    placement::QuotaAssumption what;
    Stage stage = Stage::kWaiting;
    SteadyTime until{};  // of kUnreported
  };
  struct LocalQueue {
    std::string cluster_queue;  // empty: not known
    size_t workloads = 0;
    verify::QuotaAmounts taken;
  };
  struct ClusterQueue {
    verify::QuotaAmounts taken;  // by all its LocalQueues
    // Those in kUnreported, by their end; they came while `seen` was the object.
    std::set<std::pair<SteadyTime, ObjectKey>> unreported;
    ClusterQueuePtr seen;
  };

  static ObjectKey QueueOf(const ObjectKey& workload, const Entry& entry);
  LocalQueue& LocalQueueOf(const ObjectKey& workload, const Entry& entry);
  ClusterQueue& ClusterQueueOf(const ObjectKey& workload, const Entry& entry);
  // To the sums, or off them.
  void Take(const ObjectKey& workload, const Entry& entry);
  void GiveBack(const ObjectKey& workload, const Entry& entry);
  void AwaitReport(const ObjectKey& workload, Entry& entry, SteadyTime until);
  void Leave(const ObjectKey& workload, Entry& entry);
  // Takes off the sums what the status counts by now.
  void Update(const std::string& name, ClusterQueue& queue);
  void DropIfEmpty(const std::string& cluster_queue);

  // Constant after construction.
  const Queues ask_;
  const Clock& clock_;

  std::unordered_map<ObjectKey, Entry> entries_;
  std::unordered_map<ObjectKey, LocalQueue> local_queues_;        // of the entries
  std::unordered_map<std::string, ClusterQueue> cluster_queues_;  // behind these, "" included
};

}  // namespace fedra::reconcile
