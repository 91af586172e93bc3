// Elastic jobs: pkg/workloadslicing of Kueue 0.19.2, prepareWorkloadSlice of
// pkg/controller/jobframework/reconciler.go, and processEntry of pkg/scheduler/scheduler.go.

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/kinds/pod_sets.h"
#include "tests/sim/kueue/controller.h"
#include "tests/sim/kueue/names.h"
#include "tests/sim/kueue/workload.h"

namespace fedra::sim {
namespace {

std::string KeyText(const Json& object) {
  return std::string(StringAt(object, {"metadata", "namespace"})) + "/" +
         std::string(StringAt(object, {"metadata", "name"}));
}

std::vector<int64_t> Counts(const Json& pod_sets) {
  std::vector<int64_t> counts;
  for (const Json& pod_set : pod_sets) counts.push_back(IntAt(pod_set, {"count"}, 1));
  return counts;
}

}  // namespace

bool IsElastic(const Json& object) {
  return StringAt(object, {"metadata", "annotations", names::kElastic}) == "true";
}

std::string_view ReplacedBy(const Json& workload) {
  return StringAt(workload, {"metadata", "annotations", names::kSliceReplaces});
}

void MarkSlice(const Object* replaced, Json& metadata) {
  Json& annotations = metadata["annotations"];
  annotations[std::string(names::kElastic)] = "true";
  annotations[std::string(names::kSliceName)] = metadata["name"];
  if (replaced == nullptr) return;
  annotations[std::string(names::kSliceName)] =
      replaced->body["metadata"]["annotations"][std::string(names::kSliceName)];
  annotations[std::string(names::kSliceReplaces)] = KeyText(replaced->body);
}

Object* KueueController::EnsureSlice(Store& store, const Place& job_place, Object& job) {
  std::vector<ObjectKey> living;
  std::set<std::string, std::less<>> replaced;
  Object* ended = nullptr;
  for (const Place& child :
       store.Dependents(std::string(StringAt(job.body, {"metadata", "uid"})))) {
    Object* workload = child.type == &workloads_ ? store.Find(workloads_, child.key) : nullptr;
    if (workload == nullptr) continue;
    if (Terminating(workload->body) || Finished(StatusOf(*workload))) {
      ended = workload;
      continue;
    }
    living.push_back(child.key);
    replaced.emplace(ReplacedBy(workload->body));
  }
  std::erase_if(living, [&](const ObjectKey& key) { return replaced.contains(key.ToString()); });
  if (living.empty()) return ended;
  const ObjectKey key = living.front();
  Object* latest = store.Find(workloads_, key);
  Json pod_sets = PodSetsOf(store, core().registry, *KindOf(job_place.type), job.body);
  const Json& known = ArrayAt(latest->body, {"spec", "podSets"});
  const std::vector<int64_t> wanted = Counts(pod_sets);
  const std::vector<int64_t> has = Counts(known);
  if (pod_sets.empty() || wanted == has) return latest;
  const bool shrinks = std::ranges::equal(wanted, has, std::ranges::less_equal());
  if (QuotaReserved(StatusOf(*latest)) && !shrinks) {
    CreateWorkload(store, job_place, job, {}, latest);
    return store.Find(workloads_, {key.ns, WorkloadNameOf(*KindOf(job_place.type), job.body)});
  }
  // Of the templates only the counts: the job's say more once it runs.
  for (size_t i = 0; i < pod_sets.size(); ++i)
    latest->body["spec"]["podSets"][i]["count"] = wanted[i];
  latest->body["metadata"]["generation"] = IntAt(latest->body, {"metadata", "generation"}) + 1;
  store.Touch(workloads_, key, *latest);
  return latest;
}

Object* KueueController::FindReplaced(Store& store, const Json& workload) const {
  const std::string key(ReplacedBy(workload));
  const size_t slash = key.find('/');
  if (slash == std::string::npos) return nullptr;
  Object* found = store.Find(workloads_, {key.substr(0, slash), key.substr(slash + 1)});
  return found == nullptr || Finished(StatusOf(*found)) ? nullptr : found;
}

void KueueController::ReplaceSlice(Store& store, const Place& place, Object& workload,
                                   Json& status) {
  Object* replaced = FindReplaced(store, workload.body);
  if (replaced == nullptr || KeyText(replaced->body) == place.key.ToString()) return;
  if (const Json* cluster = At(StatusOf(*replaced), {"clusterName"}))
    status["clusterName"] = *cluster;
  Json before = StatusOf(*replaced);
  Finish(before, "WorkloadSliceReplaced",
         "Replaced to accommodate a workload (UID: " +
             std::string(StringAt(workload.body, {"metadata", "uid"})) +
             ") due to workload slice aggregation",
         IntAt(replaced->body, {"metadata", "generation"}));
  const Place old{&workloads_,
                  {place.key.ns, std::string(StringAt(replaced->body, {"metadata", "name"}))}};
  WriteStatus(store, old, *replaced, std::move(before));
  Account(old, *replaced);
}

}  // namespace fedra::sim
