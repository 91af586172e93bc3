// A PodGroup's claim is made once, with or without pods, and named in the group's status; while it
// exists the group's pods get no other (Kubernetes v1.36.3, pkg/controller/resourceclaim/
// controller.go: handlePodGroupClaim, handleClaim). When it is gone it is made again.

#include "dra/judge/resolved_pod.h"

#include <algorithm>

#include "dra/judge/extended.h"
#include "dra/judge/node_score.h"
#include "dra/judge/node_share.h"
#include "dra/judge/placed_pods.h"
#include "dra/model/node_match.h"

namespace fedra::dra {

using verdict::Reason;
using verdict::ReasonCode;

namespace {

Reason MissingObject(ReasonCode code, const char* kind, const ObjectKey& key,
                     bool being_deleted = false) {
  return {code, kind + (" " + key.ToString()),
          verdict::Missing{.kind = kind, .key = key, .being_deleted = being_deleted}};
}

// Of an allocated claim: computeScore of kube-scheduler v1.36.3 (dynamicresources.go:1101).
int DevicesScoreOf(const Claim& claim) {
  int score = 0;
  for (const ClaimRequest& request : claim.spec.requests) {
    for (size_t i = 0; i < request.first_available.size(); ++i) {
      const std::string name = request.name.str() + "/" + request.first_available[i].name.str();
      const auto& devices = claim.allocation->devices;
      if (std::any_of(devices.begin(), devices.end(),
                      [&](const AllocatedDevice& device) { return device.request == name; }))
        score += ScoreOfAlternative(static_cast<int>(i));
    }
  }
  return score;
}

Binding BindingOf(const Claim& claim, const Snapshot& snapshot) {
  const AllocatorFeatures& features = snapshot.features();
  Binding binding;
  binding.of_node = TakeOf(*claim.allocation, snapshot);
  if (claim.allocation->node_selector) binding.selectors.push_back(claim.allocation->node_selector);
  binding.idle = claim.reserved_for.empty();
  binding.devices_score = DevicesScoreOf(claim);
  const auto& devices = claim.allocation->devices;
  binding.needs_operations =
      features.optional_operations &&
      std::any_of(devices.begin(), devices.end(),
                  [](const AllocatedDevice& device) { return device.skips_operations; });
  if (features.binding_conditions) {
    binding.unbindable = !claim.allocation->has_timestamp;
    binding.failure = claim.allocation->binding_failure;
  }
  return binding;
}

// Looks up the claims of one pod: those that exist, and those that will be made for it.
class ClaimResolver final {
 public:
  ClaimResolver(const SimulationContext& context, const std::string& ns, const PlacedPods& placed)
      : snapshot_(context.snapshot), ns_(ns), placed_(placed) {}

  // `uses`: how often containers name it.
  void Add(size_t entry, const ClaimReference& reference, int64_t uses) {
    const size_t before = bound.size();
    reference.claim_name.empty() ? AddTemplate(reference) : AddNamed(reference.claim_name);
    if (entries.size() < claims.size()) claims.back().claim.uses = uses;
    entries.resize(claims.size(), entry);
    if (bound.size() > before) AddAmounts(of_bound, bound.back().second->of_node.For(uses));
  }

  std::vector<PodVariants::Claim> claims;
  std::vector<size_t> entries;  // as in ResolvedPod
  std::vector<BoundClaim> bound;
  Amounts of_bound;
  std::vector<ObjectKey> group_claims;
  std::vector<Reason> missing;

 private:
  void AddNamed(const std::string& name);
  void AddTemplate(const ClaimReference& reference);
  bool Exists(const std::string& claim) const;

  const Snapshot& snapshot_;
  const std::string& ns_;
  const PlacedPods& placed_;
};

void ClaimResolver::AddNamed(const std::string& name) {
  const ObjectKey key{.ns = ns_, .name = name};
  const auto* found = snapshot_.claims().Find(key);
  if (found == nullptr || (*found)->deleting) {
    missing.push_back(
        MissingObject(ReasonCode::kClaimMissing, "ResourceClaim", key, found != nullptr));
    return;
  }
  const Claim& claim = **found;
  if (const auto here = placed_.bindings.find(key); here != placed_.bindings.end())
    bound.emplace_back(key, here->second);
  else if (claim.allocation)
    bound.emplace_back(key, std::make_shared<const Binding>(BindingOf(claim, snapshot_)));
  else
    claims.push_back({.claim = {.key = key, .spec = &claim.spec}, .shared = true});
}

bool ClaimResolver::Exists(const std::string& claim) const {
  const auto* found = snapshot_.claims().Find({.ns = ns_, .name = claim});
  return found != nullptr && !(*found)->deleting;
}

void ClaimResolver::AddTemplate(const ClaimReference& reference) {
  const bool grouped = !reference.pod_group.empty() && snapshot_.features().workload_claims;
  if (grouped && Exists(reference.group_claim)) {
    group_claims.push_back({.ns = ns_, .name = reference.group_claim});
    return AddNamed(reference.group_claim);
  }
  const ObjectKey key{.ns = ns_, .name = reference.template_name};
  const auto* found = snapshot_.templates().Find(key);
  if (found == nullptr) {
    missing.push_back(MissingObject(ReasonCode::kTemplateMissing, "ResourceClaimTemplate", key));
    return;
  }
  ObjectKey claim{.ns = ns_, .name = reference.pod_claim};
  // No object can be called so: it stands for the claim that the group will get.
  if (grouped) claim.name = reference.pod_group + "/" + reference.pod_claim;
  if (const auto here = placed_.bindings.find(claim); grouped && here != placed_.bindings.end())
    bound.emplace_back(claim, here->second);
  else
    claims.push_back({.claim = {.key = claim,
                                .spec = (*found)->spec.get(),
                                .made_from = &reference.template_name},
                      .shared = grouped});
}

// A class that does not exist keeps the pod from being looked at, even in an alternative.
void CheckClasses(ResolvedPod& resolved) {
  for (const Symbol& name : resolved.variants.Plain().pod.missing_classes)
    resolved.missing.push_back(
        MissingObject(ReasonCode::kDeviceClassMissing, "DeviceClass", {"", name.str()}));
}

void CollectNodes(const SimulationContext& context, const PodDemand& demand,
                  ResolvedPod& resolved) {
  const AdmittingNodes& admitting =
      context.memory.NodesFor(demand.node, context.snapshot, context.caches.matches);
  resolved.refused = admitting.refused;
  if (resolved.bound.empty()) {
    resolved.nodes = admitting.nodes;
    return;
  }
  std::map<const BoundClaim*, int> refused;
  for (const Node* node : admitting.nodes) {
    if (const BoundClaim* claim = ClaimElsewhere(resolved.bound, *node)) {
      ++refused[claim];
      resolved.elsewhere.push_back(node);
    } else {
      resolved.nodes.push_back(node);
    }
  }
  for (const auto& [claim, nodes] : refused) {
    const auto& [key, binding] = *claim;
    resolved.refused[{.why = verdict::NodeRefusal::Why::kClaim,
                      .detail = "ResourceClaim " + key.ToString(),
                      .error = binding->failure}] += nodes;
  }
}

}  // namespace

bool CannotBeUsed(const Binding& binding, const Node& node) {
  if (!binding.failure.empty()) return true;
  if (binding.needs_operations && !node.optional_operations) return true;
  if (!binding.node.empty() && binding.node != node.name) return true;
  return std::any_of(binding.selectors.begin(), binding.selectors.end(), [&](const auto& selector) {
    return !Matches(*selector, node).value_or(false);
  });
}

const BoundClaim* ClaimElsewhere(const std::vector<BoundClaim>& bound, const Node& node) {
  for (const BoundClaim& claim : bound)
    if (CannotBeUsed(*claim.second, node)) return &claim;
  return nullptr;
}

PodVariants::PodVariants(const SimulationContext& context, const std::string& ns,
                         const PodDemand& demand, std::vector<Claim> claims)
    : context_(&context),
      ns_(&ns),
      demand_(&demand),
      claims_(std::move(claims)),
      wants_device_resources_(WantsDeviceResources(demand, context.snapshot)) {}

const PodVariant& PodVariants::For(const Node& node) const {
  if (!wants_device_resources_) return Plain();
  return With(ResourcesFromDevices(*demand_, context_->snapshot, node));
}

const PodVariant& PodVariants::With(const std::vector<Symbol>& resources) const {
  const auto [at, is_new] = variants_.try_emplace(resources);
  PodVariant& variant = at->second;
  if (!is_new) return variant;
  std::vector<UnallocatedClaim> claims;
  for (const Claim& claim : claims_) {
    if (claim.shared) variant.shared.push_back(claims.size());
    claims.push_back(claim.claim);
  }
  if (!resources.empty()) {
    variant.extended =
        std::make_unique<ClaimSpec>(ClaimForResources(*demand_, context_->snapshot, resources));
    claims.push_back({.key = {.ns = *ns_, .name = kExtendedClaim}, .spec = variant.extended.get()});
  }
  variant.from_devices = resources;
  variant.pod =
      Prepare(claims, context_->snapshot, context_->caches.matches, context_->caches.selectors);
  return variant;
}

std::set<const PodClaims*> ResolvedPod::EveryVariant() const {
  std::set<const PodClaims*> pods;
  for (const auto* list : {&nodes, &elsewhere})
    for (const Node* node : *list) {
      pods.insert(&variants.For(*node).pod);
      if (!variants.wants_device_resources()) break;  // one variant for all
    }
  if (pods.empty()) pods.insert(&variants.Plain().pod);
  return pods;
}

std::optional<size_t> PositionOf(const Symbol& name, const std::vector<const Node*>& nodes) {
  const auto at = std::lower_bound(
      nodes.begin(), nodes.end(), name,
      [](const Node* usable, const Symbol& wanted) { return usable->name < wanted; });
  if (at == nodes.end() || (*at)->name != name) return std::nullopt;
  return static_cast<size_t>(at - nodes.begin());
}

ResolvedPod Resolve(const SimulationContext& context, const std::string& ns,
                    const PodDemand& demand, const PlacedPods& placed) {
  ClaimResolver claims(context, ns, placed);
  for (size_t entry = 0; entry < demand.claims.size(); ++entry)
    claims.Add(entry, demand.claims[entry],
               std::count(demand.container_claims.begin(), demand.container_claims.end(),
                          demand.claims[entry].pod_claim));
  ResolvedPod resolved{.variants = {context, ns, demand, std::move(claims.claims)},
                       .entries = std::move(claims.entries),
                       .bound = std::move(claims.bound),
                       .of_bound = std::move(claims.of_bound),
                       .group_claims = std::move(claims.group_claims),
                       .missing = std::move(claims.missing)};
  if (resolved.missing.empty()) CheckClasses(resolved);
  if (resolved.missing.empty()) CollectNodes(context, demand, resolved);
  return resolved;
}

}  // namespace fedra::dra
