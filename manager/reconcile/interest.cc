#include "manager/reconcile/interest.h"

#include <algorithm>

namespace fedra::reconcile {
namespace {

bool Names(const dra::Requirement& requirement, const std::string& name,
           std::string dra::ClaimReference::* field) {
  for (const dra::PodSet& pod_set : requirement.pod_sets) {
    for (const dra::ClaimReference& claim : pod_set.claims) {
      if (claim.*field == name) return true;
    }
  }
  return false;
}

bool UsesClaims(const dra::Requirement& requirement) {
  return std::any_of(requirement.pod_sets.begin(), requirement.pod_sets.end(),
                     [](const dra::PodSet& pod_set) { return !pod_set.claims.empty(); });
}

bool Concerns(const tracking::Workload& workload, const InputChange& change) {
  const dra::Requirement& requirement = workload.requirement;
  const bool same_namespace = change.key.ns == requirement.ns;
  switch (change.kind) {
    case InputChange::Kind::kNamespace:
      return change.key.name == requirement.ns;
    case InputChange::Kind::kQueue:
      return same_namespace && change.key.name == requirement.queue;
    case InputChange::Kind::kTemplate:
      return same_namespace &&
             Names(requirement, change.key.name, &dra::ClaimReference::template_name);
    case InputChange::Kind::kClaim:
      return same_namespace &&
             Names(requirement, change.key.name, &dra::ClaimReference::claim_name);
    // Which classes a workload needs is known only through each worker's copies.
    case InputChange::Kind::kClass:
      return UsesClaims(requirement);
    case InputChange::Kind::kDependency:
      return (same_namespace || change.key.ns.empty()) &&
             std::any_of(requirement.dependencies.begin(), requirement.dependencies.end(),
                         [&](const dra::Dependency& dependency) {
                           return dependency.name == change.key.name;
                         });
    case InputChange::Kind::kDevices:
      return workload.demands == nullptr || tracking::NeedDevices(*workload.demands);
  }
  return false;
}

}  // namespace

void Interest::Begin(const ObjectKey& workload) {
  state_.With([&](State& state) { state.being_looked_at.insert(workload); });
}

void Interest::Update(const Picture& picture, const placement::Decision& decision) {
  const tracking::Workload* workload = picture.view.workload.get();
  const bool has_worker = workload != nullptr && !workload->cluster_name.empty();
  const bool matters =
      workload != nullptr && !picture.view.check.empty() && (picture.judged || has_worker);
  state_.With([&](State& state) {
    state.being_looked_at.erase(picture.view.key);
    if (matters) {
      state.entries[picture.view.key] = {picture.view.workload, picture.judged, decision.worker};
    } else {
      state.entries.erase(picture.view.key);
    }
  });
}

std::vector<ObjectKey> Interest::In(const InputChange& change) const {
  return state_.With([&](const State& state) {
    std::vector<ObjectKey> keys(state.being_looked_at.begin(), state.being_looked_at.end());
    for (const auto& [key, entry] : state.entries) {
      if (entry.looking && Concerns(*entry.workload, change)) keys.push_back(key);
    }
    return keys;
  });
}

std::vector<ObjectKey> Interest::InContact(const ClusterName& worker) const {
  return state_.With([&](const State& state) {
    std::vector<ObjectKey> keys(state.being_looked_at.begin(), state.being_looked_at.end());
    for (const auto& [key, entry] : state.entries) {
      if (entry.looking || entry.worker == worker || entry.workload->cluster_name == worker.value)
        keys.push_back(key);
    }
    return keys;
  });
}

}  // namespace fedra::reconcile
