#include "manager/cli/manifests/manifest_fields.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/object_names.h"
#include "base/text.h"
#include "config/names.h"
#include "manager/cli/manifests/job_schema.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Text;

const FieldList kObject = {{"apiVersion", "kind", "metadata", "spec"}, {"status"}};
}  // namespace

void CheckFields(const json& object, const std::string& path, const FieldList& known,
                 Findings& findings) {
  if (!object.is_object()) return;
  std::vector<std::string> all = known.decisive;
  all.insert(all.end(), known.others.begin(), known.others.end());
  for (const auto& [member, value] : object.items()) {
    if (Contains(all, member)) continue;
    const std::string closest = config::ClosestName(member, all);
    const Severity severity =
        Contains(known.decisive, closest) ? Severity::kError : Severity::kWarning;
    findings.AddAt(
        severity, PathTo(path, member), path, fmt::format("there is no field \"{}\"", member),
        closest.empty() ? "an API server drops it or refuses the object, unless it is of "
                          "a Kubernetes newer than 1.36"
                        : fmt::format("did you mean \"{}\"?", closest));
  }
}

void CheckObjectFields(const json& object, Findings& findings) {
  CheckFields(object, "", kObject, findings);
  CheckMetadataFields(Member(object, "metadata"), "metadata", findings);
}

void CheckObjectName(const json& object, Findings& findings) {
  const json& metadata = Member(object, "metadata");
  const auto refuse = [&](const char* field, const std::string& text, const char* hint) {
    findings.Error(fmt::format("metadata.{}", field),
                   fmt::format("\"{}\" is not a valid name", text), hint);
  };
  constexpr const char* kHint =
      "lower-case letters, digits, - and ., with a letter or digit at both ends";
  const std::string name = Text(metadata, "name");
  const std::string prefix = Text(metadata, "generateName");
  const std::string ns = Text(metadata, "namespace");
  if (!name.empty() && !IsDnsSubdomain(name)) refuse("name", name, kHint);
  // It is a label of its pods.
  if (Text(object, "kind") == "Job" && name.size() > 63)
    findings.Error("metadata.name", "the name of a Job has at most 63 letters");
  // It may end in "-": more follows.
  if (!prefix.empty() && !IsDnsSubdomain(prefix.ends_with('-') ? prefix + "x" : prefix))
    refuse("generateName", prefix, kHint);
  if (name.empty() && prefix.empty()) findings.Error("metadata.name", "is missing");
  if (!ns.empty() && !IsDnsLabel(ns))
    refuse("namespace", ns, "lower-case letters, digits and -, at most 63");
}

void CheckMetadataFields(const json& metadata, const std::string& path, Findings& findings) {
  CheckTypes(metadata, path, "ObjectMeta", findings);
}

}  // namespace fedra::cli
