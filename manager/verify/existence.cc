#include "manager/verify/existence.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "manager/verify/cache_status.h"
#include "manager/verify/difference.h"
#include "manager/verify/queue_stop.h"
#include "verdict/quoted.h"

namespace fedra::verify {
namespace {

using verdict::Outcome;
using verdict::Reason;
using verdict::ReasonCode;
using watch::CacheHealth;
using watch::CacheState;

// What does not stand against the worker but should be known.
using Notes = std::vector<Reason>;

void Add(verdict::Verdict& verdict, Outcome outcome, ReasonCode code, std::string object,
         verdict::Facts facts) {
  verdict.outcome = std::max(verdict.outcome, outcome);
  verdict.reasons.push_back({code, std::move(object), std::move(facts)});
}

verdict::Unreadable NotServed(const std::string& what) {
  return {.resource = what, .cause = verdict::Unreadable::Cause::kNotServed, .error = {}};
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
std::shared_ptr<const T> Require(const Cache<T>& cache, const ObjectKey& key, const char* kind,
                                 std::string_view plural, ReasonCode missing,
                                 verdict::Verdict& verdict) {
  auto found = cache.Find(key);
  if (found != nullptr) return found;
  if (CanTell(cache.health(), plural, verdict)) {
    Add(verdict, Outcome::kNo, missing, fmt::format("{} {}", kind, key.ToString()),
        verdict::Missing{.kind = kind, .key = key});
  }
  return nullptr;
}

void RequireClasses(const ClaimSummary& claim, std::string_view kind, const WorkerView& worker,
                    verdict::Verdict& verdict) {
  for (const std::string& name : claim.device_classes) {
    if (worker.classes.Find({"", name}) != nullptr) continue;
    if (!CanTell(worker.classes.health(), "deviceclasses.resource.k8s.io", verdict)) return;
    Add(verdict, Outcome::kNo, ReasonCode::kDeviceClassMissing, "DeviceClass " + name,
        verdict::Missing{.kind = "DeviceClass",
                         .key = {"", name},
                         .named_by = fmt::format("{} {}", kind, claim.key.ToString())});
  }
}

void RequireCapabilities(const ClaimSummary& claim, std::string_view kind, const WorkerView& worker,
                         const ExistenceOptions& options, verdict::Verdict& verdict, Notes& notes) {
  for (const std::string& name : claim.capabilities) {
    if (std::find(worker.capabilities.begin(), worker.capabilities.end(), name) !=
        worker.capabilities.end())
      continue;
    verdict::Undeclared facts{.claim = fmt::format("{} {}", kind, claim.key.ToString()),
                              .capability = name};
    if (options.rules.undeclared == Undeclared::kRequire) {
      Add(verdict, Outcome::kNo, ReasonCode::kCapabilityUndeclared, "capability " + name,
          std::move(facts));
    } else {
      notes.push_back({ReasonCode::kCapabilityUndeclared, "capability " + name, std::move(facts)});
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
      verdict::MissingLabel{.claim = fmt::format("{} {}", kind, claim.key.ToString()),
                            .label = std::string(kAdminAccessLabel)});
}

std::string NameOf(const ObjectKey& claim_template) {
  return "ResourceClaimTemplate " + claim_template.ToString();
}

void CompareWithManager(const ClaimSummary& copy, const ExistenceOptions& options,
                        verdict::Verdict& verdict, Notes& notes) {
  if (options.rules.drift == Drift::kIgnore || options.manager_templates == nullptr) return;
  const auto original = options.manager_templates->Find(copy.key);
  if (original == nullptr || original->spec == copy.spec) return;
  const std::string object = NameOf(copy.key);
  verdict::Drift drift = TemplateDrift(copy.spec, original->spec);
  drift.object = object;
  if (options.rules.drift == Drift::kRequire) {
    Add(verdict, Outcome::kNo, ReasonCode::kTemplateDrift, object, std::move(drift));
  } else {
    notes.push_back({ReasonCode::kTemplateDrift, object, std::move(drift)});
  }
}

std::shared_ptr<const ClaimSummary> Original(const ObjectKey& key,
                                             const ExistenceOptions& options) {
  if (!options.rules.copies_templates || options.manager_templates == nullptr) return nullptr;
  return options.manager_templates->Find(key);
}

// Why a template that the worker lacks is not copied there.
void AddWhyNoCopy(const ExistenceOptions& options, verdict::Missing& missing) {
  if (options.manager_templates == nullptr) return;
  // Copying would not help when there is nothing to copy.
  if (!options.rules.copies_templates && options.manager_templates->Find(missing.key) != nullptr)
    return;
  missing.unknown =
      UnreadableFrom(options.manager_templates->health(), "resourceclaimtemplates.resource.k8s.io");
  if (!missing.unknown)
    missing.copy = verdict::Missing::Copy::kNowhere;
  else if (options.rules.copies_templates)
    missing.copy = verdict::Missing::Copy::kUnknown;
  else
    missing.unknown.reset();
}

// A template that the worker lacks: the manager's, when the worker gets a copy of it. Otherwise
// adds the reason and returns null.
std::shared_ptr<const ClaimSummary> CopyOf(const ObjectKey& key, const ExistenceOptions& options,
                                           verdict::Verdict& verdict, Notes& notes) {
  const std::string object = NameOf(key);
  verdict::Missing missing{.kind = "ResourceClaimTemplate", .key = key};
  auto original = Original(key, options);
  if (original == nullptr) {
    AddWhyNoCopy(options, missing);
    Add(verdict, Outcome::kNo, ReasonCode::kTemplateMissing, object, std::move(missing));
    return nullptr;
  }
  if (const auto refused = options.refused_copies.find(key.name);
      refused != options.refused_copies.end()) {
    Add(verdict, Outcome::kNo, refused->second.code, object, refused->second.facts);
    return nullptr;
  }
  missing.copy = verdict::Missing::Copy::kComes;
  notes.push_back({ReasonCode::kTemplateMissing, object, std::move(missing)});
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
  if (auto stopped = StopOf(*queue, worker.cluster_queues)) {
    std::string first = stopped->stops.front().queue;
    return Add(verdict, Outcome::kNo, ReasonCode::kQueueStopped, std::move(first),
               *std::move(stopped));
  }
  const std::string object = "LocalQueue " + key.ToString();
  Add(verdict, Outcome::kNo, ReasonCode::kQueueInactive, object,
      verdict::QueueInactive{.queue = object,
                             .error = Cut(queue->why_inactive, verdict::kMaxQuoted)});
}

void VerifyClaims(const tracking::Requirement& requirement, const WorkerView& worker,
                  const ExistenceOptions& options, verdict::Verdict& verdict, Notes& notes) {
  const bool uses_devices =
      !requirement.TemplateNames().empty() || !requirement.ClaimNames().empty();
  if (uses_devices && worker.templates.health().state == CacheState::kNotServed) {
    const std::string group = "resource.k8s.io";
    if (worker.dra_versions.empty())
      return Add(verdict, Outcome::kNo, ReasonCode::kApiMissing, group, NotServed(group));
    return Add(verdict, Outcome::kNo, ReasonCode::kApiVersionOld, group,
               verdict::ApiVersion{.group = group, .served = worker.dra_versions.front()});
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
  for (const Namesake& there : worker.namesakes) {
    if (tracking::IsOurs(there.whose)) continue;
    Add(verdict, Outcome::kNo, ReasonCode::kNameConflict, there.object,
        verdict::NameTaken{.object = there.object,
                           .by_other_manager = there.whose == tracking::Ownership::kOtherManager});
  }
}

// Where Workloads or jobs cannot be read, a copy could not be followed. False without Kueue:
// nothing else counts then.
bool CanHoldCopies(const tracking::Requirement& requirement, const WorkerView& worker,
                   verdict::Verdict& verdict) {
  if (!CanTell(worker.clones, "workloads.kueue.x-k8s.io", verdict) &&
      worker.clones.state == CacheState::kNotServed)
    return false;
  if (worker.job_plural.empty()) return true;
  if (worker.jobs.state == CacheState::kNotServed) {
    Add(verdict, Outcome::kNo, ReasonCode::kKindMissing, requirement.kind,
        NotServed(requirement.kind));
  } else {
    CanTell(worker.jobs, worker.job_plural, verdict);
  }
  return true;
}

}  // namespace

Reason ConnectionReason(const ConnectionState& connection) {
  using State = verdict::Connection::State;
  const std::string why =
      connection.why ? Cut(connection.why->message, verdict::kMaxQuoted) : std::string();
  const ErrorCode code = connection.why ? connection.why->code : ErrorCode::kConnection;
  switch (connection.phase) {
    case ConnectionPhase::kMisconfigured:
      return {ReasonCode::kClusterMisconfigured, "", verdict::Connection{.error = why}};
    case ConnectionPhase::kRejected:
      return {code == ErrorCode::kTlsUntrusted ? ReasonCode::kCertificateUntrusted
              : code == ErrorCode::kForbidden  ? ReasonCode::kForbidden
                                               : ReasonCode::kCredentialsRejected,
              "", verdict::Connection{.error = why}};
    case ConnectionPhase::kConnecting:
      return {ReasonCode::kStaleData, "", verdict::Connection{.state = State::kConnecting}};
    case ConnectionPhase::kUnreachable:
    case ConnectionPhase::kConnected:
      break;
  }
  return {ReasonCode::kClusterUnreachable, "",
          verdict::Connection{.state = State::kLost, .error = why, .since = connection.since}};
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
        verdict::Unreadable{.resource = "Workload",
                            .cause = verdict::Unreadable::Cause::kMalformed,
                            .error = requirement.unreadable});
    return verdict;
  }
  if (!CanHoldCopies(requirement, worker, verdict)) return verdict;
  const auto ns = Require(worker.namespaces, {"", requirement.ns}, "Namespace", "namespaces",
                          ReasonCode::kNamespaceMissing, verdict);
  if (ns != nullptr && ns->terminating) {
    Add(verdict, Outcome::kNo, ReasonCode::kNamespaceMissing, "Namespace " + requirement.ns,
        verdict::Missing{.kind = "Namespace", .key = {"", requirement.ns}, .being_deleted = true});
  }
  // Without the namespace nothing in it can exist: one reason says it all.
  if (ns == nullptr && verdict.outcome == Outcome::kNo) return verdict;
  if (!requirement.queue.empty()) VerifyQueue(requirement, worker, verdict);
  Notes notes;
  VerifyClaims(requirement, worker, options, verdict, notes);
  if (worker.references != nullptr) {
    VerifyReferences(requirement, *worker.references, options.manager_references,
                     options.rules.drift, verdict, notes);
  }
  VerifyNames(worker, verdict);
  // A note never hides a refusal.
  verdict.reasons.insert(verdict.reasons.end(), std::make_move_iterator(notes.begin()),
                         std::make_move_iterator(notes.end()));
  return verdict;
}

TemplatesToCome CopiesToCome(const ExistenceOptions& options) {
  if (!options.rules.copies_templates || options.manager_templates == nullptr) return nullptr;
  return [originals = options.manager_templates](const ObjectKey& key) {
    return originals->Find(key);
  };
}

}  // namespace fedra::verify
