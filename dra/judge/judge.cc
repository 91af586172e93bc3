#include "dra/judge/judge.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dra/judge/node_choice.h"
#include "dra/judge/simulation.h"
#include "dra/model/node_view.h"

namespace fedra::dra {

using verdict::Outcome;
using verdict::Reason;
using verdict::ReasonCode;
using verdict::Verdict;

namespace {

// Enough for what is likely, and bounded for what is not: then nothing is said about waiting.
constexpr uint64_t kFreeClusterSteps = 200'000;
// What the nodes cost that an attempt looks at, apart from searching.
constexpr size_t kNodesPerStep = 64;

struct Attempt {
  Judgement judgement;
  std::optional<ObjectKey> idle_claim;              // must lose its allocation before anything fits
  std::optional<ObjectKey> claim_taken_back_later;  // loses it once pods could not be bound
  std::vector<SharedChoice> choices;
  std::vector<ObjectKey> contested;  // claims that keep pods out, by the nodes that they are on
  bool certain = false;              // other pods do not fit for reasons of their own
  int assumed_fitting = 0;
};

Attempt RunAttempt(const std::string& ns, std::span<const PodDemand> demands,
                   const Snapshot& snapshot, JudgeCaches caches, const JudgeOptions& options,
                   SearchCost& cost, const Simulation::Options& how) {
  Simulation simulation(ns, snapshot, caches, options, cost, how);
  if (options.assumed != nullptr) {
    for (const AssumedPods& pods : *options.assumed) simulation.Assume(pods);
  }
  Attempt attempt;
  Verdict& verdict = attempt.judgement.verdict;
  verdict.outcome = Outcome::kYes;
  for (const PodDemand& demand : demands) {
    PodSetResult result = simulation.Place(demand);
    verdict.pods_wanted += demand.count;
    verdict.pods_fitting += result.report.fitting;
    verdict.headroom += result.headroom;
    verdict.outcome = std::max(verdict.outcome, result.outcome);
    for (const ChosenAlternative& chosen : result.report.alternatives)
      verdict.alternatives.push_back(chosen.index);
    attempt.certain |= result.report.fitting < demand.count && result.contested.empty();
    attempt.contested.insert(attempt.contested.end(), result.contested.begin(),
                             result.contested.end());
    for (Reason& reason : result.reasons)
      if (std::find(verdict.reasons.begin(), verdict.reasons.end(), reason) ==
          verdict.reasons.end())
        verdict.reasons.push_back(std::move(reason));
    attempt.judgement.pod_sets.push_back(std::move(result.report));
  }
  attempt.idle_claim = simulation.idle_claim();
  attempt.claim_taken_back_later = simulation.claim_taken_back_later();
  attempt.choices = simulation.choices();
  attempt.assumed_fitting = simulation.assumed_fitting();
  return attempt;
}

bool IsBetter(const Attempt& a, const Attempt& b) {
  const auto key = [](const Attempt& attempt) {
    return std::pair(attempt.assumed_fitting, attempt.judgement.verdict.pods_fitting);
  };
  return key(a) > key(b);
}

// Another node for the shared claims might have held all pods: a No is not proven.
void Downgrade(Attempt& attempt, const SearchCost& cost) {
  Verdict& verdict = attempt.judgement.verdict;
  if (verdict.outcome != Outcome::kNo) return;
  const std::string object = "ResourceClaim " + attempt.contested.front().ToString();
  verdict.outcome = Outcome::kUnknown;
  verdict.reasons.insert(verdict.reasons.begin(),
                         {ReasonCode::kBudgetExceeded, object,
                          verdict::SearchLimit{.kind = verdict::SearchLimit::Kind::kSharedClaim,
                                               .where = object,
                                               .steps = cost.steps}});
}

// RunAttempt(), with other nodes for the claims that pods share when not all pods fit. `explain`:
// as in Simulation::Options.
Attempt TryNodes(const std::string& ns, std::span<const PodDemand> demands,
                 const Snapshot& snapshot, JudgeCaches caches, const JudgeOptions& options,
                 SearchCost& cost, const AskFreeCluster* free_cluster, bool explain = true) {
  const auto run = [&](const ExcludedNodes& excluded, bool explains) {
    return RunAttempt(ns, demands, snapshot, caches, options, cost,
                      {.excluded = excluded, .explain = explains, .free_cluster = free_cluster});
  };
  Attempt first = run({}, explain);
  if (first.idle_claim || first.certain || first.contested.empty()) return first;
  NodeChoice choice;
  const Attempt* last = &first;
  Attempt dry, best;
  std::optional<ExcludedNodes> excluded, best_excluded;
  while ((excluded = choice.Next(last->choices, last->contested)) &&
         cost.steps < options.limits.max_steps) {
    dry = run(*excluded, false);
    cost.steps += 1 + snapshot.nodes().size() / kNodesPerStep;
    last = &dry;
    if (!IsBetter(dry, best_excluded ? best : first)) continue;
    best = dry;
    best_excluded = excluded;
    const Verdict& verdict = dry.judgement.verdict;
    if (verdict.pods_fitting == verdict.pods_wanted) break;
  }
  if (cost.steps >= options.limits.max_steps) {
    Downgrade(first, cost);
    return first;
  }
  return best_excluded ? run(*best_excluded, explain) : first;
}

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
  return TryNodes(ns, demands, *free, caches, less, cost, nullptr).judgement;
}

bool AllFit(const Attempt& attempt) {
  const Verdict& verdict = attempt.judgement.verdict;
  return verdict.pods_fitting == verdict.pods_wanted;
}

// Whether the pods would fit in one order of the pools and slices and not in another.
class OrderQuestion final {
 public:
  OrderQuestion(const std::string& ns, std::span<const PodDemand> demands, JudgeCaches caches,
                const JudgeOptions& options)
      : ns_(ns), demands_(demands), caches_(caches), options_(options) {}

  // `answer`: on this snapshot, in the order by name. Orders that take too long tell nothing.
  bool DecidesAgainst(const Attempt& answer, const Snapshot& snapshot) const {
    const uint32_t orders = OrdersOf(snapshot);
    for (uint32_t number = 1; number < orders; ++number) {
      SearchCost cost;
      const Attempt other = In(*snapshot.WithOrder(number), cost);
      const bool is_known = AllFit(other) || cost.steps < options_.limits.max_steps;
      if (is_known && AllFit(other) != AllFit(answer)) return true;
    }
    return false;
  }

 private:
  Attempt In(const Snapshot& snapshot, SearchCost& cost) const {
    Attempt attempt = TryNodes(ns_, demands_, snapshot, caches_, options_, cost, nullptr, false);
    std::shared_ptr<const Snapshot> changed;
    JudgeCaches caches = caches_;
    caches.memory = nullptr;  // it remembers the cluster as it is
    while (attempt.idle_claim) {
      changed = (changed ? *changed : snapshot).WithoutAllocation(*attempt.idle_claim);
      attempt = TryNodes(ns_, demands_, *changed, caches, options_, cost, nullptr, false);
    }
    return attempt;
  }

  const std::string& ns_;
  const std::span<const PodDemand> demands_;
  const JudgeCaches caches_;
  const JudgeOptions& options_;
};

void DoubtOrder(const AllocatorFeatures& features, Verdict& verdict) {
  verdict.outcome = Outcome::kUnknown;
  verdict.fits_when_free = false;
  verdict.reasons.insert(
      verdict.reasons.begin(),
      {ReasonCode::kReleaseUnverified, "",
       verdict::ReleaseDoubt{.kind = verdict::ReleaseDoubt::Kind::kOrder,
                             .release = std::string(cel::ToString(features.release)),
                             .fields = {}}});
}

// What is not looked at, beside a Yes.
void NoteUnread(std::span<const PodDemand> demands, Verdict& verdict) {
  if (verdict.outcome != Outcome::kYes) return;
  for (const PodDemand& demand : demands) {
    if (demand.unread.empty()) continue;
    verdict.reasons.push_back({ReasonCode::kPodUnverified, "pod set " + demand.name,
                               verdict::PodTerms{.pod_set = demand.name, .fields = demand.unread}});
  }
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
  const OrderQuestion order(ns, demands, caches, options);
  std::shared_ptr<const Snapshot> changed;
  const auto without = [&](const ObjectKey& claim) {
    changed = (changed ? *changed : snapshot).WithoutAllocation(claim);
    caches.memory = nullptr;  // it remembers the cluster as it is
    return TryNodes(ns, demands, *changed, caches, options, cost, &free_cluster);
  };
  Attempt attempt = TryNodes(ns, demands, snapshot, caches, options, cost, &free_cluster);
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
  if (verdict.outcome != Outcome::kUnknown && order.DecidesAgainst(attempt, snapshot))
    DoubtOrder(snapshot.features(), verdict);
  NoteUnread(demands, verdict);
  return std::move(attempt.judgement);
}

}  // namespace fedra::dra
