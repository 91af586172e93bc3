#include "manager/reconcile/queue_index.h"

#include <utility>

#include "manager/reconcile/sets_by_key.h"

namespace fedra::reconcile {
namespace {

template <class Map, class Key>
std::vector<ObjectKey> MembersOf(const Map& map, const Key& key) {
  const auto found = map.find(key);
  if (found == map.end()) return {};
  return {found->second.begin(), found->second.end()};
}

}  // namespace

void QueueIndex::Update(const ObjectKey& key, const tracking::Workload* workload) {
  Queues now;
  if (workload != nullptr && !workload->Finished() && !workload->cluster_queue.empty())
    now = {workload->cluster_queue, {key.ns, workload->requirement.queue}};
  state_.With([&](State& state) {
    const auto known = state.by_workload.find(key);
    if (known != state.by_workload.end()) {
      if (known->second == now) return;
      EraseFrom(state.by_cluster_queue, known->second.cluster_queue, key);
      EraseFrom(state.by_local_queue, known->second.local_queue, key);
      state.by_workload.erase(known);
    }
    if (now.cluster_queue.empty()) return;
    state.by_cluster_queue[now.cluster_queue].insert(key);
    state.by_local_queue[now.local_queue].insert(key);
    state.by_workload.emplace(key, std::move(now));
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
    for (const auto& [key, queues] : state.by_workload) all.push_back(key);
    return all;
  });
}

}  // namespace fedra::reconcile
