#include "manager/reconcile/remove_copy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cluster-clients/watch/meta.h"
#include "manager/reconcile/parse_written.h"
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

// The object as the server has it now; null: it is gone, or another one has taken its name.
template <class Object, class Parser>
Result<std::shared_ptr<const Object>> ReadAgain(Cluster& worker, const kube::Resource& resource,
                                                const Object& object, const Parser& parser) {
  const auto found = worker.Get(resource, object.key);
  if (!found && found.error().code == ErrorCode::kNotFound) return nullptr;
  if (!found) return Fail(found.error());
  FEDRA_ASSIGN_OR_RETURN(std::shared_ptr<const Object> now, ParseWritten(*found, parser));
  if (now->uid != object.uid) return nullptr;
  return now;
}

// The clone's version without Kueue's finalizer; nothing: it is gone. The patch writes the whole
// list, so it is bound to the version that the list was read from.
Result<std::optional<ResourceVersion>> StripFinalizer(Cluster& worker,
                                                      const tracking::Workload& clone) {
  const auto stripped =
      worker.MergePatch(tracking::kWorkloads, clone.key, tracking::FinalizersPatch(clone));
  if (!stripped && stripped.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!stripped) return Fail(stripped.error());
  FEDRA_ASSIGN_OR_RETURN(const watch::Meta meta, watch::ScanMeta(*stripped));
  return std::optional(meta.version);
}

// In whatever state it is: what we know may be old.
Result<std::optional<ResourceVersion>> StripFinalizerAsItIs(Cluster& worker,
                                                            const tracking::Workload& clone) {
  auto version = StripFinalizer(worker, clone);
  if (version || version.error().code != ErrorCode::kConflict) return version;
  FEDRA_ASSIGN_OR_RETURN(const auto now,
                         ReadAgain(worker, tracking::kWorkloads, clone, &tracking::ParseClone));
  if (now == nullptr) return std::nullopt;
  return StripFinalizer(worker, *now);
}

bool HoldsKueues(const tracking::Job& job) {
  return job.member != nullptr && std::ranges::find(job.member->finalizers, tracking::kManaged) !=
                                      job.member->finalizers.end();
}

// As with StripFinalizer.
Result<void> ReleasePod(Cluster& worker, const tracking::Job& job) {
  if (!HoldsKueues(job)) return {};
  const auto released = worker.MergePatch(
      job.kind->resource(), job.key,
      tracking::WithoutFinalizer(job.uid, job.member->finalizers, tracking::kManaged, job.version));
  if (!released && released.error().code != ErrorCode::kNotFound) return Fail(released.error());
  return {};
}

}  // namespace

Result<void> RemoveJob(Cluster& worker, const tracking::Job& job, const ResourceVersion& only_if) {
  const kube::Resource& resource = job.kind->resource();
  if (!job.deleting) {
    FEDRA_RETURN_IF_ERROR(Remove(worker, resource, job.key, {.uid = job.uid, .version = only_if}));
  }
  if (!HoldsKueues(job)) return {};
  if (job.deleting && !only_if.empty()) return ReleasePod(worker, job);
  // The deletion has made another version of it.
  FEDRA_ASSIGN_OR_RETURN(const auto now, ReadAgain(worker, resource, job, *job.kind));
  return now == nullptr ? Result<void>() : ReleasePod(worker, *now);
}

Result<void> RemoveClone(Cluster& worker, const tracking::Workload& clone,
                         const ResourceVersion& only_if) {
  std::optional<ResourceVersion> version = only_if;
  if (!clone.finalizers.empty()) {
    FEDRA_ASSIGN_OR_RETURN(version, only_if.empty() ? StripFinalizerAsItIs(worker, clone)
                                                    : StripFinalizer(worker, clone));
  }
  if (!version || clone.deleting) return {};
  if (only_if.empty()) version.emplace();
  return Remove(worker, tracking::kWorkloads, clone.key, {.uid = clone.uid, .version = *version});
}

}  // namespace fedra::reconcile
