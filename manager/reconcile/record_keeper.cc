#include "manager/reconcile/record_keeper.h"

#include <utility>

#include "base/log.h"
#include "manager/reconcile/manager_inputs.h"
#include "manager/reconcile/parse_written.h"
#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

using std::chrono::milliseconds;

// The watch shows meanwhile what another one has written.
constexpr milliseconds kAfterConflict{500};
constexpr milliseconds kAfterFailure{5'000};
constexpr std::chrono::minutes kAfterRefusal{1};

}  // namespace

tracking::Recorded RecordedOf(const store::PlacementRow& row) {
  tracking::Recorded recorded{.attempt = row.attempt, .attempt_time = row.nominated_at};
  for (const store::PlacementFailure& failure : row.failures)
    recorded.failures.push_back({.worker = failure.cluster,
                                 .reason = failure.reason,
                                 .message = failure.message,
                                 .at = failure.at,
                                 .refused = failure.refused,
                                 .times = failure.times});
  return recorded;
}

// Who is nominated in that attempt, the Workload says.
store::PlacementRow RowOf(const tracking::Workload& workload, const tracking::Recorded& recorded) {
  store::PlacementRow row;
  row.uid = workload.uid;
  row.key = workload.key;
  row.job_kind = workload.owner.kind;
  row.job = {workload.key.ns, workload.owner.name};
  row.attempt = recorded.attempt;
  row.nominated_at = recorded.attempt_time;
  for (const std::string& name : workload.nominated) row.nominated.emplace_back(name);
  for (const tracking::RecordedFailure& failure : recorded.failures)
    row.failures.push_back({.cluster = failure.worker,
                            .reason = failure.reason,
                            .at = failure.at,
                            .message = failure.message,
                            .refused = failure.refused,
                            .times = failure.times});
  return row;
}

RecordKeeper::RecordKeeper(bool shares, Cluster& manager,
                           watch::TrackedCache<tracking::RecordObject>& records,
                           const PlacementStore& placements, const Clock& clock)
    : shares_(shares),
      manager_(manager),
      records_(records),
      placements_(placements),
      clock_(clock) {}

std::shared_ptr<const tracking::RecordObject> RecordKeeper::Find(
    const tracking::Workload& workload) const {
  auto record = records_.Find(workload.key);
  const bool is_its = record != nullptr && record->workload_uid == workload.uid;
  return is_its ? record : nullptr;
}

std::optional<store::PlacementRow> RecordKeeper::Left(const tracking::Workload& workload) const {
  if (!shares_ || workload.Finished()) return std::nullopt;
  const auto record = Find(workload);
  return record == nullptr ? std::nullopt : std::optional(RowOf(workload, record->recorded));
}

std::optional<milliseconds> RecordKeeper::Keep(const tracking::Workload& workload) {
  if (!shares_ || workload.deleting || workload.Finished()) return {};
  const store::PlacementRow row = placements_.Find(workload.key);
  const auto record = Find(workload);
  if (row.uid != workload.uid || (record == nullptr && row.failures.empty())) return {};
  // Where they cannot be read none is of use; that was said when it was found.
  const watch::CacheHealth health = records_.cache().health();
  if (!health.complete || IsWithheld(health)) return {};
  const tracking::Recorded wanted = RecordedOf(row);
  if (record != nullptr && tracking::IsSameRecord(record->recorded, wanted)) return {};
  if (IsRefusing(workload.key.ns)) return {};
  const Result<std::string> written = Write(workload, wanted);
  if (!written) return Failed(workload, written.error());
  complained_.With([](bool& complained) { complained = false; });
  auto parsed = ParseWritten(*written, &tracking::ParseRecordObject);
  if (parsed) records_.own().Wrote(*std::move(parsed));
  return {};
}

Result<std::string> RecordKeeper::Write(const tracking::Workload& workload,
                                        const tracking::Recorded& wanted) {
  // One of an earlier Workload of that name may be there still.
  const auto before = records_.Find(workload.key);
  if (before == nullptr)
    return manager_.Create(tracking::kPlacementRecords, workload.key.ns,
                           tracking::RecordBody(workload, wanted));
  return manager_.MergePatch(tracking::kPlacementRecords, workload.key,
                             tracking::RecordPatch(*before, workload, wanted));
}

bool RecordKeeper::IsRefusing(const std::string& ns) {
  return refused_until_.With([&](auto& until) {
    const auto found = until.find(ns);
    if (found == until.end()) return false;
    if (clock_.Steady() < found->second) return true;
    until.erase(found);
    return false;
  });
}

std::optional<milliseconds> RecordKeeper::Failed(const tracking::Workload& workload,
                                                 const Error& error) {
  if (error.code == ErrorCode::kConflict || error.code == ErrorCode::kAlreadyExists)
    return kAfterConflict;
  if (error.code == ErrorCode::kNotFound) return kAfterFailure;  // the watch will show it
  if (error.code == ErrorCode::kCancelled) return {};
  const bool is_new =
      complained_.With([](bool& complained) { return !std::exchange(complained, true); });
  if (is_new)
    log::Warn(
        "a PlacementRecord is not written: a replica that takes over asks workers again that "
        "have just failed a job",
        {{"workload", workload.key.ToString()}, {"error", ToString(error)}});
  if (!IsRefusal(error.code)) return kAfterFailure;
  refused_until_.With(
      [&](auto& until) { until[workload.key.ns] = clock_.Steady() + kAfterRefusal; });
  return {};
}

}  // namespace fedra::reconcile
