// Where kube-scheduler ends a pod's attempt with an error.
//
// It filters every node for every pod (findNodesThatPassFilters of pkg/scheduler/schedule_one.go,
// v1.36.3), and the first error ends the attempt; the pod is tried again and gets no further. An
// error comes only from devices that the search reaches, and it passes those that are in use. So
// each pod that takes devices may bring the next attempt to an error: on the node that it went to;
// on any node, when it took devices that several nodes reach; and on those where a claim that it
// shares was to be allocated until then.
//
// Which nodes the pods go to is decided by scores that are not known here. An error that another
// choice would have avoided is no proof: it is Unknown. It is No where no choice avoids it: pods go
// to nodes where they lead to an error only when no other node takes them. Between pods of one set
// every choice is looked at; what earlier sets and jobs on their way could have done elsewhere is
// not, so an error that only their other choices lead to is missed.

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dra/judge/simulation.h"
#include "dra/judge/simulation_run.h"

namespace fedra::dra {
namespace {

using HeldPool = std::pair<PoolKey, std::optional<Workspace::Pool>>;

// What is held of the pools of one node; nothing where nothing is.
std::vector<HeldPool> HeldOf(const Workspace& workspace, const NodeView& view) {
  std::vector<HeldPool> held;
  for (const auto& pool : view.pools) {
    const Workspace::Pool* found = workspace.Find(pool->key);
    held.emplace_back(pool->key, found == nullptr ? std::nullopt : std::optional(*found));
  }
  return held;
}

}  // namespace

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

// A search that the scheduler gives up needs many devices and a request for even more.
bool Simulation::CanBeSlow(const PodClaims& pod) {
  const PoolFacts& pools = memory_.Pools(snapshot_, caches_.matches);
  if (pools.most_devices < kManyDevices && pools.all_ready) return false;
  return std::any_of(pod.asks.begin(), pod.asks.end(),
                     [](const Ask& ask) { return !ask.all && ask.request->count > kManyDevices; });
}

// Cheap, and nearly always false: then placing may stop at the first node that fits.
bool Simulation::ErrorsPossible(Run& run) {
  std::set<const PodClaims*> pods;
  for (const auto* nodes : {&run.nodes, &run.elsewhere})
    for (const Node* node : *nodes) {
      pods.insert(&VariantFor(run, *node).pod);
      if (!run.wants_device_resources) break;  // one variant for all
    }
  if (std::any_of(pods.begin(), pods.end(),
                  [&](const PodClaims* pod) { return CanEndWithError(*pod); }))
    return true;
  if (std::none_of(pods.begin(), pods.end(), [&](const PodClaims* pod) { return CanBeSlow(*pod); }))
    return false;
  // How long a search takes only matters where the pod fits.
  const std::vector<bool> too_few = TooFew(run);
  return too_few.empty() || std::find(too_few.begin(), too_few.end(), false) != too_few.end();
}

void Simulation::NoteError(Run& run, const Node& node, const NodeAllocation& found) {
  run.error = {.node = &node, .pods = 0, .text = found.error, .cause = found.cause};
}

void Simulation::NoteSlowness(Run& run, const Node& node, const NodeAllocation& found) {
  if (found.scheduler_steps < std::max(kMaybeSlow, run.slowest_steps)) return;
  run.slowest = &node;
  run.slowest_steps = found.scheduler_steps;
}

// Looks at every node, as the scheduler does; `ahead`: also at what more of the pods lead to.
void Simulation::ExamineNodes(Run& run, bool ahead) {
  size_t fitting = 0;
  const auto examine = [&](const Node* node, bool usable) {
    if (BudgetIsSpent()) return;
    Offer offer{.node = node, .variant = &VariantFor(run, *node), .view = {}, .allocation = {}};
    const PodClaims& pod = offer.variant->pod;
    if (pod.claims.empty() || !RoomOn(run, *node, *offer.variant).fits()) return;
    offer.view = ViewOf(snapshot_, *node);
    const NodeAllocation& found = offer.allocation = Find(pod, offer.view, workspace_);
    if (found.fit == Fit::kBudget) run.unfinished = node;
    NoteSlowness(run, *node, found);
    if (found.fit == Fit::kError && !run.error) NoteError(run, *node, found);
    if (found.fit != Fit::kFit || !usable) return;
    ++fitting;
    if (ahead) LookAhead(run, offer);
  };
  for (const Node* node : run.nodes) examine(node, true);
  for (const Node* node : run.elsewhere) examine(node, false);
  run.feasible = fitting;
}

// Puts pod after pod on one node, and takes them away again. Nodes whose devices are their own fill
// up independently of each other: so this tells of every order of nodes, not only of that in which
// the simulation goes.
void Simulation::LookAhead(Run& run, const Offer& first) {
  const int most = std::min(run.demand.count, options_.max_pods) - run.result.report.fitting;
  if (most <= 1 || !first.variant->shared.empty()) return;
  const auto held = HeldOf(workspace_, first.view);
  const Amounts placed = placed_[first.node->name];
  NodeAllocation found = first.allocation;
  int pods = 0;
  while (found.fit == Fit::kFit && pods + 1 < most && !BudgetIsSpent()) {
    Occupy(run, *first.node, *first.variant, found, first.view);
    ++pods;
    if (!RoomOn(run, *first.node, *first.variant).fits()) break;
    found = Find(first.variant->pod, first.view, workspace_);
  }
  for (const auto& [pool, before] : held) {
    if (before)
      workspace_.pools[pool] = *before;
    else
      workspace_.pools.erase(pool);
  }
  placed_[first.node->name] = placed;
  if (found.fit == Fit::kBudget) run.unfinished = first.node;
  if (found.fit != Fit::kError) return;
  run.pods_to_error[first.node] = pods;
  if (!run.error_ahead)
    run.error_ahead = {.node = first.node, .pods = pods, .text = found.error, .cause = found.cause};
}

void Simulation::FindErrors(Run& run) {
  run.pods_to_error.clear();
  run.error_ahead.reset();
  ExamineNodes(run, true);
}

// Whether it would come to the error wherever the pods so far had gone: they hold no devices, which
// might have hidden it.
bool Simulation::FailsAnyway(Run& run) {
  if (!choices_.empty() || !workspace_.pools.empty()) return false;
  const Node& node = *run.error->node;
  return Find(VariantFor(run, node).pod, ViewOf(snapshot_, node), {}).fit == Fit::kError;
}

bool Simulation::TakesRoaming(const Offer& offer) const {
  return std::any_of(offer.allocation.devices.begin(), offer.allocation.devices.end(),
                     [&](const ChosenDevice& chosen) {
                       return snapshot_.roaming_pools().Find(offer.view.pools[chosen.pool]->key) !=
                              nullptr;
                     });
}

// After a pod was placed that changed more than its node, which is asked next anyway; `binds`: it
// allocated claims for the others.
void Simulation::FindNewErrors(Run& run, bool binds) {
  run.by_chance = chose_;
  if (binds)
    FindErrors(run);
  else
    ExamineNodes(run, false);
}

}  // namespace fedra::dra
