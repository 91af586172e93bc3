#include "manager/tracking/job.h"

#include <functional>
#include <set>
#include <tuple>
#include <utility>

namespace fedra::tracking {

std::string KindName(std::string_view kind, std::string_view group) {
  std::string name(kind);
  if (!group.empty()) name.append(".").append(group);
  return name;
}

std::string KindName(const Owner& owner) {
  const size_t slash = owner.api_version.find('/');
  return KindName(owner.kind, slash == std::string::npos
                                  ? std::string_view()
                                  : std::string_view(owner.api_version).substr(0, slash));
}

bool IsMadeOfPods(const Workload& workload) {
  static const std::set<std::string, std::less<>> kinds = {
      "Pod", "StatefulSet.apps", "LeaderWorkerSet.leaderworkerset.x-k8s.io"};
  return workload.is_pod_group || kinds.contains(KindName(workload.owner));
}

JobKey KeyOf(const Job& job) {
  return {job.is_group() ? std::string(job.kind->group_kind()) : job.kind->name(), job.key};
}

std::string ObjectText(const Job& job) {
  std::string text =
      job.is_group() ? std::string(job.kind->group_kind()) : job.kind->resource().kind;
  return std::move(text) + " " + job.key.ToString();
}

std::shared_ptr<const Workload> Completed(std::shared_ptr<const Workload> workload,
                                          const Job& job) {
  if (job.references.empty() && job.asks == nullptr) return workload;
  auto completed = std::make_shared<Workload>(*workload);
  Requirement& requirement = completed->requirement;
  requirement.references = job.references;
  if (job.asks != nullptr) {
    requirement.counted = requirement.demands;
    requirement.pod_sets = job.asks->pod_sets;
    requirement.demands = job.asks->demands;
    requirement.dependencies = job.asks->dependencies;
    requirement.schedulers = job.asks->schedulers;
    if (requirement.unreadable.empty()) requirement.unreadable = job.asks->unreadable;
  }
  return completed;
}

JobAdapter::JobAdapter(kube::Resource resource)
    : resource_(std::move(resource)), name_(KindName(resource_.kind, resource_.group)) {}

bool IsProgress(const Job& before, const Job& after) {
  const auto decisive = [](const Job& job) {
    return std::tie(job.uid, job.deleting, job.marks, job.prebuilt_workload, job.managed_by,
                    job.queued, job.suspended, job.finished, job.failed, job.parts, job.followed,
                    job.pod_counts, job.never, job.stopped);
  };
  return decisive(before) == decisive(after);
}

}  // namespace fedra::tracking
