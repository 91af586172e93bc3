#include "manager/reconcile/assumed_quota.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace fedra::reconcile {
namespace {

using placement::QuotaAssumption;
using verify::QuotaAmounts;

QuotaAmounts AmountsOf(const QuotaAssumption& what) {
  QuotaAmounts amounts;
  if (what.counted != nullptr) amounts.Add(*what.counted);
  return amounts;
}

bool TakeTheSame(const QuotaAssumption& a, const QuotaAssumption& b) {
  return a.queue == b.queue && (a.counted == b.counted || AmountsOf(a) == AmountsOf(b));
}

}  // namespace

AssumedQuota::AssumedQuota(Queues queues, const Clock& clock)
    : ask_(std::move(queues)), clock_(clock) {}

ObjectKey AssumedQuota::QueueOf(const ObjectKey& workload, const Entry& entry) {
  return {workload.ns, entry.what.queue};
}

AssumedQuota::LocalQueue& AssumedQuota::LocalQueueOf(const ObjectKey& workload,
                                                     const Entry& entry) {
  return local_queues_.at(QueueOf(workload, entry));
}

AssumedQuota::ClusterQueue& AssumedQuota::ClusterQueueOf(const ObjectKey& workload,
                                                         const Entry& entry) {
  return cluster_queues_[LocalQueueOf(workload, entry).cluster_queue];
}

void AssumedQuota::Take(const ObjectKey& workload, const Entry& entry) {
  ++steps_;
  LocalQueueOf(workload, entry).taken.Add(*entry.what.counted);
  ClusterQueueOf(workload, entry).taken.Add(*entry.what.counted);
}

void AssumedQuota::GiveBack(const ObjectKey& workload, const Entry& entry) {
  ++steps_;
  LocalQueueOf(workload, entry).taken.Subtract(*entry.what.counted);
  ClusterQueueOf(workload, entry).taken.Subtract(*entry.what.counted);
}

// The clock of a worker may be ahead; what it says prolongs nothing.
void AssumedQuota::AwaitReport(const ObjectKey& workload, Entry& entry, WallTime reserved_at) {
  const auto age = entry.was_without
                       ? WallTime::duration::zero()
                       : std::max(WallTime::duration::zero(), clock_.Now() - reserved_at);
  entry.was_without = false;
  if (age >= kReportedWithin) return Leave(workload, entry);
  entry.stage = Stage::kUnreported;
  entry.until =
      clock_.Steady() + kReportedWithin - std::chrono::duration_cast<SteadyTime::duration>(age);
  ClusterQueueOf(workload, entry).unreported.insert({entry.until, workload});
}

// It takes nothing any more, whatever its stage was.
void AssumedQuota::Leave(const ObjectKey& workload, Entry& entry) {
  if (entry.stage == Stage::kUnreported)
    ClusterQueueOf(workload, entry).unreported.erase({entry.until, workload});
  if (entry.stage != Stage::kCounted) GiveBack(workload, entry);
  entry.stage = Stage::kCounted;
}

void AssumedQuota::LeaveUntil(ClusterQueue& queue, SteadyTime until) {
  while (!queue.unreported.empty() && queue.unreported.begin()->first <= until) {
    const ObjectKey workload = queue.unreported.begin()->second;
    Leave(workload, entries_.at(workload));
  }
}

void AssumedQuota::Reported(const std::string& cluster_queue) {
  const auto queue = cluster_queues_.find(cluster_queue);
  if (queue == cluster_queues_.end()) return;
  LeaveUntil(queue->second, clock_.Steady() + kReportedWithin - kMayBeOlder);
  DropIfEmpty(cluster_queue);
}

void AssumedQuota::DropIfEmpty(const std::string& cluster_queue) {
  const auto queue = cluster_queues_.find(cluster_queue);
  if (queue != cluster_queues_.end() && queue->second.taken.IsEmpty() &&
      queue->second.unreported.empty())
    cluster_queues_.erase(queue);
}

void AssumedQuota::Put(const ObjectKey& workload, const QuotaAssumption& what) {
  if (what.counted == nullptr) return Remove(workload);
  auto found = entries_.find(workload);
  if (found == entries_.end() || !TakeTheSame(found->second.what, what)) {
    Remove(workload);
    found = entries_.try_emplace(workload).first;
    found->second.what = what;
    const ObjectKey key = QueueOf(workload, found->second);
    const auto [local_queue, is_new] = local_queues_.try_emplace(key);
    if (is_new) local_queue->second.cluster_queue = ask_.behind(key);
    ++local_queue->second.workloads;
    Take(workload, found->second);
  }
  Entry& entry = found->second;
  entry.what = what;
  if (!what.reserved_at && entry.stage != Stage::kWaiting) {
    // Evicted there, it waits again.
    Leave(workload, entry);
    entry.stage = Stage::kWaiting;
    Take(workload, entry);
  }
  if (entry.stage != Stage::kWaiting) return;
  entry.was_without = entry.was_without || what.is_without;
  if (what.reserved_at) AwaitReport(workload, entry, *what.reserved_at);
}

void AssumedQuota::Remove(const ObjectKey& workload) {
  const auto found = entries_.find(workload);
  if (found == entries_.end()) return;
  Leave(workload, found->second);
  const auto local_queue = local_queues_.find(QueueOf(workload, found->second));
  entries_.erase(found);
  DropIfEmpty(local_queue->second.cluster_queue);
  if (--local_queue->second.workloads == 0) local_queues_.erase(local_queue);
}

void AssumedQuota::Relink(const ObjectKey& local_queue) {
  const auto found = local_queues_.find(local_queue);
  if (found == local_queues_.end()) return;
  LocalQueue& queue = found->second;
  const std::string from_name = queue.cluster_queue, to_name = ask_.behind(local_queue);
  if (from_name == to_name) return;
  ClusterQueue& to = cluster_queues_[to_name];
  // Only a queue that was made anew, or is known only now, comes here (its clusterQueue is
  // immutable): so all may be looked at that have just got their quota.
  ClusterQueue& from = cluster_queues_[from_name];
  std::vector<std::pair<SteadyTime, ObjectKey>> moving;
  steps_ += from.unreported.size();
  std::ranges::copy_if(from.unreported, std::back_inserter(moving), [&](const auto& each) {
    return QueueOf(each.second, entries_.at(each.second)) == local_queue;
  });
  for (const auto& each : moving) {
    from.unreported.erase(each);
    to.unreported.insert(each);
  }
  from.taken.Subtract(queue.taken);
  to.taken.Add(queue.taken);
  queue.cluster_queue = to_name;
  DropIfEmpty(from_name);
  DropIfEmpty(to_name);
}

QuotaAmounts AssumedQuota::Others(const ObjectKey& workload, const std::string& cluster_queue) {
  const auto queue = cluster_queues_.find(cluster_queue);
  if (queue == cluster_queues_.end()) return {};
  LeaveUntil(queue->second, clock_.Steady());
  QuotaAmounts others = queue->second.taken;
  const auto own = entries_.find(workload);
  if (own != entries_.end() && own->second.stage != Stage::kCounted &&
      LocalQueueOf(workload, own->second).cluster_queue == cluster_queue)
    others.Subtract(*own->second.what.counted);
  return others;
}

bool AssumedQuota::IsFull(const ObjectKey& workload, const QuotaAssumption& what) {
  if (what.counted == nullptr) return false;
  const auto queue = ask_.find(ask_.behind({workload.ns, what.queue}));
  return queue != nullptr &&
         verify::WhyFull(*queue, *what.counted, ask_.is_device, Others(workload, queue->name))
             .has_value();
}

}  // namespace fedra::reconcile
