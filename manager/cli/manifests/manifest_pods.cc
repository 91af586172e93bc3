// Mistakes in how pods name their claims, and what the documents of one run define for each other.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/names.h"
#include "manager/cli/manifests/manifest_check.h"
#include "manager/cli/manifests/manifest_selectors.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Path;
using tracking::Text;

std::set<std::string> RequestNames(const json& claim_spec) {
  std::set<std::string> names;
  const json& requests = Path(claim_spec, {"devices", "requests"});
  if (!requests.is_array()) return names;
  for (const json& request : requests) {
    const std::string name = Text(request, "name");
    names.insert(name);
    const json& alternatives = Member(request, "firstAvailable");
    if (!alternatives.is_array()) continue;
    for (const json& alternative : alternatives)
      names.insert(name + "/" + Text(alternative, "name"));
  }
  return names;
}

// One pod template.
class PodCheck final {
 public:
  PodCheck(const std::string& ns, const DefinedClaims& defined, Findings& findings)
      : ns_(ns), defined_(defined), findings_(findings) {}

  void Claims(const json& spec, const std::string& path);
  void Containers(const json& spec, const char* list, const std::string& path);
  void Unused(const std::string& path);

 private:
  struct PodClaim {
    const std::set<std::string>* requests = nullptr;  // null: not known here
    bool used = false;
  };
  void Claim(const json& claim, const std::string& path);
  void Use(const json& use, const std::string& path);

  const std::string& ns_;
  const DefinedClaims& defined_;
  Findings& findings_;
  std::map<std::string, PodClaim> claims_;
};

// Whether it says which claim by a field that is misspelt: that is an error already (CheckTypes).
bool MisspellsSource(const json& claim) {
  const std::vector<std::string> fields = {"name", "resourceClaimName",
                                           "resourceClaimTemplateName"};
  if (!claim.is_object()) return false;
  for (const auto& [member, value] : claim.items())
    if (std::ranges::find(fields, member) == fields.end() &&
        config::ClosestName(member, fields).starts_with("resource"))
      return true;
  return false;
}

void PodCheck::Claim(const json& claim, const std::string& path) {
  const std::string name = Text(claim, "name");
  const std::string from = Text(claim, "resourceClaimTemplateName");
  const std::string named = Text(claim, "resourceClaimName");
  if (name.empty()) findings_.Error(path + ".name", "is missing");
  const json& source = Member(claim, "source");
  if (source.is_object()) {
    const std::string inner = Text(source, "resourceClaimTemplateName");
    findings_.Error(path + ".source", "is of the alpha API and ignored since Kubernetes 1.31",
                    inner.empty() ? "write resourceClaimName: " + Text(source, "resourceClaimName")
                                  : "write resourceClaimTemplateName: " + inner);
  } else if (!from.empty() && !named.empty()) {
    findings_.Error(path, "has both resourceClaimTemplateName and resourceClaimName",
                    "keep one: a template gives each pod a claim of its own, a claim is shared by "
                    "all who name it");
  } else if (from.empty() && named.empty() && !MisspellsSource(claim)) {
    findings_.Error(path, "names no claim", "set resourceClaimTemplateName or resourceClaimName");
  }
  PodClaim known;
  const auto& defined = named.empty() ? defined_.templates : defined_.claims;
  const auto found = defined.find({ns_, named.empty() ? from : named});
  if (found != defined.end()) known.requests = &found->second;
  if (!claims_.emplace(name, known).second)
    findings_.Error(path + ".name", fmt::format("\"{}\" is there twice", name));
}

void PodCheck::Claims(const json& spec, const std::string& path) {
  const json& claims = Member(spec, "resourceClaims");
  if (!claims.is_array()) return;
  for (size_t i = 0; i < claims.size(); ++i)
    Claim(claims[i], fmt::format("{}.resourceClaims[{}]", path, i));
}

void PodCheck::Use(const json& use, const std::string& path) {
  const std::string name = Text(use, "name");
  const auto found = claims_.find(name);
  if (found == claims_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, claim] : claims_) names.push_back(known);
    const std::string closest = config::ClosestName(name, names);
    return findings_.Error(path + ".name", fmt::format("the pod has no claim \"{}\"", name),
                           names.empty() ? "list it in the pod's resourceClaims"
                           : closest.empty()
                               ? fmt::format("its resourceClaims are {}", fmt::join(names, ", "))
                               : fmt::format("did you mean \"{}\"?", closest));
  }
  found->second.used = true;
  const std::string request = Text(use, "request");
  const auto* requests = found->second.requests;
  if (request.empty() || requests == nullptr || requests->contains(request)) return;
  findings_.Error(path + ".request",
                  fmt::format("the claim \"{}\" has no request \"{}\"", name, request),
                  fmt::format("its requests are {}", fmt::join(*requests, ", ")));
}

void PodCheck::Containers(const json& spec, const char* list, const std::string& path) {
  const json& containers = Member(spec, list);
  if (!containers.is_array()) return;
  for (size_t i = 0; i < containers.size(); ++i) {
    const json& uses = Path(containers[i], {"resources", "claims"});
    if (!uses.is_array()) continue;
    for (size_t k = 0; k < uses.size(); ++k)
      Use(uses[k], fmt::format("{}.{}[{}].resources.claims[{}]", path, list, i, k));
  }
}

void PodCheck::Unused(const std::string& path) {
  for (const auto& [name, claim] : claims_) {
    if (claim.used) continue;
    findings_.Warn(path + ".resourceClaims",
                   fmt::format("no container uses the claim \"{}\": its devices are taken, and no "
                               "container sees them",
                               name),
                   fmt::format("add to a container: resources: {{claims: [{{name: {}}}]}}", name));
  }
}

void AddNeeds(const json& request, const std::string& path, ClaimNeeds& needs) {
  const std::string name = Text(request, "deviceClassName");
  if (!name.empty()) needs.classes.push_back({name, path + ".deviceClassName"});
}

void AddCapacities(const json& request, const std::string& path, ClaimNeeds& needs) {
  const json& requests = Path(request, {"capacity", "requests"});
  if (!requests.is_object()) return;
  for (const auto& [name, amount] : requests.items())
    needs.capacities.push_back({name, fmt::format("{}.capacity.requests[\"{}\"]", path, name)});
}

// Whether it only binds alternatives ("req/sub"), of which another one may be chosen.
bool IsAboutAlternatives(const json& constraint) {
  const json& requests = Member(constraint, "requests");
  if (!requests.is_array() || requests.empty()) return false;
  return std::all_of(requests.begin(), requests.end(), [](const json& name) {
    return name.is_string() && name.get_ref<const std::string&>().find('/') != std::string::npos;
  });
}

}  // namespace

DefinedClaims Define(const std::vector<Manifest>& manifests, const std::string& default_ns) {
  DefinedClaims defined;
  for (const Manifest& manifest : manifests) {
    const json& object = *manifest.object;
    if (!IsDraManifest(object)) continue;
    const ObjectKey key = KeyOf(object, default_ns);
    const std::string kind = Text(object, "kind");
    if (kind == "DeviceClass")
      defined.classes.insert(key.name);
    else if (kind == "ResourceClaim")
      defined.claims[key] = RequestNames(Member(object, "spec"));
    else
      defined.templates[key] = RequestNames(Path(object, {"spec", "spec"}));
  }
  return defined;
}

void CheckPodClaims(const json& pod_template, const std::string& path, const std::string& ns,
                    const DefinedClaims& defined, Findings& findings) {
  const json& spec = Member(pod_template, "spec");
  const std::string here = path + ".spec";
  PodCheck check(ns, defined, findings);
  check.Claims(spec, here);
  check.Containers(spec, "initContainers", here);
  check.Containers(spec, "containers", here);
  check.Unused(here);
}

ClaimNeeds NeedsOf(const json& object) {
  ClaimNeeds needs;
  const bool is_template = Text(object, "kind") == "ResourceClaimTemplate";
  const json& spec = is_template ? Path(object, {"spec", "spec"}) : Member(object, "spec");
  const std::string path = is_template ? "spec.spec.devices" : "spec.devices";
  const json& requests = Path(spec, {"devices", "requests"});
  for (size_t i = 0; requests.is_array() && i < requests.size(); ++i) {
    const std::string at = fmt::format("{}.requests[{}]", path, i);
    AddNeeds(requests[i], at, needs);
    AddNeeds(Member(requests[i], "exactly"), at + ".exactly", needs);
    AddCapacities(requests[i], at, needs);
    AddCapacities(Member(requests[i], "exactly"), at + ".exactly", needs);
    const json& alternatives = Member(requests[i], "firstAvailable");
    for (size_t k = 0; alternatives.is_array() && k < alternatives.size(); ++k)
      AddNeeds(alternatives[k], fmt::format("{}.firstAvailable[{}]", at, k), needs);
  }
  const json& constraints = Path(spec, {"devices", "constraints"});
  for (size_t i = 0; constraints.is_array() && i < constraints.size(); ++i) {
    if (IsAboutAlternatives(constraints[i])) continue;
    for (const char* member : {"matchAttribute", "distinctAttribute"}) {
      const std::string name = Text(constraints[i], member);
      if (!name.empty())
        needs.attributes.push_back({name, fmt::format("{}.constraints[{}].{}", path, i, member)});
    }
  }
  return needs;
}

std::string WhereAmong(const FleetFacts& fleet) {
  return (fleet.workers == 1 ? "the worker" : fmt::format("any of {} workers", fleet.workers)) +
         (fleet.unread ? " that could be read" : "");
}

void CheckAgainstFleet(const Manifest& manifest, const std::string& default_ns,
                       const FleetFacts& fleet, const DefinedClaims& defined,
                       std::vector<Finding>& all) {
  if (fleet.workers == 0) return;
  const std::string kind = Text(*manifest.object, "kind");
  Findings findings(manifest, kind + " " + KeyOf(*manifest.object, default_ns).ToString(), all);
  const ClaimNeeds needs = NeedsOf(*manifest.object);
  const std::string where = WhereAmong(fleet);
  const Severity without_class = fleet.unread ? Severity::kWarning : Severity::kNowhere;
  const Severity without_device = fleet.may_grow ? Severity::kWarning : without_class;
  const auto hint = [](const std::string& name, const std::set<std::string>& known) {
    const std::string closest = name.find('/') == std::string::npos
                                    ? config::ClosestName(name, {known.begin(), known.end()})
                                    : ClosestQualified(name, known);
    if (!closest.empty()) return fmt::format("did you mean \"{}\"?", closest);
    return known.empty() ? std::string("nothing of this kind is there at all")
                         : fmt::format("there are {}", fmt::join(known, ", "));
  };
  for (const ClaimNeeds::Need& need : needs.classes) {
    if (fleet.classes.contains(need.name) || defined.classes.contains(need.name)) continue;
    findings.Add(without_class, need.path,
                 fmt::format("DeviceClass {} does not exist on {}", need.name, where),
                 hint(need.name, fleet.classes));
  }
  for (const ClaimNeeds::Need& need : needs.attributes) {
    if (fleet.attributes.contains(need.name) || fleet.devices == 0) continue;
    findings.Add(without_device, need.path,
                 fmt::format("none of {} devices on {} publishes {}: the constraint cannot hold",
                             fleet.devices, where, need.name),
                 hint(need.name, fleet.attributes));
  }
  for (const ClaimNeeds::Need& need : needs.capacities) {
    if (fleet.capacities.contains(need.name) || fleet.devices == 0) continue;
    const std::string bare = need.name.substr(need.name.find('/') + 1);
    findings.Add(
        without_device, need.path,
        fmt::format("none of {} devices on {} publishes the capacity {}: none can be taken",
                    fleet.devices, where, need.name),
        fleet.capacities.contains(bare)
            ? fmt::format("write \"{}\": names are compared as they are published", bare)
            : hint(need.name, fleet.capacities));
  }
}

}  // namespace fedra::cli
