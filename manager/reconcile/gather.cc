#include "manager/reconcile/gather.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fedra::reconcile {
namespace {

using placement::ClusterView;
using placement::Contact;

constexpr std::string_view kConfigGroup = "kueue.x-k8s.io";
constexpr std::string_view kConfigKind = "MultiKueueConfig";

// Verdicts are needed only while a worker is looked for.
bool NeedsVerdicts(const Picture& picture) {
  const tracking::Workload* workload = picture.view.workload.get();
  if (workload == nullptr || workload->deleting || workload->Finished() || workload->Evicted())
    return false;
  const auto* check = workload->Check(picture.view.check);
  return workload->QuotaReserved() && check != nullptr &&
         check->state == tracking::CheckState::kPending;
}

}  // namespace

Gatherer::Gatherer(GatherSettings settings, ManagerCluster& manager, const Workers& workers)
    : settings_(std::move(settings)), manager_(manager), workers_(workers) {}

bool Gatherer::IsOurCheck(const tracking::AdmissionCheck& check) const {
  return check.controller_name == settings_.controller_name;
}

CheckScope Gatherer::ScopeOf(const tracking::AdmissionCheck& check) const {
  CheckScope scope;
  if (!check.HasParameters()) return scope;
  scope.all = false;
  if (check.parameters_group != kConfigGroup || check.parameters_kind != kConfigKind) {
    scope.problem = fmt::format("spec.parameters must name a {} of {}, not a {} of {}", kConfigKind,
                                kConfigGroup, check.parameters_kind, check.parameters_group);
    return scope;
  }
  const auto config = manager_.configs().Find({"", check.parameters_name});
  if (config == nullptr) {
    const bool forbidden = manager_.configs().health().state == watch::CacheState::kForbidden;
    scope.problem = fmt::format("MultiKueueConfig {} {}", check.parameters_name,
                                forbidden ? "cannot be read (403)" : "does not exist");
    return scope;
  }
  scope.names = config->clusters;
  return scope;
}

std::vector<std::pair<const Worker*, bool>> Gatherer::Order(const std::string& check) const {
  const auto object = check.empty() ? nullptr : manager_.checks().Find({"", check});
  const CheckScope scope = object == nullptr ? CheckScope{} : ScopeOf(*object);
  std::vector<std::pair<const Worker*, bool>> order;
  for (const auto& worker : workers_) order.emplace_back(worker.get(), true);
  if (scope.all) return order;
  const auto place = [&](const Worker* worker) {
    return std::find(scope.names.begin(), scope.names.end(), worker->name().value) -
           scope.names.begin();
  };
  const auto nowhere = static_cast<std::ptrdiff_t>(scope.names.size());
  for (auto& [worker, allowed] : order) allowed = place(worker) != nowhere;
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return place(a.first) < place(b.first); });
  return order;
}

Picture Gatherer::Gather(const ObjectKey& key, const std::optional<ObjectKey>& known_job) const {
  Picture picture;
  picture.view.key = key;
  picture.view.workload = manager_.workloads().Find(key);
  if (known_job) picture.job = *known_job;
  const tracking::Workload* workload = picture.view.workload.get();
  if (workload != nullptr) {
    picture.adapter = tracking::FindAdapter(workload->owner);
    picture.view.kind_supported = picture.adapter != nullptr;
    picture.job = {key.ns, workload->owner.name};
    for (const tracking::AdmissionCheckState& state : workload->checks) {
      const auto check = manager_.checks().Find({"", state.name});
      if (check != nullptr && IsOurCheck(*check)) picture.view.check = state.name;
    }
    if (picture.adapter != nullptr) {
      auto job = manager_.jobs(*picture.adapter).Find(picture.job);
      // A new job of the old name belongs to another Workload.
      if (job != nullptr && job->uid == workload->owner.uid) picture.view.job = std::move(job);
    }
  }
  picture.judged = NeedsVerdicts(picture);
  for (const auto& [worker, allowed] : Order(picture.view.check)) {
    ClusterView cluster = Look(*worker, picture);
    cluster.allowed = allowed;
    if (picture.judged) Judge(*worker, picture, cluster);
    picture.clusters.push_back(std::move(cluster));
  }
  return picture;
}

ClusterView Gatherer::Look(const Worker& worker, const Picture& picture) const {
  ClusterView cluster;
  cluster.name = worker.name();
  cluster.contact = worker.contact();
  if (cluster.contact != Contact::kFull) {
    cluster.lost_since = worker.lost_since();
    const ConnectionState connection = worker.connection();
    cluster.lost_why = connection.phase == ConnectionPhase::kConnected
                           ? worker.sync_problem()
                           : (connection.why ? connection.why->message : std::string("connecting"));
  }
  cluster.waiting_clones = worker.waiting_clones();
  cluster.clone = worker.Clone(picture.view.key);
  if (cluster.clone != nullptr && !cluster.clone->Admitted() && !cluster.clone->Finished())
    cluster.waiting_clones = std::max(0, cluster.waiting_clones - 1);
  const std::optional<ObjectKey> indexed = worker.JobOf(picture.view.key);
  for (const tracking::JobAdapter* adapter : tracking::JobAdapters()) {
    if (picture.adapter != nullptr && picture.adapter != adapter) continue;
    if (cluster.job == nullptr && !picture.job.name.empty())
      cluster.job = worker.Job(*adapter, picture.job);
    if (cluster.job == nullptr && indexed) cluster.job = worker.Job(*adapter, *indexed);
  }
  return cluster;
}

void Gatherer::Judge(const Worker& worker, const Picture& picture, ClusterView& cluster) const {
  if (!cluster.allowed) {
    cluster.verdict = {
        .outcome = dra::Outcome::kNo,
        .reasons = {{dra::ReasonCode::kExcluded, "AdmissionCheck " + picture.view.check,
                     fmt::format("AdmissionCheck {} does not name it", picture.view.check)}}};
    return;
  }
  if (picture.adapter == nullptr) return;
  if (cluster.contact == Contact::kNone &&
      worker.connection().phase == ConnectionPhase::kConnected) {
    cluster.verdict = {.outcome = dra::Outcome::kUnknown,
                       .reasons = {{dra::ReasonCode::kForbidden, "", worker.sync_problem()}}};
    return;
  }
  cluster.verdict = verify::VerifyExistence(
      picture.view.workload->requirement,
      worker.Picture(*picture.adapter, cluster.clone.get(), cluster.job.get()),
      {settings_.drift, settings_.origin, &manager_.templates()});
}

}  // namespace fedra::reconcile
