#include "manager/cli/manifests/resource_rules.h"

#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/object_names.h"
#include "base/quantity.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Text;

bool IsHugePages(std::string_view name) { return name.starts_with("hugepages-"); }

// IsNativeResource: names of Kubernetes' own domain and those without any.
bool IsNative(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

bool IsStandard(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || IsHugePages(name);
}

std::optional<Quantity> Amount(const json& value) {
  if (!value.is_string() && !value.is_number()) return std::nullopt;
  const auto amount = Quantity::Parse(value.is_string() ? value.get<std::string>() : value.dump());
  return amount ? std::optional(*amount) : std::nullopt;
}

void CheckName(const std::string& name, const std::string& path, Findings& findings) {
  if (!IsQualifiedName(name)) {
    findings.Error(path, "is not a valid name of a resource",
                   "write cpu, memory or a name like gpu.example.com/gpu");
  } else if (name.find('/') == std::string::npos && !IsStandard(name)) {
    findings.Error(path, fmt::format("there is no resource \"{}\"", name),
                   "resources without a domain are cpu, memory, ephemeral-storage and "
                   "hugepages-SIZE; devices have one, like gpu.example.com/gpu");
  }
}

void CheckAmount(const std::string& name, const Quantity& amount, const std::string& path,
                 Findings& findings) {
  if (amount.Sign() < 0)
    findings.Error(path, fmt::format("{} is below 0", amount.ToString()));
  else if (!IsNative(name) && amount.MilliValue() % 1000 != 0)
    findings.Error(path, fmt::format("must be a whole number, not {}", amount.ToString()));
}

// Only Kubernetes' own resources can have a limit above the request.
void CheckPair(const std::string& name, const Quantity& request, const json& limits,
               const std::string& path, Findings& findings) {
  const bool may_differ = IsNative(name) && !IsHugePages(name);
  const std::optional<Quantity> limit = Amount(Member(limits, name));
  const std::string at = fmt::format("{}.requests[\"{}\"]", path, name);
  if (!limit) {
    if (!may_differ && Member(limits, name).is_null())
      findings.Error(at, "needs a limit of the same amount",
                     fmt::format("write limits: {{{}: {}}}", name, request.ToString()));
  } else if (request > *limit) {
    findings.Error(
        at, fmt::format("{} is above the limit of {}", request.ToString(), limit->ToString()));
  } else if (request != *limit && !may_differ) {
    findings.Error(at, fmt::format("{} is not the limit of {}: both must be equal",
                                   request.ToString(), limit->ToString()));
  }
}

void CheckClaimsOnce(const json& resources, const std::string& path, Findings& findings) {
  const json& claims = Member(resources, "claims");
  if (!claims.is_array()) return;
  std::set<std::string> seen;
  for (size_t i = 0; i < claims.size(); ++i) {
    const std::string name = Text(claims[i], "name");
    const std::string request = Text(claims[i], "request");
    const bool whole_before = seen.contains(name);
    const bool part_before = request.empty() && seen.lower_bound(name + "/") != seen.end() &&
                             seen.lower_bound(name + "/")->starts_with(name + "/");
    const std::string key = request.empty() ? name : name + "/" + request;
    if (!name.empty() && (whole_before || part_before || seen.contains(key)))
      findings.Error(fmt::format("{}.claims[{}]", path, i),
                     fmt::format("\"{}\" is there twice", key));
    seen.insert(key);
  }
}

}  // namespace

void CheckResources(const json& resources, const std::string& path, Findings& findings) {
  const json& limits = Member(resources, "limits");
  for (const char* list : {"limits", "requests"}) {
    const json& amounts = Member(resources, list);
    if (!amounts.is_object()) continue;
    for (const auto& [name, value] : amounts.items()) {
      const std::string at = fmt::format("{}.{}[\"{}\"]", path, list, name);
      CheckName(name, at, findings);
      const std::optional<Quantity> amount = Amount(value);
      if (!amount) continue;
      CheckAmount(name, *amount, at, findings);
      if (list == std::string_view("requests")) CheckPair(name, *amount, limits, path, findings);
    }
  }
  CheckClaimsOnce(resources, path, findings);
}

}  // namespace fedra::cli
