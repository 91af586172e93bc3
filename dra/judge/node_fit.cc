#include "dra/judge/node_fit.h"

#include <algorithm>
#include <utility>

#include "dra/judge/extended.h"
#include "dra/model/node_match.h"

namespace fedra::dra {

using verdict::NodeRefusal;

namespace {

constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";

bool Tolerates(const Toleration& toleration, std::string_view key, std::string_view value,
               std::string_view effect) {
  if (!toleration.effect.empty() && !(toleration.effect == effect)) return false;
  if (!toleration.key.empty() && !(toleration.key == key)) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == value;
  return toleration.op == "Exists";
}

bool TolerateAny(const std::vector<Toleration>& tolerations, std::string_view key,
                 std::string_view value, std::string_view effect) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& toleration) {
    return Tolerates(toleration, key, value, effect);
  });
}

std::optional<NodeRefusal> CheckLabels(const Node& node, const NodeConstraints& constraints) {
  for (const auto& [key, value] : constraints.labels) {
    const Symbol* label = node.Label(key.view());
    if (!label || !(*label == value))
      return NodeRefusal{.why = NodeRefusal::Why::kSelector,
                         .detail = key.str() + "=" + value.str()};
  }
  if (!constraints.affinity) return std::nullopt;
  const auto matches = MatchesLazily(*constraints.affinity, node);
  if (!matches)
    return NodeRefusal{.why = NodeRefusal::Why::kAffinityError, .error = matches.error().message};
  if (!*matches) return NodeRefusal{.why = NodeRefusal::Why::kAffinity};
  return std::nullopt;
}

NodeAnswer Short(const Symbol& resource, const Quantity& asked, const Quantity& free,
                 const Quantity& all) {
  return {.resource = resource, .asked = asked, .free = free, .all = all};
}

bool IsElsewhere(const Symbol& name, const std::vector<Symbol>& elsewhere) {
  return std::find(elsewhere.begin(), elsewhere.end(), name) != elsewhere.end();
}

}  // namespace

bool NodeConstraints::operator==(const NodeConstraints& other) const {
  const bool same_affinity =
      affinity == other.affinity || (affinity && other.affinity && *affinity == *other.affinity);
  return same_affinity && labels == other.labels && tolerations == other.tolerations;
}

std::optional<NodeRefusal> Refuses(const Node& node, const NodeConstraints& constraints) {
  const auto& tolerations = constraints.tolerations;
  if (node.unschedulable && !TolerateAny(tolerations, kUnschedulableTaint, "", "NoSchedule"))
    return NodeRefusal{.why = NodeRefusal::Why::kUnschedulable};
  if (auto labels = CheckLabels(node, constraints)) return labels;
  for (const NodeTaint& taint : node.taints) {
    const bool blocks = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (!blocks) continue;
    if (TolerateAny(tolerations, taint.key.view(), taint.value.view(), taint.effect.view()))
      continue;
    const std::string value = taint.value.empty() ? "" : "=" + taint.value.str();
    return NodeRefusal{.why = NodeRefusal::Why::kTaint,
                       .detail = taint.key.str() + value + ":" + taint.effect.str()};
  }
  return std::nullopt;
}

int UntoleratedTaints(const Node& node, const std::vector<Toleration>& tolerations) {
  return static_cast<int>(
      std::count_if(node.taints.begin(), node.taints.end(), [&](const NodeTaint& taint) {
        return taint.effect == "PreferNoSchedule" &&
               !TolerateAny(tolerations, taint.key.view(), taint.value.view(), taint.effect.view());
      }));
}

NodeAnswer HasRoom(const Node& node, const Amounts& requests, const Amounts* used,
                   const std::vector<Symbol>& elsewhere) {
  NodeAnswer now;  // what is short although the node is large enough
  // True: the node can never give as much.
  const auto lacks = [&](const Symbol& name, const Quantity& amount) {
    const Quantity* allocatable = node.Allocatable(name.view());
    const Quantity* taken = used ? FindAmount(*used, name) : nullptr;
    const Quantity all = allocatable ? *allocatable : Quantity();
    const Quantity free = taken ? all.Sub(*taken).value_or(Quantity()) : all;
    if (free >= amount) return false;
    if (all >= amount && !now.fits()) return false;
    now = Short(name, amount, free, all);
    return all < amount;
  };
  static const Symbol pods("pods");
  if (node.Allocatable("pods") && lacks(pods, Quantity(1))) return now;
  for (const auto& [name, amount] : requests) {
    if (amount.Sign() <= 0 || IsElsewhere(name, elsewhere)) continue;
    if (lacks(name, amount)) return now;
  }
  return now;
}

NodeAnswer HasPorts(const std::vector<Symbol>& ports, const Amounts* used) {
  const Quantity one(1);
  for (const Symbol& name : ports) {
    const Quantity* taken = used ? FindAmount(*used, name) : nullptr;
    if (taken && taken->Sign() > 0) return Short(name, one, Quantity(), one);
  }
  return {};
}

NodeAnswer HasPlugins(const Node& node, const Amounts& requests,
                      const std::vector<Symbol>& elsewhere) {
  for (const auto& [name, amount] : requests) {
    if (amount.Sign() <= 0 || !IsExtendedResource(name.view())) continue;
    if (IsElsewhere(name, elsewhere)) continue;
    const Quantity* allocatable = node.Allocatable(name.view());
    if (!allocatable || allocatable->Sign() <= 0)
      return Short(name, amount, Quantity(), Quantity());
  }
  return {};
}

}  // namespace fedra::dra
