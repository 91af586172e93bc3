#include "dra/judge/error_forecaster.h"

#include <algorithm>
#include <climits>
#include <limits>

namespace fedra::dra {
namespace {

// What is held of the pools of one node.
Workspace HeldOf(const Workspace& workspace, const NodeView& view) {
  Workspace held;
  held.assumed = workspace.assumed;
  for (const auto& pool : view.pools)
    if (const Workspace::Pool* found = workspace.Find(pool->key)) held.pools[pool->key] = *found;
  return held;
}

// The sets of up to `count` of so many devices: what the scheduler's search tries for one request,
// at most. Not beyond kMaybeSlow by much.
double SetsOf(int64_t devices, int64_t count) {
  double sets = 1, of_size = 1;
  for (int64_t i = 0; i < std::min(devices, count) && sets < kMaybeSlow; ++i) {
    of_size *= static_cast<double>(devices - i) / static_cast<double>(i + 1);
    sets += of_size;
  }
  return sets;
}

// The most steps that the scheduler's search can take on a node. `devices`: how many it has for an
// ask, an index in PodClaims::asks.
template <class DevicesFor>
double StepsOn(const PodClaims& pod, const DevicesFor& devices) {
  double steps = 1;
  for (const PreparedClaim& claim : pod.claims) {
    for (const PreparedRequest& request : claim.requests) {
      double of_request = 0;
      for (uint32_t ask = request.first_ask; ask < request.first_ask + request.asks; ++ask)
        of_request += SetsOf(pod.asks[ask].all ? 0 : devices(ask), pod.asks[ask].request->count);
      steps *= of_request;
    }
  }
  return steps;
}

// A range that rounds up what is less has steps that no device has.
bool MayOverflow(const DeviceRequest& request, const AllocatorFeatures& features) {
  static const Quantity large(std::numeric_limits<int64_t>::max() / 2);
  return features.capacity_overflow_fails &&
         std::ranges::any_of(request.capacity,
                             [](const auto& amount) { return amount.second > large; });
}

}  // namespace

// On some device of the cluster.
bool ErrorForecaster::DerivationCanFail(const SubRequest& ask) const {
  const auto fails = [&](const auto& attribute, const Slice& slice) {
    const auto values = context_.caches.matches.Derive(attribute, slice, context_.features());
    return std::any_of(values->begin(), values->end(),
                       [](const Derivation& derivation) { return !derivation.error.empty(); });
  };
  bool can_fail = false;
  if (ask.derived.empty()) return false;
  context_.snapshot.pools().ForEach([&](const PoolKey&, const auto& pool) {
    for (const auto& slice : pool->slices)
      for (const auto& [name, attribute] : ask.derived)
        can_fail = can_fail || fails(attribute, *slice);
  });
  return can_fail;
}

bool ErrorForecaster::CanEndWithError(const PodClaims& pod) const {
  MatchCache& matches = context_.caches.matches;
  const PoolFacts& pools = context_.memory.Pools(context_.snapshot, matches);
  if (pod.fatal || pools.bad_selector) return true;
  if (!pools.all_ready && context_.features().invalid_pools_are_fatal) return true;
  if (pools.capacity_of_whole) return true;
  for (const PreparedClaim& claim : pod.claims) {
    int64_t devices = 0;  // at most
    for (const PreparedRequest& request : claim.requests) {
      int64_t most = 0;
      for (uint32_t i = 0; i < request.asks; ++i) {
        const SubRequest& ask = pod.asks[request.first_ask + i];
        if (ask.all && (!pools.all_ready || ask.constraints != 0)) return true;
        if (ask.all && context_.features().all_panics_on_counters) return true;
        if (context_.memory.CanFail(ask.match, context_.snapshot, matches)) return true;
        if (DerivationCanFail(ask) || MayOverflow(*ask.request, context_.features())) return true;
        most = std::max(most, ask.all ? pools.most_devices : ask.request->count);
      }
      devices += std::min(most, kMaxResultsPerClaim + 1);
    }
    if (devices > kMaxResultsPerClaim) return true;
  }
  return false;
}

// Where the scheduler may give a search up. With pools that several nodes reach, or that are
// incomplete, only requests for very many devices are taken for such.
bool ErrorForecaster::CanBeSlow(const ResolvedPod& resolved, const PodClaims& pod) const {
  if (!context_.features().slow_search_ends_attempt) return false;
  const PoolFacts& pools = context_.memory.Pools(context_.snapshot, context_.caches.matches);
  if (!pools.all_ready)
    return std::any_of(pod.asks.begin(), pod.asks.end(), [](const SubRequest& ask) {
      return !ask.all && ask.request->count > kManyDevices;
    });
  const int most = static_cast<int>(std::min<int64_t>(pools.most_devices, INT_MAX));
  if (StepsOn(pod, [&](uint32_t) { return most; }) < kMaybeSlow) return false;
  if (!resolved.bound.empty() || resolved.variants.wants_device_resources()) return true;
  std::vector<std::vector<int>> on_nodes;  // per ask
  for (const SubRequest& ask : pod.asks)
    on_nodes.push_back(ask.admin || ask.all
                           ? std::vector<int>(resolved.nodes.size(), most)
                           : context_.memory
                                 .FreeOn(demand_.node, {MatchKeyOf(ask)}, context_.snapshot,
                                         context_.caches.matches)
                                 .on_node);
  for (size_t node = 0; node < resolved.nodes.size(); ++node)
    if (StepsOn(pod, [&](uint32_t ask) { return on_nodes[ask][node]; }) >= kMaybeSlow) return true;
  return false;
}

// Cheap, and nearly always false: then placing may stop at the first node that fits.
bool ErrorForecaster::ErrorsPossible(const ResolvedPod& resolved,
                                     const std::set<const PodClaims*>& pods,
                                     const std::vector<bool>& too_few) const {
  if (std::any_of(pods.begin(), pods.end(),
                  [&](const PodClaims* pod) { return CanEndWithError(*pod); }))
    return true;
  if (std::none_of(pods.begin(), pods.end(),
                   [&](const PodClaims* pod) { return CanBeSlow(resolved, *pod); }))
    return false;
  // How long a search takes only matters where the pod fits.
  return too_few.empty() || std::find(too_few.begin(), too_few.end(), false) != too_few.end();
}

void ErrorForecaster::NoteSlowness(const Node& node, const NodeAllocation& found) {
  const double steps = StepsInVainOf(found, context_.features());
  if (steps < std::max(kMaybeSlow, forecast_.slowest_steps)) return;
  forecast_.slowest = &node;
  forecast_.slowest_steps = steps;
}

void ErrorForecaster::NoteLeak(const NodeAllocation& found) {
  forecast_.may_go_on =
      forecast_.may_go_on || (forecast_.possible && found.leaked && found.fit == Fit::kFit);
}

void ErrorForecaster::Note(const Node& node, const NodeAllocation& found) {
  if (found.fit == Fit::kBudget) forecast_.unfinished = &node;
  NoteSlowness(node, found);
  NoteLeak(found);
  if (found.fit != Fit::kError) return;
  forecast_.leaked = found.leaked;
  forecast_.error = {.node = &node,
                     .pods = 0,
                     .text = found.error,
                     .cause = found.cause,
                     .selector = found.selector};
}

void ErrorForecaster::ExamineNodes(const ResolvedPod& resolved, int fitting, bool ahead) {
  const int most = std::min(demand_.count, context_.options.max_pods) - fitting;
  size_t feasible = 0;
  for (const Node* node : resolved.nodes) {
    const std::optional<Offer> offer = Examine(resolved, *node);
    if (!offer || offer->allocation.fit != Fit::kFit) continue;
    ++feasible;
    if (ahead) LookAhead(*offer, most);
  }
  for (const Node* node : resolved.elsewhere) Examine(resolved, *node);
  forecast_.feasible = feasible;
}

NodeAllocation ErrorForecaster::FindAhead(const Offer& offer, const Workspace& taken) {
  const uint64_t most = context_.options.limits.max_steps / 2;
  NodeAllocation found =
      context_.Find(offer.variant->pod, offer.view, taken, most - std::min(most, steps_));
  steps_ += found.steps;
  NoteLeak(found);
  if (found.fit == Fit::kBudget && !forecast_.given_up) forecast_.given_up = offer.node;
  return found;
}

// Absent: the scheduler does not search the node for this pod.
std::optional<Offer> ErrorForecaster::Examine(const ResolvedPod& resolved, const Node& node) {
  if (context_.BudgetIsSpent()) return std::nullopt;
  const PodVariant& variant = resolved.variants.For(node);
  if (variant.pod.claims.empty()) return std::nullopt;
  if (!RoomOn(node, demand_, variant, HeldOn(placed_, node), context_.options).fits() ||
      ClaimOfAnotherPod(node, resolved.bound, placed_, context_.options) != nullptr)
    return std::nullopt;
  Offer offer{.node = &node,
              .variant = &variant,
              .view = context_.See(node, variant.pod, placed_),
              .allocation = {}};
  offer.allocation = FindAhead(offer, placed_.workspace);
  const bool is_first = !forecast_.error;
  if (is_first || offer.allocation.fit != Fit::kError)
    Note(node, offer.allocation);
  else
    NoteSlowness(node, offer.allocation);
  return offer;
}

// Puts pod after pod on one node. Nodes whose devices are their own fill up independently of each
// other: so this holds for every order of nodes, not only for that in which the simulation goes.
void ErrorForecaster::LookAhead(const Offer& first, int most) {
  if (most <= 1 || !first.variant->shared.empty()) return;
  Workspace workspace = HeldOf(placed_.workspace, first.view);
  const Amounts* held = HeldOn(placed_, *first.node);
  Amounts room = held ? *held : Amounts();
  NodeAllocation found = first.allocation;
  int pods = 0;
  const auto has_room = [&](const NodeAllocation& allocation) {
    return RoomWithDevices(*first.node, demand_, allocation.of_node, &room, context_.options)
        .fits();
  };
  while (found.fit == Fit::kFit && has_room(found) && pods + 1 < most &&
         !context_.BudgetIsSpent()) {
    Occupy(demand_, *first.variant, found, first.view, workspace, room);
    ++pods;
    if (!RoomOn(*first.node, demand_, *first.variant, &room, context_.options).fits()) break;
    found = FindAhead(first, workspace);
  }
  if (found.fit == Fit::kBudget) forecast_.unfinished = first.node;
  if (found.fit != Fit::kError) return;
  forecast_.pods_to_error[first.node] = pods;
  if (!forecast_.ahead)
    forecast_.ahead = {.node = first.node,
                       .pods = pods,
                       .text = found.error,
                       .cause = found.cause,
                       .selector = found.selector};
}

void ErrorForecaster::FindErrors(const ResolvedPod& resolved, int fitting) {
  forecast_.pods_to_error.clear();
  forecast_.ahead.reset();
  ExamineNodes(resolved, fitting, true);
}

// Whether it would come to the error wherever the pods so far had gone: they hold no devices, which
// might have hidden it.
bool ErrorForecaster::FailsAnyway(const ResolvedPod& resolved) const {
  if (!placed_.choices.empty() || !placed_.workspace.pools.empty()) return false;
  const Node& node = *forecast_.error->node;
  const PodClaims& pod = resolved.variants.For(node).pod;
  return context_.Find(pod, ViewOf(context_.snapshot, node), {}).fit == Fit::kError;
}

void ErrorForecaster::Begin(const ResolvedPod& resolved, const std::set<const PodClaims*>& pods,
                            const std::vector<bool>& too_few) {
  forecast_.possible = ErrorsPossible(resolved, pods, too_few);
  if (forecast_.possible) FindErrors(resolved, 0);
  forecast_.by_chance = placed_.chose && !(forecast_.error && FailsAnyway(resolved));
}

bool ErrorForecaster::ChangesOthers(const Offer& offer) const {
  if (!offer.variant->shared.empty()) return true;
  const auto& roaming = context_.snapshot.roaming_pools();
  return std::any_of(offer.allocation.devices.begin(), offer.allocation.devices.end(),
                     [&](const ChosenDevice& chosen) {
                       return roaming.Find(offer.view.pools[chosen.pool]->key) != nullptr;
                     });
}

void ErrorForecaster::Renew(const ResolvedPod& resolved, int fitting, bool binds) {
  forecast_.by_chance = placed_.chose;
  if (binds)
    FindErrors(resolved, fitting);
  else
    ExamineNodes(resolved, fitting, false);
}

}  // namespace fedra::dra
