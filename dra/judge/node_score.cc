#include "dra/judge/node_score.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "dra/judge/node_fit.h"

namespace fedra::dra {
namespace {

constexpr int kMaxNodeScore = 100;  // of one plugin
constexpr int kTaintsWeight = 3;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// Both are amounts of a cluster, so not below 0 unless its API server lies.
int64_t SumOf(int64_t a, int64_t b) {
  a = std::max<int64_t>(a, 0);
  b = std::max<int64_t>(b, 0);
  return a > kMost - b ? kMost : a + b;
}

int64_t AmountOf(const Amounts& amounts, const Symbol& cpu_or_memory, bool is_cpu) {
  const Quantity* amount = FindAmount(amounts, cpu_or_memory);
  if (amount == nullptr) return 0;
  return is_cpu ? amount->MilliValue() : amount->Value();
}

// leastRequestedScore.
int64_t LeastAllocated(const CpuAndMemory& allocatable, const CpuAndMemory& taken) {
  int64_t sum = 0, resources = 0;
  for (size_t i = 0; i < allocatable.size(); ++i) {
    if (allocatable[i] <= 0) continue;
    ++resources;
    if (taken[i] > allocatable[i]) continue;
    const int64_t free = allocatable[i] - taken[i];
    // Larger numbers than a node can have must not overflow.
    sum += free > kMost / kMaxNodeScore ? free / (allocatable[i] / kMaxNodeScore)
                                        : free * kMaxNodeScore / allocatable[i];
  }
  return resources == 0 ? 0 : sum / resources;
}

// balancedResourceScore: half the distance between the shares of two resources that are taken.
int64_t Balance(const CpuAndMemory& allocatable, const CpuAndMemory& taken) {
  if (std::any_of(allocatable.begin(), allocatable.end(), [](int64_t all) { return all <= 0; }))
    return kMaxNodeScore;
  const auto share = [&](size_t i) {
    return std::min(static_cast<double>(taken[i]) / static_cast<double>(allocatable[i]), 1.0);
  };
  const double deviation = std::abs((share(0) - share(1)) / 2);
  return static_cast<int64_t>((1 - deviation) * kMaxNodeScore);
}

// Empty: all nodes are alike. The scheduler takes the most of the nodes that fit, this of all that
// the pod may use: where one of the others has more such taints, those of the nodes that fit count
// less here.
std::vector<int> ScoreTaints(const std::vector<const Node*>& nodes,
                             const std::vector<Toleration>& tolerations) {
  const auto has_taints = [](const Node* node) { return !node->taints.empty(); };
  if (std::none_of(nodes.begin(), nodes.end(), has_taints)) return {};
  std::vector<int> scores;
  scores.reserve(nodes.size());
  for (const Node* node : nodes) scores.push_back(UntoleratedTaints(*node, tolerations));
  const int most = *std::max_element(scores.begin(), scores.end());
  for (int& score : scores) score = kTaintsWeight * (kMaxNodeScore - NormalizedScore(score, most));
  return scores;
}

}  // namespace

Load LoadOf(const Amounts* amounts) {
  static const Symbol cpu("cpu"), memory("memory");
  static const Symbol more_cpu(kUnrequestedCpu), more_memory(kUnrequestedMemory);
  if (amounts == nullptr) return {};
  Load load;
  load.requested = {AmountOf(*amounts, cpu, true), AmountOf(*amounts, memory, false)};
  load.counted = {SumOf(load.requested[0], AmountOf(*amounts, more_cpu, true)),
                  SumOf(load.requested[1], AmountOf(*amounts, more_memory, false))};
  return load;
}

Load LoadOf(const PodDemand& demand) {
  const Load more = LoadOf(&demand.unrequested);
  return LoadOf(&demand.requests) + more;
}

Load operator+(Load a, const Load& b) {
  for (size_t i = 0; i < a.requested.size(); ++i) {
    a.requested[i] = SumOf(a.requested[i], b.requested[i]);
    a.counted[i] = SumOf(a.counted[i], b.counted[i]);
  }
  return a;
}

CpuAndMemory AllocatableOf(const Node& node) {
  const Quantity* cpu = node.Allocatable("cpu");
  const Quantity* memory = node.Allocatable("memory");
  return {cpu ? cpu->MilliValue() : 0, memory ? memory->Value() : 0};
}

int ResourceScore(const CpuAndMemory& allocatable, const Load& on_node, const Load& pod,
                  bool change_of_balance) {
  const Load together = on_node + pod;
  int64_t score = LeastAllocated(allocatable, together.counted);
  // A pod that asks for neither is not balanced.
  if (pod.requested == CpuAndMemory{}) return static_cast<int>(score);
  const int64_t with_pod = Balance(allocatable, together.requested);
  if (!change_of_balance) return static_cast<int>(score + with_pod);
  const int64_t without = Balance(allocatable, on_node.requested);
  constexpr int64_t kHalf = kMaxNodeScore / 2;
  score += kHalf + (kHalf + with_pod - without) / 2;
  return static_cast<int>(score);
}

int NormalizedScore(int64_t score, int64_t most) {
  return most == 0 ? 0 : static_cast<int>(kMaxNodeScore * score / most);
}

NodeRanks RankNodes(const std::vector<const Node*>& nodes,
                    const std::vector<Toleration>& tolerations, const Load& pod,
                    const NodeUse* used, bool change_of_balance) {
  NodeRanks ranks{
      .best_first = {}, .of_taints = ScoreTaints(nodes, tolerations), .preferences = {}};
  ranks.best_first.reserve(nodes.size());
  static const NodeUse nothing;
  if (used == nullptr) used = &nothing;
  auto at = used->begin();  // by name, as the nodes are
  for (size_t position = 0; position < nodes.size(); ++position) {
    const Node& node = *nodes[position];
    while (at != used->end() && at->first < node.name) ++at;
    const bool is_used = at != used->end() && at->first == node.name;
    const Load load = LoadOf(is_used ? &at->second : nullptr);
    ranks.best_first.push_back(
        {.score = ranks.OfTaints(position) +
                  ResourceScore(AllocatableOf(node), load, pod, change_of_balance),
         .position = position});
  }
  std::sort(ranks.best_first.begin(), ranks.best_first.end(), std::greater<>());
  return ranks;
}

NodeRanks BreakTies(NodeRanks ranks, const std::vector<const Node*>& nodes, const TieBreak& ties) {
  ranks.preferences.resize(nodes.size());
  for (NodeRank& rank : ranks.best_first) {
    const auto at = ties.find(nodes[rank.position]->name);
    if (at == ties.end()) continue;
    rank.preference = ranks.preferences[rank.position] = at->second;
  }
  std::sort(ranks.best_first.begin(), ranks.best_first.end(), std::greater<>());
  return ranks;
}

}  // namespace fedra::dra
