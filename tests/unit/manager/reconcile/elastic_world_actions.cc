// What fedra's actions do to the model, each write with its conditions (manager_writes.cc,
// worker_writes.cc, tracking/elastic.h).

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/placement/context.h"
#include "manager/tracking/elastic.h"
#include "manager/tracking/kueue_api.h"
#include "tests/unit/manager/reconcile/elastic_world.h"

namespace fedra::reconcile::testing {

using placement::ClusterView;
using tracking::CheckState;
using tracking::Job;
using tracking::Slice;
using tracking::Workload;

const ClusterView& ElasticWorld::ViewOf(const Flight& flight, const ClusterName& worker) {
  return *std::ranges::find(flight.gathered.clusters, worker, &ClusterView::name);
}

placement::PlacementRecord& ElasticWorld::RecordOf(const Flight& flight) {
  return records_[flight.gathered.view.key.name];
}

tracking::CopyMarks ElasticWorld::Marks(const Workload& workload) const {
  return {Us().origin, Us().manager, workload.uid, {}};
}

// Bound to the version that was looked at.
bool ElasticWorld::WriteWorkload(Flight& flight, const std::function<void(Workload&)>& change) {
  const std::string& name = flight.gathered.view.key.name;
  const auto now = workloads_.Find(name);
  if (now == nullptr || now->version != flight.workload->version) return false;
  flight.workload = Edit(workloads_, name, change, /*ours=*/true);
  return true;
}

bool ElasticWorld::WriteJob(Flight& flight, const std::function<void(Job&)>& change) {
  const auto now = jobs_.Find(kJobName);
  if (now == nullptr || now->version != flight.job->version) return false;
  flight.job = Edit(jobs_, kJobName, change, /*ours=*/true);
  return true;
}

// As StatusPatch() dates it.
void ElasticWorld::WriteCheck(Workload& workload, CheckState state,
                              const std::string& message) const {
  auto& check = workload.checks.front();
  WallTime since =
      state == check.state ? check.since : std::chrono::floor<std::chrono::seconds>(now_);
  if (state == CheckState::kPending && workload.QuotaReserved())
    since = std::max(since, workload.quota_reserved->since);
  check = {kCheck, state, message, since};
}

bool ElasticWorld::Do(Flight& flight, const placement::SetCheck& action) {
  const bool done =
      WriteWorkload(flight, [&](Workload& it) { WriteCheck(it, action.state, action.message); });
  if (!done || action.state != CheckState::kRetry) return done;
  ++given_back_;
  if (!AnyCauseToLeave()) Break("a job was given back without cause: " + action.message);
  return true;
}

bool ElasticWorld::Do(Flight& flight, const placement::Nominate& action) {
  const bool done = WriteWorkload(flight, [&](Workload& it) {
    it.nominated.clear();
    for (const ClusterName& name : action.clusters) it.nominated.push_back(name.value);
    WriteCheck(it, CheckState::kPending, action.message);
  });
  if (!done) return false;
  auto& record = RecordOf(flight);
  record.reported = action.reported;
  record.nominated = action.clusters;
  if (!action.new_round) return true;
  now_ += std::chrono::milliseconds(1);
  ++record.attempt;
  record.nominated_at = now_;
  ++dispatched_;
  return true;
}

bool ElasticWorld::Do(Flight& flight, const placement::Admit& action) {
  if (std::ranges::find(to_finish_, flight.workload->key.name) != to_finish_.end())
    causes_.insert(Cause::kPlaceLost);
  return WriteWorkload(flight, [&](Workload& it) {
    if (it.cluster_name != action.cluster.value &&
        std::ranges::find(it.nominated, action.cluster.value) == it.nominated.end())
      Break("a worker that is not nominated gets the job");
    // A merge patch owns what it changes.
    if (it.cluster_name.empty()) kueues_places_.erase(it.key.name);
    it.cluster_name = action.cluster.value;
    it.nominated.clear();
    WriteCheck(it, CheckState::kReady, action.message);
  });
}

bool ElasticWorld::Do(Flight& flight, const placement::ClearPlacement& action) {
  const bool done = WriteWorkload(flight, [&](Workload& it) {
    it.cluster_name.clear();
    it.nominated.clear();
    WriteCheck(it, CheckState::kPending, action.message);
  });
  if (!done) return false;
  auto& record = RecordOf(flight);
  record.reported = placement::CheckReport{};
  record.nominated.clear();
  record.nominated_at.reset();
  return true;
}

bool ElasticWorld::Do(Flight& flight, const placement::FinishWorkload& action) {
  if (!HasEnded() && !AnyCauseToLeave() && !causes_.contains(Cause::kEnd))
    Break("the Workload of a job that runs is finished: " + action.message);
  return WriteWorkload(flight, [&](Workload& it) { it.finished = True(action.reason); });
}

// As MirrorPatch() of a batch/v1 Job.
bool ElasticWorld::Do(Flight& flight, const placement::MirrorStatus& action) {
  const auto copy = ViewOf(flight, action.cluster).job;
  const auto local = flight.job;
  if (copy == nullptr || local == nullptr || local->finished ||
      (local->suspended && !copy->suspended && !copy->finished))
    return true;
  if (local->finished == copy->finished && local->shows_activity == copy->shows_activity)
    return true;
  return WriteJob(flight, [&](Job& it) {
    it.finished = copy->finished;
    it.failed = copy->failed;
    it.shows_activity = copy->shows_activity;
  });
}

bool ElasticWorld::Do(Flight& flight, const placement::ClearActivity&) {
  if (flight.job == nullptr || !flight.job->shows_activity || flight.job->finished) return true;
  return WriteJob(flight, [](Job& it) { it.shows_activity = false; });
}

bool ElasticWorld::Do(Flight& flight, const placement::CreateClone& action) {
  WorkerModel& at = At(action.cluster.value);
  for (const auto& [name, other] : workers_)
    if (other.get() != &at && IsRunning(*other))
      Break(fmt::format("dispatched to {} while the job runs on {}", at.name, name));
  const Workload& workload = *flight.workload;
  if (const auto there = at.clones.Find(workload.key.name)) {
    if (there->marks != Marks(workload)) return false;
    return true;
  }
  Workload clone;
  clone.key = workload.key;
  clone.created = std::chrono::floor<std::chrono::seconds>(now_);
  clone.marks = Marks(workload);
  Slice slice = *workload.slice;
  if (const auto& runs_by = ViewOf(flight, action.cluster).runs_by)
    slice.replaces = runs_by->key.name;
  clone.slice = std::make_shared<const Slice>(std::move(slice));
  at.clones.Put(std::move(clone), /*ours=*/true);
  return true;
}

bool ElasticWorld::Do(Flight& flight, const placement::CreateJob& action) {
  WorkerModel& at = At(action.cluster.value);
  if (flight.job == nullptr) return false;
  if (ViewOf(flight, action.cluster).job != nullptr) return true;
  const Workload& workload = *flight.workload;
  if (const auto there = at.jobs.Find(kJobName)) return there->marks == Marks(workload);
  Job copy;
  copy.key = {"ml", kJobName};
  copy.kind = flight.job->kind;
  copy.marks = Marks(workload);
  copy.prebuilt_workload = workload.key.name;
  copy.queued = true;
  copy.suspended = true;
  copy.elastic = true;
  copy.pod_counts = workload.slice->pod_counts;  // BatchJob::RemoteBody()
  copy.followed = static_cast<uint64_t>(copy.pod_counts.front());
  at.jobs.Put(std::move(copy), /*ours=*/true);
  return true;
}

bool ElasticWorld::Do(Flight& flight, const placement::UpdateClone& action) {
  WorkerModel& at = At(action.cluster.value);
  const ClusterView& view = ViewOf(flight, action.cluster);
  if (!placement::HasOwnClone(view)) return true;
  const auto now = at.clones.Find(view.clone->key.name);
  if (now == nullptr || now->version != view.clone->version) return false;
  const bool shrinks = tracking::IsToShrink(*flight.workload, *now);
  Edit(
      at.clones, now->key.name,
      [&](Workload& it) {
        Slice slice = *it.slice;
        if (view.runs_by != nullptr)
          slice.replaces = view.runs_by->key.name;
        else if (shrinks && slice.replaces.empty())
          slice.replaces = it.key.name + ".shrunk";
        if (shrinks) slice.pod_counts = flight.workload->slice->pod_counts;
        it.slice = std::make_shared<const Slice>(std::move(slice));
      },
      /*ours=*/true);
  return true;
}

bool ElasticWorld::Do(Flight& flight, const placement::UpdateCopy& action) {
  WorkerModel& at = At(action.cluster.value);
  const ClusterView& view = ViewOf(flight, action.cluster);
  if (!placement::HasOwnJob(view) || flight.job == nullptr) return true;
  const auto now = at.jobs.Find(kJobName);
  if (now == nullptr || now->version != view.job->version) return false;
  const Workload& workload = *flight.workload;
  Edit(
      at.jobs, kJobName,
      [&](Job& it) {
        it.prebuilt_workload = workload.key.name;
        it.marks = Marks(workload);
        if (!tracking::IsOfSize(workload, *flight.job)) return;
        it.pod_counts = flight.job->pod_counts;
        it.followed = flight.job->followed;
      },
      /*ours=*/true);
  return true;
}

// The job, then the clone; as it was seen, unless the Workload is over.
bool ElasticWorld::Do(Flight& flight, const placement::DeleteRemote& action) {
  WorkerModel& at = At(action.cluster.value);
  const ClusterView& view = ViewOf(flight, action.cluster);
  const auto& seen = flight.gathered.view.workload;
  const bool as_seen = seen != nullptr && !seen->deleting && !seen->Finished();
  const auto remove = [&](auto& shelf, const auto& object, tracking::Ownership whose) {
    if (object == nullptr || !tracking::IsOurs(whose)) return true;
    const auto now = shelf.Find(object->key.name);
    if (now != nullptr && now->uid != object->uid) return false;
    if (now != nullptr && as_seen && now->version != object->version) return false;
    if (now != nullptr) shelf.Erase(object->key.name);
    shelf.NoteDeleted(object->key.name, object->uid);
    return true;
  };
  // One that was made as Kueue gave its Workload's quota to the next one has no place yet.
  const bool is_placed = std::ranges::any_of(
      workloads_.List(), [&](const auto& each) { return each->cluster_name == at.name; });
  const auto copy = at.jobs.Find(kJobName);
  if (!remove(at.jobs, view.job, view.job_is)) return false;
  if (copy != nullptr && at.jobs.Find(kJobName) == nullptr && !copy->finished && is_placed &&
      !AnyCauseToLeave())
    Break("a running copy was deleted");
  hooks_.between();
  return remove(at.clones, view.clone, view.clone_is);
}

bool ElasticWorld::Do(Flight& flight, const placement::RecordFailure& action) {
  auto& failures = RecordOf(flight).failures;
  placement::Failure failure = action.failure;
  std::erase_if(failures, [&](const placement::Failure& earlier) {
    if (earlier.cluster != failure.cluster) return false;
    failure.times = earlier.times + 1;
    return true;
  });
  failures.push_back(std::move(failure));
  return true;
}

bool ElasticWorld::Do(Flight& flight, const placement::RecordPlacing& action) {
  RecordOf(flight).placing = {action.cluster, now_};
  return true;
}

bool ElasticWorld::Do(Flight& flight, const placement::RecordReport& action) {
  RecordOf(flight).reported = action.reported;
  return true;
}

bool ElasticWorld::Do(Flight& flight, const placement::RecordRemoval& action) {
  std::erase(RecordOf(flight).nominated, action.cluster);
  return true;
}

bool ElasticWorld::Do(Flight& flight, const placement::Forget&) {
  RecordOf(flight) = {};
  return true;
}

}  // namespace fedra::reconcile::testing
