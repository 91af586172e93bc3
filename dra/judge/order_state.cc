#include "dra/judge/order_state.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "dra/model/pool_order.h"

namespace fedra::dra {
namespace {

// What reading one node costs, and how many of its devices cost one step more.
constexpr uint64_t kStepsPerNode = 4;
constexpr uint64_t kDevicesPerStep = 8;

void AddNode(const SimulationContext& context, const PlacedPods& placed, const Node& node,
             JobAsks& asks, StateText& text) {
  const Amounts& held = *HeldOn(placed, node);
  for (const auto& [resource, amount] : held) {
    text.AddName(resource.view());
    text.AddName(amount.ToString());
  }
  const NodeView view = ViewOf(context.snapshot, node);
  uint64_t devices = 0;
  for (const auto& pool : view.pools) devices += pool->devices.size();
  context.cost.steps += kStepsPerNode + devices / kDevicesPerStep;
  const DeviceKinds kinds = asks.KindsOn(view, &placed.workspace);
  for (const auto& content : ContentOf(view, kinds, context.features())) {
    for (const uint32_t kind : content) text.Add(kind);
    text.AddName("");
  }
}

void AddClaims(const PlacedPods& placed, StateText& text) {
  for (const auto& [claim, binding] : placed.bindings) {
    text.AddName(claim.ToString());
    text.AddName(binding->node.view());
    for (const auto& selector : binding->selectors) text.AddAddress(selector.get());
    text.Add(uint64_t{binding->needs_operations});
  }
  text.AddName("consumers");
  for (const auto& [claim, pods] : placed.consumers) {
    text.AddName(claim.ToString());
    text.Add(pods);
  }
  text.AddName("choices");
  for (const SharedChoice& choice : placed.choices) {
    text.Add(choice.step);
    text.AddName(choice.node.view());
    for (const ObjectKey& claim : choice.claims) text.AddName(claim.ToString());
  }
}

}  // namespace

bool HasStates(const AllocatorFeatures& features) {
  return !features.partitionable_devices && !features.consumable_capacity &&
         !features.extended_resources && !features.binding_conditions;
}

void AddPlaced(const SimulationContext& context, const PlacedPods& placed, JobAsks& asks,
               StateText& text) {
  context.cost.steps += kStepsPerNode;
  std::vector<const Node*> nodes;
  for (const auto& [name, held] : placed.on_node)
    nodes.push_back(context.snapshot.nodes().Find(name)->get());
  std::sort(nodes.begin(), nodes.end(),
            [](const Node* a, const Node* b) { return a->name.view() < b->name.view(); });
  for (const Node* node : nodes) {
    text.AddName(node->name.view());
    AddNode(context, placed, *node, asks, text);
  }
  AddClaims(placed, text);
  text.Add(uint64_t{placed.chose});
  text.Add(uint64_t{placed.leaked});
}

void AddForecast(const ErrorForecast& forecast, StateText& text) {
  for (const bool flag : {forecast.possible, forecast.by_chance, forecast.leaked,
                          forecast.may_go_on, forecast.slowest_steps >= kSurelySlow})
    text.Add(uint64_t{flag});
  for (const Node* node : {forecast.slowest, forecast.given_up, forecast.unfinished})
    text.AddAddress(node);
  text.Add(forecast.feasible);
  if (forecast.ahead) {
    text.AddName(forecast.ahead->text);
    text.Add(static_cast<uint64_t>(forecast.ahead->pods));
  }
  for (const auto& [node, pods] : forecast.pods_to_error) {
    text.AddAddress(node);
    text.Add(static_cast<uint64_t>(pods));
  }
}

}  // namespace fedra::dra
