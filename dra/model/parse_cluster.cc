// DeviceClass, DeviceTaintRule and Node.

#include <algorithm>

#include "dra/model/parse_common.h"

namespace fedra::dra {

Result<DeviceClass> ParseDeviceClass(const nlohmann::json& object, ParseContext& context) {
  Problem problem;
  const Fields root(object, problem);
  CheckApiVersion(root, problem);
  const Fields metadata = root.Object("metadata");
  const Fields spec = root.Object("spec");
  DeviceClass result;
  result.name = context.symbols.Intern(metadata.String("name"));
  result.created = metadata.String("creationTimestamp");
  ReadSelectors(spec, result.selectors, result.selector_is_cel, context.symbols);
  result.extended_resource = context.symbols.Intern(spec.String("extendedResourceName"));
  if (problem.found()) return Fail(problem.error().WithContext("DeviceClass " + result.name.str()));
  return result;
}

Result<TaintRule> ParseTaintRule(const nlohmann::json& object, ParseContext& context) {
  Problem problem;
  const Fields root(object, problem);
  const Fields spec = root.Object("spec");
  const Fields selector = spec.Object("deviceSelector");
  const Fields taint = spec.Object("taint");
  SymbolPool& symbols = context.symbols;
  TaintRule rule{.name = std::string(root.Object("metadata").String("name")),
                 .driver = symbols.Intern(selector.String("driver")),
                 .pool = symbols.Intern(selector.String("pool")),
                 .device = symbols.Intern(selector.String("device")),
                 .is_empty = !selector.present(),
                 .taints_fewer = selector.Has("deviceClassName") || selector.Has("selectors"),
                 .taint = ReadTaint(taint, symbols)};
  rule.taint.rule = symbols.Intern(rule.name);
  if (problem.found()) return Fail(problem.error().WithContext("DeviceTaintRule " + rule.name));
  return rule;
}

Result<Node> ParseNode(const nlohmann::json& object, ParseContext& context) {
  Problem problem;
  const Fields root(object, problem);
  const Fields metadata = root.Object("metadata");
  const Fields spec = root.Object("spec");
  const Fields status = root.Object("status");
  SymbolPool& symbols = context.symbols;
  Node node;
  node.name = symbols.Intern(metadata.String("name"));
  metadata.ForEachStringEntry(
      "labels", kMaxDevices, [&](std::string_view key, std::string_view value) {
        node.labels.emplace_back(symbols.Intern(key), symbols.Intern(value));
      });
  std::sort(node.labels.begin(), node.labels.end());
  spec.ForEachObject("taints", kMaxItems, [&](const Fields& taint) {
    node.taints.push_back({.key = symbols.Intern(taint.String("key")),
                           .value = symbols.Intern(taint.String("value")),
                           .effect = symbols.Intern(taint.String("effect"))});
  });
  node.unschedulable = spec.Bool("unschedulable").value_or(false);
  node.allocatable = ReadQuantities(status, "allocatable", symbols);
  status.ForEachString("declaredFeatures", kMaxItems, [&](std::string_view feature) {
    node.optional_operations = node.optional_operations || feature == "DRAOptionalNodeOperations";
  });
  if (problem.found()) return Fail(problem.error().WithContext("Node " + node.name.str()));
  return node;
}

}  // namespace fedra::dra
