// The claims of a pod: those that exist, those made for it, and the one for extended resources.
//
// A PodGroup's claim is made once, with or without pods, and named in the group's status; while it
// exists the group's pods get no other (Kubernetes v1.36.3, pkg/controller/resourceclaim/
// controller.go: handlePodGroupClaim, handleClaim). When it is gone it is made anew.

#include "dra/judge/extended.h"
#include "dra/judge/simulation.h"
#include "dra/judge/simulation_run.h"

namespace fedra::dra {

bool Simulation::ResolveNamed(Run& run, const std::string& name) {
  const ObjectKey key{.ns = *ns_, .name = name};
  const std::string object = "ResourceClaim " + key.ToString();
  const auto* found = snapshot_.claims().Find(key);
  if (found == nullptr || (*found)->deleting) {
    Add(run, Outcome::kNo, ReasonCode::kClaimMissing, object,
        object + (found ? " is being deleted" : " does not exist there"));
    return false;
  }
  const Claim& claim = **found;
  const auto here = bindings_.find(key);
  if (here != bindings_.end()) {
    run.bound.emplace_back(key, &here->second);
  } else if (claim.allocation) {
    auto binding = std::make_unique<Binding>();
    if (claim.allocation->node_selector)
      binding->selectors.push_back(claim.allocation->node_selector);
    binding->idle = claim.reserved_for.empty();
    if (snapshot_.features().binding_conditions) {
      binding->unbindable = !claim.allocation->has_timestamp;
      binding->failure = claim.allocation->binding_failure;
    }
    run.bound.emplace_back(key, binding.get());
    run.known_bindings.push_back(std::move(binding));
  } else {
    run.claims.push_back({.key = key, .spec = &claim.spec});
    run.is_shared.push_back(true);
  }
  return true;
}

bool Simulation::Exists(const std::string& claim) const {
  const auto* found = snapshot_.claims().Find({.ns = *ns_, .name = claim});
  return found != nullptr && !(*found)->deleting;
}

bool Simulation::ResolveTemplate(Run& run, const ClaimReference& reference) {
  const bool grouped = !reference.pod_group.empty() && snapshot_.features().workload_claims;
  if (grouped && Exists(reference.group_claim)) {
    group_claims_.insert({.ns = *ns_, .name = reference.group_claim});
    return ResolveNamed(run, reference.group_claim);
  }
  const ObjectKey key{.ns = *ns_, .name = reference.template_name};
  const auto* found = snapshot_.templates().Find(key);
  if (found == nullptr) {
    const std::string object = "ResourceClaimTemplate " + key.ToString();
    Add(run, Outcome::kNo, ReasonCode::kTemplateMissing, object, object + " does not exist there");
    return false;
  }
  const ClaimSpec& spec = *(*found)->spec;
  ObjectKey claim{.ns = *ns_, .name = reference.pod_claim};
  // No object can be called so: it stands for the claim that the group will get.
  if (grouped) claim.name = reference.pod_group + "/" + reference.pod_claim;
  if (const auto here = bindings_.find(claim); grouped && here != bindings_.end()) {
    run.bound.emplace_back(claim, &here->second);
    return true;
  }
  run.claims.push_back({.key = claim, .spec = &spec, .made_from = &reference.template_name});
  run.is_shared.push_back(grouped);
  return true;
}

bool Simulation::ResolveClaims(Run& run) {
  bool complete = true;
  for (size_t entry = 0; entry < run.demand.claims.size(); ++entry) {
    const ClaimReference& reference = run.demand.claims[entry];
    const bool resolved = reference.claim_name.empty() ? ResolveTemplate(run, reference)
                                                       : ResolveNamed(run, reference.claim_name);
    run.entries.resize(run.claims.size(), entry);
    complete = resolved && complete;
  }
  return complete;
}

Simulation::Variant& Simulation::VariantFor(Run& run, const Node& node) {
  if (!run.wants_device_resources) return VariantWith(run, {});
  return VariantWith(run, ResourcesFromDevices(run.demand, snapshot_, node));
}

Simulation::Variant& Simulation::VariantWith(Run& run, const std::vector<Text>& resources) {
  const auto [at, is_new] = run.variants.try_emplace(resources);
  Variant& variant = at->second;
  if (!is_new) return variant;
  std::vector<UnallocatedClaim> claims = run.claims;
  for (size_t i = 0; i < claims.size(); ++i)
    if (run.is_shared[i]) variant.shared.push_back(i);
  if (!resources.empty()) {
    variant.extended =
        std::make_unique<ClaimSpec>(ClaimForResources(run.demand, snapshot_, resources));
    claims.push_back({.key = {.ns = *ns_, .name = kExtendedClaim}, .spec = variant.extended.get()});
  }
  variant.from_devices = resources;
  variant.pod = Prepare(claims, snapshot_, caches_.matches, caches_.selectors);
  return variant;
}

// A class that does not exist keeps the pod from being looked at, even in an alternative.
bool Simulation::CheckClasses(Run& run) {
  const PodClaims& pod = VariantWith(run, {}).pod;
  for (const Text& name : pod.missing_classes) {
    const std::string object = "DeviceClass " + name.str();
    Add(run, Outcome::kNo, ReasonCode::kDeviceClassMissing, object,
        object + " does not exist there");
  }
  return pod.missing_classes.empty();
}

}  // namespace fedra::dra
