#include "tests/unit/manager/reconcile/elastic_world.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::reconcile::testing {

using tracking::Condition;
using tracking::Job;
using tracking::Workload;

ElasticWorld::ElasticWorld(Hooks hooks, tracking::Mode mode)
    : hooks_(std::move(hooks)), mode_(mode) {
  for (const std::string& name : WorkerNames()) {
    const auto wake = [this, name](const ObjectKey& workload) {
      places_[workload.name].insert(name);
      Wake(workload.name);
    };
    // As EventHandlers::OnJob().
    const auto on_job = [wake, this](const tracking::JobKey& job) {
      for (const ObjectKey& slice : owners_.WokenByCopy(job)) wake(slice);
    };
    workers_[name] =
        std::make_unique<WorkerModel>(name, writes_, WorkerCopiesListener{wake, on_job, wake});
  }
  Job job;
  job.key = {"ml", kJobName};
  job.kind = tracking::BuiltInKinds()->FindName("Job.batch");
  job.managed_by = tracking::kManagedBy;
  job.suspended = true;
  job.elastic = true;
  job.pod_counts = {2};
  job.followed = 2;
  jobs_.Put(std::move(job));
}

ElasticWorld::~ElasticWorld() = default;

const std::vector<std::string>& ElasticWorld::WorkerNames() {
  static const std::vector<std::string> names = {"east", "west"};
  return names;
}

Condition ElasticWorld::True(std::string_view reason) const {
  return {true, std::string(reason), "", std::chrono::floor<std::chrono::seconds>(now_)};
}

void ElasticWorld::Break(const std::string& what) {
  Tell("BROKEN: " + what);
  if (violation_.empty()) violation_ = what;
}

void ElasticWorld::Finish(Shelf<Workload>& shelf, const std::string& name,
                          std::string_view reason) {
  Edit(shelf, name, [&](Workload& workload) { workload.finished = True(reason); });
}

void ElasticWorld::Scale(int pods) {
  const auto job = jobs_.Find(kJobName);
  if (job == nullptr || job->finished || job->pod_counts.front() == pods) return;
  ++generation_;
  Edit(jobs_, kJobName, [&](Job& it) {
    it.pod_counts = {pods};
    it.followed = static_cast<uint64_t>(pods);
  });
  Tell(fmt::format("user: {} pods", pods));
}

void ElasticWorld::DeleteJob() {
  jobs_.Erase(kJobName);
  causes_.insert(Cause::kDeletion);
  Tell("user: deletes the job");
}

void ElasticWorld::Move() {
  for (const auto& slice : workloads_.List()) {
    if (slice->Finished() || slice->cluster_name.empty()) continue;
    Advance(std::chrono::seconds(2));
    Edit(workloads_, slice->key.name, [&](Workload& it) {
      it.requests = std::make_shared<const tracking::JobRequests>(
          std::nullopt, tracking::MoveRequest{now_, it.cluster_name, {}});
    });
    causes_.insert(Cause::kMove);
    Tell("user: moves " + slice->key.name);
    // Dates are in whole seconds: what begins within this one would look older than the request.
    Advance(std::chrono::seconds(1));
    return;
  }
}

void ElasticWorld::Drain(const std::string& worker, bool drained) {
  if (At(worker).drained == drained) return;
  At(worker).drained = drained;
  if (drained) causes_.insert(Cause::kDrain);
  for (const std::string& slice : workloads_.Known())  // EventHandlers::OnChecks()
    if (const auto seen = workloads_.Seen(slice); seen != nullptr && !seen->Finished())
      OnWorkload(slice);
  Tell(fmt::format("user: {} is {}", worker, drained ? "drained" : "in service"));
}

void ElasticWorld::Advance(std::chrono::milliseconds time) {
  now_ += time;
  std::erase_if(wakes_, [&](const auto& each) {
    if (each.second > now_) return false;
    dirty_.insert(each.first);
    return true;
  });
}

bool ElasticWorld::AdvanceToWake() {
  const auto next =
      std::ranges::min_element(wakes_, {}, [](const auto& each) { return each.second; });
  if (next == wakes_.end() || next->second > now_ + std::chrono::hours(1)) return false;
  Advance(std::chrono::ceil<std::chrono::milliseconds>(next->second - now_));
  Tell("time passes");
  return true;
}

// As EventHandlers::OnWorkload().
void ElasticWorld::OnWorkload(const std::string& slice) {
  if (const auto seen = workloads_.Seen(slice))
    for (const ClusterName& worker : seen->PlacedOn()) places_[slice].insert(worker.value);
  Wake(slice);
}

bool ElasticWorld::Deliver(int stream) {
  const auto tell = [&](std::string_view of, const auto& change) {
    Tell(fmt::format("fedra hears of {} {}", of, change.name));
  };
  if (stream == 0) {
    if (!workloads_.HasEvents()) return false;
    const auto change = workloads_.Deliver();
    tell("slice", change);
    const ObjectKey key{"ml", change.name};
    owners_.Note(key, change.before.get(), change.after.get());
    for (const ObjectKey& woken :
         owners_.WokenByWorkload(key, change.before.get(), change.after.get()))
      OnWorkload(woken.name);
    return true;
  }
  if (stream == 1) {
    if (!jobs_.HasEvents()) return false;
    const auto change = jobs_.Deliver();
    tell("the manager's job", change);
    for (const ObjectKey& woken : owners_.WokenByJob({"Job.batch", {"ml", change.name}},
                                                     change.before.get(), change.after.get()))
      OnWorkload(woken.name);
    return true;
  }
  WorkerModel& at = At(WorkerNames().at(static_cast<size_t>(stream - 2) / 2));
  if (stream % 2 == 0) {
    if (!at.clones.HasEvents()) return false;
    const auto change = at.clones.Deliver();
    tell(at.name + "'s clone", change);
    at.copies.OnClone({"ml", change.name}, change.before.get(), change.after.get());
    return true;
  }
  if (!at.jobs.HasEvents()) return false;
  const auto change = at.jobs.Deliver();
  tell(at.name + "'s job", change);
  if (change.before == nullptr && change.after == nullptr) return true;
  at.copies.OnJob({"Job.batch", {"ml", change.name}}, change.before.get(), change.after.get());
  return true;
}

std::vector<std::string> ElasticWorld::Dirty() const {
  std::vector<std::string> slices;
  for (const std::string& slice : dirty_)
    if (!flights_.contains(slice)) slices.push_back(slice);
  return slices;
}

std::vector<std::string> ElasticWorld::InFlight() const {
  std::vector<std::string> slices;
  for (const auto& [slice, flight] : flights_) slices.push_back(slice);
  return slices;
}

bool ElasticWorld::HasEnded() const {
  const auto job = jobs_.Find(kJobName);
  return job != nullptr && job->finished;
}

bool ElasticWorld::AnyCauseToLeave() const {
  return std::ranges::any_of(causes_, [](Cause cause) { return cause != Cause::kEnd; });
}

bool ElasticWorld::IsRunning(const WorkerModel& worker) const {
  const auto job = worker.jobs.Find(kJobName);
  return job != nullptr && !job->suspended && !job->finished;
}

void ElasticWorld::CheckRuns() {
  const auto running =
      std::ranges::count_if(workers_, [&](const auto& each) { return IsRunning(*each.second); });
  if (running > 1) Break("the job runs on two workers");
}

// In words of one line each.
std::string ElasticWorld::Print() const {
  const auto workload = [](const Workload& it) {
    return fmt::format(
        "{}[{} pods{}{}{}{}{}{}{}]", it.key.name, it.slice->pod_counts.front(),
        it.slice->replaces.empty() ? "" : " replaces " + it.slice->replaces,
        it.QuotaReserved() ? " quota" : "", it.Admitted() ? " admitted" : "",
        it.Evicted() ? " evicted" : "", it.Finished() ? " finished:" + it.finished->reason : "",
        it.cluster_name.empty() ? "" : " on " + it.cluster_name,
        it.checks.empty()
            ? ""
            : fmt::format(" check {} \"{}\"", tracking::ToString(it.checks.front().state),
                          it.checks.front().message));
  };
  const auto job = [](const Job& it) {
    return fmt::format("job[{} pods{}{}{}{}]", it.pod_counts.front(),
                       it.prebuilt_workload.empty() ? "" : " of " + it.prebuilt_workload,
                       it.suspended ? " suspended" : "", it.shows_activity ? " active" : "",
                       it.finished ? " finished" : "");
  };
  std::string text = "manager:";
  if (const auto it = jobs_.Find(kJobName)) text += " " + job(*it);
  for (const auto& each : workloads_.List()) text += " " + workload(*each);
  for (const auto& [name, worker] : workers_) {
    text += fmt::format("\n{}:", name);
    if (const auto it = worker->jobs.Find(kJobName)) text += " " + job(*it);
    for (const auto& each : worker->clones.List()) text += " " + workload(*each);
  }
  return text;
}

void ElasticWorld::CheckQuiet(bool has_quota) {
  std::vector<const WorkerModel*> with_job;
  std::vector<WorkloadPtr> clones;
  for (const auto& [name, worker] : workers_) {
    if (worker->jobs.Find(kJobName) != nullptr) with_job.push_back(worker.get());
    for (const auto& clone : worker->clones.List()) clones.push_back(clone);
  }
  const auto job = jobs_.Find(kJobName);
  const std::vector<WorkloadPtr> living = Living();
  if (job == nullptr || job->finished) {
    if (!with_job.empty()) Break("the copy of a job that is over is left");
    if (!clones.empty()) Break("a clone of a job that is over is left");
    if (!living.empty()) Break("a Workload of a job that is over lives");
    return;
  }
  if (!has_quota) {
    const bool may_run = std::ranges::any_of(
        living, [](const auto& slice) { return slice->QuotaReserved() && !slice->Evicted(); });
    if (!may_run && !with_job.empty()) Break("a job without quota runs on");
    return;
  }
  if (living.size() != 1) return Break("not one Workload lives");
  const Workload& slice = *living.front();
  if (slice.slice->pod_counts != job->pod_counts) return Break("the Workload has another size");
  if (!slice.Admitted()) return Break("the Workload is not admitted");
  if (with_job.size() != 1) return Break("not one worker has the copy");
  const WorkerModel& at = *with_job.front();
  if (slice.cluster_name != at.name) return Break("the copy is on another worker than recorded");
  if (!IsRunning(at)) return Break("the copy does not run");
  const auto copy = at.jobs.Find(kJobName);
  if (copy->prebuilt_workload != slice.key.name) return Break("the copy is of another Workload");
  if (copy->pod_counts != job->pod_counts) return Break("the copy has another size");
  if (clones.size() != 1) return Break("not one clone is there");
  if (clones.front()->key != slice.key) return Break("the clone is of another Workload");
  if (clones.front()->slice->pod_counts != job->pod_counts)
    return Break("the clone has another size");
  if (!clones.front()->Admitted()) return Break("the clone is not admitted");
}

}  // namespace fedra::reconcile::testing
