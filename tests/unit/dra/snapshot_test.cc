// Incremental snapshots: equal to one built from scratch, and sharing what did not change.

#include "dra/model/snapshot.h"

#include <map>
#include <random>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/histories.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::snapshot_test {
namespace {

using dra::Symbol;

class World {
 public:
  explicit World(dra::AllocatorFeatures features = {}) : builder(std::move(features)) {}

  void SetSlice(const json& object) { builder.SetSlice(dra::ParseSlice(object, context).value()); }
  void SetClaim(const json& object) { builder.SetClaim(dra::ParseClaim(object, context).value()); }
  void SetRule(const json& object) {
    builder.SetTaintRule(dra::ParseTaintRule(object, context).value());
  }

  dra::ParseContext context;
  dra::SnapshotBuilder builder;
};

// Everything a node sees, as text.
std::string Describe(const dra::Snapshot& snapshot, const std::string& name) {
  dra::Node node;
  node.name = Symbol(name);
  node.labels = {{Symbol("zone"), Symbol("a")}};
  std::string text;
  const dra::NodeView view = dra::ViewOf(snapshot, node);
  for (const auto& pool : view.pools) {
    text += pool->key.ToString() + " " + std::to_string(static_cast<int>(pool->status)) + "\n";
    for (const dra::ViewDevice& device : pool->devices) {
      text += "  " + device.slice->name.str() + "/" + device.device->name.str();
      if (device.use) {
        text += device.use->dedicated ? " dedicated" : " shared";
        for (const ObjectKey& holder : device.use->holders) text += " " + holder.ToString();
      }
      if (device.taints) text += " ruled " + std::to_string(device.taints->size());
      text += "\n";
    }
    for (const dra::ViewCounter& counter : pool->counters)
      text += "  " + counter.name.str() + "=" + counter.available.ToString() + "\n";
  }
  return text;
}

json RandomSlice(std::mt19937& random, int number) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::string node = "node-" + std::to_string(pick(3));
  json more = {{"nodeName", node},
               {"pool",
                {{"name", pick(4) ? node : std::string("net")},
                 {"generation", 1 + pick(2)},
                 {"resourceSliceCount", 1 + pick(2)}}}};
  if (pick(5) == 0) more["nodeName"] = nullptr, more["allNodes"] = true;
  if (pick(6) == 0)
    more["sharedCounters"] = {
        {{"name", "s" + std::to_string(number)}, {"counters", {{"units", {{"value", "4"}}}}}}};
  return Slice("slice-" + std::to_string(number), Devices(pick(4)), more);
}

void RunHistory(unsigned seed, int steps) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  dra::AllocatorFeatures features;
  features.device_taint_rules = true;
  World world(features);
  std::map<std::string, json> slices, claims, rules;
  for (int step = 0; step < steps; ++step) {
    const int number = pick(8);
    const std::string name = std::to_string(number);
    switch (pick(8)) {
      case 0:
        world.builder.RemoveSlice(Symbol("slice-" + name));
        slices.erase(name);
        break;
      case 1:
      case 2:
      case 3:
        world.SetSlice(slices[name] = RandomSlice(random, number));
        break;
      case 4:
      case 5:
        world.SetClaim(claims[name] = Holding("claim-" + name, "gpu-" + std::to_string(pick(3)),
                                              {{"pool", "node-" + std::to_string(pick(3))}}));
        break;
      case 6:
        world.builder.RemoveClaim({.ns = "other", .name = "claim-" + name});
        claims.erase(name);
        break;
      default:
        if (pick(2)) {
          world.builder.RemoveTaintRule("rule-" + name);
          rules.erase(name);
        } else {
          rules[name] = {{"metadata", {{"name", "rule-" + name}}},
                         {"spec",
                          {{"deviceSelector", {{"device", "gpu-" + std::to_string(pick(3))}}},
                           {"taint", {{"key", "k"}, {"effect", "NoSchedule"}}}}}};
          world.SetRule(rules[name]);
        }
    }
    const auto incremental = world.builder.Publish();
    World fresh(features);
    for (const auto& [key, slice] : slices) fresh.SetSlice(slice);
    for (const auto& [key, claim] : claims) fresh.SetClaim(claim);
    for (const auto& [key, rule] : rules) fresh.SetRule(rule);
    const auto expected = fresh.builder.Publish();
    for (const char* node : {"node-0", "node-1", "node-2", "elsewhere"}) {
      INFO("seed " << seed << " step " << step << " " << node);
      REQUIRE(Describe(*incremental, node) == Describe(*expected, node));
    }
  }
}

TEST_CASE("any history of changes ends in the snapshot that a fresh start would make") {
  for (unsigned seed = 1; seed <= Histories(10); ++seed) RunHistory(seed, 200);
}

TEST_CASE("publishing without a change gives the same snapshot") {
  World world;
  world.SetSlice(Slice("1", Devices(2)));
  const auto first = world.builder.Publish();
  CHECK(world.builder.Publish() == first);
  world.builder.RemoveSlice(Symbol("unknown"));
  CHECK(world.builder.Publish() == first);
  world.builder.RemoveSlice(Symbol("1"));
  const auto second = world.builder.Publish();
  CHECK(second != first);
  CHECK(second->generation() > first->generation());
  CHECK(first->pools().size() == 1);  // the old one stays what it was
  CHECK(second->pools().empty());
}

TEST_CASE("one changed slice leaves everything else shared") {
  World world;
  const auto slice_of = [](int node, int devices) {
    const std::string name = "node-" + std::to_string(node);
    return Slice("slice-" + name, Devices(devices),
                 {{"nodeName", name}, {"pool", {{"name", name}}}});
  };
  for (int node = 0; node < 100; ++node) world.SetSlice(slice_of(node, 8));
  const auto before = world.builder.Publish();
  world.SetSlice(slice_of(7, 4));
  const auto after = world.builder.Publish();
  int shared = 0;
  before->pools().ForEach([&](const dra::PoolKey& key, const auto& pool) {
    shared += after->pools().Find(key)->get() == pool.get();
  });
  CHECK(shared == 99);
  for (int node = 0; node < 100; ++node) {
    const Symbol name("node-" + std::to_string(node));
    CHECK((before->PoolsOf(name) == after->PoolsOf(name)) == (node != 7));
  }
  CHECK(before->PoolsOf(Symbol("node-7"))->views[0].second->devices.size() == 8);
  CHECK(after->PoolsOf(Symbol("node-7"))->views[0].second->devices.size() == 4);
}

TEST_CASE("a slice that moves to another pool leaves the old one") {
  World world;
  world.SetSlice(Slice("1", Devices(1), {{"pool", {{"name", "old"}}}}));
  world.builder.Publish();
  world.SetSlice(Slice("1", Devices(1), {{"pool", {{"name", "new"}}}}));
  const auto snapshot = world.builder.Publish();
  CHECK(snapshot->pools().size() == 1);
  CHECK(snapshot->pools().Find({Symbol(kDriver), Symbol("new")}));
}

TEST_CASE("a claim that loses its allocation frees what no other claim holds") {
  World world;
  world.SetSlice(Slice("1", Devices(3)));
  json lost = Holding("lost", "gpu-0");
  lost["status"]["allocation"]["devices"]["results"].push_back(
      {{"request", "r"}, {"driver", kDriver}, {"pool", "node-1"}, {"device", "gpu-1"}});
  world.SetClaim(lost);
  world.SetClaim(Holding("other", "gpu-1"));
  world.SetClaim(Holding("third", "gpu-2"));
  const auto base = world.builder.Publish();
  const auto freed = base->WithoutAllocation({.ns = "other", .name = "lost"});
  CHECK_FALSE((*freed->claims().Find({.ns = "other", .name = "lost"}))->allocation);
  CHECK_THAT(Describe(*freed, "node-1"), !ContainsSubstring("lost"));
  CHECK_THAT(Describe(*freed, "node-1"), !ContainsSubstring("gpu-0 dedicated"));
  CHECK_THAT(Describe(*freed, "node-1"), ContainsSubstring("gpu-1 dedicated other/other"));
  CHECK_THAT(Describe(*freed, "node-1"), ContainsSubstring("gpu-2 dedicated other/third"));
  CHECK(freed->use_serial() != base->use_serial());
  CHECK_THAT(Describe(*base, "node-1"), ContainsSubstring("other/lost"));
  const auto same = base->WithoutAllocation({.ns = "other", .name = "unknown"});
  CHECK(Describe(*same, "node-1") == Describe(*base, "node-1"));
}

// Sets the object, and sets it again with more of what decides nothing: the snapshot stays. Then
// every single value of it is changed: that is another object each time.
template <class Set>
void EveryValueCounts(Set set, const json& object) {
  dra::AllocatorFeatures features;
  features.device_taint_rules = true;
  json resent = object;
  resent["metadata"]["resourceVersion"] = "2";
  resent["metadata"]["managedFields"] = json::array({{{"manager", "driver"}}});
  resent["status"]["conditions"] = json::array({{{"type", "Ready"}}});
  const json flat = object.flatten();
  for (const auto& [path, value] : flat.items()) {
    INFO(path);
    World world(features);
    REQUIRE(set(world, object));
    const auto before = world.builder.Publish();
    REQUIRE_FALSE(set(world, resent));
    REQUIRE(world.builder.Publish() == before);
    json changed = object;
    json& other = changed[json::json_pointer(path)];
    if (value.is_boolean())
      other = value != true;
    else if (value.is_number())
      other = 7;
    else
      other = value == "1" ? "2" : "other";
    CHECK(set(world, changed));
    CHECK(world.builder.Publish() != before);
  }
}

TEST_CASE("a slice of the same content changes nothing, whatever else its object says") {
  const auto set = [](World& world, const json& object) {
    return world.builder.SetSlice(dra::ParseSlice(object, world.context).value());
  };
  EveryValueCounts(set, json::parse(R"({
    "metadata": {"name": "s"},
    "spec": {
      "driver": "gpu.example.com", "nodeName": "node-1", "allNodes": false,
      "perDeviceNodeSelection": false,
      "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
      "nodeSelector": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}],
         "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]},
      "sharedCounters": [{"name": "set", "counters": {"units": {"value": "1"}}}],
      "devices": [
        {"name": "a",
         "attributes": {"model": {"string": "x"}, "size": {"int": 1}, "fast": {"bool": true},
                        "driver": {"version": "1.0.0"}},
         "capacity": {"memory": {"value": "1", "requestPolicy": {
           "default": "1", "validValues": ["1"],
           "validRange": {"min": "1", "max": "1", "step": "1"}}}},
         "consumesCounters": [{"counterSet": "set", "counters": {"units": {"value": "1"}}}],
         "taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}],
         "nodeName": "node-1", "bindsToNode": true, "allowMultipleAllocations": true,
         "bindingConditions": ["ready"]},
        {"name": "b", "attributes": {"model": {"string": "x"}, "size": {"int": 2}}}]}})"));
}

TEST_CASE("nor does a claim, a class, a template, a rule or a node") {
  const json claim_spec = json::parse(R"({
    "devices": {
      "requests": [
        {"name": "r", "exactly": {
          "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1,
          "adminAccess": false, "selectors": [{"cel": {"expression": "true"}}],
          "tolerations": [
            {"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}],
          "capacity": {"requests": {"memory": "1"}}}},
        {"name": "q", "firstAvailable": [
          {"name": "first", "deviceClassName": "gpu", "allocationMode": "ExactCount",
           "count": 1}]}],
      "constraints": [{"requests": ["r"], "matchAttribute": "a.com/x"},
                      {"requests": ["q"], "distinctAttribute": "a.com/y"}]}})");
  const auto set_claim = [](World& world, const json& object) {
    return world.builder.SetClaim(dra::ParseClaim(object, world.context).value());
  };
  json claim = {{"metadata", {{"namespace", "ml"}, {"name", "c"}, {"uid", "u"}}},
                {"spec", claim_spec},
                {"status", json::parse(R"({
                  "allocation": {
                    "nodeSelector": {"nodeSelectorTerms": [
                      {"matchFields": [
                        {"key": "metadata.name", "operator": "In", "values": ["n"]}]}]},
                    "devices": {"results": [
                      {"request": "r", "driver": "d", "pool": "p", "device": "a",
                       "adminAccess": false, "shareID": "s",
                       "consumedCapacity": {"memory": "1"}}]}},
                  "reservedFor": [{"uid": "pod"}]})")}};
  EveryValueCounts(set_claim, claim);
  // Of these it counts that they are there.
  const auto has_changed = [&](const json& change) {
    World world;
    REQUIRE(set_claim(world, claim));
    json changed = claim;
    changed.merge_patch(change);
    return set_claim(world, changed);
  };
  CHECK_FALSE(has_changed(json::object()));
  // Of binding conditions it counts whether they have failed.
  json binding = {{"status", {{"allocation", claim["status"]["allocation"]}}}};
  json& result = binding["status"]["allocation"]["devices"]["results"][0];
  result["bindingConditions"] = {"Attached"};
  result["bindingFailureConditions"] = {"Failed"};
  CHECK_FALSE(has_changed(binding));
  binding["status"]["devices"] = json::parse(
      R"([{"driver": "d", "pool": "p", "device": "a",
           "conditions": [{"type": "Failed", "status": "True"}]}])");
  CHECK(has_changed(binding));
  CHECK(has_changed({{"metadata", {{"deletionTimestamp", "2026-01-01T00:00:00Z"}}}}));
  CHECK(has_changed({{"status", {{"allocation", nullptr}}}}));
  CHECK(has_changed(
      {{"status", {{"allocation", {{"allocationTimestamp", "2026-01-01T00:00:00Z"}}}}}}));

  const auto set_class = [](World& world, const json& object) {
    return world.builder.SetClass(dra::ParseDeviceClass(object, world.context).value());
  };
  json device_class = Class("gpu", {"true"});
  device_class["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z";
  device_class["spec"]["extendedResourceName"] = "example.com/gpu";
  EveryValueCounts(set_class, device_class);

  const auto set_template = [](World& world, const json& object) {
    return world.builder.SetTemplate(dra::ParseClaimTemplate(object, world.context).value());
  };
  EveryValueCounts(set_template,
                   {{"metadata", claim["metadata"]}, {"spec", {{"spec", claim_spec}}}});

  const auto set_rule = [](World& world, const json& object) {
    return world.builder.SetTaintRule(dra::ParseTaintRule(object, world.context).value());
  };
  EveryValueCounts(set_rule, json::parse(R"({
    "metadata": {"name": "r"},
    "spec": {"deviceSelector": {"driver": "d", "pool": "p", "device": "a"},
             "taint": {"key": "k", "value": "v", "effect": "NoSchedule"}}})"));

  const auto set_node = [](World& world, const json& object) {
    return world.builder.SetNode(dra::ParseNode(object, world.context).value());
  };
  EveryValueCounts(set_node, json::parse(R"({
    "metadata": {"name": "n", "labels": {"zone": "a"}},
    "spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}],
             "unschedulable": true},
    "status": {"allocatable": {"cpu": "1"}}})"));
}

TEST_CASE("removing what is not there changes nothing") {
  World world;
  world.SetSlice(Slice("1", Devices(1)));
  const auto before = world.builder.Publish();
  CHECK_FALSE(world.builder.RemoveSlice(Symbol("x")));
  CHECK_FALSE(world.builder.RemoveClaim({.ns = "ml", .name = "x"}));
  CHECK_FALSE(world.builder.RemoveClass(Symbol("x")));
  CHECK_FALSE(world.builder.RemoveTemplate({.ns = "ml", .name = "x"}));
  CHECK_FALSE(world.builder.RemoveTaintRule("x"));
  CHECK_FALSE(world.builder.RemoveNode(Symbol("x")));
  CHECK(world.builder.Publish() == before);
  CHECK(world.builder.RemoveSlice(Symbol("1")));
  CHECK(world.builder.Publish() != before);
}

}  // namespace
}  // namespace fedra::test::snapshot_test
