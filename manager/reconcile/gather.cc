#include "manager/reconcile/gather.h"

#include <algorithm>
#include <utility>

#include "manager/placement/move.h"
#include "manager/placement/parts.h"
#include "manager/placement/stay.h"
#include "manager/reconcile/find_copies.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::reconcile {
namespace {

using placement::ClusterView;

// Verdicts are needed only while a worker is looked for.
bool NeedsVerdicts(const tracking::Workload& workload, const std::string& check_name) {
  if (workload.deleting || workload.Finished() || workload.Evicted()) return false;
  const auto* check = workload.Check(check_name);
  return workload.QuotaReserved() && workload.cluster_name.empty() && check != nullptr &&
         check->state == tracking::CheckState::kPending;
}

// Those that a workload which does not look for a worker has anything to do with. One of an elastic
// job may see to what another one of it has left.
std::set<ClusterName> WhatMatters(const Gathered& gathered, const Known& known) {
  std::set<ClusterName> workers = known.workers;
  if (gathered.view.workload != nullptr) workers.merge(gathered.view.workload->PlacedOn());
  for (const auto& slice : gathered.slices) workers.merge(slice->PlacedOn());
  return workers;
}

// Whether no controller on the manager starts the job once it is admitted there: its managedBy
// names another one. A job that only its check holds back may run, and so may one that is not
// known.
bool StartsNowhere(const placement::WorkloadView& view) {
  return view.job != nullptr && view.job->managed_by == tracking::kManagedBy && !view.holds_check;
}

// So that the worker that has them is preferred where it need not be chosen.
void CountSiblings(Gathered& gathered) {
  for (ClusterView& cluster : gathered.clusters) {
    const auto there = gathered.view.siblings.find(cluster.name);
    if (there != gathered.view.siblings.end()) cluster.claims_in_use += there->second;
  }
}

}  // namespace

Gatherer::Gatherer(GatherSettings settings, ManagerCluster& manager, const WorkerSet& workers,
                   const CopyFailures& copy_failures)
    : settings_(std::move(settings)),
      manager_(manager),
      workers_(workers),
      copy_failures_(copy_failures),
      scopes_(settings_.controller_name, manager.checks(), manager.configs()) {}

std::vector<std::string> Gatherer::ChecksOf(const tracking::Workload& workload) const {
  std::vector<std::string> names;
  for (const tracking::AdmissionCheckState& state : workload.checks) {
    if (scopes_.IsOurs(state.name)) names.push_back(state.name);
  }
  return names;
}

std::string Gatherer::CheckOf(const tracking::Workload& workload) const {
  const std::vector<std::string> names = ChecksOf(workload);
  return names.empty() ? std::string() : names.front();
}

// Kueue checks whether it can count the claims of pods, and whether an annotation gates the
// admission (kAdmissionGatedBy), before it writes the checks (Reconcile in
// pkg/controller/core/workload_controller.go of 0.19.2), and drops those that are for none of the
// flavors that the quota is of (admissionChecksForAdmission in pkg/workload/workload.go). The
// workload is not ours if its queue is not known. kNo as well if it runs on a worker, or is
// admitted and may run on the manager.
placement::Unasked Gatherer::WhyUnasked(const placement::WorkloadView& view,
                                        const std::string& cluster_queue) const {
  using placement::Unasked;
  const tracking::Workload& workload = *view.workload;
  if (!workload.IsDecidedUnchecked()) return Unasked::kNo;
  const bool reserved = workload.QuotaReserved();
  if (reserved && (!workload.cluster_name.empty() || !StartsNowhere(view))) return Unasked::kNo;
  const auto queue = manager_.queues().Find(cluster_queue);
  const auto is_ours = [&](const std::string& check) { return scopes_.IsOurs(check); };
  if (queue == nullptr || std::ranges::none_of(queue->checks, is_ours)) return Unasked::kNo;
  return reserved ? Unasked::kAdmitted : Unasked::kRefused;
}

std::optional<placement::Contender> Gatherer::FindContender(const ObjectKey& workload) const {
  return settings_.devices ? ContenderOf(Begin(workload, {}).view) : std::nullopt;
}

std::optional<placement::Contender> Gatherer::ContenderOf(
    const placement::WorkloadView& view) const {
  if (!settings_.devices || view.workload == nullptr || !NeedsVerdicts(*view.workload, view.check))
    return std::nullopt;
  const auto queue = manager_.queues().Find(view.workload->cluster_queue);
  return placement::MakeContender(
      view, settings_.order, queue.get(), manager_.queues().SharesByWeight(),
      manager_.queues().WeightOf({view.key.ns, view.workload->requirement.queue}));
}

std::string Gatherer::WaitingCheckOf(const tracking::Workload& workload) const {
  std::string check = CheckOf(workload);
  return NeedsVerdicts(workload, check) ? check : std::string();
}

Gathered Gatherer::Begin(const ObjectKey& key, const Known& known) const {
  Gathered gathered;
  gathered.view.key = key;
  gathered.view.kueue_copies = KueueCopies(settings_.mode);
  gathered.view.kueue_clears = TakesOver(settings_.mode);
  gathered.view.workload = manager_.jobs().workloads().Find(key);
  if (known.job) {
    gathered.job = known.job->key;
    gathered.adapter = manager_.jobs().kinds().FindName(known.job->kind);
  }
  const tracking::Workload* workload = gathered.view.workload.get();
  if (workload != nullptr) {
    gathered.adapter =
        manager_.jobs().kinds().Find(workload->owner.api_version, workload->owner.kind);
    gathered.view.kind_supported = gathered.adapter != nullptr;
    if (gathered.adapter != nullptr) {
      gathered.view.holds_check = gathered.adapter->HoldsCheck();
      gathered.view.adoption = gathered.adapter->adoption();
    }
    gathered.job = {key.ns, workload->owner.name};
    gathered.cluster_queue = workload->cluster_queue;
    if (gathered.cluster_queue.empty())
      gathered.cluster_queue =
          manager_.queues().ClusterQueueOf({key.ns, workload->requirement.queue});
    const std::vector<std::string> checks = ChecksOf(*workload);
    if (!checks.empty()) gathered.view.check = checks[0];
    if (checks.size() > 1) gathered.view.second_check = checks[1];
    if (auto job = manager_.jobs().JobOf(*workload)) {
      gathered.view.workload = tracking::Completed(std::move(gathered.view.workload), *job);
      gathered.view.job = std::move(job);
    }
    const tracking::Workload& seen = *gathered.view.workload;
    if (seen.slice != nullptr && !gathered.view.kueue_copies)
      TakeSlices(manager_.jobs().SlicesOf({seen.requirement.kind, {key.ns, seen.owner.name}}),
                 gathered);
    gathered.view.unasked = WhyUnasked(gathered.view, gathered.cluster_queue);
  }
  return gathered;
}

void Gatherer::NoteSiblings(placement::WorkloadView& view) const {
  if (view.workload == nullptr || !view.workload->is_part) return;
  const tracking::Workload& workload = *view.workload;
  for (const auto& sibling : manager_.jobs().SiblingsOf(workload)) {
    placement::WorkloadView other;
    other.key = sibling->key;
    other.workload = sibling;
    other.holds_check = view.holds_check;
    other.check = CheckOf(*sibling);
    const ClusterName place = placement::PlaceOf(other);
    if (place.value.empty()) continue;
    ++view.siblings[place];
    if (!sibling->follows) view.first_on = place;
  }
}

ClusterName Gatherer::PlaceWithOthers(const placement::WorkloadView& view,
                                      const WorkerList& workers, const verify::CordonsNow& cordons,
                                      WallTime now) const {
  ClusterName place = placement::PlaceOfOthers(view, now);
  if (place.value.empty() || view.workload->follows) return place;
  const bool may_go_there = scopes_.Of(view.check).PlaceOf(place).has_value() &&
                            workers.Find(place) != nullptr &&
                            workers.MembershipOf(place) == placement::Membership::kConfigured &&
                            cordons.Find(place) == nullptr;
  return may_go_there ? place : ClusterName();
}

Gathered Gatherer::Gather(const ObjectKey& key, const Known& known) const {
  Gathered gathered = Begin(key, known);
  NoteSiblings(gathered.view);
  gathered.workers = workers_.Now();
  const verify::CordonsNow cordons = scopes_.Cordons();
  gathered.judged = gathered.view.workload != nullptr &&
                    NeedsVerdicts(*gathered.view.workload, gathered.view.check) &&
                    !placement::WaitsForFirst(gathered.view);
  const Scope scope{
      .matters = WhatMatters(gathered, known),
      .with_others = PlaceWithOthers(gathered.view, *gathered.workers, cordons, known.now),
      .moves =
          !gathered.view.kueue_copies && placement::DueMove(gathered.view, known.now) != nullptr};
  if (const std::set<ClusterName> stays = StaysWith(gathered, known); !stays.empty()) {
    LookAt(gathered.workers->Named(scope.matters), scope, cordons, gathered);
    gathered.stays = placement::MayStay(stays, gathered.view, gathered.clusters,
                                        known.record->record, known.record->policy, known.now);
    if (!gathered.stays) {
      gathered.clusters.clear();
      gathered.assumed_as_of.clear();
    }
  }
  if (!gathered.stays) {
    const bool sees_all = gathered.judged || scope.moves;
    LookAt(sees_all ? gathered.workers->all() : gathered.workers->Named(scope.matters), scope,
           cordons, gathered);
  }
  if ((gathered.judged || scope.moves) && settings_.devices) KeepClaimsTogether(gathered);
  CountSiblings(gathered);
  return gathered;
}

std::set<ClusterName> Gatherer::StaysWith(const Gathered& gathered, const Known& known) const {
  const tracking::Workload* workload = gathered.view.workload.get();
  if (!gathered.judged || !known.record || known.record->uid != workload->uid) return {};
  return placement::StaysWith(gathered.view, known.record->record, known.record->policy, known.now);
}

tracking::Identity Gatherer::Us() const { return manager_.identity().Complete(settings_.us); }

AssumeCache::Change Gatherer::Observe(const ObjectKey& workload, Worker& worker) const {
  if (!settings_.devices && !settings_.quota) return {};
  return worker.assumed().Observe(workload, [&]() -> std::optional<placement::Assumption> {
    Gathered gathered = Begin(workload, {});
    if (gathered.view.workload == nullptr) return std::nullopt;
    ClusterView cluster;
    FindCopies(CachedCopies(worker, manager_.jobs()), gathered, Us(), cluster);
    // Siblings may be thousands: they are looked at only where others may run by the first one's
    // copy, and it does not.
    if (gathered.view.workload->is_part && HasOwnJob(cluster) &&
        placement::PlaceOf(gathered.view) != worker.name()) {
      NoteSiblings(gathered.view);
      cluster = {};
      FindCopies(CachedCopies(worker, manager_.jobs()), gathered, Us(), cluster);
    }
    auto assumption = placement::AssumptionOn(gathered.view, cluster);
    if (assumption && !settings_.devices) assumption->takes_devices = false;
    return assumption;
  });
}

std::set<ClusterName> Gatherer::DispatchedTo(const ObjectKey& workload) const {
  const auto found = manager_.jobs().workloads().Find(workload);
  return found == nullptr ? std::set<ClusterName>() : found->PlacedOn();
}

}  // namespace fedra::reconcile
