// Elastic jobs: pkg/workloadslicing of Kueue 0.19.2, prepareWorkloadSlice of
// pkg/controller/jobframework/reconciler.go, and processEntry of pkg/scheduler/scheduler.go.

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
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

// normalizeActiveSlices(): the one that has quota and is not replaced by another with quota, and
// one that waits to replace it, stay; of several others the newest. All that are evicted end.
Object* KueueController::SelectSlice(Store& store, const std::vector<ObjectKey>& living) {
  std::map<std::string, ObjectKey, std::less<>> replacements;
  for (const ObjectKey& key : living) {
    const Object& slice = *store.Find(workloads_, key);
    const std::string by(ReplacedBy(slice.body));
    if (by.empty() || Evicted(StatusOf(slice))) continue;
    const auto [known, is_new] = replacements.emplace(by, key);
    if (!is_new && !QuotaReserved(StatusOf(*store.Find(workloads_, known->second))) &&
        QuotaReserved(StatusOf(slice)))
      known->second = key;
  }
  const auto replacement = [&](const ObjectKey& key) {
    const auto found = replacements.find(key.ToString());
    return found == replacements.end() ? nullptr : store.Find(workloads_, found->second);
  };
  Object* running = nullptr;
  Object* newest = nullptr;
  Object* waiting = nullptr;
  for (const ObjectKey& key : living) {
    Object* slice = store.Find(workloads_, key);
    if (Evicted(StatusOf(*slice))) continue;
    newest = slice;
    Object* next = replacement(key);
    if (!QuotaReserved(StatusOf(*slice)) || (next != nullptr && QuotaReserved(StatusOf(*next))))
      continue;
    running = slice;
    waiting = next;
  }
  Object* selected = waiting != nullptr ? waiting : running != nullptr ? running : newest;
  for (const ObjectKey& key : living) {
    Object* slice = store.Find(workloads_, key);
    if (slice == selected || slice == running) continue;
    const bool is_replaced = replacement(key) != nullptr;
    FinishSlice(store, key, is_replaced ? "WorkloadSliceReplaced" : "OutOfSync",
                is_replaced ? "Replaced to accommodate a new workload slice"
                            : "The workload slice is out of sync with its parent job");
  }
  return selected;
}

void KueueController::FinishSlice(Store& store, const ObjectKey& key, const std::string& reason,
                                  const std::string& message) {
  Object* slice = store.Find(workloads_, key);
  Json status = StatusOf(*slice);
  Finish(status, reason, message, IntAt(slice->body, {"metadata", "generation"}));
  const Place place{&workloads_, key};
  WriteStatus(store, place, *slice, std::move(status));
  Account(place, *slice);
}

Object* KueueController::EnsureSlice(Store& store, const Place& job_place, Object& job) {
  std::vector<ObjectKey> living;
  Object* ended = nullptr;
  for (const Place& child :
       store.Dependents(std::string(StringAt(job.body, {"metadata", "uid"})))) {
    Object* workload = child.type == &workloads_ ? store.Find(workloads_, child.key) : nullptr;
    if (workload == nullptr) continue;
    if (Terminating(workload->body) || Finished(StatusOf(*workload))) {
      ended = workload;
    } else {
      living.push_back(child.key);
    }
  }
  if (living.empty()) return ended;
  std::ranges::sort(living, {}, [&](const ObjectKey& key) {
    const Json& metadata = store.Find(workloads_, key)->body["metadata"];
    return std::pair(std::string(StringAt(metadata, {"creationTimestamp"})),
                     std::string(StringAt(metadata, {"uid"})));
  });
  Object* latest =
      living.size() == 1 ? store.Find(workloads_, living.front()) : SelectSlice(store, living);
  if (latest == nullptr) return nullptr;
  const JobKind& kind = *KindOf(job_place.type);
  Json pod_sets = PodSetsOf(store, core().registry, kind, job.body);
  const Json& known = ArrayAt(latest->body, {"spec", "podSets"});
  const std::vector<int64_t> wanted = Counts(pod_sets);
  const std::vector<int64_t> has = Counts(known);
  if (pod_sets.empty() || wanted == has) return latest;
  const bool shrinks = std::ranges::equal(wanted, has, std::ranges::less_equal());
  const ObjectKey key{job_place.key.ns, std::string(StringAt(latest->body, {"metadata", "name"}))};
  if (QuotaReserved(StatusOf(*latest)) && !shrinks) {
    if (kind.end(StatusOf(job))) return nullptr;
    CreateWorkload(store, job_place, job, {}, latest);
    return store.Find(workloads_, {key.ns, WorkloadNameOf(kind, job.body)});
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
  const bool counts = found != nullptr && QuotaReserved(StatusOf(*found)) &&
                      !Finished(StatusOf(*found)) && KeyText(found->body) != KeyText(workload);
  return counts ? found : nullptr;
}

void KueueController::ReplaceSlice(Store& store, const Object& workload, Json& status) {
  Object* replaced = FindReplaced(store, workload.body);
  if (replaced == nullptr) return;
  if (const Json* cluster = At(StatusOf(*replaced), {"clusterName"}))
    status["clusterName"] = *cluster;
  FinishSlice(store,
              {std::string(StringAt(workload.body, {"metadata", "namespace"})),
               std::string(StringAt(replaced->body, {"metadata", "name"}))},
              "WorkloadSliceReplaced",
              "Replaced to accommodate a workload (UID: " +
                  std::string(StringAt(workload.body, {"metadata", "uid"})) +
                  ") due to workload slice aggregation");
}

}  // namespace fedra::sim
