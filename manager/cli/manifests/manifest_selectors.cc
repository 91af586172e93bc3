#include "manager/cli/manifests/manifest_selectors.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cel/ast.h"
#include "cel/selector_patterns.h"
#include "config/names.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Text;

using ForExpression = std::function<void(const std::string& expression, const std::string& path)>;

// Every selector below `at`, of requests, alternatives and classes alike. The drivers' own
// configuration may have members of that name, too.
void ForEachSelector(const json& at, const std::string& path, const ForExpression& each) {
  if (at.is_array()) {
    for (size_t i = 0; i < at.size(); ++i)
      ForEachSelector(at[i], fmt::format("{}[{}]", path, i), each);
  }
  if (!at.is_object()) return;
  const json& expression = tracking::Path(at, {"cel", "expression"});
  if (expression.is_string()) each(expression.get<std::string>(), path + ".cel.expression");
  for (const auto& [name, value] : at.items())
    if (name != "config" && name != "cel") ForEachSelector(value, path + "." + name, each);
}

std::pair<std::string, std::string> AtSlash(const std::string& qualified) {
  const size_t slash = qualified.find('/');
  if (slash == std::string::npos) return {"", qualified};
  return {qualified.substr(0, slash), qualified.substr(slash + 1)};
}

void AddTypo(const cel::Path& place, const std::string& path, const FleetFacts& fleet,
             std::vector<SelectorTypo>& typos) {
  if (place.name.empty()) return;  // a whole domain, which may be tested for
  const auto& known = place.table == "capacity" ? fleet.qualified_capacities : fleet.attributes;
  const std::string closest = ClosestQualified(place.domain + "/" + place.name, known);
  if (closest.empty()) return;
  const auto [domain, name] = AtSlash(closest);
  SelectorTypo typo{path, cel::PathText(place.table, place.domain, place.name),
                    cel::PathText(place.table, domain, name)};
  const bool is_told = std::any_of(typos.begin(), typos.end(), [&](const SelectorTypo& told) {
    return told.path == typo.path && told.written == typo.written;
  });
  if (!is_told) typos.push_back(std::move(typo));
}

}  // namespace

std::string ClosestQualified(const std::string& name, const std::set<std::string>& known) {
  if (known.contains(name)) return {};
  const auto [domain, bare] = AtSlash(name);
  std::vector<std::string> domains;
  std::vector<std::string> names;
  for (const std::string& each : known) {
    const auto [its_domain, its_name] = AtSlash(each);
    if (its_domain == domain) names.push_back(its_name);
    if (its_name == bare) domains.push_back(its_domain);
  }
  if (names.empty()) {
    const std::string closest = config::ClosestName(domain, domains);
    return closest.empty() ? closest : closest + "/" + bare;
  }
  const std::string closest = config::ClosestName(bare, names);
  return closest.empty() ? closest : domain + "/" + closest;
}

std::vector<SelectorTypo> SelectorTypos(const json& spec, const std::string& path,
                                        const FleetFacts& fleet) {
  std::vector<SelectorTypo> typos;
  if (fleet.devices == 0) return typos;
  ForEachSelector(spec, path, [&](const std::string& expression, const std::string& at) {
    const std::unique_ptr<cel::Ast> ast = cel::ParseForAdvice(expression, {});
    if (ast->root == nullptr) return;  // that it is no selector is reported elsewhere
    cel::ForEachNode(*ast->root, [&](const cel::Expr& node) {
      if (const auto place = cel::PathOf(node)) AddTypo(*place, at, fleet, typos);
    });
  });
  return typos;
}

std::string SelectorTypo::Message(const FleetFacts& fleet) const {
  return fmt::format("none of {} devices on {} has {}", fleet.devices, WhereAmong(fleet), written);
}

std::string SelectorTypo::Hint() const { return fmt::format("did you mean {}?", meant); }

void CheckSelectorsAgainstFleet(const Manifest& manifest, const std::string& default_ns,
                                const FleetFacts& fleet, std::vector<Finding>& all) {
  const json& object = *manifest.object;
  Findings findings(manifest, Text(object, "kind") + " " + KeyOf(object, default_ns).ToString(),
                    all);
  for (const SelectorTypo& typo : SelectorTypos(Member(object, "spec"), "spec", fleet))
    findings.Warn(typo.path, typo.Message(fleet), typo.Hint());
}

}  // namespace fedra::cli
