#include "tests/sim/scheduling/inventory.h"

#include <algorithm>
#include <utility>

#include "tests/sim/scheduling/nodes.h"
#include "tests/sim/scheduling/selector.h"

namespace fedra::sim {
namespace {

struct Pool {
  int64_t generation = -1;
  std::vector<const Json*> slices;  // specs of the newest generation
};

bool Complete(const Pool& pool) {
  const int64_t expected = IntAt(*pool.slices.front(), {"pool", "resourceSliceCount"});
  return static_cast<int64_t>(pool.slices.size()) >= expected;
}

bool RuleSelects(const Json& rule, const DeviceId& id) {
  const auto agrees = [&rule](std::string_view field, const std::string& value) {
    const std::string_view wanted = StringAt(rule, {"deviceSelector", field});
    return wanted.empty() || wanted == value;
  };
  return agrees("driver", id.driver) && agrees("pool", id.pool) && agrees("device", id.device);
}

void AddDevices(const Json& slice, const std::vector<const Json*>& rules, Inventory& inventory) {
  const std::string driver(StringAt(slice, {"driver"}));
  const std::string pool(StringAt(slice, {"pool", "name"}));
  for (const Json& set : ArrayAt(slice, {"sharedCounters"})) {
    inventory.counters[{driver, pool, std::string(StringAt(set, {"name"}))}] = &set;
  }
  for (const Json& body : ArrayAt(slice, {"devices"})) {
    Device device{.id = {driver, pool, std::string(StringAt(body, {"name"}))},
                  .slice = &slice,
                  .body = &body,
                  .view = SelectorView(driver, body),
                  .taints = {}};
    for (const Json& taint : ArrayAt(body, {"taints"})) device.taints.push_back(taint);
    for (const Json* rule : rules) {
      if (RuleSelects(*rule, device.id)) device.taints.push_back((*rule)["taint"]);
    }
    inventory.devices.push_back(std::move(device));
  }
}

}  // namespace

Inventory ReadInventory(const Store& store, const Registry& registry) {
  Inventory inventory;
  const ResourceType* slices = registry.FindNamed("resourceslices");
  if (slices == nullptr) return inventory;
  std::map<std::pair<std::string, std::string>, Pool> pools;
  for (const auto& [key, slice] : store.All(*slices)) {
    const Json& spec = slice.body["spec"];
    Pool& pool = pools[{std::string(StringAt(spec, {"driver"})),
                        std::string(StringAt(spec, {"pool", "name"}))}];
    const int64_t generation = IntAt(spec, {"pool", "generation"});
    if (generation < pool.generation) continue;
    if (generation > pool.generation) pool = {generation, {}};
    pool.slices.push_back(&spec);
  }
  std::vector<const Json*> rules;
  if (const ResourceType* type = registry.FindNamed("devicetaintrules")) {
    for (const auto& [key, rule] : store.All(*type)) rules.push_back(&rule.body["spec"]);
  }
  for (const auto& [name, pool] : pools) {
    if (!Complete(pool)) {
      inventory.incomplete = true;
      continue;
    }
    for (const Json* slice : pool.slices) AddDevices(*slice, rules, inventory);
  }
  for (const auto& [key, claim] : store.All(registry.Get("resourceclaims"))) {
    const Json& results = ArrayAt(claim.body, {"status", "allocation", "devices", "results"});
    for (const Json& result : results) AddUse(result, inventory.used);
  }
  return inventory;
}

const Json& NodesOf(const Device& device) {
  return BoolAt(*device.slice, {"perDeviceNodeSelection"}) ? *device.body : *device.slice;
}

bool ReachesNode(const Device& device, const Json& node) {
  const Json& where = NodesOf(device);
  if (BoolAt(where, {"allNodes"})) return true;
  const std::string_view name = StringAt(where, {"nodeName"});
  if (!name.empty()) return name == StringAt(node, {"metadata", "name"});
  const Json* selector = At(where, {"nodeSelector"});
  return selector != nullptr && SelectsNode(selector, node);
}

void AddUse(const Json& result, std::map<DeviceId, DeviceUse>& used) {
  if (BoolAt(result, {"adminAccess"})) return;
  DeviceUse& use =
      used[{std::string(StringAt(result, {"driver"})), std::string(StringAt(result, {"pool"})),
            std::string(StringAt(result, {"device"}))}];
  const Json* consumed = At(result, {"consumedCapacity"});
  if (consumed == nullptr) {
    use.dedicated = true;
    return;
  }
  for (const auto& [name, amount] : consumed->items()) {
    Quantity& sum = use.shared[name];
    sum = sum.Add(Quantity::Parse(amount.get<std::string>()).value_or(Quantity())).value_or(sum);
  }
}

}  // namespace fedra::sim
