#include "manager/cli/fleet/assumed_templates.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/snapshots/snapshot_names.h"
#include "manager/cli/snapshots/snapshot_reduce.h"
#include "manager/tracking/json_fields.h"
#include "manager/verify/template_canonical.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;

}  // namespace

AssumedTemplates::AssumedTemplates(const CheckInput& input, const std::string& default_ns,
                                   ObjectForm form, const FleetWorkers& workers) {
  const std::set<std::string> wrong = ObjectsWithErrors(input);
  for (const Manifest& manifest : input.dra) {
    if (tracking::Text(*manifest.object, "kind") != "ResourceClaimTemplate") continue;
    ObjectKey key = KeyOf(*manifest.object, default_ns);
    if (wrong.contains("ResourceClaimTemplate " + key.ToString())) continue;
    if (form == ObjectForm::kRedacted)
      key = {Pseudonym("ns", key.ns), Pseudonym("template", key.name)};
    json object = json::object();
    object["metadata"] = Member(*manifest.object, "metadata");
    object["metadata"]["namespace"] = key.ns;
    object["metadata"]["name"] = key.name;
    object["spec"] = verify::CanonicalTemplateSpec(Member(*manifest.object, "spec"));
    const auto read = verify::ParseTemplate(object);
    if (read && form != ObjectForm::kWhole) object = ReducedTemplate(*read);
    for (const auto& worker : workers) {
      if (worker->Template(key) != nullptr || !worker->AssumeTemplate(object.dump())) continue;
      all_.push_back({key, worker->name(), PlaceOf(manifest.file, manifest.document)});
    }
  }
}

void AssumedTemplates::Note(const tracking::SubmittedJob& job, report::JobVerdict& verdict) const {
  for (const std::string& name : job.requirement.TemplateNames()) {
    const auto assumed = std::find_if(all_.begin(), all_.end(), [&](const Assumed& item) {
      return item.worker == verdict.worker && item.key == ObjectKey{job.key.ns, name};
    });
    if (assumed == all_.end()) continue;
    const std::string object = "ResourceClaimTemplate " + assumed->key.ToString();
    verdict.verdict.reasons.push_back({verdict::ReasonCode::kTemplateMissing, object,
                                       verdict::Missing{.kind = "ResourceClaimTemplate",
                                                        .key = assumed->key,
                                                        .copy = verdict::Missing::Copy::kAssumed,
                                                        .error = assumed->place}});
  }
}

}  // namespace fedra::cli
