#include "dra/judge/simulation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "dra/judge/extended.h"
#include "dra/judge/simulation_run.h"
#include "dra/model/node_match.h"

namespace fedra::dra {
namespace {

// How many of these the simulation has not taken.
int CountLeft(const FreeRoaming& free, const Workspace& taken) {
  const Workspace::Pool* held = taken.Find(free.pool->key);
  if (held == nullptr) return static_cast<int>(free.slots.size());
  return static_cast<int>(std::count_if(free.slots.begin(), free.slots.end(), [&](uint32_t slot) {
    return held->Find(slot) == nullptr;
  }));
}

}  // namespace

void Simulation::Add(Run& run, Outcome outcome, ReasonCode code, std::string object,
                     std::string message) {
  run.result.outcome = std::max(run.result.outcome, outcome);
  run.result.reasons.push_back(
      {.code = code, .object = std::move(object), .message = std::move(message)});
}

NodeAllocation Simulation::Find(const PodClaims& pod, const NodeView& view,
                                const Workspace& taken) {
  const AllocatorLimits left{.max_steps = options_.limits.max_steps -
                                          std::min(options_.limits.max_steps, cost_.steps)};
  NodeAllocation found = Allocate(pod, view, &taken, caches_.matches, snapshot_.features(), left);
  cost_.steps += found.steps;
  return found;
}

// Where the node stands among those that the pod may use; absent: nowhere.
std::optional<size_t> Simulation::PositionOf(const Run& run, const Text& name) {
  const auto at = std::lower_bound(
      run.nodes.begin(), run.nodes.end(), name,
      [](const Node* usable, const Text& wanted) { return usable->name < wanted; });
  if (at == run.nodes.end() || (*at)->name != name) return std::nullopt;
  return static_cast<size_t>(at - run.nodes.begin());
}

bool Simulation::CannotBeUsed(const Binding& binding, const Node& node) const {
  if (!binding.failure.empty()) return true;
  if (!binding.node.empty() && binding.node != node.name) return true;
  return std::any_of(binding.selectors.begin(), binding.selectors.end(), [&](const auto& selector) {
    return !Matches(*selector, node).value_or(false);
  });
}

const Simulation::BoundClaim* Simulation::ClaimElsewhere(const Run& run, const Node& node) const {
  for (const BoundClaim& claim : run.bound)
    if (CannotBeUsed(*claim.second, node)) return &claim;
  return nullptr;
}

// No node fits: the scheduler looks for a claim that kept it from using a node and that nobody else
// needs (PostFilter of its DRA plugin).
void Simulation::FindIdleClaim(Run& run) {
  if (idle_claim_ || run.error || BudgetIsSpent()) return;
  if (run.result.report.fitting > 0 || run.unbindable_claim || run.unbindable > 0) return;
  if (run.full_claim) return;
  for (const auto& [key, binding] : run.bound) {
    if (!binding->idle || reserved_.contains(key)) continue;
    for (const Node* node : run.elsewhere)
      if (CannotBeUsed(*binding, *node) && RoomOn(run, *node, VariantFor(run, *node)).fits()) {
        idle_claim_ = key;
        return;
      }
  }
}

void Simulation::CollectNodes(Run& run) {
  const AdmittingNodes& admitting = memory_.NodesFor(run.demand.node, snapshot_, caches_.matches);
  run.refused = admitting.refused;
  if (run.bound.empty()) {
    run.nodes = admitting.nodes;
    return;
  }
  std::map<const BoundClaim*, int> refused;
  for (const Node* node : admitting.nodes) {
    if (const BoundClaim* claim = ClaimElsewhere(run, *node)) {
      ++refused[claim];
      run.elsewhere.push_back(node);
    } else {
      run.nodes.push_back(node);
    }
  }
  for (const auto& [claim, nodes] : refused) {
    const auto& [key, binding] = *claim;
    run.refused["ResourceClaim " + key.ToString() +
                (binding->failure.empty() ? " is allocated elsewhere"
                                          : " could not be bound (" + binding->failure + ")")] +=
        nodes;
  }
}

// Devices that could be taken for some request beyond what was taken, on nodes the pod may use.
void Simulation::CountHeadroom(Run& run) {
  int& headroom = run.result.headroom;
  const AllocatorFeatures& features = snapshot_.features();
  if (!run.bound.empty() || run.wants_device_resources) {
    std::vector<DeviceWish> wishes;
    for (const Node* node : run.nodes) {
      wishes = WishesOf(VariantFor(run, *node).pod);
      if (const NodePools* pools = snapshot_.PoolsOf(node->name))
        headroom += CountFreeDevices(*pools, wishes, features, &workspace_, caches_.matches);
    }
    snapshot_.roaming_pools().ForEach([&](const PoolKey&, const auto& pool) {
      headroom += CountLeft(FindFreeDevices(pool, run.nodes, wishes, features, caches_.matches),
                            workspace_);
    });
    return;
  }
  const std::vector<DeviceWish> wishes = WishesOf(VariantWith(run, {}).pod);
  const FreeDevices& free = memory_.FreeOn(run.demand.node, wishes, snapshot_, caches_.matches);
  headroom = free.total;
  for (const FreeRoaming& roaming : free.roaming) headroom += CountLeft(roaming, workspace_);
  for (const auto& [name, used] : placed_) {
    const auto at = PositionOf(run, name);
    if (!at || !free.pools[*at]) continue;
    headroom += CountFreeDevices(*free.pools[*at], wishes, features, &workspace_, caches_.matches) -
                free.on_node[*at];
  }
}

void Simulation::Assume(const InFlightPods& pods) {
  const std::string* own = std::exchange(ns_, &pods.ns);
  workspace_.in_flight = true;
  PodDemand demand = *pods.demand;
  demand.count = pods.count;
  Run run{.demand = demand, .result = {}, .step = steps_++};
  run.wants_device_resources = WantsDeviceResources(demand, snapshot_);
  if (ResolveClaims(run) && CheckClasses(run)) {
    CollectNodes(run);
    PlacePods(run);
    FindIdleClaim(run);
  }
  workspace_.in_flight = false;
  in_flight_fitting_ += run.result.report.fitting;
  ns_ = own;
}

PodSetResult Simulation::Place(const PodDemand& demand) {
  Run run{.demand = demand, .result = {}, .pod_set = pod_sets_++, .step = steps_++};
  run.wants_device_resources = WantsDeviceResources(demand, snapshot_);
  run.result.report.name = demand.name;
  run.result.report.wanted = demand.count;
  if (!ResolveClaims(run) || !CheckClasses(run)) return std::move(run.result);
  CollectNodes(run);
  run.errors_possible = ErrorsPossible(run);
  if (run.errors_possible) FindErrors(run);
  run.by_chance = chose_ && !(run.error && FailsAnyway(run));
  PlacePods(run);
  FindIdleClaim(run);
  if (idle_claim_) return std::move(run.result);
  NoteContested(run);
  if (!route_.explain) return std::move(run.result);
  if (run.result.report.fitting < demand.count)
    ExplainShortage(run);
  else if (run.slowest != nullptr)
    ExplainSlowSearch(run);
  else
    CountHeadroom(run);
  if (run.error_ahead) ExplainErrorAhead(run);
  TryToScale(run);
  return std::move(run.result);
}

}  // namespace fedra::dra
