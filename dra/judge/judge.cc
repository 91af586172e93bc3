#include "dra/judge/judge.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dra/judge/attempt.h"
#include "dra/judge/order_question.h"
#include "dra/judge/placement_question.h"

namespace fedra::dra {

using verdict::Outcome;
using verdict::Reason;
using verdict::ReasonCode;
using verdict::Verdict;

namespace {

// Enough for what is likely, and bounded for what is not: then nothing is said about waiting.
constexpr uint64_t kFreeClusterSteps = 200'000;

// Whether devices that others have are what the pods lack.
bool LacksDevicesInUse(const Verdict& verdict) {
  using enum ReasonCode;
  return verdict.outcome == Outcome::kNo &&
         std::any_of(verdict.reasons.begin(), verdict.reasons.end(), [](const Reason& reason) {
           return reason.code == kDevicesAllocated || reason.code == kCountersExhausted ||
                  reason.code == kCapacityExhausted;
         });
}

// All that waiting could bring: no claim is allocated, no job is assumed, no pod runs.
Judgement JudgeFree(const std::string& ns, std::span<const PodDemand> demands,
                    const Snapshot& snapshot, JudgeCaches caches, const JudgeOptions& options) {
  std::shared_ptr<const Snapshot> free;
  if (caches.memory != nullptr) {
    const auto& known = caches.memory->WithFreePools(snapshot);
    free = known.snapshot;
    caches.memory = known.memory.get();
  } else {
    free = snapshot.WithFreePools(nullptr);
  }
  for (const PodDemand& demand : demands) {
    for (const ClaimReference& reference : demand.claims) {
      for (const std::string* name : {&reference.claim_name, &reference.group_claim}) {
        if (name->empty()) continue;
        free = free->WithoutAllocation({.ns = ns, .name = *name});
        caches.memory = nullptr;  // it is about the other one
      }
    }
  }
  JudgeOptions less;
  less.limits.max_steps = std::min(options.limits.max_steps, kFreeClusterSteps);
  less.max_pods = options.max_pods;
  less.node_resources = options.node_resources;
  SearchCost cost;
  return TryNodes({ns, demands, less}, *free, caches, cost, {}).judgement;
}

void SayByOrder(OrderEffect effect, const AllocatorFeatures& features, Verdict& verdict) {
  verdict::ReleaseDoubt doubt{.kind = verdict::ReleaseDoubt::Kind::kCounts,
                              .release = std::string(cel::ToString(features.release)),
                              .fields = {}};
  switch (effect) {
    case OrderEffect::kNone:
      return;
    case OrderEffect::kCounts:
      verdict.reasons.push_back({ReasonCode::kPodsDoNotFit, "", std::move(doubt)});
      return;
    case OrderEffect::kVerdict:
      doubt.kind = verdict::ReleaseDoubt::Kind::kOrder;
      verdict.outcome = Outcome::kUnknown;
      verdict.fits_when_free = false;
      verdict.reasons.insert(verdict.reasons.begin(),
                             {ReasonCode::kReleaseUnverified, "", std::move(doubt)});
  }
}

// `pods`: of the job, in the way of others. That the worker has too little for them is then no
// cause.
void SayByPlacement(verdict::EarlierPods pods, Verdict& verdict) {
  if (pods.by_chance) {
    verdict.outcome = Outcome::kUnknown;
    verdict.fits_when_free = false;
  }
  std::erase_if(verdict.reasons, [](const Reason& reason) {
    return reason.code == ReasonCode::kNotEnoughDevices ||
           reason.code == ReasonCode::kNodesTooSmall;
  });
  const std::string object = "pod set " + pods.pod_set;
  verdict.reasons.insert(verdict.reasons.begin(),
                         {ReasonCode::kPodPlacement, object, std::move(pods)});
}

// What is not looked at, beside a Yes.
void NoteUnread(const Question& question, Verdict& verdict) {
  if (verdict.outcome != Outcome::kYes) return;
  const std::set<std::string>* repelled = question.options.repelled;
  const bool may_be_repelled =
      repelled != nullptr && (repelled->contains(question.ns) || repelled->contains("*"));
  for (const PodDemand& demand : question.demands) {
    std::vector<std::string> fields = demand.unread;
    if (may_be_repelled) fields.emplace_back("affinity.podAntiAffinity of running pods");
    if (fields.empty()) continue;
    verdict.reasons.push_back(
        {ReasonCode::kPodUnverified, "pod set " + demand.name,
         verdict::PodTerms{.pod_set = demand.name, .fields = std::move(fields)}});
  }
}

// Whatever is said of devices is said by another release's rules.
void NoteRelease(const AllocatorFeatures& features, Verdict& verdict) {
  if (features.unknown_version.empty()) return;
  verdict.reasons.push_back(
      {ReasonCode::kReleaseUnknown, "",
       verdict::ReleaseDoubt{.kind = verdict::ReleaseDoubt::Kind::kNearest,
                             .release = std::string(cel::ToString(features.release)),
                             .fields = {},
                             .version = features.unknown_version}});
}

}  // namespace

Judgement Judge(const std::string& ns, std::span<const PodDemand> demands, const Snapshot& snapshot,
                JudgeCaches caches, const JudgeOptions& options) {
  caches.matches.Trim(snapshot);
  SearchCost cost;
  std::optional<Judgement> with_all_free;
  const AskFreeCluster free_cluster = [&, caches]() -> const Judgement& {
    if (!with_all_free) with_all_free = JudgeFree(ns, demands, snapshot, caches, options);
    return *with_all_free;
  };
  const Question question{ns, demands, options};
  const AttemptOptions how{.free_cluster = &free_cluster};
  JudgeCaches of_changed = caches;
  of_changed.memory = nullptr;  // it remembers the cluster as it is
  std::shared_ptr<const Snapshot> changed;
  const auto without = [&](const ObjectKey& claim) {
    changed = (changed ? *changed : snapshot).WithoutAllocation(claim);
    return TryNodes(question, *changed, of_changed, cost, how);
  };
  Attempt attempt = TryNodes(question, snapshot, caches, cost, how);
  while (attempt.idle_claim) attempt = without(*attempt.idle_claim);
  if (attempt.claim_taken_back_later) {
    Attempt later = without(*attempt.claim_taken_back_later);
    while (const auto& claim = later.idle_claim ? later.idle_claim : later.claim_taken_back_later)
      later = without(*claim);
    // Where all would fit, the pods that failed have bound the claim to their node by what they
    // left allocated there. Which pod is tried next is chance, so this is no Yes.
    if (later.judgement.verdict.outcome == Outcome::kNo) attempt = std::move(later);
  }
  Verdict& verdict = attempt.judgement.verdict;
  verdict.fits_when_free =
      LacksDevicesInUse(verdict) && free_cluster().verdict.outcome == Outcome::kYes;
  if (verdict.outcome != Outcome::kUnknown)
    SayByOrder(EffectOfOrder(question, attempt, snapshot, caches).effect, snapshot.features(),
               verdict);
  if (auto earlier = changed ? EffectOfPlacement(question, attempt, *changed, of_changed)
                             : EffectOfPlacement(question, attempt, snapshot, caches))
    SayByPlacement(*std::move(earlier), verdict);
  NoteUnread(question, verdict);
  NoteRelease(snapshot.features(), verdict);
  return std::move(attempt.judgement);
}

}  // namespace fedra::dra
