#include "manager/reconcile/workload_reconciler.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "manager/placement/decide.h"
#include "manager/placement/workers_after.h"

namespace fedra::reconcile {
namespace {

using placement::Contact;
using std::chrono::milliseconds;

// A wall-clock deadline is looked at again at least this often, so that a clock that jumps costs
// little.
constexpr std::chrono::seconds kLongestSleep{30};
// A reservation is lost only to one that was made meanwhile, so one of the contenders always gets
// through; one that loses so often lets its thread do something else first.
constexpr int kMostReservations = 20;

// Workers that show a clone or job of the workload's name, whoever made it.
std::set<ClusterName> WithCopies(const Picture& picture) {
  std::set<ClusterName> workers;
  for (const placement::ClusterView& cluster : picture.clusters) {
    if (cluster.clone != nullptr || cluster.job != nullptr) workers.insert(cluster.name);
  }
  return workers;
}

// Empty: no worker refuses.
std::string_view MostFrequentReason(const Picture& picture) {
  std::map<std::string_view, int> workers;
  for (const placement::ClusterView& cluster : picture.clusters)
    if (cluster.verdict.outcome != dra::Outcome::kYes) ++workers[dra::Headline(cluster.verdict)];
  const auto most =
      std::max_element(workers.begin(), workers.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == workers.end() ? std::string_view() : most->first;
}

}  // namespace

WorkloadReconciler::WorkloadReconciler(WorkloadSettings settings, WorkloadParts parts)
    : settings_(settings), parts_(parts), started_(parts.clock.Now()) {}

Result<void> WorkloadReconciler::Reconcile(const ObjectKey& key) {
  for (int i = 0; i < kMostReservations; ++i) {
    Seen seen = Gather(key);
    Queue(seen);
    const placement::Decision decision = Decide(seen);
    if (!Reserve(seen, decision)) continue;
    Record(seen, decision);
    return Execute(seen, decision);
  }
  return Fail(ErrorCode::kConflict, "other workloads were dispatched meanwhile, again and again");
}

WorkloadReconciler::Seen WorkloadReconciler::Gather(const ObjectKey& key) {
  const SteadyTime begin = parts_.clock.Steady();
  Seen seen;
  seen.now = parts_.clock.Now();
  seen.as_of = parts_.order.Versions();
  // Before the caches are looked at, so that no change is missed.
  parts_.wake_index.Begin(key);
  store::PlacementRow remembered = parts_.records.Find(key);
  if (BringBack(remembered, seen.now)) parts_.records.Put(remembered);
  Known known;
  if (!remembered.job.name.empty()) known.job = remembered.job;
  known.workers = parts_.places.Take(key);
  known.workers.insert(remembered.nominated.begin(), remembered.nominated.end());
  known.workers.merge(parts_.records.ResidueClusters(key));
  seen.picture = parts_.gatherer.Gather(key, known);
  parts_.places.Put(key, WithCopies(seen.picture));
  const auto& workload = seen.picture.view.workload;
  // What is remembered of another incarnation does not count.
  if (workload == nullptr || workload->uid == remembered.uid) {
    seen.record = ToRecord(remembered);
    seen.record.placing = parts_.records.Placing(key, seen.now);
    if (seen.record.reported) seen.record.reported->rendering = parts_.records.Rendering(key);
  }
  seen.record.kept_since = started_;
  if (seen.picture.judged) parts_.telemetry.Verified(parts_.clock.Steady() - begin);
  return seen;
}

void WorkloadReconciler::Queue(Seen& seen) {
  Picture& picture = seen.picture;
  const auto& workload = picture.view.workload;
  const auto contender =
      workload == nullptr ? std::nullopt : parts_.gatherer.ContenderOf(*workload);
  if (!contender) return parts_.loop.AddAll(parts_.order.Leave(picture.view.key));
  const placement::Lines::Answer answer = parts_.order.Offer(
      *contender,
      placement::BidsOf(picture.clusters, seen.record, settings_.policy, seen.as_of, seen.now),
      seen.now);
  placement::StandInLine(answer.turns, picture.clusters);
  parts_.loop.AddAll(answer.look_at);
}

placement::Decision WorkloadReconciler::Decide(const Seen& seen) const {
  return placement::Decide(seen.picture.view, seen.picture.clusters, seen.record, settings_.policy,
                           seen.now);
}

bool WorkloadReconciler::Reserve(const Seen& seen, const placement::Decision& decision) {
  if (!settings_.devices) return true;
  const Picture& picture = seen.picture;
  Sent sent{.workload = picture.view.key,
            .job = picture.job,
            .claims = {},
            .demands = nullptr,
            .since = parts_.clock.Steady()};
  if (const auto& workload = picture.view.workload; workload != nullptr) {
    sent.demands = workload->demands;
    sent.claims = workload->requirement.ClaimNames();
  }
  const std::set<ClusterName> workers = placement::WorkersAfter(picture.clusters, decision);
  const InFlight::Settled settled =
      parts_.in_flight.Settle(std::move(sent), workers, parts_.gatherer.SettledOn(picture, workers),
                              picture.in_flight_version);
  if (settled.overdue_at) parts_.loop.AddAt(picture.view.key, *settled.overdue_at);
  if (settled.outcome == InFlight::Outcome::kOutdated) return false;
  parts_.loop.AddAll(parts_.order.Conclude(picture.view.key, placement::NominatedBy(decision)));
  if (settled.outcome == InFlight::Outcome::kTakenBack) {
    for (const auto& worker : *picture.workers) parts_.order.Freed(worker->name());
    const SteadyTime soon = parts_.clock.Steady() + kDevicesSettle;
    for (const ObjectKey& key : parts_.wake_index.AffectedBy({InputChange::Kind::kDevices, {}}))
      parts_.loop.AddAt(key, soon);
  }
  return true;
}

void WorkloadReconciler::Record(const Seen& seen, const placement::Decision& decision) {
  const Picture& picture = seen.picture;
  parts_.wake_index.Update(picture, decision);
  TellVerdicts(picture);
  parts_.recorder.Record(picture, decision);
  CountPhase(picture, decision.phase);
  EndResidues(picture);
  if (!decision.wake_at) return;
  const auto wait =
      std::clamp<WallTime::duration>(*decision.wake_at - seen.now, milliseconds(1), kLongestSleep);
  parts_.loop.AddAfter(picture.view.key, wait);
}

Result<void> WorkloadReconciler::Execute(const Seen& seen, const placement::Decision& decision) {
  return parts_.executor.Execute(seen.picture, decision);
}

void WorkloadReconciler::TellVerdicts(const Picture& picture) const {
  if (!picture.judged) return;
  for (const placement::ClusterView& cluster : picture.clusters)
    parts_.telemetry.Judged(cluster.name, cluster.verdict);
}

// What was left behind on a worker out of reach is gone when the worker, listed again, shows
// nothing of ours.
void WorkloadReconciler::EndResidues(const Picture& picture) {
  for (const placement::ClusterView& cluster : picture.clusters) {
    if (cluster.contact == Contact::kFull && !placement::HasOurs(cluster))
      parts_.records.EndResidue(cluster.name, picture.view.key);
  }
}

void WorkloadReconciler::CountPhase(const Picture& picture, placement::Phase phase) {
  const std::string_view reason =
      picture.judged && phase == placement::Phase::kBlocked ? MostFrequentReason(picture) : "";
  phases_.With([&](auto& phases) {
    if (phase == placement::Phase::kGone) {
      phases.erase(picture.view.key);
      return;
    }
    Counted& counted = phases[picture.view.key];
    counted.phase = phase;
    if (!reason.empty()) counted.reason = reason;
  });
}

std::map<std::string_view, int> WorkloadReconciler::ByPhase() const {
  std::map<std::string_view, int> counts;
  for (const placement::Phase phase : placement::kPhases) counts[placement::ToString(phase)] = 0;
  phases_.With([&](const auto& phases) {
    for (const auto& [key, counted] : phases) ++counts[placement::ToString(counted.phase)];
  });
  return counts;
}

std::map<std::string_view, int> WorkloadReconciler::BlockedByReason() const {
  std::map<std::string_view, int> counts;
  phases_.With([&](const auto& phases) {
    for (const auto& [key, counted] : phases)
      if (counted.phase == placement::Phase::kBlocked && !counted.reason.empty())
        ++counts[counted.reason];
  });
  return counts;
}

}  // namespace fedra::reconcile
