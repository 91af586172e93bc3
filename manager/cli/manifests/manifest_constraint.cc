#include "manager/cli/manifests/manifest_constraint.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/manifests/manifest_fields.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Text;

const FieldList kConstraint = {{"requests", "matchAttribute", "distinctAttribute"}};

void CheckAttribute(const std::string& name, const std::string& path, Findings& findings) {
  const size_t slash = name.find('/');
  if (slash != std::string::npos && slash > 0 && slash + 1 < name.size() &&
      name.find('/', slash + 1) == std::string::npos)
    return;
  findings.Error(path, fmt::format("\"{}\" lacks the domain of the attribute", name),
                 fmt::format("write DOMAIN/{}; attributes that a driver publishes without domain "
                             "belong to the driver's name, such as gpu.example.com/{}",
                             slash == std::string::npos ? name : "name",
                             slash == std::string::npos ? name : "name"));
}

}  // namespace

void CheckConstraint(const json& constraint, const std::string& path,
                     const std::set<std::string>& requests, Findings& findings) {
  CheckFields(constraint, path, kConstraint, findings);
  const std::string match = Text(constraint, "matchAttribute");
  const std::string distinct = Text(constraint, "distinctAttribute");
  if (match.empty() == distinct.empty()) {
    findings.Error(path, match.empty() ? "has no matchAttribute" : "has two kinds of constraint",
                   "set matchAttribute or distinctAttribute");
  }
  if (!match.empty()) CheckAttribute(match, path + ".matchAttribute", findings);
  if (!distinct.empty()) CheckAttribute(distinct, path + ".distinctAttribute", findings);
  const json& names = Member(constraint, "requests");
  if (!names.is_array()) return;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i].is_string() ? names[i].get<std::string>() : "";
    if (requests.contains(name)) continue;
    findings.Error(fmt::format("{}.requests[{}]", path, i),
                   fmt::format("there is no request \"{}\"", name),
                   fmt::format("its requests are {}", fmt::join(requests, ", ")));
  }
}

}  // namespace fedra::cli
