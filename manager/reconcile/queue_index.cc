#include "manager/reconcile/queue_index.h"

#include <utility>

#include "manager/reconcile/sets_by_key.h"

namespace fedra::reconcile {
namespace {

template <class Map, class Key>
void AddMembers(const Map& map, const Key& key, std::vector<ObjectKey>& members) {
  const auto found = map.find(key);
  if (found != map.end()) members.insert(members.end(), found->second.begin(), found->second.end());
}

template <class Map, class Key>
std::vector<ObjectKey> MembersOf(const Map& map, const Key& key) {
  std::vector<ObjectKey> members;
  AddMembers(map, key, members);
  return members;
}

}  // namespace

QueueIndex::Queues QueueIndex::QueuesOf(const ObjectKey& key, const tracking::Workload* workload) {
  if (workload == nullptr || workload->Finished()) return {};
  return {workload->cluster_queue,
          {key.ns, workload->requirement.queue},
          workload->IsDecidedUnchecked()};
}

void QueueIndex::Add(const ObjectKey& key, const Queues& queues, State& state) {
  if (!queues.cluster_queue.empty()) {
    state.by_cluster_queue[queues.cluster_queue].insert(key);
    state.by_local_queue[queues.local_queue].insert(key);
  }
  if (queues.is_unchecked) state.unchecked[queues.local_queue].insert(key);
  state.by_workload.emplace(key, queues);
}

void QueueIndex::Remove(const ObjectKey& key, const Queues& queues, State& state) {
  EraseFrom(state.by_cluster_queue, queues.cluster_queue, key);
  EraseFrom(state.by_local_queue, queues.local_queue, key);
  EraseFrom(state.unchecked, queues.local_queue, key);
  state.by_workload.erase(key);
}

void QueueIndex::Update(const ObjectKey& key, const tracking::Workload* workload) {
  const Queues now = QueuesOf(key, workload);
  state_.With([&](State& state) {
    const auto known = state.by_workload.find(key);
    if (known != state.by_workload.end()) {
      if (known->second == now) return;
      Remove(key, Queues(known->second), state);
    }
    if (!now.is_of_none()) Add(key, now, state);
  });
}

void QueueIndex::Point(const ObjectKey& local_queue, const std::string& cluster_queue) {
  state_.With([&](State& state) {
    const auto known = state.points_at.find(local_queue);
    if (known != state.points_at.end()) {
      EraseFrom(state.local_queues, known->second, local_queue);
      state.points_at.erase(known);
    }
    if (cluster_queue.empty()) return;
    state.points_at.emplace(local_queue, cluster_queue);
    state.local_queues[cluster_queue].insert(local_queue);
  });
}

std::vector<ObjectKey> QueueIndex::OfClusterQueue(const std::string& name) const {
  return state_.With([&](const State& state) { return MembersOf(state.by_cluster_queue, name); });
}

std::vector<ObjectKey> QueueIndex::OfLocalQueue(const ObjectKey& queue) const {
  return state_.With([&](const State& state) { return MembersOf(state.by_local_queue, queue); });
}

std::vector<ObjectKey> QueueIndex::All() const {
  return state_.With([](const State& state) {
    std::vector<ObjectKey> all;
    for (const auto& [key, queues] : state.by_workload)
      if (!queues.cluster_queue.empty()) all.push_back(key);
    return all;
  });
}

std::vector<ObjectKey> QueueIndex::UncheckedOfClusterQueue(const std::string& name) const {
  return state_.With([&](const State& state) {
    std::vector<ObjectKey> found;
    const auto local_queues = state.local_queues.find(name);
    if (state.unchecked.empty() || local_queues == state.local_queues.end()) return found;
    for (const ObjectKey& queue : local_queues->second) AddMembers(state.unchecked, queue, found);
    return found;
  });
}

std::vector<ObjectKey> QueueIndex::UncheckedIn(const ObjectKey& local_queue) const {
  return state_.With([&](const State& state) { return MembersOf(state.unchecked, local_queue); });
}

std::vector<ObjectKey> QueueIndex::Unchecked() const {
  return state_.With([](const State& state) {
    std::vector<ObjectKey> found;
    for (const auto& [queue, workloads] : state.unchecked)
      found.insert(found.end(), workloads.begin(), workloads.end());
    return found;
  });
}

}  // namespace fedra::reconcile
