// Fedra's looks in the model, by the real FindCopies() and Decide(), and the order of its actions.

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "manager/placement/move.h"
#include "manager/placement/restrict.h"
#include "manager/reconcile/find_copies.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "tests/unit/manager/reconcile/elastic_world.h"

namespace fedra::reconcile::testing {

using placement::ClusterView;

namespace {

template <class... Each>
struct Overload : Each... {
  using Each::operator()...;
};

std::string Named(const placement::Action& action) {
  const auto on = [](const char* what, const ClusterName& worker) {
    return fmt::format("{} on {}", what, worker.value);
  };
  return std::visit(
      Overload{
          [](const placement::SetCheck& it) {
            return fmt::format("SetCheck {} \"{}\"", ToString(it.state), it.message);
          },
          [](const placement::Nominate& it) {
            return "Nominate " + (it.clusters.empty() ? "" : it.clusters.front().value);
          },
          [&](const placement::Admit& it) { return on("Admit", it.cluster); },
          [](const placement::ClearPlacement&) { return std::string("ClearPlacement"); },
          [](const placement::FinishWorkload& it) { return "FinishWorkload " + it.reason; },
          [&](const placement::MirrorStatus& it) { return on("MirrorStatus", it.cluster); },
          [](const placement::ClearActivity&) { return std::string("ClearActivity"); },
          [&](const placement::CreateClone& it) { return on("CreateClone", it.cluster); },
          [&](const placement::CreateJob& it) { return on("CreateJob", it.cluster); },
          [&](const placement::UpdateClone& it) { return on("UpdateClone", it.cluster); },
          [&](const placement::UpdateCopy& it) { return on("UpdateCopy", it.cluster); },
          [&](const placement::DeleteRemote& it) { return on("DeleteRemote", it.cluster); },
          [&](const placement::RecordFailure& it) {
            return on("RecordFailure", it.failure.cluster);
          },
          [](const auto&) { return std::string(); },
      },
      static_cast<const placement::Action::Variant&>(action));
}

}  // namespace

// The caches, while the clusters go on.
class ElasticWorld::Source final : public CopySource {
 public:
  Source(const ElasticWorld& world, const std::string& worker)
      : world_(world), at_(world.At(worker)), name_(worker) {}

  const ClusterName& worker() const override { return name_; }
  const tracking::JobKinds& kinds() const override { return *tracking::BuiltInKinds(); }
  WorkloadPtr Clone(const ObjectKey& key) const override {
    world_.hooks_.between();
    return at_.clones.Seen(key.name);
  }
  tracking::JobPtr Job(const tracking::JobAdapter&, const ObjectKey& key) const override {
    world_.hooks_.between();
    return at_.jobs.Seen(key.name);
  }
  std::set<tracking::JobKey> JobsOf(const ObjectKey& workload) const override {
    world_.hooks_.between();
    return at_.copies.JobsOf(workload);
  }
  std::vector<WorkloadPtr> SlicesOf(const tracking::JobKey& job) const override {
    world_.hooks_.between();
    std::vector<WorkloadPtr> slices;
    for (const ObjectKey& key : world_.owners_.SlicesOf(job)) {
      world_.hooks_.between();
      if (auto slice = world_.workloads_.Seen(key.name)) slices.push_back(std::move(slice));
    }
    return slices;
  }

 private:
  const ElasticWorld& world_;
  const WorkerModel& at_;
  const ClusterName name_;
};

// As Gatherer::Begin().
void ElasticWorld::Begin(const std::string& slice, Gathered& gathered) {
  placement::WorkloadView& view = gathered.view;
  view.key = {"ml", slice};
  view.kueue_clears = tracking::TakesOver(mode_);
  hooks_.between();
  view.workload = workloads_.Seen(slice);
  gathered.job = {"ml", kJobName};
  gathered.adapter = tracking::BuiltInKinds()->FindName("Job.batch");
  if (view.workload == nullptr) return;
  view.check = kCheck;
  hooks_.between();
  const auto job = jobs_.Seen(kJobName);
  if (job != nullptr && job->uid == view.workload->owner.uid) view.job = job;
  TakeSlices(Source(*this, WorkerNames().front()).SlicesOf({"Job.batch", gathered.job}), gathered);
}

void ElasticWorld::SeeWorker(const std::string& worker, Gathered& gathered) {
  ClusterView cluster;
  FindCopies(Source(*this, worker), gathered, Us(), cluster);
  cluster.contact = placement::Contact::kFull;
  cluster.verdict.outcome = verdict::Outcome::kYes;
  if (At(worker).drained) {
    cluster.drained_for = "";
    cluster.allowed = false;
    cluster.verdict.outcome = verdict::Outcome::kNo;
  }
  gathered.clusters.push_back(std::move(cluster));
}

void ElasticWorld::Look(const std::string& slice) {
  dirty_.erase(slice);
  wakes_.erase(slice);
  Flight flight;
  const std::set<std::string> places = std::exchange(places_[slice], {});
  Begin(slice, flight.gathered);
  const placement::WorkloadView& view = flight.gathered.view;
  auto& record = records_[slice];
  record.kept_since = WallTime{std::chrono::hours(1)};
  const bool looks = view.workload != nullptr && !view.workload->Finished() &&
                     !view.workload->Evicted() && view.workload->QuotaReserved() &&
                     view.workload->cluster_name.empty();
  const bool sees_all = looks || placement::DueMove(view, now_) != nullptr;
  for (const std::string& worker : WorkerNames()) {
    const ClusterName name(worker);
    const bool matters = places.contains(worker) ||
                         std::ranges::find(record.nominated, name) != record.nominated.end() ||
                         std::ranges::any_of(flight.gathered.slices, [&](const auto& each) {
                           return each->IsPlacedOn(name);  // Gatherer::Gather()
                         });
    if (sees_all || matters) SeeWorker(worker, flight.gathered);
  }
  for (const ClusterView& at : flight.gathered.clusters)
    if (at.clone != nullptr || at.job != nullptr || at.spares_job)
      places_[slice].insert(at.name.value);
  placement::Restrict(view, flight.gathered.clusters, record, {}, {}, now_);
  flight.decision = placement::Decide(view, flight.gathered.clusters, record, {}, now_);
  if (flight.decision.wake_at) wakes_[slice] = *flight.decision.wake_at;
  flight.workload = view.workload;
  flight.job = view.job;
  if (hooks_.tell) {
    std::string text;
    for (const placement::Action& action : flight.decision.actions)
      if (const std::string name = Named(action); !name.empty()) text += "; " + name;
    Tell(fmt::format("fedra looks at {}: {} ({}){}", slice, ToString(flight.decision.phase),
                     flight.decision.why, text));
  }
  if (!flight.decision.actions.empty()) flights_.emplace(slice, std::move(flight));
}

// As Executor::Execute().
void ElasticWorld::CarryOne(const std::string& slice) {
  Flight& flight = flights_.at(slice);
  const placement::Action& action = flight.decision.actions[flight.next++];
  bool ends = false;
  if (!flight.all_done && placement::NeedsAllBefore(action)) {
    ends = true;
  } else if (!Carry(flight, action)) {
    flight.all_done = false;
    ends = !placement::IsIndependent(action);
  }
  if (!ends && flight.next < flight.decision.actions.size()) return;
  if (!flight.all_done) dirty_.insert(slice);
  flights_.erase(slice);
}

bool ElasticWorld::Carry(Flight& flight, const placement::Action& action) {
  const bool done = std::visit([&](const auto& one) { return Do(flight, one); },
                               static_cast<const placement::Action::Variant&>(action));
  if (hooks_.tell)
    if (const std::string name = Named(action); !name.empty())
      Tell(fmt::format("fedra, for {}: {}{}", flight.gathered.view.key.name, name,
                       done ? "" : ", which fails"));
  CheckRuns();
  return done;
}

}  // namespace fedra::reconcile::testing
