#include <algorithm>

#include "dra/parse_common.h"
#include "dra/pod_demand.h"

namespace fedra::dra {
namespace {

const Quantity* Find(const Amounts& amounts, const Text& name) {
  for (const auto& [key, amount] : amounts)
    if (key == name) return &amount;
  return nullptr;
}

// The larger of both, name by name.
void RaiseTo(Amounts& amounts, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    const Quantity* have = Find(amounts, name);
    if (have && *have >= amount) continue;
    if (have)
      *std::find_if(amounts.begin(), amounts.end(),
                    [&](const auto& entry) { return entry.first == name; }) = {name, amount};
    else
      AddAmounts(amounts, {{name, amount}});
  }
}

// requests, completed by limits.
Amounts ReadRequests(const Fields& resources, TextPool& texts) {
  Amounts requests = ReadQuantities(resources, "requests", texts);
  for (const auto& limit : ReadQuantities(resources, "limits", texts))
    if (!Find(requests, limit.first)) AddAmounts(requests, {limit});
  return requests;
}

ContainerRequests ReadContainer(const Fields& container, bool init, TextPool& texts) {
  const Fields resources = container.Object("resources");
  return {.init = init,
          .sidecar = init && container.String("restartPolicy") == "Always",
          .requests = ReadRequests(resources, texts)};
}

// PodRequests of k8s.io/component-helpers/resource: long-running containers add up; an init
// container needs its own beside the sidecars started before it.
Amounts Effective(const std::vector<ContainerRequests>& containers) {
  Amounts running, sidecars, starting;
  for (const ContainerRequests& container : containers) {
    if (!container.init) {
      AddAmounts(running, container.requests);
    } else if (container.sidecar) {
      AddAmounts(sidecars, container.requests);
      RaiseTo(starting, sidecars);
    } else {
      Amounts together = sidecars;
      AddAmounts(together, container.requests);
      RaiseTo(starting, together);
    }
  }
  AddAmounts(running, sidecars);
  RaiseTo(running, starting);
  return running;
}

void ReadConstraints(const Fields& spec, ParseContext& context, NodeConstraints& constraints) {
  TextPool& texts = context.texts;
  spec.ForEachStringEntry("nodeSelector", kMaxItems,
                          [&](std::string_view key, std::string_view value) {
                            constraints.labels.emplace_back(texts.Intern(key), texts.Intern(value));
                          });
  const Fields affinity = spec.Object("affinity");
  const Fields node = affinity.Object("nodeAffinity");
  constraints.affinity =
      ReadNodeSelector(node, "requiredDuringSchedulingIgnoredDuringExecution", context);
  spec.ForEachObject("tolerations", kMaxItems, [&](const Fields& toleration) {
    constraints.tolerations.push_back({.key = texts.Intern(toleration.String("key")),
                                       .op = texts.Intern(toleration.String("operator")),
                                       .value = texts.Intern(toleration.String("value")),
                                       .effect = texts.Intern(toleration.String("effect"))});
  });
}

}  // namespace

Result<PodDemand> ParsePodDemand(const nlohmann::json& pod_template, ParseContext& context) {
  Problem problem;
  const Fields root(pod_template, problem);
  const Fields spec = root.Object("spec");
  PodDemand demand;
  spec.ForEachObject("resourceClaims", kMaxItems, [&](const Fields& claim) {
    demand.claims.push_back(
        {.pod_claim = std::string(claim.String("name")),
         .template_name = std::string(claim.String("resourceClaimTemplateName")),
         .claim_name = std::string(claim.String("resourceClaimName"))});
  });
  ReadConstraints(spec, context, demand.node);
  spec.ForEachObject("initContainers", kMaxItems, [&](const Fields& container) {
    demand.containers.push_back(ReadContainer(container, true, context.texts));
  });
  spec.ForEachObject("containers", kMaxItems, [&](const Fields& container) {
    demand.containers.push_back(ReadContainer(container, false, context.texts));
  });
  demand.requests = Effective(demand.containers);
  if (spec.Has("resources")) {
    const Fields resources = spec.Object("resources");
    for (const auto& [name, amount] : ReadRequests(resources, context.texts)) {
      std::erase_if(demand.requests, [&](const auto& entry) { return entry.first == name; });
      AddAmounts(demand.requests, {{name, amount}});
    }
  }
  AddAmounts(demand.requests, ReadQuantities(spec, "overhead", context.texts));
  if (problem.found()) return Fail(problem.error().WithContext("pod template"));
  return demand;
}

}  // namespace fedra::dra
