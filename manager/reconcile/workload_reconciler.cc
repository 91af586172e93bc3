#include "manager/reconcile/workload_reconciler.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "manager/placement/decide.h"
#include "manager/placement/move.h"
#include "manager/placement/restrict.h"

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

// Workers that show a clone or job of the workload's name, of any origin.
std::set<ClusterName> WithCopies(const Gathered& gathered) {
  std::set<ClusterName> workers;
  for (const placement::ClusterView& cluster : gathered.clusters) {
    if (cluster.clone != nullptr || cluster.job != nullptr || cluster.spares_job ||
        cluster.in_the_way != nullptr)
      workers.insert(cluster.name);
  }
  return workers;
}

// Empty: no worker refuses.
std::string_view MostFrequentReason(const Gathered& gathered) {
  std::map<std::string_view, int> workers;
  for (const placement::ClusterView& cluster : gathered.clusters)
    if (cluster.verdict.outcome != verdict::Outcome::kYes)
      ++workers[verdict::Headline(cluster.verdict)];
  const auto most =
      std::max_element(workers.begin(), workers.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == workers.end() ? std::string_view() : most->first;
}

SeenPhase SeenIn(const Gathered& gathered, placement::Phase phase) {
  const tracking::Workload* workload = gathered.view.workload.get();
  const bool is_known = workload != nullptr && gathered.view.kind_supported;
  SeenPhase seen{.kind = is_known ? workload->owner.kind : "other", .phase = phase};
  if (gathered.judged && phase == placement::Phase::kBlocked)
    seen.reason = MostFrequentReason(gathered);
  if (workload != nullptr && workload->quota_reserved)
    seen.reserved_at = workload->quota_reserved->since;
  return seen;
}

}  // namespace

WorkloadReconciler::WorkloadReconciler(WorkloadSettings settings, WorkloadParts parts)
    : settings_(settings), parts_(parts), kept_since_(parts.clock.Now()) {}

Result<void> WorkloadReconciler::Reconcile(const ObjectKey& key) {
  for (int i = 0; i < kMostReservations; ++i) {
    Seen seen = Gather(key);
    Restrict(seen);
    const placement::Decision decision = Decide(seen);
    if (!Reserve(seen, decision)) continue;
    Record(seen, decision);
    const Result<void> executed = Execute(seen, decision);
    // Once all is written nothing need be kept in memory; what failed is reserved until the next
    // look, which comes soon.
    Observe(seen);
    KeepRecord(seen);
    return executed;
  }
  return Fail(ErrorCode::kConflict,
              "gave up after repeated conflicts: other workloads kept being dispatched meanwhile");
}

WorkloadReconciler::Seen WorkloadReconciler::Gather(const ObjectKey& key) {
  const SteadyTime begin = parts_.clock.Steady();
  Seen seen;
  seen.now = parts_.clock.Now();
  seen.as_of = parts_.order.Now();
  // Before the caches are looked at, so that no change is missed.
  parts_.wake_index.Begin(key);
  store::PlacementRow remembered = parts_.placements.Find(key);
  if (BringBack(remembered, seen.now)) seen.rewritten = remembered;
  Known known;
  known.now = seen.now;
  if (!remembered.job.name.empty()) known.job = {remembered.job_kind, remembered.job};
  known.workers = parts_.places.Take(key);
  known.workers.insert(remembered.nominated.begin(), remembered.nominated.end());
  known.workers.merge(parts_.placements.ResidueClusters(key));
  known.record = {remembered.uid, ToRecord(remembered), settings_.policy};
  known.record->record.placing = parts_.placements.Placing(key, seen.now);
  seen.gathered = parts_.gatherer.Gather(key, known);
  seen.places = known.workers;
  seen.places.merge(WithCopies(seen.gathered));
  const auto& workload = seen.gathered.view.workload;
  if (workload != nullptr) seen.places.merge(workload->PlacedOn());
  if (workload != nullptr && workload->uid != remembered.uid) Inherit(seen, remembered);
  // What is remembered of another incarnation does not count.
  if (workload == nullptr || workload->uid == remembered.uid)
    Remember(key, seen, std::move(remembered));
  seen.record.kept_since = kept_since_;
  if (seen.gathered.judged) parts_.telemetry.Verified(parts_.clock.Steady() - begin);
  return seen;
}

void WorkloadReconciler::Inherit(Seen& seen, store::PlacementRow& row) const {
  auto left = parts_.records.Left(*seen.gathered.view.workload);
  if (!left) return;
  row = *std::move(left);
  row.attempt = std::max(row.attempt, parts_.placements.AttemptsBefore(row.uid));
  (void)BringBack(row, seen.now);
  seen.rewritten = row;
}

void WorkloadReconciler::Remember(const ObjectKey& key, Seen& seen, store::PlacementRow row) {
  const auto& workload = seen.gathered.view.workload;
  const auto retry_at = workload == nullptr ? std::nullopt : workload->RetryAt();
  const bool forgets = ForgetFailures(row, retry_at, seen.now);
  seen.record = ToRecord(row);
  seen.record.placing = parts_.placements.Placing(key, seen.now);
  if (seen.record.reported) seen.record.reported->rendering = parts_.placements.Rendering(key);
  if (forgets) seen.rewritten = std::move(row);
}

void WorkloadReconciler::Restrict(Seen& seen) {
  const auto answers = AskLines(seen);
  placement::Restrict(seen.gathered.view, seen.gathered.clusters, seen.record, answers,
                      settings_.policy, seen.now);
}

std::map<ClusterName, placement::LineAnswer> WorkloadReconciler::AskLines(Seen& seen) {
  const Gathered& gathered = seen.gathered;
  auto contender = parts_.gatherer.ContenderOf(gathered.view);
  if (!contender) {
    parts_.loop.AddAllNext(parts_.order.Leave(gathered.view.key, seen.as_of));
    return AskForMove(seen);
  }
  contender->overdue = placement::IsRoundOver(gathered.view, gathered.clusters, seen.record,
                                              settings_.policy, seen.now);
  placement::Lines::Answer answer =
      parts_.order.Offer(*contender,
                         placement::BidsOf(gathered.view, gathered.clusters, seen.record,
                                           settings_.policy, *seen.as_of.devices, seen.now),
                         seen.as_of, seen.now);
  seen.passes_unasked = std::move(answer.passes_unasked);
  parts_.loop.AddAllNext(answer.look_at);
  return std::move(answer.workers);
}

std::map<ClusterName, placement::LineAnswer> WorkloadReconciler::AskForMove(const Seen& seen) {
  const Gathered& gathered = seen.gathered;
  if (placement::DueMove(gathered.view, seen.now) == nullptr) return {};
  const placement::WorkloadView requeued = placement::AsRequeued(gathered.view, seen.now);
  const auto contender = parts_.gatherer.ContenderOf(requeued);
  if (!contender) return {};
  return parts_.order.Foresee(*contender,
                              placement::BidsOf(requeued, gathered.clusters, seen.record,
                                                settings_.policy, *seen.as_of.devices, seen.now),
                              seen.now);
}

placement::Decision WorkloadReconciler::Decide(const Seen& seen) const {
  return placement::Decide(seen.gathered.view, seen.gathered.clusters, seen.record,
                           settings_.policy, seen.now);
}

ReserveRequest WorkloadReconciler::WantedBy(const Seen& seen,
                                            std::set<ClusterName> dispatched) const {
  const Gathered& gathered = seen.gathered;
  const WorkerList& workers = *gathered.workers;
  ReserveRequest wanted;
  wanted.assumption.workload = gathered.view.key;
  for (const ClusterName& name : seen.places)
    if (const auto worker = workers.Find(name)) wanted.places[name] = &worker->assumed();
  if (dispatched.empty()) return wanted;
  wanted.assumption = placement::AssumptionOf(gathered.view);
  wanted.assumption.takes_devices = settings_.devices;
  wanted.all_count = settings_.devices && !gathered.view.workload->requirement.ClaimNames().empty();
  for (const auto& [name, as_of] : gathered.assumed_as_of)
    wanted.judged[name] = {&workers.Find(name)->assumed(), as_of};
  // Where nothing was judged, no verdict can be wrong.
  for (const ClusterName& name : dispatched) {
    wanted.judged.try_emplace(name, JudgedCache{&workers.Find(name)->assumed(),
                                                {.version = std::numeric_limits<uint64_t>::max()}});
  }
  wanted.dispatched = std::move(dispatched);
  return wanted;
}

bool WorkloadReconciler::Reserve(Seen& seen, const placement::Decision& decision) {
  if (!settings_.devices && !settings_.quota) return true;
  const ObjectKey& key = seen.gathered.view.key;
  const std::set<ClusterName> dispatched = placement::DispatchedBy(decision);
  const ReserveResult reserved = ReserveOnAll(WantedBy(seen, dispatched));
  parts_.places.Put(key, reserved.made ? dispatched : seen.places);
  WakeWaiting(reserved.freed);
  if (!reserved.made) return false;
  if (settings_.devices && !dispatched.empty() && seen.places.empty())
    parts_.telemetry.Assumed(key);
  seen.places.insert(dispatched.begin(), dispatched.end());
  if (settings_.devices) LeaveLine(seen, decision);
  return true;
}

void WorkloadReconciler::LeaveLine(const Seen& seen, const placement::Decision& decision) {
  if (!placement::ConcludesOffer(decision) && !IsStuck(seen)) return;
  const auto dispatched_now = placement::NewlyDispatched(seen.gathered.view, decision);
  const auto passed_unasked = [&](const ClusterName& worker) {
    return seen.passes_unasked.contains(worker);
  };
  if (std::any_of(dispatched_now.begin(), dispatched_now.end(), passed_unasked))
    parts_.telemetry.PassedUnasked();
  parts_.loop.AddAllNext(parts_.order.Conclude(seen.gathered.view.key, dispatched_now));
}

// What others of its demands do not share.
bool WorkloadReconciler::IsAlone(const Seen& seen) {
  const auto& workload = seen.gathered.view.workload;
  if (workload == nullptr) return false;
  return !seen.record.failures.empty() || workload->Move() != nullptr ||
         (workload->nominated.empty() && !WithCopies(seen.gathered).empty());
}

bool WorkloadReconciler::IsStuck(const Seen& seen) {
  const auto& workload = seen.gathered.view.workload;
  return workload != nullptr && workload->QuotaReserved() &&
         seen.now >= workload->quota_reserved->since + placement::kLongestCleanUp;
}

void WorkloadReconciler::Observe(Seen& seen) {
  if (!settings_.devices && !settings_.quota) return;
  const ObjectKey& key = seen.gathered.view.key;
  std::set<ClusterName> places;
  std::vector<ClusterName> freed;
  for (const ClusterName& name : seen.places) {
    const auto worker = seen.gathered.workers->Find(name);
    if (worker == nullptr) continue;
    const AssumeCache::Change change = parts_.gatherer.Observe(key, *worker);
    if (change.is_here) places.insert(name);
    if (change.freed) freed.push_back(name);
    if (change.overdue_at) parts_.loop.AddAt(key, *change.overdue_at);
  }
  parts_.places.Put(key, places);
  WakeWaiting(freed);
}

void WorkloadReconciler::WakeWaiting(const std::vector<ClusterName>& workers) {
  if (workers.empty()) return;
  for (const ClusterName& name : workers) parts_.order.Freed(name);
  const SteadyTime soon = parts_.clock.Steady() + kDeviceDebounce;
  for (const ObjectKey& key : parts_.wake_index.AffectedBy({InputChange::Kind::kDevices, {}}))
    parts_.loop.AddAt(key, soon);
}

void WorkloadReconciler::Record(const Seen& seen, const placement::Decision& decision) {
  const Gathered& gathered = seen.gathered;
  if (seen.rewritten) parts_.placements.Put(*seen.rewritten);
  parts_.places.Put(gathered.view.key, WithCopies(gathered));
  // One that waits for something else goes nowhere, whatever becomes free: no other waits for it.
  const bool alone = IsAlone(seen) || decision.phase == placement::Phase::kWaiting;
  parts_.loop.AddAllNext(parts_.wake_index.Update(gathered, decision, alone));
  parts_.telemetry.LookedAt(gathered.clusters.size());
  ObserveVerdicts(gathered);
  parts_.status_writer.Record(gathered, decision);
  parts_.phases.Record(gathered.view.key, SeenIn(gathered, decision.phase));
  ClearResidues(gathered);
  if (!decision.wake_at) return;
  const auto wait =
      std::clamp<WallTime::duration>(*decision.wake_at - seen.now, milliseconds(1), kLongestSleep);
  parts_.loop.AddAfter(gathered.view.key, wait);
}

Result<void> WorkloadReconciler::Execute(const Seen& seen, const placement::Decision& decision) {
  return parts_.executor.Execute(seen.gathered, decision);
}

void WorkloadReconciler::KeepRecord(const Seen& seen) {
  const auto& workload = seen.gathered.view.workload;
  if (workload == nullptr) return;
  if (const auto again = parts_.records.Keep(*workload))
    parts_.loop.AddAfter(workload->key, *again);
}

void WorkloadReconciler::ObserveVerdicts(const Gathered& gathered) const {
  if (!gathered.judged) return;
  for (const placement::ClusterView& cluster : gathered.clusters)
    parts_.telemetry.Judged(cluster.name, cluster.verdict);
}

// What was left behind on a worker out of reach is gone when the worker, listed again, shows
// nothing of ours.
void WorkloadReconciler::ClearResidues(const Gathered& gathered) {
  for (const placement::ClusterView& cluster : gathered.clusters) {
    if (cluster.contact == Contact::kFull && !placement::HasOurs(cluster))
      parts_.placements.ClearResidue(cluster.name, gathered.view.key);
  }
}

}  // namespace fedra::reconcile
