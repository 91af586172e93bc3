#include "manager/reconcile/remove_copy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cluster-clients/watch/meta.h"
#include "manager/tracking/finalizers.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

Result<void> Remove(Cluster& worker, const kube::Resource& resource, const ObjectKey& key,
                    const DeleteOptions& only_if) {
  auto removed = worker.Delete(resource, key, only_if);
  if (!removed && removed.error().code == ErrorCode::kNotFound) return {};
  return removed;
}

// The version that it has without Kueue's finalizer; nothing: it is gone.
Result<std::optional<ResourceVersion>> StripFinalizer(Cluster& worker,
                                                      const tracking::Workload& clone,
                                                      const ResourceVersion& only_if) {
  const auto stripped =
      worker.MergePatch(tracking::kWorkloads, clone.key, tracking::FinalizersPatch(clone, only_if));
  if (!stripped && stripped.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!stripped) return Fail(stripped.error());
  FEDRA_ASSIGN_OR_RETURN(const watch::Meta meta, watch::ScanMeta(*stripped));
  return std::optional(meta.version);
}

}  // namespace

Result<void> RemoveJob(Cluster& worker, const tracking::Job& job, const ResourceVersion& only_if) {
  const kube::Resource& resource = job.kind->resource();
  if (!job.deleting) {
    FEDRA_RETURN_IF_ERROR(Remove(worker, resource, job.key, {.uid = job.uid, .version = only_if}));
  }
  if (job.member == nullptr ||
      std::ranges::find(job.member->finalizers, tracking::kManaged) == job.member->finalizers.end())
    return {};
  const auto released = worker.MergePatch(
      resource, job.key,
      tracking::WithoutFinalizer(job.uid, job.member->finalizers, tracking::kManaged,
                                 /*version=*/{}));
  if (!released && released.error().code != ErrorCode::kNotFound) return Fail(released.error());
  return {};
}

Result<void> RemoveClone(Cluster& worker, const tracking::Workload& clone,
                         const ResourceVersion& only_if) {
  std::optional<ResourceVersion> version = only_if;
  if (!clone.finalizers.empty()) {
    FEDRA_ASSIGN_OR_RETURN(version, StripFinalizer(worker, clone, only_if));
  }
  if (!version || clone.deleting) return {};
  if (only_if.empty()) version.emplace();
  return Remove(worker, tracking::kWorkloads, clone.key, {.uid = clone.uid, .version = *version});
}

}  // namespace fedra::reconcile
