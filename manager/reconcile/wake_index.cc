#include "manager/reconcile/wake_index.h"

#include <utility>

#include "manager/reconcile/sets_by_key.h"

namespace fedra::reconcile {
namespace {

using Kind = InputChange::Kind;

template <class Map, class Key>
std::vector<ObjectKey> Joined(const Map& map, const Key& key, std::unordered_set<ObjectKey> all) {
  if (const auto found = map.find(key); found != map.end())
    all.insert(found->second.begin(), found->second.end());
  return {all.begin(), all.end()};
}

}  // namespace

std::set<WakeIndex::Wanted> WakeIndex::InputsOf(const tracking::Workload& workload) {
  const tracking::Requirement& requirement = workload.requirement;
  const std::string& ns = requirement.ns;
  std::set<Wanted> inputs{{Kind::kNamespace, {"", ns}},
                          {Kind::kQueue, {ns, requirement.queue}},
                          {Kind::kClusterQueue, {}}};
  for (const tracking::PodSet& pod_set : requirement.pod_sets) {
    for (const dra::ClaimReference& claim : pod_set.claims) {
      if (!claim.template_name.empty()) inputs.insert({Kind::kTemplate, {ns, claim.template_name}});
      if (!claim.claim_name.empty()) inputs.insert({Kind::kClaim, {ns, claim.claim_name}});
      // Which classes it needs is known only through each worker's copies.
      inputs.insert({Kind::kClass, {}});
    }
  }
  for (const tracking::Dependency& dependency : requirement.dependencies) {
    inputs.insert({Kind::kDependency, {ns, dependency.name}});
    inputs.insert({Kind::kDependency, {"", dependency.name}});  // of a kind without namespaces
  }
  for (const tracking::Reference& reference : requirement.references)
    inputs.insert({Kind::kDependency, reference.key});
  // A pod template that cannot be read may need some.
  if (workload.requirement.demands == nullptr ||
      tracking::NeedDevices(*workload.requirement.demands))
    inputs.insert({Kind::kDevices, {}});
  return inputs;
}

void WakeIndex::Remove(State& state, const ObjectKey& workload, const Entry& entry) {
  for (const Wanted& input : entry.inputs) EraseFrom(state.by_input, input, workload);
  for (const ClusterName& worker : entry.workers) EraseFrom(state.by_worker, worker, workload);
  state.looking.erase(workload);
}

void WakeIndex::Insert(State& state, const ObjectKey& workload, Entry entry) {
  for (const Wanted& input : entry.inputs) state.by_input[input].insert(workload);
  for (const ClusterName& worker : entry.workers) state.by_worker[worker].insert(workload);
  if (entry.looking) state.looking.insert(workload);
  state.entries.insert_or_assign(workload, std::move(entry));
}

void WakeIndex::Begin(const ObjectKey& workload) {
  state_.With([&](State& state) { state.being_looked_at.insert(workload); });
}

void WakeIndex::Update(const Gathered& gathered, const placement::Decision& decision) {
  Entry entry;
  const tracking::Workload* workload = gathered.view.workload.get();
  if (workload != nullptr && !gathered.view.check.empty()) {
    entry.looking = gathered.judged;
    if (entry.looking) entry.inputs = InputsOf(*workload);
    const bool has_worker = !workload->cluster_name.empty();
    if (has_worker) entry.workers.emplace(workload->cluster_name);
    if ((has_worker || entry.looking) && !decision.worker.empty())
      entry.workers.insert(decision.worker);
  }
  const ObjectKey& key = gathered.view.key;
  state_.With([&](State& state) {
    state.being_looked_at.erase(key);
    const auto known = state.entries.find(key);
    if (known != state.entries.end()) {
      if (known->second == entry) return;
      Remove(state, key, known->second);
      state.entries.erase(known);
    }
    if (entry != Entry{}) Insert(state, key, std::move(entry));
  });
}

std::vector<ObjectKey> WakeIndex::AffectedBy(const InputChange& change) const {
  const bool of_devices =
      change.kind == Kind::kDevicesOffered || change.kind == Kind::kDevicesTaken;
  const Kind kind = of_devices ? Kind::kDevices : change.kind;
  const bool every_change =
      kind == Kind::kClass || kind == Kind::kDevices || kind == Kind::kClusterQueue;
  Wanted input{kind, every_change ? ObjectKey{} : change.key};
  return state_.With(
      [&](const State& state) { return Joined(state.by_input, input, state.being_looked_at); });
}

std::vector<ObjectKey> WakeIndex::AffectedBy(const ClusterName& worker) const {
  return state_.With([&](const State& state) {
    std::unordered_set<ObjectKey> all = state.being_looked_at;
    all.insert(state.looking.begin(), state.looking.end());
    return Joined(state.by_worker, worker, std::move(all));
  });
}

}  // namespace fedra::reconcile
