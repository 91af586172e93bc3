#include "manager/reconcile/interest.h"

#include <algorithm>

namespace fedra::reconcile {
namespace {

using Kind = InputChange::Kind;

bool UsesClaims(const dra::Requirement& requirement) {
  return std::any_of(requirement.pod_sets.begin(), requirement.pod_sets.end(),
                     [](const dra::PodSet& pod_set) { return !pod_set.claims.empty(); });
}

template <class Index, class Name>
void Erase(Index& index, const Name& name, const ObjectKey& key) {
  const auto found = index.find(name);
  if (found == index.end()) return;
  found->second.erase(key);
  if (found->second.empty()) index.erase(found);
}

template <class Index, class Name>
void Append(const Index& index, const Name& name, std::vector<ObjectKey>& keys) {
  const auto found = index.find(name);
  if (found != index.end()) keys.insert(keys.end(), found->second.begin(), found->second.end());
}

}  // namespace

std::vector<Interest::Topic> Interest::TopicsOf(const tracking::Workload& workload) {
  const dra::Requirement& requirement = workload.requirement;
  std::vector<Topic> topics = {{Kind::kNamespace, {"", requirement.ns}},
                               {Kind::kQueue, {requirement.ns, requirement.queue}}};
  for (const std::string& name : requirement.TemplateNames())
    topics.push_back({Kind::kTemplate, {requirement.ns, name}});
  for (const std::string& name : requirement.ClaimNames())
    topics.push_back({Kind::kClaim, {requirement.ns, name}});
  for (const dra::Dependency& dependency : requirement.dependencies) {
    topics.push_back({Kind::kDependency, {requirement.ns, dependency.name}});
    topics.push_back({Kind::kDependency, {"", dependency.name}});
  }
  // Which classes a workload needs is known only through each worker's copies.
  if (UsesClaims(requirement)) topics.push_back({Kind::kClass, {}});
  if (workload.demands == nullptr || tracking::NeedDevices(*workload.demands))
    topics.push_back({Kind::kDevices, {}});
  return topics;
}

void Interest::Add(State& state, const ObjectKey& key, const Entry& entry) {
  if (entry.looking) {
    state.looking.insert(key);
    for (const Topic& topic : TopicsOf(*entry.workload)) state.by_topic[topic].insert(key);
  }
  for (const std::string& worker : {entry.worker.value, entry.workload->cluster_name})
    if (!worker.empty()) state.by_worker[worker].insert(key);
}

void Interest::Remove(State& state, const ObjectKey& key) {
  const auto found = state.entries.find(key);
  if (found == state.entries.end()) return;
  const Entry& entry = found->second;
  if (entry.looking) {
    state.looking.erase(key);
    for (const Topic& topic : TopicsOf(*entry.workload)) Erase(state.by_topic, topic, key);
  }
  for (const std::string& worker : {entry.worker.value, entry.workload->cluster_name})
    Erase(state.by_worker, worker, key);
  state.entries.erase(found);
}

void Interest::Begin(const ObjectKey& workload) {
  state_.With([&](State& state) { state.being_looked_at.insert(workload); });
}

void Interest::Update(const Picture& picture, const placement::Decision& decision) {
  const tracking::Workload* workload = picture.view.workload.get();
  const bool has_worker = workload != nullptr && !workload->cluster_name.empty();
  const bool matters =
      workload != nullptr && !picture.view.check.empty() && (picture.judged || has_worker);
  const ObjectKey& key = picture.view.key;
  state_.With([&](State& state) {
    state.being_looked_at.erase(key);
    Remove(state, key);
    if (!matters) return;
    const Entry& entry =
        state.entries[key] = {picture.view.workload, picture.judged, decision.worker};
    Add(state, key, entry);
  });
}

std::vector<ObjectKey> Interest::In(const InputChange& change) const {
  const bool any = change.kind == Kind::kClass || change.kind == Kind::kDevices;
  const Topic topic{change.kind, any ? ObjectKey{} : change.key};
  return state_.With([&](const State& state) {
    std::vector<ObjectKey> keys(state.being_looked_at.begin(), state.being_looked_at.end());
    Append(state.by_topic, topic, keys);
    return keys;
  });
}

std::vector<ObjectKey> Interest::InContact(const ClusterName& worker) const {
  return state_.With([&](const State& state) {
    std::vector<ObjectKey> keys(state.being_looked_at.begin(), state.being_looked_at.end());
    keys.insert(keys.end(), state.looking.begin(), state.looking.end());
    const auto found = state.by_worker.find(worker.value);
    if (found == state.by_worker.end()) return keys;
    for (const ObjectKey& key : found->second)
      if (!state.looking.contains(key)) keys.push_back(key);
    return keys;
  });
}

}  // namespace fedra::reconcile
