#include "dra/judge/placer.h"

#include <algorithm>
#include <map>

#include "dra/judge/claim_taken_back.h"
#include "dra/judge/free_counts.h"
#include "dra/judge/gated_fields.h"
#include "dra/judge/node_share.h"
#include "dra/judge/order_draws.h"
#include "dra/judge/order_state.h"

namespace fedra::dra {
namespace {

// Calls use(claim, request, index of the alternative) for each firstAvailable request of the claims
// that are allocated as offered. The claim for extended resources, which is the last, has none.
template <typename Use>
void ForEachAlternative(const Offer& offer, Use use) {
  const std::vector<PreparedClaim>& claims = offer.variant->pod.claims;
  auto next = offer.allocation.alternatives.begin();
  for (size_t claim = 0; claim < claims.size(); ++claim)
    for (size_t request = 0; request < claims[claim].requests.size(); ++request)
      if (claims[claim].requests[request].alternatives) use(claim, request, *next++);
}

std::vector<PlannedDevice> NameDevices(const Offer& offer) {
  const PodClaims& pod = offer.variant->pod;
  std::vector<PlannedDevice> devices;
  for (const ChosenDevice& chosen : offer.allocation.devices) {
    const PoolView& pool = *offer.view.pools[chosen.pool];
    devices.push_back({.claim = pod.claims[chosen.claim].key.name,
                       .request = pod.asks[chosen.ask].Name(),
                       .pool = pool.key,
                       .device = pool.devices[chosen.device].device->name});
  }
  return devices;
}

// Where the claim can be used once it is allocated as offered.
Binding BindingOf(const Offer& offer, size_t claim) {
  Binding binding;
  for (const ChosenDevice& chosen : offer.allocation.devices) {
    if (chosen.claim != claim) continue;
    const ViewDevice& device = offer.view.pools[chosen.pool]->devices[chosen.device];
    const auto& extras = device.device->extras;
    const NodeReach& reach = ReachOf(device);
    if (!reach.node_name.empty() || (extras && extras->binds_to_node))
      binding.node = offer.node->name;
    if (reach.selector) binding.selectors.push_back(reach.selector);
    if (device.slice->skips_operations) binding.needs_operations = offer.node->optional_operations;
  }
  if (!binding.node.empty()) binding.selectors.clear();
  ForEachAlternative(offer, [&](size_t of_claim, size_t, int index) {
    if (of_claim == claim) binding.devices_score += ScoreOfAlternative(index);
  });
  binding.of_node = TakeOf(offer.allocation, offer.view, static_cast<uint32_t>(claim));
  return binding;
}

void NoteAlternatives(const Offer& offer, PlacementTrace& trace) {
  ForEachAlternative(offer, [&](size_t claim, size_t request, int index) {
    Merge(trace.report.alternatives, {trace.resolved.entries[claim], request, index});
  });
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

Placer::Placer(const SimulationContext& context, PlacedPods& placed, PodsToPlace pods,
               PlacementStep step)
    : context_(context),
      placed_(placed),
      demand_(pods.demand),
      step_(step),
      trace_{.pods = pods,
             .resolved = Resolve(context, pods.ns, pods.demand, placed),
             .report = {.name = pods.demand.name, .wanted = pods.demand.count}},
      forecaster_(context, placed, pods.demand, trace_.errors) {}

// Whether a pod that fits can be bound.
bool Placer::TakesPod(const PodVariant& variant) {
  // The node's device plugin has what devices would have provided elsewhere.
  if (context_.features().plugin_beside_claims_fails && !demand_.claims.empty() &&
      variant.from_devices.empty() && trace_.resolved.variants.wants_device_resources()) {
    ++trace_.found.unbindable;
    return false;
  }
  for (const auto& [key, binding] : trace_.resolved.bound) {
    if (binding->unbindable) trace_.unbindable_claim = key;
    if (ConsumersOf(key, placed_, context_.snapshot) >= kMaxConsumers) trace_.full_claim = key;
  }
  return !trace_.unbindable_claim && !trace_.full_claim;
}

// Whether the node has what the devices take of its own resources.
bool Placer::TakesDevices(const Offer& offer) {
  const NodeShare& share = offer.allocation.of_node;
  if (share.claims.empty() && share.amounts.empty()) return true;
  if (auto why = WhyShareIsRefused(demand_, trace_.resolved, *offer.variant, share)) {
    ++trace_.found.refused[*std::move(why)];
    return false;
  }
  const NodeAnswer room =
      RoomWithDevices(*offer.node, demand_, share, HeldOn(placed_, *offer.node), context_.options);
  if (!room.fits()) trace_.found.no_room.emplace_back(offer.node, room);
  return room.fits();
}

std::optional<Offer> Placer::OfferOn(size_t position) {
  const Node& node = *trace_.resolved.nodes[position];
  Offer offer{.position = position,
              .node = &node,
              .variant = &trace_.resolved.variants.For(node),
              .view = {},
              .allocation = {}};
  const PodVariant& variant = *offer.variant;
  const NodeAnswer room = RoomOn(node, demand_, variant, HeldOn(placed_, node), context_.options);
  if (!room.fits()) {
    trace_.found.no_room.emplace_back(&node, room);
    return std::nullopt;
  }
  if (const ObjectKey* claim =
          ClaimOfAnotherPod(node, trace_.resolved.bound, placed_, context_.options)) {
    ++trace_.found.refused[{.why = verdict::NodeRefusal::Why::kClaimOfOther,
                            .detail = "ResourceClaim " + claim->ToString()}];
    return std::nullopt;
  }
  NodeAllocation& found = offer.allocation;
  found.fit = Fit::kFit;
  if (!variant.pod.claims.empty()) {
    offer.view = context_.See(node, variant.pod, placed_);
    found = context_.Find(variant.pod, offer.view, placed_.workspace);
  }
  forecaster_.Note(node, found);
  if (found.fit != Fit::kFit) {
    trace_.nearest.Note(node, found.deepest);
    return std::nullopt;
  }
  AddAmounts(found.of_node.amounts, trace_.resolved.of_bound);
  if (!TakesDevices(offer) || !TakesPod(variant)) return std::nullopt;
  if (context_.features().scores_devices) {
    offer.score = ScoreOfBound();
    for (const int index : found.alternatives) offer.score += ScoreOfAlternative(index);
  }
  return offer;
}

// Nodes are scored only where several fit. All are asked, before their turn: what the forecaster
// and the trace learn of each is true then, too, but `found` counts answers, and would count theirs
// twice.
bool Placer::FailsToScore(const Offer& offer) {
  const size_t claims = offer.variant->pod.claims.size();
  if (!context_.features().scores_need_all_claims || claims == 0 || trace_.resolved.bound.empty())
    return false;
  const NodeFindings found = trace_.found;
  bool fails = false;
  for (size_t other = 0; other < trace_.resolved.nodes.size() && !fails; ++other)
    fails = other != offer.position && OfferOn(other).has_value();
  trace_.found = found;
  if (!fails) return false;
  trace_.errors.error = {.node = offer.node,
                         .pods = 0,
                         .text = "no node is scored: number of allocations " +
                                 std::to_string(claims) + " is smaller than number of claims",
                         .cause = ErrorCause::kAllocator,
                         .selector = {}};
  // Earlier pods may have left one node for it only.
  trace_.errors.by_chance = placed_.chose;
  return true;
}

// The claims that the pod shares with others are allocated from now on, for every further pod of
// this and other pod sets.
void Placer::Bind(const Offer& offer) {
  if (offer.variant->shared.empty()) {
    order_->PutBack(offer.position);
    if (forecaster_.ChangesOthers(offer)) order_->AskAllAgain();
    return;
  }
  SharedChoice choice{.step = step_.number, .claims = {}, .node = offer.node->name};
  for (const size_t claim : offer.variant->shared) {
    const ObjectKey& key = offer.variant->pod.claims[claim].key;
    placed_.bindings[key] = std::make_shared<const Binding>(BindingOf(offer, claim));
    const auto& mapped = offer.allocation.of_node.claims;
    if (std::find(mapped.begin(), mapped.end(), claim) != mapped.end())
      placed_.node_claims[offer.node->name].insert(key);
    choice.claims.push_back(key);
    ++placed_.consumers[key];
  }
  placed_.choices.push_back(std::move(choice));
  trace_.resolved = Resolve(context_, trace_.pods.ns, demand_, placed_);
  trace_.found = {};
  spares_ = true;
  OrderNodes();
}

void Placer::Take(const Offer& offer) {
  ++placed_.turn;
  for (const auto& [key, binding] : trace_.resolved.bound) ++placed_.consumers[key];
  Occupy(demand_, *offer.variant, offer.allocation, offer.view, placed_.workspace,
         placed_.on_node[offer.node->name]);
  placed_.leaked = placed_.leaked || offer.allocation.leaked;
  auto& to_error = trace_.errors.pods_to_error;
  if (const auto at = to_error.find(offer.node); at != to_error.end()) --at->second;
  placed_.chose = placed_.chose || trace_.resolved.nodes.size() > 1;
  PodSetReport& report = trace_.report;
  ++report.fitting;
  report.nodes.push_back(offer.node->name.str());
  if (context_.options.name_devices) report.devices.push_back(NameDevices(offer));
  NoteAlternatives(offer, trace_);
  Bind(offer);
}

bool Placer::Ends() const {
  return trace_.report.fitting >= std::min(demand_.count, context_.options.max_pods) ||
         trace_.errors.error || trace_.unbindable_claim || trace_.full_claim ||
         context_.BudgetIsSpent();
}

bool Placer::Merges() const {
  if (context_.draws == nullptr) return false;
  StateText state;
  for (const uint64_t number : {step_.number, static_cast<size_t>(trace_.report.fitting),
                                size_t{spares_}, size_t{trace_.found.unbindable > 0}})
    state.Add(number);
  order_->AddTo(state);
  AddForecast(trace_.errors, state);
  return context_.draws->Merges(context_, placed_, std::move(state));
}

bool Placer::IsLeftOut(size_t position) const {
  if (position < trace_.found.too_few.size() && trace_.found.too_few[position]) return true;
  const Node& node = *trace_.resolved.nodes[position];
  if (spares_ && trace_.errors.LeadsToError(node)) return true;
  // Only the first pod allocates claims for the others.
  return trace_.report.fitting == 0 && step_.excluded && step_.excluded->contains(node.name);
}

// Of the devices that allocated claims have.
int Placer::ScoreOfBound() const {
  int score = 0;
  for (const auto& [claim, binding] : trace_.resolved.bound) score += binding->devices_score;
  return score;
}

// What devices score where every request gets its first alternative.
int Placer::BestScore() const {
  if (!context_.features().scores_devices) return 0;
  int score = ScoreOfBound();
  for (const PreparedClaim& claim : trace_.resolved.variants.Plain().pod.claims)
    for (const PreparedRequest& request : claim.requests)
      if (request.alternatives) score += ScoreOfAlternative(0);
  return score;
}

void Placer::OrderNodes() {
  const Load pod = LoadOf(demand_);
  const auto& used = context_.options.used;
  const bool change_of_balance = context_.features().scores_change_of_balance;
  std::shared_ptr<const NodeRanks> ranks;
  if (trace_.resolved.bound.empty())
    ranks = context_.memory.RanksOf(demand_.node, pod, used, context_.snapshot,
                                    context_.caches.matches);
  else  // the memory knows only those of all nodes that admit the pod
    ranks = std::make_shared<const NodeRanks>(RankNodes(
        trace_.resolved.nodes, demand_.node.tolerations, pod, used.get(), change_of_balance));
  if (step_.ties != nullptr)
    ranks =
        std::make_shared<const NodeRanks>(BreakTies(*ranks, trace_.resolved.nodes, *step_.ties));
  order_.emplace(NodeOrder::Question{.nodes = trace_.resolved.nodes,
                                     .ranks = std::move(ranks),
                                     .demand = demand_,
                                     .placed = placed_,
                                     .options = context_.options,
                                     .features = context_.features(),
                                     .best_devices = BestScore(),
                                     .spreads = step_.spreads});
}

// The node for the next pod; it leaves the order.
std::optional<Offer> Placer::Choose() {
  while (!Ends()) {
    // A better node is not worth an Unknown.
    if (context_.cost.steps > context_.options.limits.max_steps / 2) order_->StopAsking();
    const std::optional<NodeRank> turn = order_->Next();
    if (!turn) return std::nullopt;
    if (IsLeftOut(turn->position)) continue;
    std::optional<Offer> offer = OfferOn(turn->position);
    if (!offer) continue;
    if (order_->IsBest(*turn, offer->score)) {
      placed_.chose_by_name = placed_.chose_by_name || order_->MayTie(*turn, offer->score);
      return offer;
    }
    order_->Keep(*turn, offer->score);
  }
  return std::nullopt;
}

void Placer::PlacePods() {
  while (!Ends() && !Merges()) {
    std::optional<Offer> offer = Choose();
    // No other node takes it: now those where it leads the next pod to an error as well.
    if (!offer && spares_ && !trace_.errors.pods_to_error.empty() && !Ends()) {
      spares_ = false;
      OrderNodes();
      // Every node is asked again; which have too few devices is as it was.
      trace_.found = {.too_few = std::move(trace_.found.too_few), .no_room = {}};
      offer = Choose();
    }
    if (!offer || FailsToScore(*offer)) return;
    const bool binds = !offer->variant->shared.empty();
    const bool renew = trace_.errors.possible && forecaster_.ChangesOthers(*offer);
    Take(*offer);
    if (renew && !Ends()) forecaster_.Renew(trace_.resolved, trace_.report.fitting, binds);
  }
}

void Placer::FindClaimTakenBack() {
  if (trace_.errors.error || context_.BudgetIsSpent() || trace_.report.fitting > 0) return;
  if (trace_.found.unbindable > 0 || trace_.full_claim) return;
  const StuckPod pod{.context = context_, .demand = demand_, .resolved = trace_.resolved};
  if (trace_.unbindable_claim)
    trace_.claim_taken_back_later =
        ClaimTakenBackAfterFailures(pod, *trace_.unbindable_claim, placed_);
  else
    trace_.idle_claim = ClaimTakenBack(pod, placed_);
}

PlacementTrace Placer::Place() {
  ++placed_.turn;
  const auto& groups = trace_.resolved.group_claims;
  placed_.group_claims.insert(groups.begin(), groups.end());
  if (!trace_.resolved.missing.empty()) return std::move(trace_);
  if (context_.draws && context_.draws->has_merged()) return std::move(trace_);
  std::set<const PodClaims*> pods;
  if (step_.forecast_errors) {
    pods = trace_.resolved.EveryVariant();
    trace_.gated = GatedFieldsFor(demand_, pods, context_);
    trace_.confuses_counters = ConfusesCounters(trace_.resolved, pods, context_);
  }
  trace_.found.too_few = NodesWithTooFew(context_, trace_.resolved, demand_, trace_.nearest);
  if (step_.forecast_errors) forecaster_.Begin(trace_.resolved, pods, trace_.found.too_few);
  OrderNodes();
  PlacePods();
  if (context_.draws && context_.draws->has_merged()) return std::move(trace_);
  FindClaimTakenBack();
  trace_.leaked = placed_.leaked;
  if (trace_.report.fitting < std::min(demand_.count, context_.options.max_pods) && !Ends())
    for (const auto& [key, binding] : trace_.resolved.bound) trace_.contested.push_back(key);
  return std::move(trace_);
}

}  // namespace fedra::dra
