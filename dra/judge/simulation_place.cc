// Where the pods of one step go, and what they take.

#include <algorithm>
#include <utility>

#include "dra/judge/simulation.h"
#include "dra/judge/simulation_run.h"

namespace fedra::dra {
namespace {

// FirstAvailableDeviceRequestMaxSize of resource.k8s.io: what the first alternative scores.
constexpr int kMostAlternatives = 8;

const Text& Pods() {
  static const Text pods("pods");
  return pods;
}

// computeScore of kube-scheduler 1.36.3 (dynamicresources.go), without the claims that are
// allocated already: they score the same on every node.
int ScoreOf(const NodeAllocation& allocation) {
  int score = 0;
  for (const int alternative : allocation.alternatives) score += kMostAlternatives - alternative;
  return score;
}

}  // namespace

void Merge(std::vector<ChosenAlternative>& alternatives, const ChosenAlternative& more) {
  const auto key = [](const ChosenAlternative& chosen) {
    return std::pair(chosen.claim, chosen.request);
  };
  const auto at = std::lower_bound(
      alternatives.begin(), alternatives.end(), more,
      [&](const ChosenAlternative& a, const ChosenAlternative& b) { return key(a) < key(b); });
  if (at == alternatives.end() || key(*at) != key(more))
    alternatives.insert(at, more);
  else
    at->index = std::max(at->index, more.index);
}

NodeAnswer Simulation::RoomOn(const Run& run, const Node& node, const Variant& variant) const {
  if (!options_.node_resources) return HasPlugins(node, run.demand.requests, variant.from_devices);
  Amounts used;
  if (const auto at = placed_.find(node.name); at != placed_.end()) used = at->second;
  if (options_.used)
    if (const auto at = options_.used->find(node.name); at != options_.used->end())
      AddAmounts(used, at->second);
  return HasRoom(node, run.demand.requests, &used, variant.from_devices);
}

// The node's device plugin has what devices would have provided elsewhere, and the pod has claims.
bool Simulation::CannotBind(const Run& run, const Variant& variant) const {
  return snapshot_.features().plugin_beside_claims_fails && !run.demand.claims.empty() &&
         variant.from_devices.empty() && run.wants_device_resources;
}

void Simulation::NoteNearest(Run& run, const Node& node, uint32_t devices) {
  if (run.nearest == nullptr || devices > run.deepest) run.nearest = &node;
  run.deepest = std::max(run.deepest, devices);
}

// Pods that use the claim: those that reserved it in the cluster, and those placed here.
size_t Simulation::ConsumersOf(const ObjectKey& claim) const {
  const auto* known = snapshot_.claims().Find(claim);
  // A PodGroup's claim is reserved once, for the group; it may be yet to be made.
  if (known == nullptr || group_claims_.contains(claim)) return 0;
  const auto placed = reserved_.find(claim);
  return (*known)->reserved_for.size() + (placed == reserved_.end() ? 0 : placed->second);
}

// Whether a pod that fits can be bound.
bool Simulation::TakesPod(Run& run, const Variant& variant) const {
  if (CannotBind(run, variant)) {
    ++run.unbindable;
    return false;
  }
  for (const auto& [key, binding] : run.bound) {
    if (binding->unbindable) run.unbindable_claim = &key;
    if (ConsumersOf(key) >= kMaxConsumers) run.full_claim = &key;
  }
  return run.unbindable_claim == nullptr && run.full_claim == nullptr;
}

// Absent: the node cannot take the pod, and `run` knows why.
std::optional<Simulation::Offer> Simulation::OfferOn(Run& run, const Node& node) {
  Offer offer{.node = &node, .variant = &VariantFor(run, node), .view = {}, .allocation = {}};
  const Variant& variant = *offer.variant;
  if (const NodeAnswer room = RoomOn(run, node, variant); !room.fits()) {
    run.no_room.emplace_back(&node, room.what);
    return std::nullopt;
  }
  NodeAllocation& found = offer.allocation;
  found.fit = Fit::kFit;
  if (!variant.pod.claims.empty()) {
    offer.view = ViewOf(snapshot_, node);
    found = Find(variant.pod, offer.view, workspace_);
  }
  if (found.fit == Fit::kBudget) run.unfinished = &node;
  NoteSlowness(run, node, found);
  if (found.fit == Fit::kError) NoteError(run, node, found);
  if (found.fit != Fit::kFit) {
    NoteNearest(run, node, found.deepest);
    return std::nullopt;
  }
  if (!TakesPod(run, variant)) return std::nullopt;
  offer.score = ScoreOf(found);
  return offer;
}

std::vector<PlannedDevice> Simulation::NameDevices(const PodClaims& pod,
                                                   const NodeAllocation& allocation,
                                                   const NodeView& view) {
  std::vector<PlannedDevice> devices;
  for (const ChosenDevice& chosen : allocation.devices) {
    const PoolView& pool = *view.pools[chosen.pool];
    devices.push_back({.claim = pod.claims[chosen.claim].key.name,
                       .request = pod.asks[chosen.ask].Name(),
                       .pool = pool.key,
                       .device = pool.devices[chosen.device].device->name});
  }
  return devices;
}

// The claims that the pod shares with others are allocated from now on, for every further pod of
// this and other pod sets.
void Simulation::Bind(Run& run, const Offer& offer) {
  if (offer.variant->shared.empty()) return;
  SharedChoice choice{.step = run.step, .claims = {}, .node = offer.node->name};
  for (const size_t claim : offer.variant->shared) {
    Binding binding;
    for (const ChosenDevice& chosen : offer.allocation.devices) {
      if (chosen.claim != claim) continue;
      const ViewDevice& device = offer.view.pools[chosen.pool]->devices[chosen.device];
      const auto& extras = device.device->extras;
      const NodeReach& reach = ReachOf(device);
      if (!reach.node_name.empty() || (extras && extras->binds_to_node))
        binding.node = offer.node->name;
      if (reach.selector) binding.selectors.push_back(reach.selector);
    }
    if (!binding.node.empty()) binding.selectors.clear();
    const ObjectKey& key = offer.variant->pod.claims[claim].key;
    bindings_[key] = std::move(binding);
    choice.claims.push_back(key);
    ++reserved_[key];
  }
  choices_.push_back(std::move(choice));
  run.claims.clear();
  run.is_shared.clear();
  run.entries.clear();
  run.bound.clear();
  run.variants.clear();
  run.nodes.clear();
  run.refused.clear();
  run.elsewhere.clear();
  run.order = {};
  run.no_room.clear();
  run.unbindable = 0;
  ResolveClaims(run);
  CollectNodes(run);
}

// The claim for extended resources, which is the last, has no alternatives.
void Simulation::NoteAlternatives(Run& run, const Offer& offer) {
  const std::vector<PreparedClaim>& claims = offer.variant->pod.claims;
  auto next = offer.allocation.alternatives.begin();
  for (size_t claim = 0; claim < claims.size(); ++claim) {
    for (size_t request = 0; request < claims[claim].requests.size(); ++request) {
      if (!claims[claim].requests[request].alternatives) continue;
      Merge(run.result.report.alternatives, {run.entries[claim], request, *next++});
    }
  }
}

void Simulation::Occupy(const Run& run, const Node& node, const Variant& variant,
                        const NodeAllocation& found, const NodeView& view) {
  Commit(found, variant.pod, view, workspace_);
  AddAmounts(placed_[node.name], run.demand.requests);
  AddAmounts(placed_[node.name], {{Pods(), Quantity(1)}});
}

void Simulation::Take(Run& run, const Offer& offer) {
  for (const auto& [key, binding] : run.bound) ++reserved_[key];
  Occupy(run, *offer.node, *offer.variant, offer.allocation, offer.view);
  if (const auto at = run.pods_to_error.find(offer.node); at != run.pods_to_error.end())
    --at->second;
  chose_ = chose_ || run.nodes.size() > 1;
  ++run.result.report.fitting;
  run.result.report.nodes.push_back(offer.node->name.str());
  if (options_.name_devices)
    run.result.report.devices.push_back(
        NameDevices(offer.variant->pod, offer.allocation, offer.view));
  NoteAlternatives(run, offer);
  Bind(run, offer);
}

// Nodes that certainly have too few devices for some request of the pod. Found out once for all
// pods: placing pods takes devices and gives none back.
std::vector<bool> Simulation::TooFew(Run& run) {
  std::vector<bool> too_few;
  // Only devices of nodes are counted, and the counts belong to the nodes that admit the pod.
  if (!run.bound.empty() || run.wants_device_resources || !snapshot_.roaming_pools().empty())
    return too_few;
  const PodClaims& pod = VariantWith(run, {}).pod;
  for (const PreparedClaim& claim : pod.claims) {
    for (const PreparedRequest& request : claim.requests) {
      const Ask& ask = pod.asks[request.first_ask];
      if (request.asks != 1 || ask.all || ask.admin || ask.request->count <= 0) continue;
      const auto& free =
          memory_.FreeOn(run.demand.node, {WishOf(ask)}, snapshot_, caches_.matches).on_node;
      too_few.resize(free.size());
      for (size_t i = 0; i < free.size(); ++i) {
        if (too_few[i] || free[i] >= ask.request->count) continue;
        too_few[i] = true;
        NoteNearest(run, *run.nodes[i], static_cast<uint32_t>(free[i]));
      }
    }
  }
  return too_few;
}

bool Simulation::Ends(const Run& run) const {
  return run.result.report.fitting >= std::min(run.demand.count, options_.max_pods) || run.error ||
         run.unbindable_claim != nullptr || run.full_claim != nullptr || BudgetIsSpent();
}

bool Simulation::IsLeftOut(const Run& run, size_t position) const {
  if (position < run.order.too_few.size() && run.order.too_few[position]) return true;
  if (run.order.spares) {
    const auto at = run.pods_to_error.find(run.nodes[position]);
    if (at != run.pods_to_error.end() && at->second <= 1) return true;
  }
  // Only the first pod allocates claims for the others.
  return run.result.report.fitting == 0 && run.step < route_.avoided.size() &&
         route_.avoided[run.step].contains(run.nodes[position]->name);
}

// Where every request gets its first alternative; 0 without alternatives.
int Simulation::BestScore(Run& run) {
  int requests = 0;
  for (const PreparedClaim& claim : VariantWith(run, {}).pod.claims)
    requests += static_cast<int>(
        std::count_if(claim.requests.begin(), claim.requests.end(),
                      [](const PreparedRequest& request) { return request.alternatives; }));
  return requests * kMostAlternatives;
}

// The first of the nodes not asked before where the pod gets the best there is. Those that have
// less for it are noted.
std::optional<Simulation::Offer> Simulation::FirstGood(Run& run) {
  const int best = BestScore(run);
  NodeOrder& order = run.order;
  // A better alternative is not worth an Unknown.
  const auto gives_up = [&] {
    return !order.asked.empty() && cost_.steps > options_.limits.max_steps / 2;
  };
  for (; order.next < run.nodes.size() && !Ends(run) && !gives_up(); ++order.next) {
    if (IsLeftOut(run, order.next)) continue;
    std::optional<Offer> offer = OfferOn(run, *run.nodes[order.next]);
    if (!offer) continue;
    if (offer->score >= best) return offer;  // and perhaps the next pod as well
    order.asked.emplace(-offer->score, order.next);
  }
  return std::nullopt;
}

// The node for the next pod.
std::optional<Simulation::Offer> Simulation::Choose(Run& run) {
  if (std::optional<Offer> offer = FirstGood(run)) return offer;
  NodeOrder& order = run.order;
  while (!order.asked.empty() && !Ends(run)) {
    const auto [score, position] = *order.asked.begin();
    order.asked.erase(order.asked.begin());
    if (IsLeftOut(run, position)) continue;
    std::optional<Offer> offer = OfferOn(run, *run.nodes[position]);
    if (!offer) continue;
    order.asked.emplace(-offer->score, position);
    if (offer->score >= -score) return offer;  // else others may be better by now
  }
  return std::nullopt;
}

void Simulation::PlacePods(Run& run) {
  run.order.too_few = TooFew(run);
  while (!Ends(run)) {
    std::optional<Offer> offer = Choose(run);
    // Nobody else takes it: now nodes where it leads the next pod to an error as well.
    if (!offer && run.order.spares && !run.pods_to_error.empty() && !Ends(run) &&
        run.order.next >= run.nodes.size()) {
      run.order = {.too_few = std::move(run.order.too_few), .spares = false, .asked = {}};
      run.no_room.clear();  // everyone is asked anew
      run.unbindable = 0;
      offer = Choose(run);
    }
    if (!offer) return;
    const bool binds = !offer->variant->shared.empty();
    const bool look_again = run.errors_possible && (binds || TakesRoaming(*offer));
    Take(run, *offer);
    if (look_again && !Ends(run)) FindNewErrors(run, binds);
  }
}

void Simulation::NoteContested(Run& run) const {
  if (run.result.report.fitting >= std::min(run.demand.count, options_.max_pods) || Ends(run))
    return;
  for (const auto& [key, binding] : run.bound) run.result.contested.push_back(key);
}

}  // namespace fedra::dra
