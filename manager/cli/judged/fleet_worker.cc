#include "manager/cli/judged/fleet_worker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/assert.h"
#include "manager/cli/judged/connect_error.h"
#include "manager/tracking/job_members.h"
#include "manager/tracking/resources.h"
#include "manager/verify/dra_api.h"
#include "manager/verify/named_claims.h"

namespace fedra::cli {
namespace {

using watch::CacheState;

// What the claim of this entry asks for; null: it is not known.
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
report::NamedAlternative Name(const dra::ChosenAlternative& chosen, const dra::PodDemand& demand,
                              const std::string& ns, const dra::Snapshot& snapshot) {
  report::NamedAlternative named;
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

std::vector<report::NamedAlternative> NameAlternatives(
    const std::vector<dra::PodSetReport>& pod_sets, const tracking::SubmittedJob& job,
    const dra::Snapshot& snapshot) {
  std::vector<report::NamedAlternative> named;
  for (size_t i = 0; i < pod_sets.size(); ++i)
    for (const dra::ChosenAlternative& chosen : pod_sets[i].alternatives)
      named.push_back(Name(chosen, (*job.requirement.demands)[i], job.key.ns, snapshot));
  return named;
}

// A copy of ours there means that the manager has a job of that name.
report::VerdictNote ExistsAlready(const tracking::Job& job) {
  const std::string object = tracking::ObjectText(job);
  const char* const state = tracking::HaveAllEnded(job) ? "finished"
                            : job.suspended             ? "suspended"
                                                        : "running";
  return {object, fmt::format("fedra has created a {} there already: it is {}", object, state),
          object +
              ": while the manager has a job of this name, kubectl create fails and kubectl "
              "apply changes that one; give this one another name, or delete that one first"};
}

}  // namespace

FleetWorker::FleetWorker(FleetWorkerSettings settings, const std::function<void()>& on_health)
    : settings_(std::move(settings)),
      facts_{.connection = {}, .capabilities = settings_.capabilities, .dra_versions = {}},
      own_(std::make_unique<verify::WorkerObjects>(
          settings_.verified, verify::WorkerObjectsListener{.on_health = on_health})),
      objects_(*own_) {}

FleetWorker::FleetWorker(FleetWorkerSettings settings, const verify::WorkerObjects& watched,
                         verify::WorkerFacts facts)
    : settings_(std::move(settings)), facts_(std::move(facts)), objects_(watched) {}

FleetWorker::~FleetWorker() = default;

void FleetWorker::UseKinds(std::span<const tracking::JobAdapter* const> kinds) {
  FEDRA_ASSERT(own_ != nullptr, "what another watches is not changed");
  own_->UseKinds(kinds);
}

std::vector<verify::Input> FleetWorker::Inputs(const kube::ServerInfo* server) {
  FEDRA_ASSERT(own_ != nullptr, "what another watches is not changed");
  facts_.dra_versions = verify::ServedDraVersions(server);
  own_->SetServer(server);
  std::vector<verify::Input> inputs = own_->Inputs(server);
  if (settings_.claims_only)
    std::erase_if(inputs, [](const auto& input) { return input.resource.kind != "ResourceClaim"; });
  // Which clones there are does not matter before there is a Workload; that they can be read does.
  for (verify::Input& input : inputs)
    input.metadata_only |= input.resource.kind == tracking::kWorkloads.kind;
  return inputs;
}

bool FleetWorker::IsListing() const {
  return settings_.claims_only ? objects_.claims().health().IsListing() : objects_.IsListing();
}

bool FleetWorker::IsKnown() const {
  const watch::CacheHealth classes = objects_.classes().health();
  return facts_.connection.phase == ConnectionPhase::kConnected && devices() != nullptr &&
         (classes.state == CacheState::kSynced || classes.complete) &&
         !devices()->obstacles().Lists();
}

std::optional<verdict::Reason> FleetWorker::Silence() const {
  if (facts_.connection.phase == ConnectionPhase::kConnected) return std::nullopt;
  // Of a worker that the daemon watches what the daemon says.
  return own_ == nullptr ? verify::ConnectionReason(facts_.connection)
                         : NotReached(facts_.connection, tried_);
}

Result<void> FleetWorker::AssumeTemplate(const std::string& object) {
  FEDRA_ASSERT(own_ != nullptr, "what another watches is not changed");
  FEDRA_RETURN_IF_ERROR(own_->templates().cache().Upsert(object));
  return own_->devices() == nullptr ? Result<void>()
                                    : own_->devices()->sinks().templates.Upsert(object);
}

// As the daemon has it: a copy that names its manager is another's until it is known that this is
// it.
tracking::Ownership FleetWorker::Whose(const tracking::CopyMarks& marks) const {
  return tracking::OwnershipOf(marks, settings_.us.OnManager(manager_.uid.value_or("")),
                               /*source_uid=*/{});
}

verify::CopiesThere FleetWorker::CopiesOf(const tracking::SubmittedJob& job) const {
  verify::CopiesThere there;
  const auto& jobs = objects_.jobs(*job.adapter);
  if (!job.is_group) {
    there.job = jobs.Find(job.key);
    if (there.job != nullptr) there.job_is = Whose(there.job->marks);
    return there;
  }
  std::vector<verify::GroupObject> found;
  for (const ObjectKey& member : job.members)
    if (tracking::JobPtr object = jobs.Find(member))
      found.push_back({object, Whose(object->marks)});
  verify::JoinGroup(job.key, found, there);
  // Of a group alone the Workload's name is known: it is its own.
  there.clone = objects_.clones().Find(job.key);
  if (there.clone != nullptr) there.clone_is = Whose(there.clone->marks);
  return there;
}

std::optional<verdict::Reason> FleetWorker::WhyNotAllowed(const tracking::SubmittedJob& job) const {
  if (!manager_.why_not_allowed) return std::nullopt;
  return manager_.why_not_allowed(job.requirement, settings_.name);
}

bool FleetWorker::IsUsable(const tracking::SubmittedJob& job) const {
  if (WhyNotAllowed(job)) return false;
  if (settings_.claims_only) return facts_.connection.phase == ConnectionPhase::kConnected;
  return verify::IsUsable(objects_, *job.adapter, facts_.connection);
}

report::JobVerdict FleetWorker::Judge(const tracking::SubmittedJob& job) const {
  const verify::CopiesThere there = CopiesOf(job);
  const tracking::JobPtr ours = tracking::IsOurs(there.job_is) ? there.job : nullptr;
  const verify::Subject subject{.requirement = job.requirement,
                                .adapter = job.adapter,
                                .namesakes = verify::Namesakes(there),
                                .not_allowed = WhyNotAllowed(job),
                                .is_there = verify::HoldsDevices(there),
                                .has_quota = verify::HasQuota(there)};
  const auto references = manager_.references.find(job.adapter);
  const verify::VerifyOptions options{
      .existence = {.rules = settings_.rules,
                    .manager_templates = manager_.templates,
                    .manager_references =
                        references == manager_.references.end() ? nullptr : references->second,
                    .refused_copies = {}},
      .in_detail = true};
  verify::Verified verified = verify::Verify(subject, objects_, facts_, /*assumed=*/{}, options);
  report::JobVerdict result{.worker = settings_.name,
                            .verdict = std::move(verified.verdict),
                            .devices_judged = verified.devices_judged,
                            .pod_sets = std::move(verified.pod_sets),
                            .alternatives = {}};
  if (ours != nullptr) result.notes.push_back(ExistsAlready(*ours));
  if (auto silence = Silence(); silence && !subject.not_allowed)
    result.verdict.reasons = {*std::move(silence)};
  if (result.devices_judged)
    result.alternatives = NameAlternatives(result.pod_sets, job, *devices()->snapshot());
  return result;
}

std::vector<report::JobVerdict> JudgeEverywhere(const tracking::SubmittedJob& job,
                                                const FleetWorkers& workers,
                                                const FleetWorkers& others) {
  std::vector<report::JobVerdict> verdicts;
  for (const auto& worker : workers) verdicts.push_back(worker->Judge(job));
  std::vector<verify::ClaimCandidate> candidates;
  for (size_t i = 0; i < workers.size(); ++i)
    candidates.push_back({.worker = workers[i]->name(),
                          .objects = &workers[i]->objects(),
                          .usable = workers[i]->IsUsable(job),
                          .verdict = &verdicts[i].verdict});
  for (const auto& worker : others)
    candidates.push_back(
        {.worker = worker->name(), .objects = &worker->objects(), .usable = worker->IsUsable(job)});
  if (!workers.empty()) {
    verify::KeepClaimsTogether(job.requirement, candidates, /*users=*/nullptr,
                               workers.front()->settings().rules.shared_claims);
  }
  return verdicts;
}

}  // namespace fedra::cli
