#include "manager/tracking/elastic.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "manager/tracking/job_fields.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

std::vector<int> CountsOf(const json& pod_sets) {
  std::vector<int> counts;
  if (!pod_sets.is_array()) return counts;
  for (const json& pod_set : pod_sets) counts.push_back(Number(pod_set, "count", 1));
  return counts;
}

// Behind the name of a clone: of no Workload, for Kueue's names end in a hash.
constexpr std::string_view kShrunk = ".shrunk";

// "ml/job-train-1a2b3", of its own namespace.
std::string NameOfKey(const std::string& key) { return key.substr(key.rfind('/') + 1); }

}  // namespace

std::string ReplacedKey(const std::string& ns, const std::string& name) { return ns + "/" + name; }

bool IsElastic(const json& job_metadata) {
  return Text(Member(job_metadata, "annotations"), kElasticJob) == "true";
}

std::shared_ptr<const Slice> ReadSlice(const json& workload) {
  const json& metadata = Member(workload, "metadata");
  if (!IsElastic(metadata)) return nullptr;
  const json& annotations = Member(metadata, "annotations");
  Slice slice{.chain = Text(annotations, kSliceName),
              .replaces = NameOfKey(Text(annotations, kSliceReplaces)),
              .pod_counts = CountsOf(Path(workload, {"spec", "podSets"}))};
  if (slice.chain.empty()) slice.chain = Text(metadata, "name");
  return std::make_shared<const Slice>(std::move(slice));
}

void ReadSize(const std::vector<PodTemplate>& templates, const json& sizes, Job& job) {
  job.elastic = true;
  for (const PodTemplate& pods : templates) job.pod_counts.push_back(pods.count.value_or(-1));
  job.followed = Hash64(Dump(sizes), job.followed);
}

bool IsOfSize(const Workload& workload, const Job& job) {
  return workload.slice != nullptr && workload.slice->pod_counts == job.pod_counts;
}

bool IsUpToDate(const Job& copy, const Job& job, const Workload& workload) {
  if (workload.slice == nullptr) return copy.parts == job.parts && copy.followed == job.followed;
  return copy.prebuilt_workload == workload.key.name &&
         (!IsOfSize(workload, job) || copy.followed == job.followed);
}

bool IsToShrink(const Workload& workload, const Workload& clone) {
  if (workload.slice == nullptr || clone.slice == nullptr) return false;
  const std::vector<int>& wanted = workload.slice->pod_counts;
  const std::vector<int>& has = clone.slice->pod_counts;
  return wanted != has && std::ranges::equal(wanted, has, std::ranges::less_equal());
}

bool ReplacesOther(const Workload& clone, const Workload& runs_by) {
  return clone.slice != nullptr && !runs_by.Finished() && clone.slice->replaces != runs_by.key.name;
}

Result<std::string> ClonePatch(const Workload& workload, const Workload& clone,
                               const std::string& replaces) {
  if (workload.text == nullptr)
    return Fail(ErrorCode::kInternal, "the workload's text was not kept");
  json patch{{"metadata", {{"uid", clone.uid}, {"resourceVersion", clone.version.value}}}};
  const bool shrinks = IsToShrink(workload, clone);
  if (!replaces.empty() || (shrinks && clone.slice->replaces.empty()))
    patch["metadata"]["annotations"][std::string(kSliceReplaces)] = ReplacedKey(
        clone.key.ns, replaces.empty() ? clone.key.name + std::string(kShrunk) : replaces);
  if (shrinks)
    patch["spec"]["podSets"] =
        Path(json::parse(*workload.text, nullptr, false), {"spec", "podSets"});
  return Dump(patch);
}

Result<std::string> SlicePatch(const json& there, const Job& job, const Workload& workload,
                               const Identity& us) {
  if (job.text == nullptr) return Fail(ErrorCode::kInternal, "the job's text was not kept");
  const json& known = Member(there, "metadata");
  json annotations{{std::string(kPrebuiltWorkload), workload.key.name},
                   {std::string(kWorkloadUidAnnotation), workload.uid}};
  if (!us.manager.empty()) annotations[std::string(kManagerUidAnnotation)] = us.manager;
  json patch{{"metadata",
              {{"uid", Text(known, "uid")},
               {"resourceVersion", Text(known, "resourceVersion")},
               {"labels", {{std::string(kPrebuiltWorkload), PrebuiltLabel(workload.key.name)}}},
               {"annotations", std::move(annotations)}}}};
  if (IsOfSize(workload, job)) {
    json scaled = there;
    job.kind->Scale(json::parse(*job.text, nullptr, false), scaled);
    json spec = MergeDifference(Member(there, "spec"), Member(scaled, "spec"));
    if (!spec.empty()) patch["spec"] = std::move(spec);
  }
  return Dump(patch);
}

}  // namespace fedra::tracking
