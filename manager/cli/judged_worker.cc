#include "manager/cli/judged_worker.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/cli/contact.h"
#include "manager/tracking/resources.h"
#include "manager/verify/devices.h"
#include "manager/verify/dra_api.h"

namespace fedra::cli {
namespace {

using dra::Outcome;
using dra::ReasonCode;
using verify::InVersion;
using watch::CacheState;

// Nobody listens to single objects: verdicts are made when the lists are complete.
template <class T>
std::unique_ptr<verify::Cache<T>> MakeCache(typename verify::Cache<T>::Parser parser,
                                            const std::function<void()>& on_health) {
  return std::make_unique<verify::Cache<T>>(
      parser, [](const ObjectKey&, const auto&, const auto&) {},
      [on_health](const watch::CacheHealth&) { on_health(); });
}

size_t IndexOf(const tracking::JobAdapter& adapter) {
  const auto& all = tracking::JobAdapters();
  return static_cast<size_t>(std::find(all.begin(), all.end(), &adapter) - all.begin());
}

// Whether the devices can be judged although something else stands against the worker: then the
// person learns of both at once. Without the objects that say what is wanted they cannot.
bool LeavesDevices(const dra::Verdict& existence) {
  if (existence.outcome == Outcome::kYes) return true;
  return std::all_of(existence.reasons.begin(), existence.reasons.end(),
                     [](const dra::Reason& reason) {
                       switch (reason.code) {
                         case ReasonCode::kQueueMissing:
                         case ReasonCode::kQueueInactive:
                         case ReasonCode::kNameConflict:
                         case ReasonCode::kCapabilityUndeclared:
                         case ReasonCode::kDependencyMissing:
                           return true;
                         default:
                           return false;
                       }
                     });
}

// What the claim of this entry asks for; null: it cannot be told.
const dra::ClaimSpec* SpecOf(const dra::ClaimReference& reference, const std::string& ns,
                             const dra::Snapshot& snapshot) {
  if (!reference.claim_name.empty()) {
    const auto* claim = snapshot.claims().Find({ns, reference.claim_name});
    return claim == nullptr ? nullptr : &(*claim)->spec;
  }
  const auto* found = snapshot.templates().Find({ns, reference.template_name});
  return found == nullptr ? nullptr : (*found)->spec.get();
}

// The snapshot may have changed since: what is not there any more has no name.
ChosenAlternative Name(const dra::ChosenAlternative& chosen, const dra::PodDemand& demand,
                       const std::string& ns, const dra::Snapshot& snapshot) {
  ChosenAlternative named;
  named.index = chosen.index;
  const dra::ClaimReference& reference = demand.claims[chosen.claim];
  const dra::ClaimSpec* spec = SpecOf(reference, ns, snapshot);
  if (spec == nullptr || chosen.request >= spec->requests.size()) return named;
  const dra::ClaimRequest& request = spec->requests[chosen.request];
  const auto at = static_cast<size_t>(chosen.index);
  if (at >= request.first_available.size()) return named;
  return {demand.name,        reference.pod_claim,
          request.name.str(), request.first_available[at].name.str(),
          chosen.index,       request.first_available.size()};
}

std::vector<ChosenAlternative> NameAlternatives(const std::vector<dra::PodSetReport>& pod_sets,
                                                const tracking::SubmittedJob& job,
                                                const dra::Snapshot& snapshot) {
  std::vector<ChosenAlternative> named;
  for (size_t i = 0; i < pod_sets.size(); ++i)
    for (const dra::ChosenAlternative& chosen : pod_sets[i].alternatives)
      named.push_back(Name(chosen, (*job.demands)[i], job.key.ns, snapshot));
  return named;
}

// A copy of ours there means that the manager has a job of that name.
VerdictNote ExistsAlready(const tracking::Job& job) {
  const std::string object = "Job " + job.key.ToString();
  const char* const state = job.finished ? "finished" : job.suspended ? "suspended" : "running";
  return {object, fmt::format("fedra has sent a {} there already: it is {}", object, state),
          object +
              ": while the manager has a job of this name, kubectl create fails and kubectl "
              "apply changes that one; give this one another name, or delete that one first"};
}

}  // namespace

JudgedWorker::JudgedWorker(JudgedWorkerSettings settings, const std::function<void()>& on_health)
    : settings_(std::move(settings)),
      namespaces_(MakeCache<verify::Namespace>(&verify::ParseNamespace, on_health)),
      queues_(MakeCache<verify::LocalQueue>(&verify::ParseLocalQueue, on_health)),
      templates_(MakeCache<verify::Claim>(&verify::ParseTemplate, on_health)),
      claims_(MakeCache<verify::Claim>(&verify::ParseClaim, on_health)),
      classes_(MakeCache<verify::DeviceClass>(&verify::ParseDeviceClass, on_health)) {
  for (const tracking::JobAdapter* adapter : tracking::JobAdapters())
    jobs_.push_back(MakeCache<tracking::Job>(adapter->parser(), on_health));
  if (settings_.devices)
    devices_ = std::make_unique<verify::DevicePicture>(*settings_.devices, [] {}, on_health);
  if (settings_.dependencies) {
    dependencies_ = std::make_unique<verify::DependencyPicture>(
        *settings_.dependencies, [](const ObjectKey&) {}, on_health);
  }
}

void JudgedWorker::AddForBoth(const kube::Resource& resource, watch::ObjectSink& cache,
                              watch::ObjectSink* picture, std::vector<Feed>& feeds) {
  watch::CacheSink* sink = &cache;
  if (picture != nullptr) {
    shared_.push_back(std::make_unique<verify::TeeSink>(*picture, cache));
    sink = shared_.back().get();
  }
  feeds.push_back({resource, sink});
}

std::vector<Feed> JudgedWorker::Feeds(const kube::ServerInfo* server) {
  dra_versions_ = verify::ServedDraVersions(server);
  const std::string_view version = verify::DraVersion(server);
  verify::DevicePicture* picture = devices_.get();
  if (settings_.claims_only) {
    std::vector<Feed> feeds;
    AddForBoth(InVersion(tracking::kClaims, version), *claims_,
               picture ? &picture->claims() : nullptr, feeds);
    return feeds;
  }
  if (picture != nullptr && server != nullptr) picture->SetRelease(verify::ReadDraApi(server));
  std::vector<Feed> feeds = {{tracking::kNamespaces, namespaces_.get()},
                             {tracking::kLocalQueues, queues_.get()}};
  for (size_t i = 0; i < jobs_.size(); ++i)
    feeds.push_back({tracking::JobAdapters()[i]->resource(), jobs_[i].get()});
  AddForBoth(InVersion(tracking::kTemplates, version), *templates_,
             picture ? &picture->templates() : nullptr, feeds);
  AddForBoth(InVersion(tracking::kClaims, version), *claims_,
             picture ? &picture->claims() : nullptr, feeds);
  AddForBoth(InVersion(tracking::kDeviceClasses, version), *classes_,
             picture ? &picture->classes() : nullptr, feeds);
  if (dependencies_ != nullptr) {
    for (const auto& input : dependencies_->Inputs())
      feeds.push_back({input.resource, input.sink, /*metadata_only=*/true});
    AddForBoth(InVersion(tracking::kPodGroups, verify::PodGroupVersion(server)),
               dependencies_->pod_groups(), picture ? &picture->pod_groups() : nullptr, feeds);
  }
  if (picture == nullptr) return feeds;
  feeds.push_back({InVersion(tracking::kResourceSlices, version), &picture->slices()});
  feeds.push_back({InVersion(tracking::kTaintRules, verify::TaintRuleVersion(server)),
                   &picture->taint_rules()});
  if (dependencies_ == nullptr) {
    feeds.push_back(
        {InVersion(tracking::kPodGroups, verify::PodGroupVersion(server)), &picture->pod_groups()});
  }
  feeds.push_back({tracking::kNodes, &picture->nodes()});
  feeds.push_back({tracking::kPods, &picture->pods()});
  return feeds;
}

bool JudgedWorker::IsListing() const {
  const auto listing = [](const auto& cache) { return cache->health().IsListing(); };
  if (settings_.claims_only) return listing(claims_);
  return listing(namespaces_) || listing(queues_) || listing(templates_) || listing(claims_) ||
         listing(classes_) || std::any_of(jobs_.begin(), jobs_.end(), listing) ||
         (devices_ != nullptr && devices_->IsListing()) ||
         (dependencies_ != nullptr && dependencies_->IsListing());
}

bool JudgedWorker::IsKnown() const {
  const watch::CacheHealth classes = classes_->health();
  return connection_.phase == ConnectionPhase::kConnected && devices_ != nullptr &&
         (classes.state == CacheState::kSynced || classes.complete) && !devices_->Obstacle();
}

std::optional<dra::Reason> JudgedWorker::Silence() const {
  if (connection_.phase == ConnectionPhase::kConnected) return std::nullopt;
  return NotReached(connection_, tried_);
}

Result<void> JudgedWorker::AssumeTemplate(const std::string& object) {
  FEDRA_RETURN_IF_ERROR(templates_->Upsert(object));
  return devices_ == nullptr ? Result<void>() : devices_->templates().Upsert(object);
}

verify::WorkerPicture JudgedWorker::Picture(size_t adapter, const tracking::Job* same_name) const {
  return {.name = settings_.name,
          .connection = connection_,
          .namespaces = *namespaces_,
          .queues = *queues_,
          .templates = *templates_,
          .claims = *claims_,
          .classes = *classes_,
          .workload = nullptr,
          .job = same_name,
          .job_kind_served = jobs_[adapter]->health().state != CacheState::kNotServed,
          .capabilities = settings_.capabilities,
          .dra_versions = dra_versions_};
}

JobVerdict JudgedWorker::Judge(const tracking::SubmittedJob& job) const {
  const size_t adapter = IndexOf(*job.adapter);
  const auto same_name = jobs_[adapter]->Find(job.key);
  JobVerdict result;
  result.worker = settings_.name;
  const verify::WorkerPicture there = Picture(adapter, same_name.get());
  const verify::ExistenceOptions options{
      .drift = settings_.drift,
      .undeclared = settings_.undeclared,
      .origin = settings_.origin,
      .manager_templates = manager_templates_,
      .copies_templates = settings_.copies_templates && manager_templates_ != nullptr,
      .refused_copies = {}};
  result.verdict = verify::VerifyExistence(job.requirement, there, options);
  if (same_name != nullptr && same_name->origin == settings_.origin)
    result.notes.push_back(ExistsAlready(*same_name));
  if (auto silence = Silence()) {
    result.verdict.reasons = {*std::move(silence)};
    return result;
  }
  if (dependencies_ != nullptr)
    result.verdict =
        verify::Combine(std::move(result.verdict), dependencies_->Verify(job.requirement));
  if (devices_ != nullptr && tracking::NeedDevices(*job.demands) && LeavesDevices(result.verdict))
    JudgeDevices(job, verify::CopiesToCome(job.requirement, there, options), result);
  if (dependencies_ != nullptr)
    result.verdict = verify::Combine(std::move(result.verdict),
                                     dependencies_->VerifySchedulers(job.requirement));
  return result;
}

void JudgedWorker::JudgeDevices(const tracking::SubmittedJob& job,
                                const verify::TemplatesToCome& to_come, JobVerdict& result) const {
  dra::Judgement judgement = verify::JudgeDevices(*devices_, job.key.ns, job.demands, {}, to_come);
  result.devices_judged = !judgement.pod_sets.empty();
  result.pod_sets = std::move(judgement.pod_sets);
  result.verdict = verify::Combine(std::move(judgement.verdict), std::move(result.verdict));
  result.alternatives = NameAlternatives(result.pod_sets, job, *devices_->snapshot());
}

std::vector<JobVerdict> JudgeEverywhere(const tracking::SubmittedJob& job,
                                        const JudgedWorkers& workers, const JudgedWorkers& others) {
  std::vector<JobVerdict> verdicts;
  for (const auto& worker : workers) verdicts.push_back(worker->Judge(job));
  std::vector<verify::NamedPicture> pictures;
  for (const JudgedWorkers* each : {&workers, &others})
    for (const auto& worker : *each) pictures.push_back({worker->name(), worker->devices()});
  for (const std::string& name : job.requirement.ClaimNames()) {
    const ObjectKey claim{job.key.ns, name};
    const auto place = verify::WhereAllocated(claim, pictures);
    if (!place) continue;
    for (JobVerdict& item : verdicts)
      verify::KeepWithClaim(claim, *place, item.worker, item.verdict);
  }
  return verdicts;
}

}  // namespace fedra::cli
