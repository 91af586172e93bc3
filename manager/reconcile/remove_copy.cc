#include "manager/reconcile/remove_copy.h"

#include <utility>

#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

Result<void> Remove(Cluster& worker, const kube::Resource& resource, const ObjectKey& key,
                    const std::string& uid) {
  auto removed = worker.Delete(resource, key, {.uid = uid});
  if (!removed && removed.error().code == ErrorCode::kNotFound) return {};
  return removed;
}

}  // namespace

Result<void> RemoveJob(Cluster& worker, const tracking::JobAdapter& adapter, const ObjectKey& key,
                       const std::string& uid) {
  return Remove(worker, adapter.resource(), key, uid);
}

Result<void> RemoveClone(Cluster& worker, const tracking::Workload& clone) {
  if (!clone.finalizers.empty()) {
    auto stripped =
        worker.MergePatch(tracking::kWorkloads, clone.key, tracking::FinalizersPatch(clone));
    if (!stripped && stripped.error().code != ErrorCode::kNotFound)
      return Fail(std::move(stripped).error());
  }
  return clone.deleting ? Result<void>()
                        : Remove(worker, tracking::kWorkloads, clone.key, clone.uid);
}

}  // namespace fedra::reconcile
