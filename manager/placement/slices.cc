#include "manager/placement/slices.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "manager/placement/message.h"
#include "manager/placement/stages.h"
#include "manager/placement/steps.h"
#include "manager/tracking/elastic.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {

bool MayHaveCopy(const tracking::Workload& workload) {
  return workload.slice != nullptr && !workload.deleting && !workload.Finished() &&
         !workload.Evicted() && workload.QuotaReserved() && !workload.cluster_name.empty();
}

std::shared_ptr<const tracking::Workload> SliceWithCopy(const Slices& slices) {
  // Kueue gives a slice its place before it finishes the one that it replaces, and two may be made
  // in one second.
  const auto is_replaced = [&](const tracking::Workload& slice) {
    return std::ranges::any_of(slices, [&](const auto& next) {
      return MayHaveCopy(*next) && next->slice->replaces == slice.key.name;
    });
  };
  std::shared_ptr<const tracking::Workload> found;
  for (const auto& slice : slices) {
    if (MayHaveCopy(*slice) && !is_replaced(*slice) &&
        (found == nullptr ||
         std::tie(slice->created, slice->key) > std::tie(found->created, found->key)))
      found = slice;
  }
  return found;
}

bool HasNoPlaceYet(const tracking::Workload& workload) {
  return workload.slice != nullptr && !workload.QuotaReserved() && !workload.Evicted() &&
         workload.cluster_name.empty();
}

bool IsCopyOfChain(const tracking::Workload& slice, const tracking::Job& copy,
                   const tracking::Workload* named) {
  const std::string& name = copy.prebuilt_workload;
  if (name.empty()) return false;
  return name == slice.key.name || name == slice.slice->replaces ||
         (named != nullptr && named->slice != nullptr && named->slice->chain == slice.slice->chain);
}

bool IsHandedOver(const WorkloadView& view, const tracking::AdmissionCheckState& check) {
  const tracking::Workload& workload = *view.workload;
  // An eviction, which leaves clusterName where we own it, leaves words in the check, too.
  return MayHaveCopy(workload) && !workload.slice->replaces.empty() &&
         check.state == tracking::CheckState::kPending && check.message.empty();
}

bool WasReplaced(const tracking::Workload& workload) {
  return workload.Finished() && workload.finished->reason == tracking::kSliceReplaced;
}

bool AwaitsClone(const ClusterView& worker) {
  const tracking::Workload* clone = worker.clone.get();
  if (clone == nullptr) return true;
  return HasOwnClone(worker) && !clone->deleting && !clone->Finished() && !clone->Evicted() &&
         !clone->Admitted();
}

ClusterView AsBefore(const ClusterView& worker) {
  ClusterView before = worker;
  before.clone = worker.runs_by;
  before.clone_is =
      worker.runs_by == nullptr ? tracking::Ownership::kForeign : tracking::Ownership::kOurs;
  return before;
}

void WaitToGrow(const Context& context, const ClusterView& worker, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  const std::string& name = worker.name.value;
  if (HasOwnJob(worker)) decision.actions.emplace_back(MirrorStatus{worker.name});
  if (auto not_yet = WhyNotYet(context.view)) {  // its other checks, say, come first
    decision.why = std::move(not_yet->why);
    return;
  }
  if (worker.clone == nullptr) {
    decision.actions.emplace_back(CreateClone{worker.name});
    decision.why = fmt::format("it grows on {}, where it runs", name);
    return;
  }
  if (tracking::PriorityDiffers(workload, *worker.clone))
    decision.actions.emplace_back(SetClonePriority{worker.name});
  if (tracking::IsToShrink(workload, *worker.clone) ||
      tracking::ReplacesOther(*worker.clone, *worker.runs_by))
    decision.actions.emplace_back(UpdateClone{worker.name});
  const std::string pending = PendingMessage(worker);
  decision.why = fmt::format("it runs on {} as it was, and grows when that admits it{}{}", name,
                             pending.empty() ? "" : ": ", pending);
}

bool EndsWithJob(const WorkloadView& view) {
  return view.workload->slice != nullptr && view.job != nullptr && view.job->finished;
}

void FinishSlice(const Context& context, const ClusterView* worker, Decision& decision) {
  const tracking::Workload* clone = worker == nullptr ? nullptr : worker->clone.get();
  const bool is_known = clone != nullptr && clone->Finished() && EndedAsItsJob(*clone->finished);
  FinishWorkload finish{
      std::string(context.view.job->failed ? tracking::kFailed : tracking::kSucceeded),
      is_known ? clone->finished->message : "the job has ended"};
  decision.why = finish.message;
  decision.actions.emplace_back(std::move(finish));
}

void DecideBesideSlice(const Context& context, Decision& decision) {
  const tracking::Workload& workload = context.workload();
  if (!workload.QuotaReserved() || workload.Evicted()) return ReportHeldBack(context, decision);
  decision.phase = Phase::kRunning;
  decision.worker = ClusterName(workload.cluster_name);
  decision.why = fmt::format("the job runs by its Workload {}", context.view.other_slice);
}

}  // namespace fedra::placement
