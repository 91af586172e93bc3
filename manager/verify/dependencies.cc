#include "manager/verify/dependencies.h"

#include <algorithm>

#include "cluster-clients/kube/resource_name.h"
#include "manager/tracking/resources.h"
#include "manager/verify/cache_status.h"

namespace fedra::verify {
namespace {

using verdict::Outcome;
using verdict::ReasonCode;
using Kind = tracking::Dependency::Kind;

// In the order of Dependency::Kind.
const std::array<kube::Resource, 7>& Resources() {
  static const std::array<kube::Resource, 7> resources = {{
      {"", "v1", "configmaps", "ConfigMap", true},
      {"", "v1", "secrets", "Secret", true},
      {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true},
      {"", "v1", "serviceaccounts", "ServiceAccount", true},
      {"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false},
      {"node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", false},
      tracking::kPodGroups,
  }};
  return resources;
}

}  // namespace

DependencyIndex::DependencyIndex(DependencyOptions options,
                                 const std::function<void(const ObjectKey& object)>& on_change,
                                 const std::function<void()>& on_health)
    : options_(options) {
  for (size_t kind = 0; kind < Resources().size(); ++kind) {
    const bool wanted = static_cast<Kind>(kind) != Kind::kSecret || options.secrets;
    caches_.push_back(
        wanted ? std::make_unique<Objects>(
                     &ParseNamedObject,
                     [on_change](const ObjectKey& key, const auto& before, const auto& after) {
                       if ((before == nullptr) != (after == nullptr)) on_change(key);
                     },
                     [on_health](const watch::CacheHealth&) { on_health(); })
               : nullptr);
  }
}

DependencyIndex::~DependencyIndex() = default;

std::vector<Input> DependencyIndex::Inputs() {
  std::vector<Input> inputs;
  for (size_t kind = 0; kind < caches_.size(); ++kind) {
    if (caches_[kind] != nullptr && static_cast<Kind>(kind) != Kind::kPodGroup)
      inputs.push_back({Resources()[kind], caches_[kind].get(), /*metadata_only=*/true});
  }
  return inputs;
}

watch::ObjectSink& DependencyIndex::pod_groups() {
  return *caches_[static_cast<size_t>(Kind::kPodGroup)];
}

verdict::Verdict DependencyIndex::Verify(const tracking::Requirement& requirement) const {
  verdict::Verdict verdict;
  verdict.outcome = Outcome::kYes;
  const auto add = [&](Outcome outcome, verdict::Reason reason) {
    if (options_.enforce) verdict.outcome = std::max(verdict.outcome, outcome);
    verdict.reasons.push_back(std::move(reason));
  };
  for (const tracking::Dependency& dependency : requirement.dependencies) {
    const auto kind = static_cast<size_t>(dependency.kind);
    if (caches_[kind] == nullptr) continue;
    const kube::Resource& resource = Resources()[kind];
    const ObjectKey key{resource.namespaced ? requirement.ns : "", dependency.name};
    if (caches_[kind]->Find(key) != nullptr) continue;
    const watch::CacheHealth health = caches_[kind]->health();
    if (dependency.kind == Kind::kPodGroup && health.state == watch::CacheState::kNotServed)
      continue;
    if (auto why = WhySilent(health, kube::ResourceName(resource))) {
      add(Outcome::kUnknown, *std::move(why));
      continue;
    }
    add(Outcome::kNo, MissingDependency(resource.kind, key));
  }
  return verdict;
}

verdict::Verdict DependencyIndex::VerifySchedulers(const tracking::Requirement& requirement) const {
  verdict::Verdict verdict;
  verdict.outcome =
      options_.enforce && !requirement.schedulers.empty() ? Outcome::kUnknown : Outcome::kYes;
  for (const std::string& name : requirement.schedulers) {
    verdict.reasons.push_back(
        {ReasonCode::kSchedulerUnverified, "schedulerName " + name, verdict::OtherScheduler{name}});
  }
  return verdict;
}

}  // namespace fedra::verify
