#include <algorithm>

#include "dra/model/parse_common.h"

namespace fedra::dra {
namespace {

// ---- attributes

template <class Fill>
AttributeValue List(Fill&& fill) {
  auto list = std::make_shared<ListValue>();
  fill(list->items);
  return ListPointer(std::move(list));
}

// The kinds in the order in which the scheduler looks for them (cel/compile.go getAttributeValue).
AttributeValue ReadAttributeValue(const Fields& value, SymbolPool& symbols) {
  using Items = std::vector<ScalarValue>;
  if (value.Has("ints"))
    return List([&](Items& items) {
      value.ForEachInt("ints", kMaxItems, [&](int64_t item) { items.emplace_back(item); });
    });
  if (value.Has("bools"))
    return List([&](Items& items) {
      value.ForEachBool("bools", kMaxItems, [&](bool item) { items.emplace_back(item); });
    });
  if (value.Has("strings"))
    return List([&](Items& items) {
      value.ForEachString("strings", kMaxItems,
                          [&](std::string_view item) { items.emplace_back(symbols.Intern(item)); });
    });
  if (value.Has("versions"))
    return List([&](Items& items) {
      value.ForEachString("versions", kMaxItems, [&](std::string_view item) {
        items.emplace_back(VersionName{symbols.Intern(item)});
      });
    });
  if (value.Has("int")) return value.Int("int");
  if (const auto truth = value.Bool("bool")) return *truth;
  if (value.Has("string")) return symbols.Intern(value.String("string"));
  if (value.Has("version")) return VersionName{symbols.Intern(value.String("version"))};
  return std::monostate();
}

AttributeList ReadAttributes(const Fields& device, SymbolPool& symbols) {
  AttributeList attributes;
  device.ForEachEntry("attributes", kMaxItems, [&](std::string_view name, const Fields& value) {
    attributes.push_back(
        {.name = symbols.Intern(name), .value = ReadAttributeValue(value, symbols)});
  });
  std::sort(attributes.begin(), attributes.end(),
            [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
  return attributes;
}

uint64_t HashOf(const AttributeList& attributes) {
  uint64_t hash = attributes.size();
  for (const Attribute& attribute : attributes) {
    hash = hash * 31 + attribute.name.hash();
    if (const Symbol* text = std::get_if<Symbol>(&attribute.value)) hash = hash * 31 + text->hash();
  }
  return hash;
}

// Moves what all devices of the slice have in common into one shared list.
void ShareCommonAttributes(std::vector<Device>& devices, ParseContext& context) {
  if (devices.size() < 2) return;
  const auto in_all = [&](const Attribute& attribute) {
    return std::all_of(devices.begin() + 1, devices.end(), [&](const Device& device) {
      const AttributeValue* value = device.Find(attribute.name.view());
      return value && SameValue(*value, attribute.value);
    });
  };
  AttributeList common;
  std::copy_if(devices[0].own.begin(), devices[0].own.end(), std::back_inserter(common), in_all);
  if (common.empty()) return;
  const uint64_t hash = HashOf(common);
  const auto shared = context.attributes.Intern(std::move(common), hash);
  for (Device& device : devices) {
    AttributeList own;
    own.reserve(device.own.size() - shared->size());
    for (Attribute& attribute : device.own) {
      if (!std::binary_search(
              shared->begin(), shared->end(), attribute,
              [](const Attribute& a, const Attribute& b) { return a.name < b.name; }))
        own.push_back(std::move(attribute));
    }
    device.own = std::move(own);
    device.common = shared;
  }
}

// ---- capacity and counters

RequestPolicy ReadPolicy(const Fields& field) {
  RequestPolicy policy{.default_value = field.QuantityOf("default"),
                       .valid_values = field.QuantityList("validValues", kMaxItems),
                       .valid_range = {}};
  if (field.Has("validRange")) {
    const Fields range = field.Object("validRange");
    policy.valid_range = RequestPolicy::Range{.min = range.QuantityOf("min"),
                                              .max = range.QuantityOf("max"),
                                              .step = range.QuantityOf("step")};
  }
  return policy;
}

std::shared_ptr<const CapacityList> ReadCapacity(const Fields& device, ParseContext& context) {
  CapacityList list;
  device.ForEachEntry("capacity", kMaxItems, [&](std::string_view name, const Fields& field) {
    Capacity capacity{.name = context.symbols.Intern(name),
                      .value = field.QuantityOf("value").value_or(Quantity()),
                      .policy = {}};
    if (field.Has("requestPolicy")) {
      const Fields policy = field.Object("requestPolicy");
      capacity.policy = ReadPolicy(policy);
    }
    list.push_back(std::move(capacity));
  });
  if (list.empty()) return nullptr;
  std::sort(list.begin(), list.end(),
            [](const Capacity& a, const Capacity& b) { return a.name < b.name; });
  uint64_t hash = list.size();
  for (const Capacity& capacity : list)
    hash = (hash * 31 + capacity.name.hash()) * 31 + static_cast<uint64_t>(capacity.value.Value());
  return context.capacities.Intern(std::move(list), hash);
}

CounterSet ReadCounterSet(const Fields& field, const char* name_key, SymbolPool& symbols) {
  CounterSet set{.name = symbols.Intern(field.String(name_key)), .counters = {}};
  field.ForEachEntry("counters", kMaxItems, [&](std::string_view name, const Fields& counter) {
    set.counters.push_back(
        {.name = symbols.Intern(name), .value = counter.QuantityOf("value").value_or(Quantity())});
  });
  std::sort(set.counters.begin(), set.counters.end(),
            [](const Counter& a, const Counter& b) { return a.name < b.name; });
  // As with nodeAllocatableResourceMappings: a server without the gate keeps none.
  field.ForEachString("compatibilityGroups", kMaxItems,
                      [&](std::string_view group) { set.groups.push_back(symbols.Intern(group)); });
  std::sort(set.groups.begin(), set.groups.end());
  set.groups.erase(std::unique(set.groups.begin(), set.groups.end()), set.groups.end());
  return set;
}

std::shared_ptr<const std::vector<CounterSet>> ReadConsumed(const Fields& device,
                                                            ParseContext& context) {
  std::vector<CounterSet> consumed;
  uint64_t hash = 0;
  device.ForEachObject("consumesCounters", kMaxItems, [&](const Fields& field) {
    consumed.push_back(ReadCounterSet(field, "counterSet", context.symbols));
    hash = hash * 31 + consumed.back().name.hash();
    for (const Counter& counter : consumed.back().counters)
      hash = (hash * 31 + counter.name.hash()) * 31 + static_cast<uint64_t>(counter.value.Value());
    for (const Symbol& group : consumed.back().groups) hash = hash * 31 + group.hash();
  });
  if (consumed.empty()) return nullptr;
  return context.counters.Intern(std::move(consumed), hash);
}

// ---- devices

NodeReach ReadReach(const Fields& owner, ParseContext& context) {
  return {.node_name = context.symbols.Intern(owner.String("nodeName")),
          .all_nodes = owner.Bool("allNodes").value_or(false),
          .selector = ReadNodeSelector(owner, "nodeSelector", context)};
}

std::shared_ptr<const DeviceExtras> ReadExtras(const Fields& device, ParseContext& context) {
  DeviceExtras extras;
  SymbolPool& symbols = context.symbols;
  device.ForEachObject("taints", kMaxItems, [&](const Fields& taint) {
    extras.taints.push_back(ReadTaint(taint, symbols));
  });
  extras.reach = ReadReach(device, context);
  extras.binds_to_node = device.Bool("bindsToNode").value_or(false);
  device.ForEachString("bindingConditions", kMaxItems, [&](std::string_view name) {
    extras.binding_conditions.push_back(symbols.Intern(name));
  });
  // A server without the gate keeps none (dropDisabledDRANodeAllocatableResourcesFields in
  // pkg/registry/resource/resourceslice/strategy.go of Kubernetes v1.36.3): so those there count.
  device.ForEachEntry(
      "nodeAllocatableResourceMappings", kMaxItems,
      [&](std::string_view resource, const Fields& mapping) {
        extras.of_node.push_back({.resource = symbols.Intern(resource),
                                  .capacity = symbols.Intern(mapping.String("capacityKey")),
                                  .multiplier = mapping.QuantityOf("allocationMultiplier")});
      });
  device.ForEachEntry(
      "nodeAllocatableResources", kMaxItems, [&](std::string_view name, const Fields& taken) {
        const Symbol resource = symbols.Intern(name);
        if (taken.Has("mapping")) {
          const Fields mapping = taken.Object("mapping");
          const Symbol capacity = symbols.Intern(mapping.String("capacityKey"));
          const char* multiplier = capacity.empty() ? "deviceMultiplier" : "capacityMultiplier";
          extras.of_node.push_back({.resource = resource,
                                    .capacity = capacity,
                                    .multiplier = mapping.QuantityOf(multiplier),
                                    .exclusive = true});
        }
        if (taken.Has("overhead")) {
          const Fields overhead = taken.Object("overhead");
          extras.overhead.push_back({.resource = resource,
                                     .per_pod = overhead.QuantityOf("perPod"),
                                     .per_container = overhead.QuantityOf("perContainer")});
        }
      });
  const auto by_resource = [](const auto& a, const auto& b) { return a.resource < b.resource; };
  std::sort(extras.of_node.begin(), extras.of_node.end(), by_resource);
  std::sort(extras.overhead.begin(), extras.overhead.end(), by_resource);
  if (extras == DeviceExtras()) return nullptr;
  uint64_t hash = extras.reach.node_name.hash();
  for (const Taint& taint : extras.taints) hash = hash * 31 + taint.key.hash();
  for (const NodeMapping& mapping : extras.of_node) hash = hash * 31 + mapping.resource.hash();
  return context.extras.Intern(std::move(extras), hash);
}

Device ReadDevice(const Fields& element, ParseContext& context) {
  // v1beta1 keeps everything but the name below "basic".
  const Fields basic = element.Object("basic");
  const Fields& fields = basic.present() ? basic : element;
  Device device;
  device.name = context.symbols.Intern(element.String("name"));
  if (device.name.empty()) element.Complain("name", "missing");
  device.own = ReadAttributes(fields, context.symbols);
  device.capacity = ReadCapacity(fields, context);
  device.consumes = ReadConsumed(fields, context);
  device.extras = ReadExtras(fields, context);
  device.allow_multiple = fields.Bool("allowMultipleAllocations");
  return device;
}

}  // namespace

Result<Slice> ParseSlice(const nlohmann::json& object, ParseContext& context) {
  Problem problem;
  const Fields root(object, problem);
  CheckApiVersion(root, problem);
  const Fields spec = root.Object("spec");
  const Fields pool = spec.Object("pool");
  Slice slice;
  slice.name = context.symbols.Intern(root.Object("metadata").String("name"));
  slice.pool = {.driver = context.symbols.Intern(spec.String("driver")),
                .pool = context.symbols.Intern(pool.String("name"))};
  if (slice.pool.driver.empty()) spec.Complain("driver", "missing");
  slice.generation = pool.Int("generation");
  slice.pool_slices = pool.Int("resourceSliceCount");
  slice.reach = ReadReach(spec, context);
  slice.has_per_device = spec.Has("perDeviceNodeSelection");
  slice.per_device = spec.Bool("perDeviceNodeSelection").value_or(false);
  slice.skips_operations = HasEntries(spec, "skipNodeOperations");
  spec.ForEachObject("devices", kMaxDevices, [&](const Fields& device) {
    slice.devices.push_back(ReadDevice(device, context));
  });
  spec.ForEachObject("sharedCounters", kMaxItems, [&](const Fields& set) {
    slice.counters.push_back(ReadCounterSet(set, "name", context.symbols));
  });
  if (problem.found())
    return Fail(problem.error().WithContext("ResourceSlice " + slice.name.str()));
  ShareCommonAttributes(slice.devices, context);
  return slice;
}

}  // namespace fedra::dra
