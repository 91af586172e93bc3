#include "manager/reconcile/removed_worker.h"

#include <algorithm>

#include "manager/reconcile/templates/template_view.h"

namespace fedra::reconcile {
namespace {

bool HasPlaced(const ManagerJobs& jobs, const ClusterName& name) {
  const auto workloads = jobs.workloads().cache().List();
  return std::any_of(workloads.begin(), workloads.end(), [&](const auto& workload) {
    return !workload->Finished() && workload->IsPlacedOn(name);
  });
}

// What no living workload explains; of the others HasPlaced() knows.
bool HasCopies(const Worker& worker, const ManagerTemplates& templates, const Owners& us) {
  const auto is_ours = [&](const auto& copy) {
    return tracking::IsOurs(tracking::OwnershipOf(copy->marks, us.copies, /*source_uid=*/{}));
  };
  const auto clones = worker.objects().clones().cache().List();
  if (std::any_of(clones.begin(), clones.end(), is_ours)) return true;
  for (const tracking::JobAdapter* adapter : worker.objects().kinds().all()) {
    const auto jobs = worker.objects().jobs(*adapter).cache().List();
    if (std::any_of(jobs.begin(), jobs.end(), is_ours)) return true;
  }
  return us.templates && !OurTemplateCopies(worker, templates, *us.templates).empty();
}

}  // namespace

bool CanBeReleased(const Worker& worker, const ManagerJobs& jobs, const ManagerTemplates& templates,
                   const Owners& us, std::chrono::milliseconds worker_lost_timeout, WallTime now) {
  if (HasPlaced(jobs, worker.name())) return false;
  if (worker.contact() == placement::Contact::kFull &&
      worker.kinds().ContactOf(/*kind=*/nullptr) == placement::Contact::kFull)
    return !HasCopies(worker, templates, us);
  // One whose connection is well may still refuse a kind of jobs: what is there of it stays unseen,
  // and is waited for as long as for a worker out of reach.
  auto lost_since = worker.Status().lost_since;
  if (!lost_since) lost_since = worker.kinds().StatusOf(/*kind=*/nullptr).lost_since;
  return lost_since && now >= *lost_since + worker_lost_timeout;
}

}  // namespace fedra::reconcile
