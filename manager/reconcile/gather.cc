#include "manager/reconcile/gather.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace fedra::reconcile {
namespace {

using placement::ClusterView;
using placement::Contact;

constexpr std::string_view kConfigGroup = "kueue.x-k8s.io";
constexpr std::string_view kConfigKind = "MultiKueueConfig";

// Verdicts are needed only while a worker is looked for.
bool NeedsVerdicts(const tracking::Workload& workload, const std::string& check_name) {
  if (workload.deleting || workload.Finished() || workload.Evicted()) return false;
  const auto* check = workload.Check(check_name);
  return workload.QuotaReserved() && check != nullptr &&
         check->state == tracking::CheckState::kPending;
}

// Whether devices have a say in where it can run. A pod template that cannot be read may need some.
bool NeedsDevices(const tracking::Workload& workload) {
  return workload.demands == nullptr || tracking::NeedDevices(*workload.demands);
}

// Whether a workload that does not look for a worker has anything to do with this one.
bool Matters(const ClusterName& worker, const tracking::Workload* workload, const Known& known) {
  if (known.workers.contains(worker)) return true;
  if (workload == nullptr) return false;
  const auto& nominated = workload->nominated;
  return workload->cluster_name == worker.value ||
         std::find(nominated.begin(), nominated.end(), worker.value) != nominated.end();
}

// The pods of what was sent that do not hold their devices yet.
std::vector<dra::InFlightPods> StillComing(const std::vector<Sent>& all, const Worker& worker) {
  std::vector<dra::InFlightPods> pods;
  for (const Sent& sent : all) {
    if (sent.demands == nullptr) continue;
    int settled = worker.devices()->SettledPods(sent.job);
    for (const dra::PodDemand& demand : *sent.demands) {
      const int here = std::min(settled, demand.count);
      settled -= here;
      // The demand lives as long as all of them.
      std::shared_ptr<const dra::PodDemand> shared(sent.demands, &demand);
      if (demand.count > here)
        pods.push_back({sent.workload.ns, std::move(shared), demand.count - here});
    }
  }
  return pods;
}

// A workload whose own job is over cleans up what names it. Another job of that name is its
// successor's: of a Workload that the same user has submitted since.
bool IsSuccessors(const tracking::Job* remote, const Picture& picture) {
  const placement::WorkloadView& view = picture.view;
  const bool over = view.job == nullptr || view.workload->deleting || view.workload->Finished();
  return over && remote != nullptr && !remote->prebuilt_workload.empty() &&
         remote->prebuilt_workload != view.key.name;
}

}  // namespace

Gatherer::Gatherer(GatherSettings settings, ManagerCluster& manager, const WorkerSet& workers,
                   const InFlight& in_flight, const CopyFailures& copy_failures)
    : settings_(std::move(settings)),
      manager_(manager),
      workers_(workers),
      in_flight_(in_flight),
      copy_failures_(copy_failures) {}

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

std::vector<std::pair<const Worker*, bool>> Gatherer::Order(const WorkerList& workers,
                                                            const std::string& check) const {
  const auto object = check.empty() ? nullptr : manager_.checks().Find({"", check});
  const CheckScope scope = object == nullptr ? CheckScope{} : ScopeOf(*object);
  std::vector<std::pair<const Worker*, bool>> order;
  for (const auto& worker : workers)
    order.emplace_back(worker.get(), !workers.removed().contains(worker->name()));
  if (scope.all) return order;
  const auto place = [&](const Worker* worker) {
    return std::find(scope.names.begin(), scope.names.end(), worker->name().value) -
           scope.names.begin();
  };
  const auto nowhere = static_cast<std::ptrdiff_t>(scope.names.size());
  for (auto& [worker, allowed] : order) allowed &= place(worker) != nowhere;
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return place(a.first) < place(b.first); });
  return order;
}

std::vector<std::string> Gatherer::ChecksOf(const tracking::Workload& workload) const {
  std::vector<std::string> names;
  for (const tracking::AdmissionCheckState& state : workload.checks) {
    const auto check = manager_.checks().Find({"", state.name});
    if (check != nullptr && IsOurCheck(*check)) names.push_back(state.name);
  }
  return names;
}

std::string Gatherer::CheckOf(const tracking::Workload& workload) const {
  const std::vector<std::string> names = ChecksOf(workload);
  return names.empty() ? std::string() : names.front();
}

std::vector<std::shared_ptr<const Worker>> Gatherer::WorkersFor(
    const tracking::Workload& workload) const {
  std::vector<std::shared_ptr<const Worker>> workers;
  const std::string check = CheckOf(workload);
  if (!NeedsVerdicts(workload, check)) return workers;
  const auto now = workers_.Now();
  for (const auto& [worker, allowed] : Order(*now, check)) {
    if (allowed) workers.push_back(now->Find(worker->name()));
  }
  return workers;
}

Picture Gatherer::Gather(const ObjectKey& key, const Known& known) const {
  Picture picture;
  picture.workers = workers_.Now();
  picture.view.key = key;
  picture.view.workload = manager_.workloads().Find(key);
  if (known.job) picture.job = *known.job;
  const tracking::Workload* workload = picture.view.workload.get();
  if (workload != nullptr) {
    picture.adapter = tracking::FindAdapter(workload->owner);
    picture.view.kind_supported = picture.adapter != nullptr;
    picture.job = {key.ns, workload->owner.name};
    const std::vector<std::string> checks = ChecksOf(*workload);
    if (!checks.empty()) picture.view.check = checks[0];
    if (checks.size() > 1) picture.view.second_check = checks[1];
    if (picture.adapter != nullptr) {
      auto job = manager_.jobs(*picture.adapter).Find(picture.job);
      // A new job of the old name belongs to another Workload.
      if (job != nullptr && job->uid == workload->owner.uid) picture.view.job = std::move(job);
    }
  }
  picture.judged =
      picture.view.workload != nullptr && NeedsVerdicts(*picture.view.workload, picture.view.check);
  picture.in_flight_version = in_flight_.version();
  for (const auto& [worker, allowed] : Order(*picture.workers, picture.view.check)) {
    if (!picture.judged && !Matters(worker->name(), workload, known)) continue;
    ClusterView cluster = Look(*worker, picture);
    cluster.allowed = allowed;
    cluster.membership = picture.workers->MembershipOf(worker->name());
    if (picture.judged) Judge(*worker, picture, cluster);
    picture.clusters.push_back(std::move(cluster));
  }
  if (picture.judged && settings_.devices) KeepClaimsTogether(picture);
  return picture;
}

template <class T>
std::shared_ptr<const T> Gatherer::AsSeen(std::shared_ptr<const T> copy) const {
  if (copy == nullptr || copy->origin.empty()) return copy;
  const tracking::Marks ours{settings_.origin, manager_.uid()};
  if (ours.MayBeOn(copy->origin, copy->made_by)) return copy;
  auto foreign = std::make_shared<T>(*copy);
  foreign->origin.clear();
  return foreign;
}

ClusterView Gatherer::Look(const Worker& worker, const Picture& picture) const {
  ClusterView cluster;
  cluster.name = worker.name();
  cluster.contact = worker.contact();
  cluster.settling = worker.IsSettling();
  if (cluster.contact != Contact::kFull) {
    cluster.lost_since = worker.lost_since();
    const ConnectionState connection = worker.connection();
    cluster.lost_why = connection.phase == ConnectionPhase::kConnected
                           ? worker.sync_problem()
                           : (connection.why ? connection.why->message : std::string("connecting"));
  }
  cluster.waiting_clones = worker.waiting_clones();
  cluster.clone = AsSeen(worker.Clone(picture.view.key));
  if (cluster.clone != nullptr && !cluster.clone->Admitted() && !cluster.clone->Finished())
    cluster.waiting_clones = std::max(0, cluster.waiting_clones - 1);
  const std::optional<ObjectKey> indexed = worker.JobOf(picture.view.key);
  for (const tracking::JobAdapter* adapter : tracking::JobAdapters()) {
    if (picture.adapter != nullptr && picture.adapter != adapter) continue;
    if (cluster.job == nullptr && !picture.job.name.empty())
      cluster.job = AsSeen(worker.Job(*adapter, picture.job));
    if (IsSuccessors(cluster.job.get(), picture)) cluster.job = nullptr;
    if (cluster.job == nullptr && indexed) cluster.job = AsSeen(worker.Job(*adapter, *indexed));
  }
  return cluster;
}

void Gatherer::Judge(const Worker& worker, const Picture& picture, ClusterView& cluster) const {
  if (cluster.membership != placement::Membership::kConfigured) {
    cluster.verdict = {
        .outcome = dra::Outcome::kNo,
        .reasons = {{dra::ReasonCode::kExcluded, "", "it was removed from the configuration"}}};
    return;
  }
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
  const dra::Requirement& requirement = picture.view.workload->requirement;
  const verify::WorkerPicture there =
      worker.Picture(*picture.adapter, cluster.clone.get(), cluster.job.get());
  const verify::ExistenceOptions options{
      .drift = settings_.drift,
      .undeclared = settings_.undeclared,
      .origin = settings_.origin,
      .manager_templates = &manager_.templates(),
      .copies_templates = settings_.copies_templates,
      .refused_copies = copy_failures_.On(worker.name(), requirement.ns)};
  cluster.verdict = verify::VerifyExistence(requirement, there, options);
  const verify::DependencyPicture* dependencies =
      cluster.contact == Contact::kFull ? worker.dependencies() : nullptr;
  if (dependencies != nullptr)
    cluster.verdict =
        verify::Combine(std::move(cluster.verdict), dependencies->Verify(requirement));
  // What is missing comes first; and a job that is there already holds what it needs.
  if (worker.devices() != nullptr && cluster.verdict.outcome == dra::Outcome::kYes &&
      cluster.job == nullptr && NeedsDevices(*picture.view.workload)) {
    const verify::TemplatesToCome to_come = verify::CopiesToCome(requirement, there, options);
    cluster.verdict =
        verify::Combine(JudgeDevices(worker, picture, to_come), std::move(cluster.verdict));
  }
  if (dependencies != nullptr)
    cluster.verdict =
        verify::Combine(std::move(cluster.verdict), dependencies->VerifySchedulers(requirement));
}

dra::Verdict Gatherer::JudgeDevices(const Worker& worker, const Picture& picture,
                                    const verify::TemplatesToCome& to_come) const {
  const std::vector<Sent> others = in_flight_.On(worker.name(), picture.view.key);
  return verify::VerifyDevices(*worker.devices(), picture.view.key.ns,
                               picture.view.workload->demands, StillComing(others, worker),
                               to_come);
}

// Where users of the claim must go; nothing: wherever they can. Only workers that can be reached
// and used count, so that a lost one holds nobody back.
std::optional<verify::ClaimPlace> Gatherer::PlaceOf(const ObjectKey& claim,
                                                    const Picture& picture) const {
  std::set<ClusterName> usable;
  for (const ClusterView& cluster : picture.clusters)
    if (cluster.contact == Contact::kFull && cluster.allowed) usable.insert(cluster.name);
  std::vector<verify::NamedPicture> pictures;
  for (const auto& worker : *picture.workers)
    if (usable.contains(worker->name())) pictures.push_back({worker->name(), worker->devices()});
  if (auto place = verify::WhereAllocated(claim, pictures)) return place;
  for (const auto& [user, workers] : in_flight_.UsersOf(claim, picture.view.key)) {
    std::set<ClusterName> reachable;
    std::set_intersection(workers.begin(), workers.end(), usable.begin(), usable.end(),
                          std::inserter(reachable, reachable.end()));
    if (reachable.empty()) continue;
    if (reachable.size() > 1)
      return verify::ClaimPlace{{}, user.ToString() + ", which shares it, has no worker yet"};
    return verify::ClaimPlace{std::move(reachable),
                              user.ToString() + ", which shares it, was sent there"};
  }
  return std::nullopt;
}

std::set<ClusterName> Gatherer::SettledOn(const Picture& picture,
                                          const std::set<ClusterName>& names) const {
  std::set<ClusterName> settled;
  if (picture.view.workload == nullptr) return settled;
  const int pods = picture.view.workload->requirement.Pods();
  for (const auto& worker : *picture.workers) {
    if (worker->devices() != nullptr && names.contains(worker->name()) &&
        worker->devices()->SettledPods(picture.job) >= pods)
      settled.insert(worker->name());
  }
  return settled;
}

void Gatherer::KeepClaimsTogether(Picture& picture) const {
  for (const std::string& name : picture.view.workload->requirement.ClaimNames()) {
    const ObjectKey claim{picture.view.key.ns, name};
    const auto place = PlaceOf(claim, picture);
    if (!place) continue;
    for (ClusterView& cluster : picture.clusters)
      verify::KeepWithClaim(claim, *place, cluster.name, cluster.verdict);
  }
}

}  // namespace fedra::reconcile
