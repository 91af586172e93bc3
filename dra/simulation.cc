#include "dra/simulation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "dra/extended.h"
#include "dra/node_match.h"
#include "dra/simulation_run.h"

namespace fedra::dra {
namespace {

// From so many feasible nodes on, kube-scheduler does not look at the others.
constexpr size_t kNodesAlwaysExamined = 100;

// The conjunctions that the pod asks for, each once.
std::vector<ConjunctionId> Asked(const PodClaims& pod) {
  std::vector<ConjunctionId> conjunctions;
  for (const Ask& ask : pod.asks) conjunctions.push_back(ask.match);
  std::sort(conjunctions.begin(), conjunctions.end());
  conjunctions.erase(std::unique(conjunctions.begin(), conjunctions.end()), conjunctions.end());
  return conjunctions;
}

const Text& Pods() {
  static const Text kPods("pods");
  return kPods;
}

}  // namespace

void Simulation::Add(Run& run, Outcome outcome, ReasonCode code, std::string object,
                     std::string message) {
  run.result.outcome = std::max(run.result.outcome, outcome);
  run.result.reasons.push_back(
      {.code = code, .object = std::move(object), .message = std::move(message)});
}

// ---- nodes

bool Simulation::Usable(const Run& run, const Text& name) const {
  const auto at = std::lower_bound(
      run.nodes.begin(), run.nodes.end(), name,
      [](const Node* usable, const Text& wanted) { return usable->name < wanted; });
  return at != run.nodes.end() && (*at)->name == name;
}

const ObjectKey* Simulation::ClaimElsewhere(const Run& run, const Node& node) const {
  for (const auto& [key, binding] : run.bound) {
    bool suits = binding->node.empty() || binding->node == node.name;
    for (const auto& selector : binding->selectors)
      suits = suits && Matches(*selector, node).value_or(false);
    if (!suits) return &key;
  }
  return nullptr;
}

void Simulation::CollectNodes(Run& run) {
  const AdmittingNodes& admitting = memory_.NodesFor(run.demand.node, snapshot_, caches_.matches);
  run.refused = admitting.refused;
  if (run.bound.empty()) {
    run.nodes = admitting.nodes;
    return;
  }
  for (const Node* node : admitting.nodes) {
    if (const ObjectKey* claim = ClaimElsewhere(run, *node)) {
      ++run.refused["ResourceClaim " + claim->ToString() + " is allocated elsewhere"];
      run.elsewhere.push_back(node);
    } else {
      run.nodes.push_back(node);
    }
  }
}

// ---- errors

bool Simulation::CanEndWithError(const PodClaims& pod) {
  const PoolFacts& pools = memory_.Pools(snapshot_, caches_.matches);
  if (pod.fatal || pools.bad_selector) return true;
  if (!pools.all_ready && snapshot_.features().invalid_pools_are_fatal) return true;
  for (const PreparedClaim& claim : pod.claims) {
    int64_t devices = 0;  // at most
    for (const PreparedRequest& request : claim.requests) {
      int64_t most = 0;
      for (uint32_t i = 0; i < request.asks; ++i) {
        const Ask& ask = pod.asks[request.first_ask + i];
        if (ask.all && (!pools.all_ready || ask.constraints != 0)) return true;
        if (memory_.CanFail(ask.match, snapshot_, caches_.matches)) return true;
        most = std::max(most, ask.all ? pools.most_devices : ask.request->count);
      }
      devices += std::min(most, kMaxResultsPerClaim + 1);
    }
    if (devices > kMaxResultsPerClaim) return true;
  }
  return false;
}

// Cheap, and nearly always false: then placing may stop at the first node that fits.
bool Simulation::ErrorsPossible(Run& run) {
  std::set<const PodClaims*> pods;
  for (const auto* nodes : {&run.nodes, &run.elsewhere})
    for (const Node* node : *nodes) {
      pods.insert(&VariantFor(run, *node).pod);
      if (!run.wants_device_resources) break;  // one variant for all
    }
  return std::any_of(pods.begin(), pods.end(),
                     [&](const PodClaims* pod) { return CanEndWithError(*pod); });
}

// Looks at every node, as the scheduler does. True: the pod's attempt ends with an error.
bool Simulation::FindErrors(Run& run) {
  const Node* failing = nullptr;
  std::string error;
  size_t fitting = 0;
  const auto examine = [&](const Node* node, bool usable) {
    const Variant& variant = VariantFor(run, *node);
    if (variant.pod.claims.empty() || !RoomOn(run, *node, variant).fits()) return;
    const NodeAllocation found = Allocate(variant.pod, ViewOf(snapshot_, *node), &workspace_,
                                          caches_.matches, snapshot_.features(), options_.limits);
    if (found.fit == Fit::kFit && usable) ++fitting;
    if (found.fit != Fit::kError || failing) return;
    failing = node;
    error = found.error;
  };
  for (const Node* node : run.nodes) examine(node, true);
  for (const Node* node : run.elsewhere) examine(node, false);
  if (failing == nullptr) return false;
  const bool certain = fitting < kNodesAlwaysExamined;
  run.result.report.aborted = certain;
  Add(run, certain ? Outcome::kNo : Outcome::kUnknown, ErrorCodeOn(run, *failing),
      "Node " + failing->name.str(),
      "the scheduler ends with an error on node " + failing->name.str() + ": " + error);
  return true;
}

// ---- pods

void Simulation::Bind(Run& run, const Variant& variant, const NodeAllocation& allocation,
                      const NodeView& view, const Node& node) {
  for (const size_t claim : variant.shared) {
    Binding binding;
    for (const ChosenDevice& chosen : allocation.devices) {
      if (chosen.claim != claim) continue;
      const ViewDevice& device = view.pools[chosen.pool]->devices[chosen.device];
      const auto& extras = device.device->extras;
      const NodeReach none;
      const NodeReach& reach = !device.slice->per_device ? device.slice->reach
                               : extras                  ? extras->reach
                                                         : none;
      if (!reach.node_name.empty() || (extras && extras->binds_to_node)) binding.node = node.name;
      if (reach.selector) binding.selectors.push_back(reach.selector);
    }
    if (!binding.node.empty()) binding.selectors.clear();
    bindings_[variant.pod.claims[claim].key] = std::move(binding);
  }
  if (variant.shared.empty()) return;
  // From now on the claims are allocated for every further pod of this and other pod sets.
  run.claims.clear();
  run.is_shared.clear();
  run.bound.clear();
  run.variants.clear();
  run.nodes.clear();
  run.refused.clear();
  run.elsewhere.clear();
  ResolveClaims(run);
  CollectNodes(run);
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

NodeAnswer Simulation::RoomOn(const Run& run, const Node& node, const Variant& variant) const {
  if (!options_.node_resources) return {};
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

bool Simulation::PlaceOne(Run& run, const Node& node) {
  Variant& variant = VariantFor(run, node);
  if (const NodeAnswer room = RoomOn(run, node, variant); !room.fits()) {
    ++run.no_room[room.what];
    return false;
  }
  NodeAllocation found;
  found.fit = Fit::kFit;
  NodeView view;
  if (!variant.pod.claims.empty()) {
    view = ViewOf(snapshot_, node);
    found = Allocate(variant.pod, view, &workspace_, caches_.matches, snapshot_.features(),
                     options_.limits);
  }
  if (found.fit == Fit::kBudget) run.budget = true;
  if (found.fit == Fit::kError) {
    run.error = found.error;
    run.error_node = &node;
  }
  if (found.fit != Fit::kFit) {
    NoteNearest(run, node, found.deepest);
    return false;
  }
  if (CannotBind(run, variant)) {
    ++run.unbindable;
    return false;
  }
  Commit(found, variant.pod, view, workspace_);
  AddAmounts(placed_[node.name], run.demand.requests);
  AddAmounts(placed_[node.name], {{Pods(), Quantity(1)}});
  ++run.result.report.fitting;
  run.result.report.nodes.push_back(node.name.str());
  if (options_.name_devices)
    run.result.report.devices.push_back(NameDevices(variant.pod, found, view));
  run.result.alternatives.resize(found.alternatives.size());
  for (size_t i = 0; i < found.alternatives.size(); ++i)
    run.result.alternatives[i] = std::max(run.result.alternatives[i], found.alternatives[i]);
  Bind(run, variant, found, view, node);
  return true;
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
          memory_.FreeOn(run.demand.node, {ask.match}, snapshot_, caches_.matches).on_node;
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

// Node by node: what does not fit on a node now will not fit there later.
void Simulation::PlacePods(Run& run) {
  std::vector<bool> too_few = TooFew(run);
  const auto done = [&] {
    return run.result.report.fitting >= std::min(run.demand.count, options_.max_pods) ||
           run.error_node != nullptr;
  };
  for (size_t i = 0; i < run.nodes.size() && !done();) {
    const size_t before = run.nodes.size();
    if (i < too_few.size() && too_few[i]) {
      ++i;
    } else if (!PlaceOne(run, *run.nodes[i])) {
      ++i;
    } else if (run.nodes.size() != before) {
      i = 0;  // a shared claim has been allocated and left fewer nodes
      too_few.clear();
    }
  }
}

// Free devices that match some request, on nodes the pod may use, beyond what was taken.
void Simulation::CountHeadroom(Run& run) {
  const auto count = [&](const Text& node, const std::vector<ConjunctionId>& conjunctions,
                         const Workspace* taken) {
    const NodePools* pools = snapshot_.PoolsOf(node);
    return pools ? CountFreeDevices(*pools, conjunctions, taken, caches_.matches) : 0;
  };
  int& headroom = run.result.headroom;
  if (!run.bound.empty() || run.wants_device_resources) {
    for (const Node* node : run.nodes)
      headroom += count(node->name, Asked(VariantFor(run, *node).pod), &workspace_);
    return;
  }
  const std::vector<ConjunctionId> asked = Asked(VariantWith(run, {}).pod);
  headroom = memory_.FreeOn(run.demand.node, asked, snapshot_, caches_.matches).total;
  for (const auto& [name, used] : placed_)
    if (Usable(run, name))
      headroom += count(name, asked, &workspace_) - count(name, asked, nullptr);
}

void Simulation::Assume(const InFlightPods& pods) {
  const std::string* own = std::exchange(ns_, &pods.ns);
  PodDemand demand = *pods.demand;
  demand.count = pods.count;
  Run run{.demand = demand, .result = {}};
  run.wants_device_resources = WantsDeviceResources(demand, snapshot_);
  if (ResolveClaims(run) && CheckClasses(run)) {
    CollectNodes(run);
    PlacePods(run);
  }
  ns_ = own;
}

PodSetResult Simulation::Place(const PodDemand& demand) {
  Run run{.demand = demand, .result = {}};
  run.wants_device_resources = WantsDeviceResources(demand, snapshot_);
  run.result.report.name = demand.name;
  run.result.report.wanted = demand.count;
  if (!ResolveClaims(run) || !CheckClasses(run)) return std::move(run.result);
  CollectNodes(run);
  if (ErrorsPossible(run) && FindErrors(run)) return std::move(run.result);
  PlacePods(run);
  if (run.result.report.fitting >= demand.count)
    CountHeadroom(run);
  else
    ExplainShortage(run);
  TryToScale(run);
  return std::move(run.result);
}

}  // namespace fedra::dra
