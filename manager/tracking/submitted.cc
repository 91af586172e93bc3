#include "manager/tracking/submitted.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {

Result<SubmittedJob> ParseSubmitted(const nlohmann::json& object, const std::string& default_ns) {
  const Owner kind{Text(object, "apiVersion"), Text(object, "kind"), {}, {}};
  SubmittedJob job;
  job.adapter = FindAdapter(kind);
  if (job.adapter == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}, Kind={}\" is no job that fedra can run; skipped",
                            kind.api_version, kind.kind));
  }
  const nlohmann::json& metadata = Member(object, "metadata");
  job.key = {Text(metadata, "namespace"), Text(metadata, "name")};
  if (job.key.ns.empty()) job.key.ns = default_ns.empty() ? "default" : default_ns;
  if (job.key.name.empty()) job.key.name = Text(metadata, "generateName");
  const std::vector<PodTemplate> templates = job.adapter->PodTemplates(Member(object, "spec"));
  auto demands = ReadDemands(templates);
  if (!demands) return Fail(std::move(demands).error().WithContext(job.key.ToString()));
  auto dependencies = ReadDependencies(templates);
  if (!dependencies) return Fail(std::move(dependencies).error().WithContext(job.key.ToString()));
  job.demands = *std::move(demands);
  job.requirement = {.ns = job.key.ns,
                     .queue = Text(Member(metadata, "labels"), kQueueNameLabel),
                     .kind = kind.kind + "." + job.adapter->resource().group,
                     .pod_sets = PodSetsOf(*job.demands),
                     .dependencies = *std::move(dependencies),
                     .schedulers = ReadSchedulers(templates)};
  return job;
}

}  // namespace fedra::tracking
