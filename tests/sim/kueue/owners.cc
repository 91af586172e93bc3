// Who owns a Workload, and which Workload is a job's: pkg/controller/jobframework/reconciler.go,
// and of pkg/controller/jobs/statefulset what makes a StatefulSet own a group's, in Kueue 0.19.2.

#include <algorithm>

#include "tests/sim/kueue/controller.h"
#include "tests/sim/kueue/names.h"

namespace fedra::sim {

const Json* ControllerOf(const Json& object) {
  for (const Json& owner : ArrayAt(object, {"metadata", "ownerReferences"})) {
    if (BoolAt(owner, {"controller"})) return &owner;
  }
  return nullptr;
}

Json JobReference(const JobKind& kind, const Object& job) {
  Json reference{{"apiVersion", job.body["apiVersion"]},
                 {"kind", job.body["kind"]},
                 {"name", job.body["metadata"]["name"]},
                 {"uid", job.body["metadata"]["uid"]}};
  if (!kind.has_group) reference["controller"] = reference["blockOwnerDeletion"] = true;
  return reference;
}

Json GroupAnnotations(const JobKind& kind, const Object& job) {
  return {{names::kIsGroup, "true"},
          {names::kJobOwnerGvk, kind.group + "/" + kind.version + ", Kind=" + kind.kind},
          {names::kJobOwnerName, job.body["metadata"]["name"]}};
}

ObjectKey KueueController::WorkloadKeyOf(const Store& store, const Place& job_place,
                                         const Object& job) const {
  const std::string uid(StringAt(job.body, {"metadata", "uid"}));
  for (const Place& child : store.Dependents(uid)) {
    const Object* workload =
        child.type == &workloads_ ? store.Find(workloads_, child.key) : nullptr;
    const Json* controller = workload == nullptr ? nullptr : ControllerOf(workload->body);
    if (controller != nullptr && StringAt(*controller, {"uid"}) == uid) return child.key;
  }
  return {job_place.key.ns, WorkloadNameOf(*KindOf(job_place.type), job.body)};
}

// Its copy on a worker joins the owners of the Workload that has its name.
Object* KueueController::FindGroupWorkload(Store& store, const Place& job_place, Object& job,
                                           const std::string& part) {
  const ObjectKey key{job_place.key.ns, WorkloadNameOf(*KindOf(job_place.type), job.body, part)};
  Object* workload = store.Find(workloads_, key);
  if (workload == nullptr || Terminating(workload->body)) return workload;
  Json& owners = workload->body["metadata"]["ownerReferences"];
  const Json owner = JobReference(*KindOf(job_place.type), job);
  if (std::find(owners.begin(), owners.end(), owner) != owners.end()) return workload;
  owners.push_back(owner);
  store.Touch(workloads_, key, *workload);
  return workload;
}

}  // namespace fedra::sim
