#include "manager/verify/verify.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "manager/verify/devices.h"
#include "manager/verify/reason_order.h"
#include "verdict/quoted.h"

namespace fedra::verify {
namespace {

using verdict::Outcome;
using verdict::ReasonCode;

// What Kueue adds to the message of a cluster that is not Active, and what changes with each
// attempt (pkg/controller/admissionchecks/multikueue/multikueuecluster.go, 0.19.2).
constexpr std::string_view kAttempts = "; connection attempts:";

WorkerView ViewOf(const Subject& subject, const WorkerObjects& worker, const WorkerFacts& facts) {
  const tracking::JobAdapter* adapter = subject.adapter;
  return {
      .connection = facts.connection,
      .namespaces = worker.namespaces(),
      .queues = worker.queues(),
      .cluster_queues = worker.cluster_queues(),
      .templates = worker.templates().cache(),
      .claims = worker.claims(),
      .classes = worker.classes(),
      .clones = worker.clones().cache().health(),
      .jobs = adapter == nullptr ? watch::CacheHealth() : worker.jobs(*adapter).cache().health(),
      .job_plural = adapter == nullptr ? std::string() : adapter->resource().plural,
      .references = adapter == nullptr ? nullptr : &worker.references(*adapter),
      .namesakes = subject.namesakes,
      .capabilities = facts.capabilities,
      .dra_versions = facts.dra_versions};
}

// A pod template that cannot be read may need some.
bool NeedsDevices(const Subject& subject) {
  return subject.requirement.demands == nullptr ||
         tracking::NeedDevices(*subject.requirement.demands);
}

// Whether the devices can be judged although something else is against the worker: then people
// learn of both at once. Without the objects that say what is wanted they cannot.
bool LeavesDevices(const verdict::Verdict& existence) {
  const auto leaves = [](const verdict::Reason& reason) {
    switch (reason.code) {
      case ReasonCode::kQueueMissing:
      case ReasonCode::kQueueInactive:
      case ReasonCode::kQueueStopped:
      case ReasonCode::kQueueCannotHold:
      case ReasonCode::kQueueFull:
      case ReasonCode::kNameConflict:
      case ReasonCode::kCapabilityUndeclared:
      case ReasonCode::kDependencyMissing:
        return true;
      default:
        return false;
    }
  };
  return existence.outcome == Outcome::kYes ||
         std::all_of(existence.reasons.begin(), existence.reasons.end(), leaves);
}

// What the quota of its Kueue means for the job: never, or not now.
void VerifyQuota(const Subject& subject, const WorkerObjects& worker, const Assumed& assumed,
                 Verified& result) {
  if (subject.requirement.demands == nullptr || subject.is_there) return;
  const auto queue = worker.queues().Find({subject.requirement.ns, subject.requirement.queue});
  if (queue == nullptr) return;
  const auto quota = worker.cluster_queues().Find({"", queue->cluster_queue});
  if (quota == nullptr) return;
  const IsDevice is_device = DevicesOf(worker);
  const auto combine = [&](Outcome outcome, verdict::Reason reason) {
    verdict::Verdict found;
    found.outcome = outcome;
    found.reasons.push_back(std::move(reason));
    result.verdict = Combine(std::move(result.verdict), std::move(found));
  };
  const tracking::Requirement& asks = subject.requirement;
  const tracking::Demands& counted = asks.counted == nullptr ? asks.demands : asks.counted;
  if (auto never = WhyCannotHold(*quota, *counted, is_device))
    return combine(Outcome::kNo, *std::move(never));
  if (subject.has_quota) return;
  const QuotaAmounts dispatched = assumed.quota ? assumed.quota(quota->name) : QuotaAmounts();
  auto full = WhyFull(*quota, *counted, is_device, dispatched);
  result.has_room = !full;
  if (full) combine(Outcome::kYes, *std::move(full));
}

void VerifyDevicesToo(const Subject& subject, const WorkerObjects& worker, const Assumed& assumed,
                      const TemplatesToCome& to_come, const VerifyOptions& options,
                      Verified& result) {
  const std::string& ns = subject.requirement.ns;
  dra::AssumedList others;
  if (assumed.pods) others = assumed.pods();
  verdict::Verdict existence = std::move(result.verdict);
  if (options.serving && subject.requirement.demands != nullptr)
    result.serving = worker.devices()->judge().Serving(ns, *subject.requirement.demands, to_come);
  if (options.in_detail) {
    dra::Judgement judgement =
        JudgeDevices(*worker.devices(), ns, subject.requirement.demands, others, to_come);
    result.devices_judged = !judgement.pod_sets.empty();
    result.pod_sets = std::move(judgement.pod_sets);
    result.verdict = std::move(judgement.verdict);
  } else {
    result.verdict =
        VerifyDevices(*worker.devices(), ns, subject.requirement.demands, others, to_come);
  }
  // Of two refusals the more fundamental one comes first.
  if (existence.outcome == result.verdict.outcome && existence.outcome != Outcome::kYes)
    existence.reasons.swap(result.verdict.reasons);
  result.verdict = Combine(std::move(result.verdict), std::move(existence));
}

}  // namespace

IsDevice DevicesOf(const WorkerObjects& worker) {
  return [&worker,
          extended = std::optional<std::set<std::string>>()](const std::string& resource) mutable {
    if (!extended) {
      extended.emplace();
      for (const auto& each : worker.classes().List()) extended->insert(each->extended_resource);
    }
    return extended->contains(resource);
  };
}

bool IsUsable(const WorkerObjects& worker, const tracking::JobAdapter& kind,
              const ConnectionState& connection) {
  const auto& jobs = worker.jobs(kind);
  return connection.phase == ConnectionPhase::kConnected &&
         worker.clones().cache().health().state == watch::CacheState::kSynced &&
         AreKnown(jobs, jobs.cache().health());
}

verdict::Reason WorkerRemoved() { return {ReasonCode::kWorkerRemoved, "", verdict::NotAllowed{}}; }

verdict::Reason WorkerCordoned(const tracking::Cordon& cordon) {
  return {ReasonCode::kWorkerCordoned, "", verdict::Cordoned{cordon.drains, cordon.reason}};
}

verdict::Reason ExcludedBy(const std::string& admission_check) {
  return {ReasonCode::kExcluded, "AdmissionCheck " + admission_check,
          verdict::NotAllowed{admission_check}};
}

verdict::Reason KueueDisconnected(const tracking::MultiKueueCluster* cluster) {
  using State = verdict::Connection::State;
  if (cluster == nullptr)
    return {ReasonCode::kKueueDisconnected, "",
            verdict::Connection{.state = State::kNoKueueCluster}};
  const auto& active = cluster->active.condition;
  std::string message = active ? active->message : std::string();
  message.resize(std::min(message.size(), message.find(kAttempts)));
  return {ReasonCode::kKueueDisconnected, "",
          verdict::Connection{.state = State::kKueueInactive,
                              .error = Cut(std::move(message), verdict::kMaxQuoted)}};
}

Verified Verify(const Subject& subject, const WorkerObjects& worker, const WorkerFacts& facts,
                const Assumed& assumed, const VerifyOptions& options) {
  Verified result;
  if (subject.not_allowed) {
    result.verdict.outcome = Outcome::kNo;
    result.verdict.reasons.push_back(*subject.not_allowed);
    return result;
  }
  const WorkerView there = ViewOf(subject, worker, facts);
  result.verdict = VerifyExistence(subject.requirement, there, options.existence);
  if (facts.connection.phase != ConnectionPhase::kConnected) return result;
  VerifyQuota(subject, worker, assumed, result);
  const DependencyIndex* dependencies = worker.dependencies();
  if (dependencies != nullptr)
    result.verdict = Combine(std::move(result.verdict), dependencies->Verify(subject.requirement));
  if (worker.devices() != nullptr && !subject.is_there && NeedsDevices(subject) &&
      LeavesDevices(result.verdict)) {
    VerifyDevicesToo(subject, worker, assumed, CopiesToCome(options.existence), options, result);
  }
  // Last: what kube-scheduler would say of the devices is asked nevertheless.
  if (dependencies != nullptr)
    result.verdict =
        Combine(std::move(result.verdict), dependencies->VerifySchedulers(subject.requirement));
  OrderReasons(result.verdict);
  return result;
}

}  // namespace fedra::verify
