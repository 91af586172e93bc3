#include "manager/reconcile/bookkeeping.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "manager/placement/note_reasons.h"
#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

constexpr size_t kMaxFailures = 20;
constexpr int kMaxTimes = 100;

}  // namespace

std::chrono::nanoseconds WaitedSinceQuota(const tracking::Workload& workload, WallTime now) {
  const bool known = workload.quota_reserved && workload.quota_reserved->since != WallTime{};
  return std::max<std::chrono::nanoseconds>(
      std::chrono::nanoseconds(0),
      known ? now - workload.quota_reserved->since : std::chrono::nanoseconds(0));
}

Bookkeeping::Bookkeeping(store::Store& store, PlacementStore& placements,
                         StatusWriter& status_writer, EventWriter& events, Telemetry& telemetry,
                         const Clock& clock)
    : store_(store),
      placements_(placements),
      status_writer_(status_writer),
      events_(events),
      telemetry_(telemetry),
      clock_(clock) {}

store::PlacementRow Bookkeeping::Row(const Execution& execution) const {
  const tracking::Workload* workload = execution.workload.get();
  store::PlacementRow row = placements_.Find(execution.gathered.view.key);
  if (workload == nullptr || row.uid == workload->uid) return row;
  row = {};
  row.uid = workload->uid;
  row.key = workload->key;
  row.job_kind = workload->owner.kind;
  row.job = execution.gathered.job;
  row.attempt = placements_.AttemptsBefore(row.uid);
  return row;
}

Bookkeeping::Announcement Bookkeeping::Announce(Execution& execution,
                                                const placement::Nominate& action) {
  store::PlacementRow row = Row(execution);
  Announcement announced{.before = row};
  row.nominated = action.clusters;
  if (action.new_round) {
    announced.under_way = BeginAttempt(execution, std::move(row));
  } else if (!row.nominated.empty() || row.attempt > 0) {
    placements_.Put(std::move(row));
  }
  return announced;
}

Result<void> Bookkeeping::Await(Announcement& announced) {
  if (!announced.under_way) return {};
  return placements_.EndCommit(*std::exchange(announced.under_way, std::nullopt));
}

PlacementStore::UnderWay Bookkeeping::BeginAttempt(Execution& execution, store::PlacementRow row) {
  const WallTime now = clock_.Now();
  ++row.attempt;
  row.nominated_at = now;
  row.reported_in.reset();  // see Remember()
  row.reported_facts = 0;
  placements_.BeginAttempt(row.key);
  // What the worker of the last round lost by itself has left nothing to remove.
  std::vector<store::Change> announced{
      store::RemoveLaterAttempts{row.uid, row.attempt},
      store::EndEarlierAttempts{row.uid, row.attempt, now,
                                std::string(ToString(placement::AttemptEnd::kRequeued))}};
  for (const ClusterName& cluster : row.nominated) {
    announced.emplace_back(
        store::PutAttempt{{row.uid, row.attempt, cluster, now, std::nullopt, {}, {}}});
    const int64_t intent = store_.NewIntentId();
    execution.intents.push_back(intent);
    announced.emplace_back(
        store::AddIntent{{intent, row.uid, "CreateClone", cluster, row.key, now}});
  }
  return placements_.BeginCommit(std::move(row), std::move(announced));
}

// No worker was asked yet, so the next round may have the number. A daemon that dies before this
// counts one attempt too many.
void Bookkeeping::Conclude(const Execution& execution, const placement::Nominate& action,
                           store::PlacementRow before, const Result<void>& written) {
  placements_.RememberNomination(before.key, !written);
  if (written) return Remember(execution, action.reported);
  if (!action.new_round) return;
  // Perhaps it was written all the same: then the clock of the round before is not this one's.
  const ErrorCode code = written.error().code;
  if (code != ErrorCode::kConflict && !IsRefusal(code)) before.nominated_at.reset();
  placements_.Put(std::move(before));
}

void Bookkeeping::ClearRound(const Execution& execution) {
  store::PlacementRow row = Row(execution);
  row.nominated.clear();
  row.nominated_at.reset();
  placements_.Put(std::move(row));
  Remember(execution, {});
}

void Bookkeeping::Remember(const Execution& execution, const placement::CheckReport& reported) {
  store::PlacementRow row = Row(execution);
  placements_.RememberRendering(row.key, reported.rendering);
  const auto facts = static_cast<int64_t>(reported.facts);
  if (row.reported_in == reported.reserved_at && row.reported_facts == facts) return;
  row.reported_in = reported.reserved_at;
  row.reported_facts = facts;
  // After a restart a nomination shows that the message is ours (IsReported), so a dispatched job
  // needs no row for each message: that saves three writes per job. A waiting job has no
  // nomination.
  if (row.nominated.empty()) {
    placements_.Put(std::move(row));
  } else {
    placements_.Hold(std::move(row));
  }
}

void Bookkeeping::EndAttempt(const Execution& execution, const ClusterName& cluster,
                             std::string_view outcome, const std::string& message) {
  const store::PlacementRow row = Row(execution);
  if (row.attempt == 0) return;
  store_.Enqueue(store::EndAttempts{
      row.uid, {{row.attempt, cluster, clock_.Now(), std::string(outcome), message}}});
}

void Bookkeeping::ClearResidue(const Execution& execution, const ClusterName& cluster) {
  placements_.ClearResidue(cluster, execution.gathered.view.key);
}

void Bookkeeping::EndIntents(const Execution& execution) {
  for (const int64_t intent : execution.intents) store_.Enqueue(store::EndIntent{intent});
}

Result<void> Bookkeeping::Do(Execution& execution, const placement::RecordFailure& action) {
  const placement::Failure& failure = action.failure;
  const std::string reason(verdict::ToString(failure.reason));
  store::PlacementRow row = Row(execution);
  int times = 1;
  std::erase_if(row.failures, [&](const store::PlacementFailure& earlier) {
    if (earlier.cluster != failure.cluster) return false;
    times = std::min(earlier.times + 1, kMaxTimes);
    return true;
  });
  if (row.failures.size() >= kMaxFailures) row.failures.erase(row.failures.begin());
  row.failures.push_back(
      {failure.cluster, reason, failure.at, failure.message, failure.refused, times});
  EndAttempt(execution, failure.cluster, action.end ? ToString(*action.end) : reason,
             failure.message);
  placements_.Put(std::move(row));
  return {};
}

Result<void> Bookkeeping::Do(Execution& execution, const placement::RecordPlacing& action) {
  placements_.RememberPlacing(execution.gathered.view.key, {action.cluster, clock_.Now()});
  return {};
}

Result<void> Bookkeeping::Do(Execution& execution, const placement::RecordReport& action) {
  Remember(execution, action.reported);
  return {};
}

Result<void> Bookkeeping::Do(Execution& execution, const placement::RecordRemoval& action) {
  store::PlacementRow row = Row(execution);
  if (std::erase(row.nominated, action.cluster) > 0) placements_.Put(std::move(row));
  return {};
}

Result<void> Bookkeeping::Do(Execution& execution, const placement::Forget&) {
  // One whose AdmissionCheck was removed lives on without us.
  const tracking::Workload* workload = execution.workload.get();
  placements_.Forget(execution.gathered.view.key);
  status_writer_.Gone(execution.gathered.view.key, workload == nullptr || workload->deleting);
  return {};
}

Result<void> Bookkeeping::Do(Execution& execution, const placement::KeepRemote& action) {
  // Asked for at every look, for as long as the copies stay.
  if (placements_.EndsAttempt(execution.gathered.view.key, action.cluster))
    EndAttempt(execution, action.cluster, ToString(action.end), action.message);
  return {};
}

Result<void> Bookkeeping::Do(Execution& execution, const placement::EndAttempt& action) {
  // Asked for at every look.
  if (placements_.EndsAttempt(execution.gathered.view.key, action.cluster))
    EndAttempt(execution, action.cluster, ToString(action.end), action.message);
  return {};
}

Result<void> Bookkeeping::Do(Execution& execution, const placement::RecordEnd&) {
  placements_.RememberEnd(execution.gathered.view.key, clock_.Now());
  return {};
}

Result<void> Bookkeeping::Do(Execution& execution, const placement::Note& action) {
  using namespace placement;
  if (!status_writer_.AddNote(execution.gathered, action)) return {};
  if (action.reason == notes::kWorkerLost.name) telemetry_.WorkerLost(action.cluster);
  // Where it is Kueue that admits, this is when fedra sees it.
  if (action.reason == notes::kPlaced.name && execution.gathered.view.kueue_copies)
    telemetry_.Placed(action.cluster, WaitedSinceQuota(*execution.workload, clock_.Now()));
  const bool is_warning = notes::IsWarning(action.reason);
  log::Write(notes::IsLogWarning(action.reason) ? log::Level::kWarn : log::Level::kInfo,
             action.reason,
             {{"workload", execution.gathered.view.key.ToString()},
              {"kind", execution.workload == nullptr ? "" : execution.workload->owner.kind},
              {"job", execution.gathered.job.ToString()},
              {"cluster", action.cluster.value},
              {"message", action.message}});
  const auto& workload = execution.workload;
  if (workload == nullptr) return {};
  // A dispatch is news about the Workload only; its end is news about the job. Of a group none of
  // the objects is the job, and the Workload has its name.
  const bool is_group = execution.job != nullptr && execution.job->is_group();
  const bool is_end =
      action.reason == notes::kCompleted.name || action.reason == notes::kJobFailed.name;
  if (!is_end || is_group) {
    events_.Emit({tracking::kWorkloads.ApiVersion(), tracking::kWorkloads.kind, workload->key,
                  workload->uid},
                 action.reason, is_warning, action.message);
  }
  if (execution.job != nullptr && !is_group && action.reason != notes::kDispatched.name) {
    events_.Emit(
        {workload->owner.api_version, workload->owner.kind, execution.job->key, execution.job->uid},
        action.reason, is_warning, action.message);
  }
  return {};
}

Result<void> Bookkeeping::Do(Execution& execution, const placement::RecordResidue& action) {
  const store::PlacementRow row = Row(execution);
  if (!row.uid.empty()) {
    FEDRA_RETURN_IF_ERROR(placements_.AddResidue({action.cluster, execution.gathered.view.key,
                                                  row.uid, row.job_kind, row.job, clock_.Now()}));
  }
  // Its return may have been reported before there was a residue to look for.
  const Worker& worker = execution.WorkerOf(action.cluster);
  if (worker.contact() != placement::Contact::kFull ||
      worker.kinds().ContactOf(execution.gathered.adapter) != placement::Contact::kFull)
    return {};
  return Fail(ErrorCode::kConflict, action.cluster.value + " is back");
}

}  // namespace fedra::reconcile
