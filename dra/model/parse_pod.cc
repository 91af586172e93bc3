#include <algorithm>

#include "dra/model/parse_common.h"
#include "dra/model/pod_demand.h"

namespace fedra::dra {
namespace {

constexpr const char* kAllAddresses = "0.0.0.0";

// The larger of both, name by name.
void RaiseTo(Amounts& amounts, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    const Quantity* have = FindAmount(amounts, name);
    if (have && *have >= amount) continue;
    if (have)
      *std::find_if(amounts.begin(), amounts.end(),
                    [&](const auto& entry) { return entry.first == name; }) = {name, amount};
    else
      AddAmounts(amounts, {{name, amount}});
  }
}

// requests, completed by limits.
Amounts ReadRequests(const Fields& resources, SymbolPool& symbols) {
  Amounts requests = ReadQuantities(resources, "requests", symbols);
  for (const auto& limit : ReadQuantities(resources, "limits", symbols))
    if (!FindAmount(requests, limit.first)) AddAmounts(requests, {limit});
  return requests;
}

ContainerRequests ReadContainer(const Fields& container, bool init, SymbolPool& symbols) {
  const Fields resources = container.Object("resources");
  return {.init = init,
          .sidecar = init && container.String("restartPolicy") == "Always",
          .requests = ReadRequests(resources, symbols)};
}

void NoteClaims(const Fields& container, std::vector<std::string>& claims) {
  container.Object("resources").ForEachObject("claims", kMaxItems, [&](const Fields& claim) {
    claims.emplace_back(claim.String("name"));
  });
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

// DefaultMilliCPURequest and DefaultMemoryRequest of pkg/scheduler/util/pod_resources.go, v1.36.3:
// NonMissingContainerRequests of plugin NodeResourcesFit, so that pods that ask for nothing do not
// all go to one node. What the pod asks for as a whole counts instead (`of_pod`).
Amounts Unrequested(const std::vector<ContainerRequests>& containers, const Amounts& requests,
                    const Amounts& of_pod, SymbolPool& symbols) {
  struct Default {
    const char* resource;
    std::string_view name;
    Quantity amount;
  };
  static const Default defaults[] = {
      {"cpu", kUnrequestedCpu, *Quantity::Parse("100m")},
      {"memory", kUnrequestedMemory, Quantity(int64_t{200} << 20)},
  };
  Amounts unrequested;
  for (const Default& missing : defaults) {
    const Symbol resource = symbols.Intern(missing.resource);
    if (FindAmount(of_pod, resource)) continue;
    std::vector<ContainerRequests> counted = containers;
    for (ContainerRequests& container : counted)
      if (!FindAmount(container.requests, resource))
        AddAmounts(container.requests, {{resource, missing.amount}});
    const Amounts sum = Effective(counted);
    const Quantity* all = FindAmount(sum, resource);
    const Quantity* asked = FindAmount(requests, resource);
    if (all == nullptr) continue;
    const Quantity more = asked ? all->Sub(*asked).value_or(Quantity()) : *all;
    if (more.Sign() > 0) AddAmounts(unrequested, {{symbols.Intern(missing.name), more}});
  }
  return unrequested;
}

// What a pod asks for as a whole (KEP 2837), with the defaults of Kubernetes v1.36.3
// (pkg/apis/core/v1/defaults.go, defaultPodRequests and defaultHugePagePodLimits): where only a
// limit is given, cpu and memory are what the containers ask for, if they do. Other resources do
// not count (IsSupportedPodLevelResource of k8s.io/component-helpers/resource). `left`:
// PodDemand::pod_level_left.
void UsePodLevel(const Fields& resources, SymbolPool& symbols, Amounts& requests, Amounts& left) {
  const Amounts of_pod = ReadQuantities(resources, "requests", symbols);
  const Amounts limits = ReadQuantities(resources, "limits", symbols);
  const Amounts of_containers = requests;
  const auto use = [&](const std::pair<Symbol, Quantity>& entry) {
    std::erase_if(requests, [&](const auto& known) { return known.first == entry.first; });
    AddAmounts(requests, {entry});
    std::erase_if(left, [&](const auto& known) { return known.first == entry.first; });
    const Quantity* used = FindAmount(of_containers, entry.first);
    AddAmounts(left,
               {{entry.first, used ? entry.second.Sub(*used).value_or(Quantity()) : entry.second}});
  };
  const auto is_huge_page = [](const Symbol& name) {
    return name.view().starts_with("hugepages-");
  };
  for (const auto& limit : limits) {
    const bool is_native = limit.first == "cpu" || limit.first == "memory";
    if (is_huge_page(limit.first) || (is_native && !FindAmount(requests, limit.first))) use(limit);
  }
  // With any limit, cpu and memory of the containers become the pod's request.
  if (!limits.empty()) {
    for (const auto& sum : of_containers)
      if (sum.first == "cpu" || sum.first == "memory") use(sum);
  }
  for (const auto& request : of_pod)
    if (request.first == "cpu" || request.first == "memory" || is_huge_page(request.first))
      use(request);
}

void ReadConstraints(const Fields& spec, ParseContext& context, NodeConstraints& constraints) {
  SymbolPool& symbols = context.symbols;
  spec.ForEachStringEntry(
      "nodeSelector", kMaxItems, [&](std::string_view key, std::string_view value) {
        constraints.labels.emplace_back(symbols.Intern(key), symbols.Intern(value));
      });
  const Fields affinity = spec.Object("affinity");
  const Fields node = affinity.Object("nodeAffinity");
  constraints.affinity =
      ReadNodeSelector(node, "requiredDuringSchedulingIgnoredDuringExecution", context);
  spec.ForEachObject("tolerations", kMaxItems, [&](const Fields& toleration) {
    constraints.tolerations.push_back({.key = symbols.Intern(toleration.String("key")),
                                       .op = symbols.Intern(toleration.String("operator")),
                                       .value = symbols.Intern(toleration.String("value")),
                                       .effect = symbols.Intern(toleration.String("effect"))});
  });
}

// Those of containers that run on: GetHostPorts of pkg/scheduler/util/utils.go, v1.36.3. With
// hostNetwork a port of the container is one of the node (defaultHostNetworkPorts of
// pkg/apis/core/v1/defaults.go). A port on all addresses conflicts with one on any, a port on one
// address with those on the same and on all: HostPortInfo.CheckConflict of k8s.io/kube-scheduler
// framework/types.go:602, v0.36.3.
void ReadPorts(const Fields& container, bool host_network, SymbolPool& symbols, PodDemand& demand) {
  container.ForEachObject("ports", kMaxItems, [&](const Fields& port) {
    int64_t number = port.Int("hostPort");
    if (number == 0 && host_network) number = port.Int("containerPort");
    if (number <= 0) return;
    std::string protocol(port.String("protocol"));
    if (protocol.empty()) protocol = "TCP";
    std::string address(port.String("hostIP"));
    if (address.empty()) address = kAllAddresses;
    const std::string name = "hostPort:" + protocol + ":" + std::to_string(number);
    const Symbol anywhere = symbols.Intern(name), here = symbols.Intern(name + "@" + address);
    for (const Symbol& taken : {anywhere, here})
      if (!FindAmount(demand.host_ports, taken))
        AddAmounts(demand.host_ports, {{taken, Quantity(1)}});
    if (address == kAllAddresses)
      demand.free_ports.push_back(anywhere);
    else
      demand.free_ports.insert(demand.free_ports.end(),
                               {here, symbols.Intern(name + "@" + kAllAddresses)});
  });
}

// What further filters of kube-scheduler look at (docs/agreement.md).
void NoteUnread(const Fields& spec, std::vector<std::string>& unread) {
  const Fields affinity = spec.Object("affinity");
  for (const char* field : {"podAffinity", "podAntiAffinity"}) {
    const Fields terms = affinity.Object(field);
    terms.ForEachObject("requiredDuringSchedulingIgnoredDuringExecution", kMaxItems,
                        [&](const Fields&) { unread.push_back(std::string("affinity.") + field); });
  }
  bool spreads = false, claims = false;
  spec.ForEachObject("topologySpreadConstraints", kMaxItems, [&](const Fields& constraint) {
    spreads = spreads || constraint.String("whenUnsatisfiable") != "ScheduleAnyway";
  });
  spec.ForEachObject("volumes", kMaxItems, [&](const Fields& volume) {
    claims = claims || volume.Has("persistentVolumeClaim") || volume.Has("ephemeral");
  });
  if (spreads) unread.emplace_back("topologySpreadConstraints");
  if (claims) unread.emplace_back("volumes");
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
  demand.pod_group = spec.Object("schedulingGroup").String("podGroupName");
  ReadConstraints(spec, context, demand.node);
  for (const char* list : {"initContainers", "containers"})
    spec.ForEachObject(list, kMaxItems, [&](const Fields& container) {
      NoteClaims(container, demand.container_claims);
    });
  spec.ForEachObject("initContainers", kMaxItems, [&](const Fields& container) {
    demand.containers.push_back(ReadContainer(container, true, context.symbols));
  });
  spec.ForEachObject("containers", kMaxItems, [&](const Fields& container) {
    demand.containers.push_back(ReadContainer(container, false, context.symbols));
  });
  const bool host_network = spec.Bool("hostNetwork").value_or(false);
  NoteUnread(spec, demand.unread);
  spec.ForEachObject("initContainers", kMaxItems, [&](const Fields& container) {
    if (container.String("restartPolicy") == "Always")
      ReadPorts(container, host_network, context.symbols, demand);
  });
  spec.ForEachObject("containers", kMaxItems, [&](const Fields& container) {
    ReadPorts(container, host_network, context.symbols, demand);
  });
  std::sort(demand.unread.begin(), demand.unread.end());
  demand.unread.erase(std::unique(demand.unread.begin(), demand.unread.end()), demand.unread.end());
  demand.requests = Effective(demand.containers);
  const Amounts of_containers = demand.requests;
  UsePodLevel(spec.Object("resources"), context.symbols, demand.requests, demand.pod_level_left);
  demand.unrequested =
      Unrequested(demand.containers, of_containers, demand.pod_level_left, context.symbols);
  AddAmounts(demand.requests, ReadQuantities(spec, "overhead", context.symbols));
  if (problem.found()) return Fail(problem.error().WithContext("pod template"));
  return demand;
}

Result<PodGroup> ParsePodGroup(const nlohmann::json& object) {
  Problem problem;
  const Fields root(object, problem);
  PodGroup group;
  group.key = ReadKey(root.Object("metadata"));
  root.Object("spec").ForEachObject("resourceClaims", kMaxItems, [&](const Fields& claim) {
    std::string template_name(claim.String("resourceClaimTemplateName"));
    if (template_name.empty()) return;
    group.claims.push_back({std::string(claim.String("name")), std::move(template_name), {}});
  });
  const Fields gang = root.Object("spec").Object("schedulingPolicy").Object("gang");
  group.min_count = gang.Int("minCount");
  for (const char* field : {"schedulingConstraints", "parentCompositePodGroupName"})
    if (root.Object("spec").Has(field)) group.unread.emplace_back(field);
  root.Object("status").ForEachObject("resourceClaimStatuses", kMaxItems,
                                      [&](const Fields& generated) {
                                        for (PodGroup::Claim& claim : group.claims)
                                          if (claim.name == generated.String("name"))
                                            claim.generated = generated.String("resourceClaimName");
                                      });
  if (problem.found()) return Fail(problem.error().WithContext("PodGroup"));
  return group;
}

void ShareWithPodGroup(const PodGroup& group, PodDemand& demand) {
  if (demand.pod_group != group.key.name) return;
  for (ClaimReference& reference : demand.claims) {
    for (const PodGroup::Claim& claim : group.claims) {
      if (reference.pod_claim != claim.name || reference.template_name != claim.template_name)
        continue;
      reference.pod_group = group.key.name;
      reference.group_claim = claim.generated;
    }
  }
}

}  // namespace fedra::dra
