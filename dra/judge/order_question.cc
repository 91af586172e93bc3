#include "dra/judge/order_question.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "dra/judge/job_asks.h"
#include "dra/judge/order_draws.h"

namespace fedra::dra {
namespace {

// What one way costs, apart from searching: for each pod that is wanted, and for so many nodes.
constexpr uint64_t kStepsPerPod = 8;
constexpr size_t kNodesPerStep = 16;
// What all ways together may cost, in steps that the answer itself may take.
constexpr uint64_t kTimesTheSteps = 3;

// The cluster after claims have lost their allocation, and what is remembered of it.
struct Changed {
  std::shared_ptr<const Snapshot> snapshot;
  JudgeMemory memory = {};
};

class OrderQuestion final {
 public:
  OrderQuestion(const Question& question, const Attempt& answer, const Snapshot& snapshot,
                JudgeCaches caches)
      : question_(question), answer_(answer), snapshot_(snapshot), caches_(caches) {}

  OrderFinding PlayOut(OrderDraws& draws);

 private:
  // Absent: it takes too long.
  std::optional<Attempt> TryOneWay(OrderDraws& draws);
  // Whether the nodes have no room for the pods of some set, alone and without their devices.
  bool LacksRoom() const;
  bool SaysNo() const { return answer_.judgement.verdict.outcome == verdict::Outcome::kNo; }

  const Question& question_;
  const Attempt& answer_;
  const Snapshot& snapshot_;
  const JudgeCaches caches_;
  uint64_t steps_ = 0;                                 // of all ways so far
  std::map<std::vector<ObjectKey>, Changed> changed_;  // by the claims, in order
};

std::optional<Attempt> OrderQuestion::TryOneWay(OrderDraws& draws) {
  // Each way has a cost of its own: what it decides by the steps that are left, it decides again
  // when it is gone again. From the half of them on it may do so.
  const uint64_t most = question_.options.limits.max_steps;
  SearchCost cost;
  const AttemptOptions how{.explain = false, .draws = &draws};
  Attempt attempt = TryNodes(question_, snapshot_, caches_, cost, how);
  std::vector<ObjectKey> claims;
  const Snapshot* before = &snapshot_;
  while (attempt.idle_claim && cost.steps < most && !draws.has_merged()) {
    claims.push_back(*attempt.idle_claim);
    Changed& changed = changed_[claims];
    if (!changed.snapshot) changed.snapshot = before->WithoutAllocation(claims.back());
    before = changed.snapshot.get();
    JudgeCaches caches = caches_;
    caches.memory = &changed.memory;
    attempt = TryNodes(question_, *before, caches, cost, how);
  }
  cost.steps += 1 + snapshot_.nodes().size() / kNodesPerStep +
                kStepsPerPod * static_cast<uint64_t>(attempt.judgement.verdict.pods_wanted);
  steps_ += cost.steps;
  if (cost.steps > most / 2 || steps_ > kTimesTheSteps * most) return std::nullopt;
  return attempt;
}

// Whether all pods fit, or it is not proven that some do not.
bool MayAllFit(const Attempt& attempt) {
  for (size_t i = 0; i < attempt.ends.size(); ++i)
    if (attempt.ends[i].fitting < attempt.judgement.pod_sets[i].wanted && !attempt.ends[i].may_fit)
      return false;
  return true;
}

OrderFinding OrderQuestion::PlayOut(OrderDraws& draws) {
  OrderFinding finding;
  do {
    const std::optional<Attempt> way = TryOneWay(draws);
    if (!way || draws.gave_up())
      return {.effect = SaysNo() && LacksRoom() ? OrderEffect::kCounts : OrderEffect::kVerdict,
              .is_proven = false};
    if (draws.has_merged() || way->ends == answer_.ends) continue;
    if (!SaysNo() || MayAllFit(answer_) || MayAllFit(*way))
      return {.effect = OrderEffect::kVerdict};
    finding.effect = OrderEffect::kCounts;
  } while (draws.Next());
  return finding;
}

// One set at a time: its pods are alike, so the number that fits does not depend on their order.
bool OrderQuestion::LacksRoom() const {
  JudgeOptions less;
  less.limits = question_.options.limits;
  less.max_pods = question_.options.max_pods;
  less.node_resources = question_.options.node_resources;
  less.used = question_.options.used;
  const auto lacks = [&](const PodDemand& demand) {
    std::vector<PodDemand> alone = {demand};
    alone[0].claims.clear();
    SearchCost cost;
    const AttemptOptions how{.explain = false};
    return !MayAllFit(TryNodes({question_.ns, alone, less}, snapshot_, caches_, cost, how));
  };
  return std::any_of(question_.demands.begin(), question_.demands.end(), lacks);
}

// With no claim allocated that the pods name.
std::shared_ptr<const Snapshot> WithoutOwnClaims(const Question& question,
                                                 const Snapshot& snapshot) {
  std::shared_ptr<const Snapshot> without;
  const auto add = [&](const std::string& ns, const PodDemand& demand) {
    for (const ClaimReference& reference : demand.claims)
      for (const std::string* name : {&reference.claim_name, &reference.group_claim})
        if (!name->empty())
          without = (without ? *without : snapshot).WithoutAllocation({.ns = ns, .name = *name});
  };
  for (const PodDemand& demand : question.demands) add(question.ns, demand);
  if (question.options.assumed)
    for (const AssumedPods& pods : *question.options.assumed) add(pods.ns, *pods.demand);
  return without;
}

}  // namespace

OrderFinding EffectOfOrder(const Question& question, const Attempt& answer,
                           const Snapshot& snapshot, JudgeCaches caches, bool merges) {
  if (!snapshot.features().order_is_chance) return {};
  JudgeMemory own;
  JudgeMemory& memory = caches.memory ? *caches.memory : own;
  const auto free = WithoutOwnClaims(question, snapshot);
  JobAsks asks(question, free ? *free : snapshot, caches, memory);
  std::set<Symbol> nodes = asks.NodesByOrder(snapshot);
  if (nodes.empty()) return {};
  OrderDraws draws(asks, std::move(nodes), merges);
  return OrderQuestion(question, answer, snapshot, caches).PlayOut(draws);
}

}  // namespace fedra::dra
