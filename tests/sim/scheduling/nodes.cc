#include "tests/sim/scheduling/nodes.h"

#include <algorithm>

namespace fedra::sim {
namespace {

bool Contains(const Json& values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// `value`: null pointer when the node has no such label or field.
bool Holds(const Json& expression, const std::string* value) {
  const std::string_view op = StringAt(expression, {"operator"});
  if (op == "Exists") return value != nullptr;
  if (op == "DoesNotExist") return value == nullptr;
  const bool listed = value != nullptr && Contains(ArrayAt(expression, {"values"}), *value);
  return op == "In" ? listed : op == "NotIn" && !listed;
}

bool TermSelects(const Json& term, const Json& node) {
  const auto label_holds = [&node](const Json& expression) {
    const Json* label = At(node, {"metadata", "labels", StringAt(expression, {"key"})});
    return Holds(expression, label == nullptr ? nullptr : label->get_ptr<const std::string*>());
  };
  const auto field_holds = [&node](const Json& expression) {
    const Json* name = At(node, {"metadata", "name"});
    return StringAt(expression, {"key"}) == "metadata.name" &&
           Holds(expression, name->get_ptr<const std::string*>());
  };
  const Json& labels = ArrayAt(term, {"matchExpressions"});
  const Json& fields = ArrayAt(term, {"matchFields"});
  if (labels.empty() && fields.empty()) return false;
  return std::all_of(labels.begin(), labels.end(), label_holds) &&
         std::all_of(fields.begin(), fields.end(), field_holds);
}

bool Repels(const Json& taint) {
  const std::string_view effect = StringAt(taint, {"effect"});
  return effect == "NoSchedule" || effect == "NoExecute";
}

}  // namespace

bool SelectsNode(const Json* node_selector, const Json& node) {
  if (node_selector == nullptr) return true;
  const Json& terms = ArrayAt(*node_selector, {"nodeSelectorTerms"});
  return std::any_of(terms.begin(), terms.end(),
                     [&node](const Json& term) { return TermSelects(term, node); });
}

bool AcceptsNode(const Json& pod_spec, const Json& node) {
  if (const Json* labels = At(pod_spec, {"nodeSelector"})) {
    for (const auto& [name, value] : labels->items()) {
      const Json* label = At(node, {"metadata", "labels", name});
      if (label == nullptr || *label != value) return false;
    }
  }
  const Json* affinity =
      At(pod_spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  if (!SelectsNode(affinity, node)) return false;
  const Json& taints = ArrayAt(node, {"spec", "taints"});
  const Json& tolerations = ArrayAt(pod_spec, {"tolerations"});
  return std::all_of(taints.begin(), taints.end(), [&tolerations](const Json& taint) {
    return !Repels(taint) || IsTolerated(taint, tolerations);
  });
}

bool IsTolerated(const Json& taint, const Json& tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&taint](const Json& toleration) {
    const std::string_view effect = StringAt(toleration, {"effect"});
    if (!effect.empty() && effect != StringAt(taint, {"effect"})) return false;
    const std::string_view key = StringAt(toleration, {"key"});
    if (!key.empty() && key != StringAt(taint, {"key"})) return false;
    if (StringAt(toleration, {"operator"}) == "Exists") return true;
    return StringAt(toleration, {"value"}) == StringAt(taint, {"value"});
  });
}

Rooms::Rooms(const Store& store, const ResourceType& pods) {
  for (const auto& [key, pod] : store.All(pods)) {
    const std::string_view node = StringAt(pod.body, {"spec", "nodeName"});
    if (node.empty()) continue;
    const std::string_view phase = StringAt(pod.body, {"status", "phase"});
    if (phase == "Succeeded" || phase == "Failed") continue;
    Amounts& taken = taken_[std::string(node)];
    for (const auto& [resource, amount] : PodRequests(pod.body["spec"])) taken[resource] += amount;
    taken["pods"] += 1000;
  }
}

Amounts Rooms::On(const Json& node) const {
  Amounts room;
  if (const Json* allocatable = At(node, {"status", "allocatable"})) {
    for (const auto& [name, amount] : allocatable->items()) room[name] = ParseMilli(amount);
  }
  const auto taken = taken_.find(StringAt(node, {"metadata", "name"}));
  if (taken == taken_.end()) return room;
  for (const auto& [resource, amount] : taken->second) {
    const auto left = room.find(resource);
    if (left != room.end()) left->second -= amount;
  }
  return room;
}

}  // namespace fedra::sim
