// The workers as one workload sees them: in which order, what each of them shows, and the verdicts.

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "manager/placement/parts.h"
#include "manager/reconcile/find_copies.h"
#include "manager/reconcile/gather.h"
#include "manager/verify/named_claims.h"

namespace fedra::reconcile {
namespace {

using placement::ClusterView;
using placement::Contact;

// `cordon`: null when it is in service.
std::optional<verdict::Reason> WhyNotAllowed(const ClusterView& cluster, const std::string& check,
                                             const tracking::Cordon* cordon) {
  if (cluster.membership != placement::Membership::kConfigured) return verify::WorkerRemoved();
  if (!cluster.allowed) return verify::ExcludedBy(check);
  if (cordon != nullptr) return verify::WorkerCordoned(*cordon);
  return std::nullopt;
}

// Sorted as the check prefers; workers it does not name come last. These are not allowed, and
// neither are removed ones, which stand where it names them.
std::vector<std::pair<const Worker*, bool>> InOrder(const Workers& workers,
                                                    const std::set<ClusterName>& removed,
                                                    const verify::CheckScope& scope) {
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < scope.names.size(); ++i) places.emplace(scope.names[i], i);
  const auto place = [&](const auto& each) {
    const auto found = places.find(each.first->name().value);
    return found == places.end() ? scope.names.size() : found->second;
  };
  std::vector<std::pair<const Worker*, bool>> order;
  for (const auto& worker : workers) {
    const bool is_meant = scope.all || places.contains(worker->name().value);
    order.emplace_back(worker.get(), is_meant && !removed.contains(worker->name()));
  }
  if (!scope.all) std::ranges::stable_sort(order, {}, place);
  return order;
}

}  // namespace

std::vector<std::shared_ptr<const Worker>> Gatherer::WorkersOf(const std::string& check) const {
  std::vector<std::shared_ptr<const Worker>> workers;
  const auto now = workers_.Now();
  for (const auto& [worker, allowed] : InOrder(now->all(), now->removed(), scopes_.Of(check))) {
    if (allowed) workers.push_back(now->Find(worker->name()));
  }
  return workers;
}

void Gatherer::LookAt(const Workers& workers, const Scope& scope, const verify::CordonsNow& cordons,
                      Gathered& gathered) const {
  const tracking::Workload* workload = gathered.view.workload.get();
  for (const auto& [worker, allowed] :
       InOrder(workers, gathered.workers->removed(), scopes_.Of(gathered.view.check))) {
    const bool is_target = scope.moves && !workload->IsPlacedOn(worker->name());
    const bool in_place = scope.with_others.value.empty() || scope.with_others == worker->name();
    const bool judges = gathered.judged && in_place;
    if (!judges && !is_target && !scope.matters.contains(worker->name())) continue;
    const WorkerLook look = worker->Look(gathered.adapter);
    ClusterView cluster = ViewOf(*worker, look, gathered);
    cluster.allowed = allowed && in_place;
    cluster.membership = gathered.workers->MembershipOf(worker->name());
    const tracking::Cordon* cordon = cordons.Find(worker->name());
    if (cordon != nullptr && cordon->drains) cluster.drained_for = cordon->reason;
    auto cannot = WhyKueueCannot(worker->name());
    cluster.kueue_connected = !cannot;
    if (judges || is_target) {
      auto not_allowed = WhyNotAllowed(cluster, gathered.view.check, cordon);
      if (!not_allowed) not_allowed = std::move(cannot);
      Judge(*worker, look.facts, std::move(not_allowed), gathered, cluster);
    }
    gathered.clusters.push_back(std::move(cluster));
  }
}

std::optional<verdict::Reason> Gatherer::WhyKueueCannot(const ClusterName& worker) const {
  if (!KueueCopies(settings_.mode)) return std::nullopt;
  return verify::WhyDisconnected(manager_.worker_clusters(), worker);
}

ClusterView Gatherer::ViewOf(const Worker& worker, const WorkerLook& look,
                             const Gathered& gathered) const {
  ClusterView cluster;
  const WorkerStatus& status = look.status;
  cluster.contact = status.contact;
  cluster.resyncing = status.resyncing;
  cluster.lost_since = status.lost_since;
  cluster.lost_why = status.problem;
  cluster.fault_is_ours = status.fault_is_ours;
  if (status.contact == Contact::kFull) {
    cluster.contact = look.kind.contact;
    cluster.lost_since = look.kind.lost_since;
    cluster.lost_why = look.kind.problem;
  }
  FindCopies(CachedCopies(worker, manager_.jobs()), gathered, Us(), cluster);
  cluster.waiting_clones = worker.waiting_clones(Us());
  if (cluster.clone != nullptr && !cluster.clone->Admitted() && !cluster.clone->Finished())
    cluster.waiting_clones = std::max(0, cluster.waiting_clones - 1);
  const verify::DeviceState* devices = worker.objects().devices();
  cluster.pods_watched = devices != nullptr;
  if (cluster.job != nullptr && cluster.job->failed && devices != nullptr)
    cluster.pod_failures = devices->pods().Failures(KeyOf(*cluster.job));
  return cluster;
}

void Gatherer::Judge(const Worker& worker, const verify::WorkerFacts& facts,
                     std::optional<verdict::Reason> not_allowed, Gathered& gathered,
                     ClusterView& cluster) const {
  const tracking::JobAdapter* adapter = gathered.adapter;
  // Kueue knows more kinds than we read, and their pods are in the Workload.
  if (adapter == nullptr && !gathered.view.kueue_copies) return;
  const tracking::Workload& workload = *gathered.view.workload;
  const verify::Subject subject{.requirement = workload.requirement,
                                .adapter = adapter,
                                .namesakes = verify::Namesakes(cluster),
                                .not_allowed = std::move(not_allowed),
                                .is_there = verify::HoldsDevices(cluster) ||
                                            placement::RunsByTheirCopy(gathered.view, cluster),
                                .has_quota = verify::HasQuota(cluster)};
  const verify::VerifyOptions options{
      .existence = {.rules = settings_.rules,
                    .manager_templates = &manager_.templates().cache(),
                    .manager_references =
                        adapter == nullptr ? nullptr : &manager_.jobs().references(*adapter),
                    .refused_copies = copy_failures_.On(worker.name(), workload.requirement.ns)},
      .serving = true};
  const AssumeCache& cache = worker.assumed();
  AssumeCache::Basis& basis = gathered.assumed_as_of[worker.name()];
  basis.version = cache.version();
  const ObjectKey& key = gathered.view.key;
  const verify::Assumed assumed{
      .pods = [&] { return cache.Others(key); },
      .quota = [&](const std::string& queue) { return cache.QuotaOfOthers(key, queue); }};
  verify::Verified verified = verify::Verify(subject, worker.objects(), facts, assumed, options);
  basis.had_room = verified.has_room;
  cluster.verdict = std::move(verified.verdict);
  cluster.serving = std::move(verified.serving);
}

std::map<ObjectKey, std::set<ClusterName>> Gatherer::UsersOf(const ObjectKey& claim,
                                                             const Gathered& gathered) const {
  std::map<ObjectKey, std::set<ClusterName>> users;
  for (const auto& worker : *gathered.workers) {
    for (const ObjectKey& user : worker->assumed().UsersOf(claim)) {
      if (user != gathered.view.key) users[user].insert(worker->name());
    }
  }
  return users;
}

void Gatherer::KeepClaimsTogether(Gathered& gathered) const {
  if (gathered.view.workload->requirement.ClaimNames().empty()) return;
  if (gathered.adapter == nullptr && !gathered.view.kueue_copies) return;
  std::vector<verify::ClaimCandidate> candidates;
  for (ClusterView& cluster : gathered.clusters) {
    candidates.push_back({.worker = cluster.name,
                          .objects = &gathered.workers->Find(cluster.name)->objects(),
                          .usable = cluster.contact == Contact::kFull && cluster.allowed,
                          .verdict = &cluster.verdict});
  }
  verify::KeepClaimsTogether(
      gathered.view.workload->requirement, candidates,
      [&](const ObjectKey& claim) { return UsersOf(claim, gathered); },
      settings_.rules.shared_claims);
  for (size_t i = 0; i < candidates.size(); ++i)
    gathered.clusters[i].claims_in_use = candidates[i].claims_in_use;
}

}  // namespace fedra::reconcile
