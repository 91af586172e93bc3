// The devices of one worker, one by one: each state, pages, and agreement with the counts.

#include "manager/report/device_map.h"

#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "manager/report/device_map_document.h"
#include "manager/text/device_map_view.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/contract.h"
#include "tests/unit/manager/support/mapped_devices.h"

namespace fedra::report::device_map_test {
namespace {

const AsOf kRead{WallTime(std::chrono::milliseconds(1'795'277'479'000)), ""};

DeviceMap Map(const DeviceMapQuery& query = {}) {
  const auto map = MapDevices(testing::MappedDevices(), query);
  INFO((map ? std::string() : ToString(map.error())));
  REQUIRE(map.has_value());
  return *map;
}

const MappedDevice& Find(const DeviceMap& map, std::string_view node, std::string_view name) {
  for (const MappedNode& each : map.nodes)
    for (const MappedPool& pool : each.pools)
      for (const MappedDevice& device : pool.devices)
        if (each.name == node && device.name == name) return device;
  FAIL("no device " << node << "/" << name);
  return map.nodes.front().pools.front().devices.front();
}

std::string NodesOf(const DeviceMap& map) {
  std::string names;
  for (const MappedNode& node : map.nodes) names += node.name + ";";
  return names;
}

TEST_CASE("map: each device has one state, and what is the matter with it") {
  struct Row {
    const char* node;
    const char* device;
    const char* state;
    const char* why;
  };
  const DeviceMap map = Map();
  for (const Row& row :
       {Row{"node-a", "half-0", "Allocated", ""}, Row{"node-a", "half-1", "Free", ""},
        Row{"node-a", "whole", "Unusable", "CountersExhausted"}, Row{"node-b", "gpu-0", "Free", ""},
        Row{"node-b", "gpu-1", "Tainted", ""}, Row{"node-b", "gpu-2", "Allocated", ""},
        Row{"node-b", "gpu-3", "Shared", ""}, Row{"node-c", "gpu-0", "Unusable", "NodeMissing"},
        Row{"node-d", "gpu-0", "Unusable", "PoolIncomplete"}, Row{"", "nic-0", "Free", ""}}) {
    INFO(row.node << "/" << row.device);
    const MappedDevice& device = Find(map, row.node, row.device);
    CHECK(ToString(device.state) == row.state);
    CHECK((device.why ? ToString(*device.why) : "") == row.why);
  }
}

TEST_CASE("map: who holds it, its taints, its classes, and what is held of it") {
  const DeviceMap map = Map();
  const MappedDevice& served = Find(map, "node-a", "half-0");
  REQUIRE(served.holders.size() == 1);
  CHECK(served.holders[0].claim == "serve-gpu");
  CHECK(served.holders[0].job == "serve");
  CHECK(served.classes == std::vector<std::string>{"gpu"});
  // No pod is known that uses this claim.
  const MappedDevice& trained = Find(map, "node-b", "gpu-2");
  REQUIRE(trained.holders.size() == 1);
  CHECK(trained.holders[0].job.empty());
  REQUIRE(trained.taints.size() == 1);
  CHECK(trained.taints[0].rule == "maintenance");
  CHECK(trained.taints[0].effect == "NoExecute");
  const MappedDevice& repaired = Find(map, "node-b", "gpu-1");
  REQUIRE(repaired.taints.size() == 1);
  CHECK(repaired.taints[0].value == "soon");
  CHECK(repaired.taints[0].rule.empty());
  const MappedDevice& shared = Find(map, "node-b", "gpu-3");
  REQUIRE(shared.shares.size() == 1);
  CHECK(shared.shares[0].used.ToString() == "20Gi");
  CHECK(shared.shares[0].total.ToString() == "80Gi");
  CHECK(Find(map, "", "nic-1").classes.empty());
}

TEST_CASE("map: partitions share a counter set, of which some is used") {
  const DeviceMap map = Map({.node = "node-a"});
  REQUIRE(map.nodes.size() == 1);
  const MappedPool& pool = map.nodes[0].pools.at(0);
  REQUIRE(pool.counter_sets.size() == 1);
  CHECK(pool.counter_sets[0].name == "card");
  const AmountUse& memory = pool.counter_sets[0].counters.at(0);
  CHECK(memory.total.ToString() == "80Gi");
  CHECK(memory.used.ToString() == "40Gi");
  const MappedDevice& whole = Find(map, "node-a", "whole");
  REQUIRE(whole.consumes.size() == 1);
  CHECK(whole.consumes[0].counter_set == "card");
  CHECK(whole.consumes[0].counters.at(0).second.ToString() == "80Gi");
}

TEST_CASE("map: nodes that are not there, or cordoned, say so") {
  std::map<std::string, std::pair<bool, bool>> nodes;
  for (const MappedNode& node : Map().nodes) nodes[node.name] = {node.exists, node.cordoned};
  CHECK(nodes["node-a"] == std::pair(true, false));
  CHECK(nodes["node-b"] == std::pair(true, true));
  CHECK(nodes["node-c"] == std::pair(false, false));
}

TEST_CASE("map: as many devices in each state as are counted") {
  const DeviceInventory inventory =
      TakeInventory(*testing::MappedDevices().snapshot, DeviceFilter()).value();
  DeviceCount counted;
  for (const NodeDevices& node : inventory.nodes) counted.Add(node.count);
  std::map<DeviceCondition, int> mapped;
  int total = 0;
  for (const MappedNode& node : Map().nodes) {
    for (const MappedPool& pool : node.pools) {
      for (const MappedDevice& device : pool.devices) {
        ++mapped[device.state];
        ++total;
      }
    }
  }
  CHECK(total == counted.total);
  CHECK(mapped[DeviceCondition::kFree] == counted.free);
  CHECK(mapped[DeviceCondition::kAllocated] == counted.allocated);
  CHECK(mapped[DeviceCondition::kShared] == counted.shared);
  CHECK(mapped[DeviceCondition::kUnusable] == counted.unusable);
  // A device that is held counts as tainted, too.
  CHECK(mapped[DeviceCondition::kTainted] == counted.tainted - 1);
}

TEST_CASE("map: pages of nodes follow each other by their token") {
  CHECK(NodesOf(Map()) == ";node-a;node-b;node-c;node-d;");
  std::string all;
  DeviceMapQuery query{.limit = 2};
  size_t before = 6;
  do {
    const DeviceMap page = Map(query);
    all += NodesOf(page);
    CHECK(page.remaining < before);
    before = page.remaining;
    query.go_on = page.go_on;
  } while (!query.go_on.empty());
  CHECK(all == NodesOf(Map()));
  CHECK(before == 0);
}

TEST_CASE("map: a node without devices and a token of another worker are refused") {
  const auto refusal = [](const DeviceMapQuery& query) {
    const auto map = MapDevices(testing::MappedDevices(), query);
    return map ? std::string() : ToString(map.error());
  };
  CHECK(refusal({.node = "node-x"}) == "--node node-x: no devices are published there");
  CHECK(refusal({.go_on = "???"}) == "--continue: this is no word of `continue` of an answer");
  DeviceSource other = testing::MappedDevices();
  other.worker = "west";
  const std::string token = MapDevices(other, {.limit = 1}).value().go_on;
  CHECK(refusal({.go_on = token}) == "--continue: it belongs to another worker: begin without it");
}

TEST_CASE("map: the document is what its schema says") {
  const auto document = DeviceMapDocument(Map({.limit = 3}), kRead);
  const auto mistakes = testing::Contract().MistakesIn("DeviceMap", document);
  CAPTURE(mistakes);
  CHECK(mistakes.empty());
  CHECK(document.at("kind") == "DeviceMap");
  CHECK(document.at("remaining") == 2);
  CHECK(document.at("nodes").at(1).at("pools").at(0).at("counterSets").at(0).at("counters") ==
        nlohmann::json::parse(R"({"memory": {"total": "80Gi", "used": "40Gi"}})"));
}

TEST_CASE("map: a card per node for people") {
  const auto text = [](const DeviceMapQuery& query) {
    return text::RenderDeviceMap(Map(query), kRead, text::Format::kTable, {});
  };
  CHECK(text({.node = "node-a"}).out ==
        "node node-a\n"
        "  gpu.example.com, pool node-a: 3 partitions, alternatives to each other\n"
        "    card: memory 40Gi of 80Gi in use\n"
        "    DEVICE  STATE      CLASSES  HELD BY                   NOTE\n"
        "    half-0  Allocated  gpu      ml/serve-gpu (job serve)  of card\n"
        "    half-1  Free       gpu      -                         of card\n"
        "    whole   Unusable   gpu      -                         CountersExhausted; of card\n");
  const std::string second = text({.node = "node-b"}).out;
  CHECK_THAT(second, ContainsSubstring("node node-b (cordoned: no new pod gets there)\n"
                                       "  gpu.example.com, pool node-b: 1 of 4 devices free\n"));
  CHECK_THAT(second, ContainsSubstring("taint repair=soon:NoSchedule\n"));
  CHECK_THAT(second, ContainsSubstring("taint maintenance:NoExecute (DeviceTaintRule "
                                       "maintenance)\n"));
  CHECK_THAT(second, ContainsSubstring("held: memory 20Gi of 80Gi\n"));
  CHECK_THAT(text({.node = "node-c"}).out, ContainsSubstring("(there is no such node)"));
  CHECK_THAT(text({.node = "node-d"}).out,
             ContainsSubstring("the pool is not completely published\n"));
  CHECK_THAT(text({.limit = 1}).note, Catch::Matchers::StartsWith("4 nodes more; --continue "));
}

}  // namespace
}  // namespace fedra::report::device_map_test
