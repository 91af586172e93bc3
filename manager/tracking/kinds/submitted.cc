#include "manager/tracking/kinds/submitted.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/pod.h"
#include "manager/tracking/kinds/pod_maker.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {

Result<SubmittedJob> ParseSubmitted(const nlohmann::json& object, const JobKinds& kinds,
                                    const std::string& default_ns) {
  const std::string api_version = Text(object, "apiVersion");
  const std::string kind = Text(object, "kind");
  SubmittedJob job;
  job.adapter = kinds.Find(api_version, kind);
  const JobAdapter* maker =
      kinds.Find("v1", "Pod") == nullptr ? nullptr : FindPodMaker(api_version, kind);
  if (maker != nullptr) job.adapter = maker;
  if (job.adapter == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}, Kind={}\" is not a kind of job that fedra runs; skipped",
                            api_version, kind));
  }
  const nlohmann::json& metadata = Member(object, "metadata");
  job.key = {Text(metadata, "namespace"), Text(metadata, "name")};
  if (job.key.ns.empty()) job.key.ns = default_ns.empty() ? "default" : default_ns;
  if (job.key.name.empty()) job.key.name = Text(metadata, "generateName");
  std::vector<PodTemplate> templates = job.adapter->PodTemplates(object);
  // Kueue writes it into the Workload as minCount (Kueue 0.19, pkg/controller/jobs/job).
  const std::string least = Text(Member(metadata, "annotations"), kMinParallelismAnnotation);
  if (!templates.empty() && !least.empty()) {
    int parsed = 0;
    const auto [end, error] = std::from_chars(least.data(), least.data() + least.size(), parsed);
    if (error == std::errc() && end == least.data() + least.size())
      templates.front().least = std::max(parsed, 0);
  }
  Requirement& requirement = job.requirement;
  if (auto read = ReadPods(templates, requirement); !read)
    return Fail(std::move(read).error().WithContext(job.key.ToString()));
  if (const std::vector<PodTemplate> counted = job.adapter->CountedPods(object); !counted.empty()) {
    if (auto demands = ReadDemands(counted)) requirement.counted = *std::move(demands);
  }
  requirement.ns = job.key.ns;
  requirement.queue = Text(Member(metadata, "labels"), kQueueNameLabel);
  requirement.kind = job.adapter->name();
  requirement.references = job.adapter->References(object, job.key.ns);
  if (!requirement.references.empty()) job.object = std::make_shared<const nlohmann::json>(object);
  if (maker != nullptr) {
    job.adapter = &PodAdapter();
    requirement.kind = job.adapter->name();
    requirement.queue = QueueOfPods(object);
  }
  return job;
}

SubmittedJob WithReferencedPods(SubmittedJob job, nlohmann::json spec) {
  if (job.object == nullptr) return job;
  const std::vector<PodTemplate> pods = job.adapter->ReferencedPods(*job.object, spec);
  Requirement described = job.requirement;
  if (!pods.empty() && ReadPods(pods, described)) job.requirement = std::move(described);
  return job;
}

}  // namespace fedra::tracking
