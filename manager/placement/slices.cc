#include "manager/placement/slices.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "manager/placement/message.h"
#include "manager/placement/stages.h"
#include "manager/placement/steps.h"
#include "manager/tracking/elastic.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {
namespace {

using tracking::Workload;

bool Lives(const Workload& slice) { return !slice.deleting && !slice.Finished(); }

bool HasQuota(const Workload& slice) {
  return Lives(slice) && slice.QuotaReserved() && !slice.Evicted();
}

bool LooksForPlace(const Workload& slice) { return HasQuota(slice) && slice.cluster_name.empty(); }

// An eviction is true until the next reservation (SetQuotaReservation in pkg/workload/workload.go
// of Kueue 0.19.2), and an end takes no quota away.
bool HasHadQuota(const Workload& slice) { return slice.QuotaReserved() || slice.Evicted(); }

// One that was evicted had no place to give, and Kueue finishes it in the same way
// (normalizeActiveSlices in pkg/workloadslicing of 0.19.2).
bool GaveItsPlace(const Workload& slice) { return WasReplaced(slice) && !slice.Evicted(); }

// Whether it replaces the other one, or one that does.
bool Replaces(const Slices& slices, const Workload& slice, const Workload& other) {
  std::string_view replaced = slice.slice->replaces;
  for (size_t i = 0; i < slices.size() && !replaced.empty(); ++i) {
    if (replaced == other.key.name) return true;
    const auto next = std::ranges::find(
        slices, replaced, [](const auto& each) { return std::string_view(each->key.name); });
    replaced = next == slices.end() ? std::string_view() : (*next)->slice->replaces;
  }
  return false;
}

// Two may be made in one second.
bool IsLater(const Slices& slices, const Workload& slice, const Workload& other) {
  if (Replaces(slices, slice, other)) return true;
  return !Replaces(slices, other, slice) &&
         std::tie(slice.created, slice.key) > std::tie(other.created, other.key);
}

// Null: none is so.
template <class Is>
std::shared_ptr<const Workload> LastOf(const Slices& slices, const Is& is) {
  std::shared_ptr<const Workload> last;
  for (const auto& slice : slices)
    if (is(*slice) && (last == nullptr || IsLater(slices, *slice, *last))) last = slice;
  return last;
}

}  // namespace

bool MayHaveCopy(const Workload& workload) {
  return workload.slice != nullptr && HasQuota(workload) && !workload.cluster_name.empty();
}

std::shared_ptr<const tracking::Workload> SliceWithCopy(const Slices& slices) {
  return LastOf(slices, MayHaveCopy);
}

std::shared_ptr<const tracking::Workload> SeesToCopy(const Slices& slices,
                                                     const ClusterName& worker) {
  const auto is_placed = [&](const Workload& it) {
    return MayHaveCopy(it) && it.cluster_name == worker.value;
  };
  if (auto slice = LastOf(slices, is_placed)) return slice;
  if (auto slice = LastOf(slices, LooksForPlace)) return slice;
  if (auto slice = LastOf(slices, HasHadQuota)) return GaveItsPlace(*slice) ? nullptr : slice;
  return LastOf(slices, [](const Workload&) { return true; });
}

bool ConcernsOthers(const Workload* before, const Workload* after) {
  const auto is_slice = [](const Workload* it) { return it != nullptr && it->slice != nullptr; };
  if (!is_slice(before) && !is_slice(after)) return false;
  if (before == nullptr || after == nullptr) return true;
  const auto standing = [](const Workload& it) {
    return std::tuple(it.deleting, it.Finished(), it.Evicted(), it.QuotaReserved(),
                      std::string_view(it.cluster_name));
  };
  return standing(*before) != standing(*after);
}

std::string ChainOf(const tracking::Job& copy, const Slices& slices, const Workload* named) {
  const std::string& name = copy.prebuilt_workload;
  if (name.empty()) return {};
  for (const auto& each : slices)
    if (each->key.name == name || each->slice->replaces == name) return each->slice->chain;
  return named != nullptr && named->slice != nullptr ? named->slice->chain : std::string();
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
