#include "dra/judge/order_draws.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/hash.h"
#include "dra/judge/order_state.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"

namespace fedra::dra {
namespace {

// What a pod's look at a node costs, apart from searching, and from the node's devices where its
// orders are made.
constexpr uint64_t kStepsPerLook = 16;

Gain GainOf(const NodeAllocation& found, const PodClaims& pod, const NodeView& view,
            DeviceKinds kinds, const AllocatorFeatures& features) {
  const double steps = StepsInVainOf(found, features);
  Gain gain{.fit = found.fit,
            .slow = (steps >= kMaybeSlow) + (steps >= kSurelySlow),
            .alternatives = found.alternatives,
            .chosen = {},
            .left = {}};
  for (const ChosenDevice& device : found.devices)
    gain.chosen.emplace_back(device.claim, kinds[device.pool][device.device]);
  std::sort(gain.chosen.begin(), gain.chosen.end());
  for (const ChosenDevice& device : found.devices)
    if (!pod.asks[device.ask].admin) kinds[device.pool][device.device] = 0;
  gain.left = ContentOf(view, kinds, features);
  return gain;
}

void Add(const Gain& gain, StateText& text) {
  text.Add(static_cast<uint64_t>(gain.fit));
  text.Add(static_cast<uint64_t>(gain.slow));
  for (const int alternative : gain.alternatives) text.Add(static_cast<uint64_t>(alternative));
  text.AddName("chosen");
  for (const auto& [claim, kind] : gain.chosen) {
    text.Add(uint64_t{claim});
    text.Add(uint64_t{kind});
  }
  for (const auto& content : gain.left) {
    text.AddName("");
    for (const uint32_t kind : content) text.Add(uint64_t{kind});
  }
}

}  // namespace

std::vector<OrderDraws::Outcome> OrderDraws::Outcomes(const SimulationContext& context,
                                                      const NodeView& view, const PodClaims& pod,
                                                      const PlacedPods& placed) {
  const AllocatorFeatures& features = context.features();
  const DeviceKinds kinds = asks_.KindsOn(view, &placed.workspace);
  std::vector<NodeView> orders = OrdersThatDiffer(view, kinds, features, kMostOrders);
  gave_up_ = gave_up_ || orders.empty();
  if (orders.size() < 2) return {{.view = view, .gain = {}}};
  uint64_t devices = 0;
  for (const auto& pool : view.pools) devices += pool->devices.size();
  std::vector<Outcome> outcomes;
  for (NodeView& order : orders) {
    const NodeAllocation found = context.Find(pod, order, placed.workspace);
    context.cost.steps += kStepsPerLook + devices;
    Gain gain = GainOf(found, pod, order, asks_.KindsOn(order, &placed.workspace), features);
    if (std::none_of(outcomes.begin(), outcomes.end(),
                     [&](const Outcome& known) { return known.gain == gain; }))
      outcomes.push_back({.view = std::move(order), .gain = std::move(gain)});
  }
  // Where pods fit comes first: an error that a node has in some orders only is told apart by the
  // first ways.
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const Outcome& a, const Outcome& b) { return a.gain.fit < b.gain.fit; });
  return outcomes;
}

void OrderDraws::BeginSimulation() {
  ++simulations_;
  ends_.clear();
  of_simulation_.clear();
}

void OrderDraws::EndStep(const std::string& end) { (ends_ += end) += '\n'; }

bool OrderDraws::Merges(const SimulationContext& context, const PlacedPods& placed,
                        StateText of_step) {
  if (!merges_ || !HasStates(context.features())) return false;
  // Up to the last draw it goes as the way before; before it branches no other can have come here.
  // What a second simulation comes to depends on the whole of the first.
  if (simulations_ > 1 || drawn_ < draws_.size() || !branched_) return false;
  StateText text = std::move(of_step);
  AddPlaced(context, placed, asks_, text);
  for (const auto& [seen, draw] : of_simulation_) {
    if (seen.first != placed.turn) continue;
    text.AddName(seen.second.view());
    Add(draws_[draw].outcomes[draws_[draw].chosen].gain, text);
  }
  text.AddName(ends_);
  const std::string state = text.Take();
  has_merged_ = !known_.emplace(Hash64(state), std::hash<std::string>()(state)).second;
  return has_merged_;
}

NodeView OrderDraws::See(const SimulationContext& context, const Node& node, const PodClaims& pod,
                         const PlacedPods& placed) {
  context.cost.steps += kStepsPerLook;
  if (has_merged_ || gave_up_ || !nodes_.contains(node.name)) return ViewOf(context.snapshot, node);
  const auto [at, is_new] = of_simulation_.try_emplace({placed.turn, node.name}, drawn_);
  if (is_new && drawn_++ == draws_.size())
    draws_.push_back({.node = node.name,
                      .outcomes = Outcomes(context, ViewOf(context.snapshot, node), pod, placed)});
  const Draw& draw = draws_[at->second];
  branched_ = branched_ || draw.outcomes.size() > 1;
  if (draw.node == node.name) return draw.outcomes[draw.chosen].view;
  gave_up_ = true;
  return ViewOf(context.snapshot, node);
}

bool OrderDraws::Next() {
  drawn_ = 0;
  simulations_ = 0;
  branched_ = false;
  has_merged_ = false;
  while (!draws_.empty()) {
    Draw& last = draws_.back();
    if (++last.chosen < last.outcomes.size()) return true;
    draws_.pop_back();
  }
  return false;
}

}  // namespace fedra::dra
