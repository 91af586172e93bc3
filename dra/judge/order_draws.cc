#include "dra/judge/order_draws.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"

namespace fedra::dra {
namespace {

// What a pod's look at a node costs, apart from searching, and from the node's devices where its
// orders are made.
constexpr uint64_t kStepsPerLook = 16;

// What the pod gets of a node, and what it leaves there: with equal ones all goes on equally.
using Gain = std::tuple<Fit, int, std::vector<int>, std::vector<std::pair<uint32_t, uint32_t>>,
                        std::vector<std::vector<uint32_t>>>;

Gain GainOf(const NodeAllocation& found, const PodClaims& pod, const NodeView& view,
            DeviceKinds kinds, const AllocatorFeatures& features) {
  std::vector<std::pair<uint32_t, uint32_t>> chosen;  // claim, kind
  for (const ChosenDevice& device : found.devices)
    chosen.emplace_back(device.claim, kinds[device.pool][device.device]);
  std::sort(chosen.begin(), chosen.end());
  for (const ChosenDevice& device : found.devices)
    if (!pod.asks[device.ask].admin) kinds[device.pool][device.device] = 0;
  const double steps = StepsInVainOf(found, features);
  const int slow = (steps >= kMaybeSlow) + (steps >= kSurelySlow);
  return {found.fit, slow, found.alternatives, std::move(chosen), ContentOf(view, kinds, features)};
}

}  // namespace

std::vector<NodeView> OrderDraws::Outcomes(const SimulationContext& context, const NodeView& view,
                                           const PodClaims& pod, const PlacedPods& placed) {
  const AllocatorFeatures& features = context.features();
  const DeviceKinds kinds = asks_.KindsOn(view, &placed.workspace);
  std::vector<NodeView> orders = OrdersThatDiffer(view, kinds, features, kMostOrders);
  gave_up_ = gave_up_ || orders.empty();
  if (orders.size() < 2) return {view};
  uint64_t devices = 0;
  for (const auto& pool : view.pools) devices += pool->devices.size();
  std::vector<std::pair<Gain, NodeView>> found_in;
  for (NodeView& order : orders) {
    const NodeAllocation found = context.Find(pod, order, placed.workspace);
    context.cost.steps += kStepsPerLook + devices;
    Gain gain = GainOf(found, pod, order, asks_.KindsOn(order, &placed.workspace), features);
    if (std::none_of(found_in.begin(), found_in.end(),
                     [&](const auto& known) { return known.first == gain; }))
      found_in.emplace_back(std::move(gain), std::move(order));
  }
  // Where pods fit comes first: an error that a node has in some orders only is told apart by the
  // first ways.
  std::stable_sort(found_in.begin(), found_in.end(), [](const auto& a, const auto& b) {
    return std::get<Fit>(a.first) < std::get<Fit>(b.first);
  });
  std::vector<NodeView> outcomes;
  for (auto& [gain, order] : found_in) outcomes.push_back(std::move(order));
  return outcomes;
}

NodeView OrderDraws::See(const SimulationContext& context, const Node& node, const PodClaims& pod,
                         const PlacedPods& placed) {
  context.cost.steps += kStepsPerLook;
  if (!nodes_.contains(node.name)) return ViewOf(context.snapshot, node);
  const auto [at, is_new] = of_simulation_.try_emplace({placed.turn, node.name}, drawn_);
  if (is_new && drawn_++ == draws_.size())
    draws_.push_back({.node = node.name,
                      .outcomes = Outcomes(context, ViewOf(context.snapshot, node), pod, placed)});
  const Draw& draw = draws_[at->second];
  if (draw.node == node.name) return draw.outcomes[draw.chosen];
  gave_up_ = true;
  return ViewOf(context.snapshot, node);
}

bool OrderDraws::Next() {
  drawn_ = 0;
  while (!draws_.empty()) {
    Draw& last = draws_.back();
    if (++last.chosen < last.outcomes.size()) return true;
    draws_.pop_back();
  }
  return false;
}

}  // namespace fedra::dra
