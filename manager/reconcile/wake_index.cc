#include "manager/reconcile/wake_index.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/reconcile/sets_by_key.h"
#include "manager/tracking/pod_set.h"

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
  return inputs;
}

// All that the verdicts on it, and the choice among workers, depend on beside what clusters show:
// the demands by their address (tracking::SharedDemands).
std::string WakeIndex::ClassOf(const Gathered& gathered, bool alone) {
  const tracking::Workload& workload = *gathered.view.workload;
  const tracking::Requirement& requirement = workload.requirement;
  if (alone || requirement.demands == nullptr || workload.is_part ||
      !requirement.references.empty() || !requirement.ClaimNames().empty())
    return workload.uid.empty() ? workload.key.ToString() : workload.uid;
  std::string name =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", gathered.view.check, requirement.ns, requirement.queue,
                  requirement.kind, static_cast<const void*>(requirement.demands.get()),
                  static_cast<const void*>(requirement.counted.get()));
  for (const std::string& worker : workload.nominated) name += "\n" + worker;
  for (const tracking::Dependency& dependency : requirement.dependencies)
    name += fmt::format("\n{}/{}", static_cast<int>(dependency.kind), dependency.name);
  for (const std::string& scheduler : requirement.schedulers) name += "\n" + scheduler;
  return name;
}

WakeIndex::Entry WakeIndex::EntryOf(const Gathered& gathered, const placement::Decision& decision,
                                    bool alone) {
  Entry entry;
  const tracking::Workload* workload = gathered.view.workload.get();
  if (workload == nullptr || gathered.view.check.empty()) return entry;
  entry.looking = gathered.judged;
  if (entry.looking) {
    entry.inputs = InputsOf(*workload);
    entry.class_name = ClassOf(gathered, alone);
    const tracking::Demands& demands = workload->requirement.demands;
    // A pod template that cannot be read may need some.
    entry.wants_devices = demands == nullptr || tracking::NeedDevices(*demands);
    entry.rank = {-workload->priority.value, workload->created, workload->key};
  }
  const bool has_worker = !workload->cluster_name.empty();
  if (has_worker) entry.workers.emplace(workload->cluster_name);
  if ((has_worker || entry.looking) && !decision.worker.empty())
    entry.workers.insert(decision.worker);
  return entry;
}

std::vector<ObjectKey> WakeIndex::Remove(State& state, const ObjectKey& workload,
                                         const Known& known) {
  const Entry& entry = known.entry;
  for (const Wanted& input : entry.inputs) EraseFrom(state.by_input, input, workload);
  for (const ClusterName& worker : entry.workers) EraseFrom(state.by_worker, worker, workload);
  state.looking.erase(workload);
  if (entry.class_name.empty()) return {};
  state.TurnsOf(entry).by_look.erase({known.looked, workload});
  const auto of_class = state.classes.find(entry.class_name);
  Class& left = of_class->second;
  left.members.erase(entry.rank);
  if (left.members.empty()) {
    state.classes.erase(of_class);
    return {};
  }
  if (!left.is_woken_by_turns) return {};
  return {left.members.begin()->workload};
}

void WakeIndex::Insert(State& state, const tracking::Workload* workload, const ObjectKey& key,
                       Entry entry) {
  for (const Wanted& input : entry.inputs) state.by_input[input].insert(key);
  for (const ClusterName& worker : entry.workers) state.by_worker[worker].insert(key);
  if (entry.looking) state.looking.insert(key);
  Known known{std::move(entry), ++state.serial};
  if (!known.entry.class_name.empty()) {
    Class& of_class = state.classes[known.entry.class_name];
    of_class.demands = workload->requirement.demands;
    of_class.counted = workload->requirement.counted;
    of_class.wants_devices = known.entry.wants_devices;
    of_class.members.insert(known.entry.rank);
    state.TurnsOf(known.entry).by_look.insert({known.looked, key});
  }
  state.entries.insert_or_assign(key, std::move(known));
}

void WakeIndex::Begin(const ObjectKey& workload) {
  state_.With([&](State& state) { state.being_looked_at.insert(workload); });
}

std::vector<ObjectKey> WakeIndex::Update(const Gathered& gathered,
                                         const placement::Decision& decision, bool alone) {
  Entry entry = EntryOf(gathered, decision, alone);
  const ObjectKey& key = gathered.view.key;
  return state_.With([&](State& state) {
    state.being_looked_at.erase(key);
    std::vector<ObjectKey> next;
    const auto found = state.entries.find(key);
    if (found != state.entries.end()) {
      Known& known = found->second;
      if (known.entry == entry) {
        const uint64_t looked = ++state.serial;
        auto& by_look = state.TurnsOf(entry).by_look;
        if (by_look.erase({known.looked, key}) > 0) by_look.insert({looked, key});
        known.looked = looked;
        return next;
      }
      next = Remove(state, key, known);
      state.entries.erase(found);
    }
    if (entry != Entry{}) Insert(state, gathered.view.workload.get(), key, std::move(entry));
    return next;
  });
}

void WakeIndex::AddOfClasses(State& state, bool is_contact, Workloads& all) const {
  for (auto& [name, of_class] : state.classes) {
    if (!is_contact && !of_class.wants_devices) continue;
    const bool is_large = of_class.members.size() > settings_.small;
    of_class.is_woken_by_turns = is_large;
    Turns& turns = of_class.wants_devices ? state.with_devices : state.without;
    if (is_large) (is_contact ? turns.contact : turns.passed_over) = state.serial;
    size_t left = is_large ? settings_.heads : of_class.members.size();
    for (auto at = of_class.members.begin(); left > 0; ++at, --left) all.insert(at->workload);
  }
}

std::vector<ObjectKey> WakeIndex::AffectedBy(const InputChange& change) {
  if (change.kind == Kind::kDevices || change.kind == Kind::kDevicesOffered ||
      change.kind == Kind::kDevicesTaken) {
    return state_.With([&](State& state) {
      Workloads all = state.being_looked_at;
      AddOfClasses(state, /*is_contact=*/false, all);
      return std::vector<ObjectKey>(all.begin(), all.end());
    });
  }
  const bool every_change = change.kind == Kind::kClass || change.kind == Kind::kClusterQueue;
  const Wanted input{change.kind, every_change ? ObjectKey{} : change.key};
  return state_.With(
      [&](const State& state) { return Joined(state.by_input, input, state.being_looked_at); });
}

std::vector<ObjectKey> WakeIndex::Overdue(size_t most) {
  return state_.With([&](State& state) {
    std::vector<ObjectKey> overdue;
    const auto is_overdue = [](const Turns& turns) {
      return !turns.by_look.empty() && turns.by_look.begin()->first <= turns.passed_over;
    };
    while (overdue.size() < most) {
      Turns *turns = &state.with_devices, *other = &state.without;
      if (!is_overdue(*turns) ||
          (is_overdue(*other) && *other->by_look.begin() < *turns->by_look.begin()))
        std::swap(turns, other);
      if (!is_overdue(*turns)) break;
      const ObjectKey key = turns->by_look.begin()->second;
      turns->by_look.erase(turns->by_look.begin());
      uint64_t& looked = state.entries.at(key).looked;
      looked = ++state.serial;
      turns->by_look.insert({looked, key});
      overdue.push_back(key);
    }
    return overdue;
  });
}

std::vector<ObjectKey> WakeIndex::AffectedByContact(const ClusterName& worker) {
  return state_.With([&](State& state) {
    Workloads all = state.being_looked_at;
    AddOfClasses(state, /*is_contact=*/true, all);
    return Joined(state.by_worker, worker, std::move(all));
  });
}

void WakeIndex::AgeByContact() {
  state_.With([](State& state) {
    for (Turns* turns : {&state.with_devices, &state.without})
      turns->passed_over = std::max(turns->passed_over, turns->contact);
  });
}

std::vector<ObjectKey> WakeIndex::AffectedBy(const ClusterName& worker) const {
  return state_.With([&](const State& state) {
    std::unordered_set<ObjectKey> all = state.being_looked_at;
    all.insert(state.looking.begin(), state.looking.end());
    return Joined(state.by_worker, worker, std::move(all));
  });
}

}  // namespace fedra::reconcile
