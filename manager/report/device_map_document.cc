#include "manager/report/device_map_document.h"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace fedra::report {
namespace {

using nlohmann::ordered_json;

// By name.
ordered_json AmountsJson(const std::vector<AmountUse>& amounts) {
  ordered_json object = ordered_json::object();
  for (const AmountUse& amount : amounts)
    object[amount.name] = {{"total", amount.total.ToString()}, {"used", amount.used.ToString()}};
  return object;
}

ordered_json HoldersJson(const std::vector<MappedHolder>& holders) {
  ordered_json list = ordered_json::array();
  for (const MappedHolder& holder : holders) {
    ordered_json& item = list.emplace_back();
    item["namespace"] = holder.ns;
    item["claim"] = holder.claim;
    if (!holder.job.empty()) item["job"] = holder.job;
  }
  return list;
}

ordered_json TaintsJson(const std::vector<MappedTaint>& taints) {
  ordered_json list = ordered_json::array();
  for (const MappedTaint& taint : taints) {
    ordered_json& item = list.emplace_back();
    item["key"] = taint.key;
    if (!taint.value.empty()) item["value"] = taint.value;
    item["effect"] = taint.effect;
    if (!taint.rule.empty()) item["rule"] = taint.rule;
  }
  return list;
}

ordered_json ConsumesJson(const std::vector<CounterDemand>& demands) {
  ordered_json list = ordered_json::array();
  for (const CounterDemand& demand : demands) {
    ordered_json& item = list.emplace_back();
    item["counterSet"] = demand.counter_set;
    ordered_json& counters = item["counters"] = ordered_json::object();
    for (const auto& [name, amount] : demand.counters) counters[name] = amount.ToString();
  }
  return list;
}

ordered_json DeviceJson(const MappedDevice& device) {
  ordered_json object = {{"name", device.name}, {"state", ToString(device.state)}};
  if (device.why) object["why"] = ToString(*device.why);
  object["classes"] = device.classes;
  if (!device.holders.empty()) object["holders"] = HoldersJson(device.holders);
  if (!device.taints.empty()) object["taints"] = TaintsJson(device.taints);
  if (!device.shares.empty()) object["shares"] = AmountsJson(device.shares);
  if (!device.consumes.empty()) object["consumes"] = ConsumesJson(device.consumes);
  return object;
}

ordered_json PoolJson(const MappedPool& pool) {
  ordered_json object = {{"driver", pool.driver}, {"pool", pool.pool}};
  if (!pool.problem.empty()) object["problem"] = pool.problem;
  if (!pool.counter_sets.empty()) {
    ordered_json& sets = object["counterSets"] = ordered_json::array();
    for (const MappedCounterSet& set : pool.counter_sets) {
      ordered_json& item = sets.emplace_back();
      item["name"] = set.name;
      item["counters"] = AmountsJson(set.counters);
    }
  }
  ordered_json& devices = object["devices"] = ordered_json::array();
  for (const MappedDevice& device : pool.devices) devices.push_back(DeviceJson(device));
  return object;
}

}  // namespace

ordered_json DeviceMapDocument(const DeviceMap& map, const AsOf& as_of) {
  ordered_json document = Document("DeviceMap", as_of);
  document["worker"] = map.worker;
  ordered_json& nodes = document["nodes"] = ordered_json::array();
  for (const MappedNode& node : map.nodes) {
    ordered_json& item = nodes.emplace_back();
    item["name"] = node.name;
    if (!node.exists) item["missing"] = true;
    if (node.cordoned) item["cordoned"] = true;
    ordered_json& pools = item["pools"] = ordered_json::array();
    for (const MappedPool& pool : node.pools) pools.push_back(PoolJson(pool));
  }
  document["remaining"] = map.remaining;
  if (!map.go_on.empty()) document["continue"] = map.go_on;
  return document;
}

}  // namespace fedra::report
