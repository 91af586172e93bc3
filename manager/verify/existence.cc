#include "manager/verify/existence.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "manager/verify/cache_words.h"
#include "manager/verify/difference.h"
#include "manager/verify/queue_stop.h"

namespace fedra::verify {
namespace {

using verdict::Outcome;
using verdict::Reason;
using verdict::ReasonCode;
using watch::CacheHealth;
using watch::CacheState;

constexpr size_t kMaxWords = 200;

void Add(verdict::Verdict& verdict, Outcome outcome, ReasonCode code, std::string object,
         std::string message) {
  verdict.outcome = std::max(verdict.outcome, outcome);
  verdict.reasons.push_back({code, std::move(object), std::move(message)});
}

// Whether a cache's silence about an object means that the object is not there. If not, says why.
bool CanTell(const CacheHealth& health, std::string_view what, verdict::Verdict& verdict) {
  std::optional<Reason> why = WhySilent(health, what);
  if (!why) return true;
  const Outcome outcome = why->code == ReasonCode::kApiMissing ? Outcome::kNo : Outcome::kUnknown;
  verdict.outcome = std::max(verdict.outcome, outcome);
  verdict.reasons.push_back(std::move(*why));
  return false;
}

// Looks an object up; adds a reason and returns null when it is missing or cannot be known.
template <class T>
std::shared_ptr<const T> Require(const Cache<T>& cache, const ObjectKey& key, std::string_view kind,
                                 std::string_view plural, ReasonCode missing,
                                 verdict::Verdict& verdict) {
  auto found = cache.Find(key);
  if (found != nullptr) return found;
  if (CanTell(cache.health(), plural, verdict)) {
    std::string object = fmt::format("{} {}", kind, key.ToString());
    std::string message = object + " does not exist there";
    Add(verdict, Outcome::kNo, missing, std::move(object), std::move(message));
  }
  return nullptr;
}

void RequireClasses(const ClaimSummary& claim, std::string_view kind, const WorkerView& worker,
                    verdict::Verdict& verdict) {
  for (const std::string& name : claim.device_classes) {
    if (worker.classes.Find({"", name}) != nullptr) continue;
    if (!CanTell(worker.classes.health(), "deviceclasses.resource.k8s.io", verdict)) return;
    Add(verdict, Outcome::kNo, ReasonCode::kDeviceClassMissing, "DeviceClass " + name,
        fmt::format("DeviceClass {}, which {} {} names, does not exist there", name, kind,
                    claim.key.ToString()));
  }
}

// What does not stand against the worker but should be known.
using Notes = std::vector<Reason>;

void RequireCapabilities(const ClaimSummary& claim, std::string_view kind, const WorkerView& worker,
                         const ExistenceOptions& options, verdict::Verdict& verdict, Notes& notes) {
  for (const std::string& name : claim.capabilities) {
    if (std::find(worker.capabilities.begin(), worker.capabilities.end(), name) !=
        worker.capabilities.end())
      continue;
    std::string message =
        fmt::format("{} {} needs the capability {}, which is not declared for this worker", kind,
                    claim.key.ToString(), name);
    if (options.undeclared == Undeclared::kRequire) {
      Add(verdict, Outcome::kNo, ReasonCode::kCapabilityUndeclared, "capability " + name,
          std::move(message));
    } else {
      notes.push_back(
          {ReasonCode::kCapabilityUndeclared, "capability " + name, std::move(message)});
    }
  }
}

// The API server would refuse the claims of the pods, or their allocation.
void RequireAdminAccess(const ClaimSummary& claim, std::string_view kind, const WorkerView& worker,
                        verdict::Verdict& verdict) {
  if (!claim.admin_access) return;
  const auto ns = worker.namespaces.Find({"", claim.key.ns});
  if (ns == nullptr || ns->admin_access) return;  // without it, its absence is the reason
  Add(verdict, Outcome::kNo, ReasonCode::kDependencyMissing, "Namespace " + claim.key.ns,
      fmt::format("{} {} asks for admin access, and the namespace lacks the label {}=true there",
                  kind, claim.key.ToString(), kAdminAccessLabel));
}

std::string NameOf(const ObjectKey& claim_template) {
  return "ResourceClaimTemplate " + claim_template.ToString();
}

void CompareWithManager(const ClaimSummary& copy, const ExistenceOptions& options,
                        verdict::Verdict& verdict, Notes& notes) {
  if (options.drift == Drift::kIgnore || options.manager_templates == nullptr) return;
  const auto original = options.manager_templates->Find(copy.key);
  if (original == nullptr || original->spec == copy.spec) return;
  const std::string object = NameOf(copy.key);
  std::string message = fmt::format("{} differs from the manager's: {}", object,
                                    TemplateDifference(copy.spec, original->spec));
  if (options.drift == Drift::kRequire) {
    Add(verdict, Outcome::kNo, ReasonCode::kTemplateDrift, object, std::move(message));
  } else {
    notes.push_back({ReasonCode::kTemplateDrift, object, std::move(message)});
  }
}

std::shared_ptr<const ClaimSummary> Original(const ObjectKey& key,
                                             const ExistenceOptions& options) {
  if (!options.copies_templates || options.manager_templates == nullptr) return nullptr;
  return options.manager_templates->Find(key);
}

// Why a template that the worker lacks is not copied there, behind "... does not exist there".
std::string WhyNoCopy(const ObjectKey& key, const ExistenceOptions& options) {
  if (options.manager_templates == nullptr) return {};
  // Copying would not help when there is nothing to copy.
  if (!options.copies_templates && options.manager_templates->Find(key) != nullptr) return {};
  const auto silent =
      WhySilent(options.manager_templates->health(), "resourceclaimtemplates.resource.k8s.io");
  if (silent && !options.copies_templates) return {};
  return silent ? ", and the manager's are not known: " + silent->message : ", nor on the manager";
}

// A template that the worker lacks: the manager's, when the worker gets a copy of it. Otherwise
// adds the reason and returns null.
std::shared_ptr<const ClaimSummary> CopyOf(const ObjectKey& key, const ExistenceOptions& options,
                                           verdict::Verdict& verdict, Notes& notes) {
  const std::string object = NameOf(key);
  const std::string missing = object + " does not exist there";
  auto original = Original(key, options);
  if (original == nullptr) {
    Add(verdict, Outcome::kNo, ReasonCode::kTemplateMissing, object,
        missing + WhyNoCopy(key, options));
    return nullptr;
  }
  if (const auto refused = options.refused_copies.find(key.name);
      refused != options.refused_copies.end()) {
    Add(verdict, Outcome::kNo, refused->second.code, object, refused->second.message);
    return nullptr;
  }
  notes.push_back({ReasonCode::kTemplateMissing, object,
                   missing + "; the manager's is copied there together with the job"});
  return original;
}

void VerifyTemplate(const ObjectKey& key, const WorkerView& worker, const ExistenceOptions& options,
                    verdict::Verdict& verdict, Notes& notes) {
  auto used = worker.templates.Find(key);
  if (used != nullptr) {
    CompareWithManager(*used, options, verdict, notes);
  } else if (CanTell(worker.templates.health(), "resourceclaimtemplates.resource.k8s.io",
                     verdict)) {
    used = CopyOf(key, options, verdict, notes);
  }
  if (used == nullptr) return;
  RequireAdminAccess(*used, "ResourceClaimTemplate", worker, verdict);
  RequireClasses(*used, "ResourceClaimTemplate", worker, verdict);
  RequireCapabilities(*used, "ResourceClaimTemplate", worker, options, verdict, notes);
}

void VerifyQueue(const tracking::Requirement& requirement, const WorkerView& worker,
                 verdict::Verdict& verdict) {
  const ObjectKey key{requirement.ns, requirement.queue};
  const auto queue = Require(worker.queues, key, "LocalQueue", "localqueues.kueue.x-k8s.io",
                             ReasonCode::kQueueMissing, verdict);
  if (queue == nullptr || queue->active) return;
  if (auto stop = StopOf(*queue, worker.cluster_queues)) {
    return Add(verdict, Outcome::kNo, ReasonCode::kQueueStopped, std::move(stop->object),
               std::move(stop->text));
  }
  Add(verdict, Outcome::kNo, ReasonCode::kQueueInactive, "LocalQueue " + key.ToString(),
      fmt::format("LocalQueue {} is not active: {}", key.ToString(),
                  Cut(queue->why_inactive, kMaxWords)));
}

void VerifyClaims(const tracking::Requirement& requirement, const WorkerView& worker,
                  const ExistenceOptions& options, verdict::Verdict& verdict, Notes& notes) {
  const bool uses_devices =
      !requirement.TemplateNames().empty() || !requirement.ClaimNames().empty();
  if (uses_devices && worker.templates.health().state == CacheState::kNotServed) {
    const bool old = !worker.dra_versions.empty();
    Add(verdict, Outcome::kNo, old ? ReasonCode::kApiVersionOld : ReasonCode::kApiMissing,
        "resource.k8s.io",
        old ? fmt::format("the API server serves only resource.k8s.io/{}",
                          worker.dra_versions.front())
            : std::string("the API server does not serve resource.k8s.io"));
    return;
  }
  for (const std::string& name : requirement.TemplateNames())
    VerifyTemplate({requirement.ns, name}, worker, options, verdict, notes);
  for (const std::string& name : requirement.ClaimNames()) {
    const auto found =
        Require(worker.claims, {requirement.ns, name}, "ResourceClaim",
                "resourceclaims.resource.k8s.io", ReasonCode::kClaimMissing, verdict);
    if (found == nullptr) continue;
    RequireAdminAccess(*found, "ResourceClaim", worker, verdict);
    RequireClasses(*found, "ResourceClaim", worker, verdict);
    RequireCapabilities(*found, "ResourceClaim", worker, options, verdict, notes);
  }
}

// Ours, of whatever incarnation, is removed or reused by placement; the rest is never touched.
void VerifyNames(const WorkerView& worker, verdict::Verdict& verdict) {
  for (const SameName& there : worker.same_names) {
    if (tracking::IsOurs(there.whose)) continue;
    const bool other = there.whose == tracking::Ownership::kOtherManager;
    Add(verdict, Outcome::kNo, ReasonCode::kNameConflict, there.object,
        fmt::format("a {} {} exists there", there.object,
                    other ? "that another manager's fedra made" : "that is not ours"));
  }
}

// Where Workloads or jobs cannot be read, a copy could not be followed. False without Kueue:
// nothing else counts then.
bool CanHoldCopies(const tracking::Requirement& requirement, const WorkerView& worker,
                   verdict::Verdict& verdict) {
  if (!CanTell(worker.clones, "workloads.kueue.x-k8s.io", verdict) &&
      worker.clones.state == CacheState::kNotServed)
    return false;
  if (worker.jobs.state == CacheState::kNotServed) {
    Add(verdict, Outcome::kNo, ReasonCode::kKindMissing, requirement.kind,
        fmt::format("the API server does not serve {}", requirement.kind));
  } else {
    CanTell(worker.jobs, worker.job_plural, verdict);
  }
  return true;
}

}  // namespace

std::vector<SameName> SameNames(const std::string& kind, const tracking::Workload* clone,
                                tracking::Ownership clone_is, const tracking::Job* job,
                                tracking::Ownership job_is) {
  std::vector<SameName> names;
  if (job != nullptr) names.push_back({kind + " " + job->key.ToString(), job_is});
  if (clone != nullptr) names.push_back({"Workload " + clone->key.ToString(), clone_is});
  return names;
}

Reason ConnectionReason(const ConnectionState& connection) {
  const std::string why = connection.why ? Cut(connection.why->message, kMaxWords) : std::string();
  const ErrorCode code = connection.why ? connection.why->code : ErrorCode::kConnection;
  switch (connection.phase) {
    case ConnectionPhase::kMisconfigured:
      return {ReasonCode::kClusterMisconfigured, "", why};
    case ConnectionPhase::kRejected:
      if (code == ErrorCode::kTlsUntrusted) return {ReasonCode::kCertificateUntrusted, "", why};
      if (code == ErrorCode::kForbidden) return {ReasonCode::kForbidden, "", why};
      return {ReasonCode::kCredentialsRejected, "", why};
    case ConnectionPhase::kConnecting:
      return {ReasonCode::kStaleData, "", "connecting for the first time"};
    case ConnectionPhase::kUnreachable:
    case ConnectionPhase::kConnected:
      break;
  }
  return {ReasonCode::kClusterUnreachable, "",
          fmt::format("no contact since {} ({})", FormatRfc3339(connection.since), why)};
}

verdict::Verdict VerifyExistence(const tracking::Requirement& requirement, const WorkerView& worker,
                                 const ExistenceOptions& options) {
  verdict::Verdict verdict{.outcome = Outcome::kYes,
                           .alternatives = {},
                           .pods_fitting = 0,
                           .pods_wanted = 0,  // counted where devices are judged
                           .headroom = 0,
                           .reasons = {}};
  if (worker.connection.phase != ConnectionPhase::kConnected) {
    verdict.outcome = Outcome::kUnknown;
    verdict.reasons.push_back(ConnectionReason(worker.connection));
    return verdict;
  }
  if (!requirement.unreadable.empty()) {
    Add(verdict, Outcome::kUnknown, ReasonCode::kStaleData, "",
        fmt::format("the Workload cannot be read: {}", requirement.unreadable));
    return verdict;
  }
  if (!CanHoldCopies(requirement, worker, verdict)) return verdict;
  const auto ns = Require(worker.namespaces, {"", requirement.ns}, "Namespace", "namespaces",
                          ReasonCode::kNamespaceMissing, verdict);
  if (ns != nullptr && ns->terminating) {
    Add(verdict, Outcome::kNo, ReasonCode::kNamespaceMissing, "Namespace " + requirement.ns,
        fmt::format("Namespace {} is being deleted there", requirement.ns));
  }
  // Without the namespace nothing in it can exist: one reason says it all.
  if (ns == nullptr && verdict.outcome == Outcome::kNo) return verdict;
  if (!requirement.queue.empty()) VerifyQueue(requirement, worker, verdict);
  Notes notes;
  VerifyClaims(requirement, worker, options, verdict, notes);
  VerifyNames(worker, verdict);
  // A note never hides a refusal.
  verdict.reasons.insert(verdict.reasons.end(), std::make_move_iterator(notes.begin()),
                         std::make_move_iterator(notes.end()));
  return verdict;
}

TemplatesToCome CopiesToCome(const tracking::Requirement& requirement, const WorkerView& worker,
                             const ExistenceOptions& options) {
  std::vector<std::shared_ptr<const ClaimSummary>> copies;
  if (!options.copies_templates) return copies;
  for (const std::string& name : requirement.TemplateNames()) {
    const ObjectKey key{requirement.ns, name};
    if (worker.templates.Find(key) != nullptr) continue;
    if (auto original = Original(key, options)) copies.push_back(std::move(original));
  }
  return copies;
}

}  // namespace fedra::verify
