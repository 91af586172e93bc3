#pragma once
//
// What kube-scheduler's default profile gives a node for a pod before devices are chosen: plugins
// NodeResourcesFit (LeastAllocated), NodeResourcesBalancedAllocation and TaintToleration with their
// weights (v1.36.3: pkg/scheduler/apis/config/v1/default_plugins.go, and
// framework/plugins/noderesources/{least_allocated,balanced_allocation}.go).
//
// Left out, as they need what is not read: preferred node affinity, preferred affinity to pods, of
// running pods, too, topology spread (which the profile has by default for pods that a Service
// selects), and which images a node has.
//
// Pure functions.

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "dra/model/pod_demand.h"

namespace fedra::dra {

inline constexpr int kDevicesWeight = 2;  // of plugin DynamicResources

// Of cpu in thousandths, and of memory in bytes.
using CpuAndMemory = std::array<int64_t, 2>;

struct Load {
  CpuAndMemory requested{};
  // With what scores count for containers that ask for nothing (PodDemand::unrequested).
  CpuAndMemory counted{};

  bool operator==(const Load&) const = default;
};

// What these amounts come to; `unrequested` names may be among them. Null: nothing.
Load LoadOf(const Amounts* amounts);
Load LoadOf(const PodDemand& demand);
Load operator+(Load a, const Load& b);
CpuAndMemory AllocatableOf(const Node& node);

// LeastAllocated and BalancedAllocation. `change_of_balance`:
// AllocatorFeatures::scores_change_of_balance.
int ResourceScore(const CpuAndMemory& allocatable, const Load& on_node, const Load& pod,
                  bool change_of_balance);

// A plugin's scores as NormalizeScore leaves them: the most there is becomes 100. All are 0 where
// the most is 0.
int NormalizedScore(int64_t score, int64_t most);

// What plugin DynamicResources gives for a firstAvailable request (computeScore of v1.36.3,
// dynamicresources.go:1101): the first of as many as there may be
// (FirstAvailableDeviceRequestMaxSize of resource.k8s.io) gets the most.
inline constexpr int kMostAlternatives = 8;
inline int ScoreOfAlternative(int index) { return kMostAlternatives - index; }

// Which of several nodes of equal scores is taken: the one with the greatest number. A node that is
// not named has 0.
using TieBreak = std::map<Symbol, int>;

// What a node scores without the pod's devices, and which one it is of a list. A better one is
// greater: of equal scores the one that a TieBreak prefers, and else the first in the list.
struct NodeRank {
  int score = 0;
  int preference = 0;
  size_t position = 0;

  bool operator==(const NodeRank&) const = default;
  std::strong_ordering operator<=>(const NodeRank& other) const {
    return std::tie(score, preference, other.position) <=>
           std::tie(other.score, other.preference, position);
  }
};

struct NodeRanks {
  std::vector<NodeRank> best_first;  // of each node
  std::vector<int> of_taints;        // by position; empty: all nodes are alike in that
  std::vector<int> preferences;      // by position; empty: all are 0

  int OfTaints(size_t position) const { return of_taints.empty() ? 0 : of_taints[position]; }
  int Preference(size_t position) const { return preferences.empty() ? 0 : preferences[position]; }
};
// `nodes`: by name. `used`: may be null.
NodeRanks RankNodes(const std::vector<const Node*>& nodes,
                    const std::vector<Toleration>& tolerations, const Load& pod,
                    const NodeUse* used, bool change_of_balance);
// The same ranks, with other nodes first of those that score alike. `nodes`: as they were ranked.
NodeRanks BreakTies(NodeRanks ranks, const std::vector<const Node*>& nodes, const TieBreak& ties);

}  // namespace fedra::dra
