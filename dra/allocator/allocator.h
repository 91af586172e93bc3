#pragma once
//
// The allocator: would kube-scheduler find devices for all claims of a pod on this node, and which?
//
// The same search as the structured allocator of k8s.io/dynamic-resource-allocation (incubating
// variant, 1.36.3): claims, requests and alternatives in order, devices in the order of NodeView,
// the first complete solution wins; a selector error that the search reaches ends it. Branches that
// cannot hold a solution or an error are left out (search.h says how), so that the chosen devices
// are the same and requests for more than there is are refused at once instead of after 2^n steps.
//
// Thread rules: pure but for the MatchCache, which one user has at a time.

#include <cstdint>
#include <string>
#include <vector>

#include "dra/allocator/match.h"
#include "dra/allocator/pod_claims.h"
#include "dra/model/node_view.h"

namespace fedra::dra {

enum class Fit : uint8_t {
  kFit,
  kNoFit,
  kError,   // the scheduler would abort the pod's whole attempt, whatever other nodes offer
  kBudget,  // not found out within AllocatorLimits
};

// What a kError comes from.
enum class ErrorCause : uint8_t {
  kSelector,   // a CEL selector fails to compile or to evaluate
  kPool,       // a pool that cannot be used at present
  kAllocator,  // all else that the allocator does not deal with
};

struct ChosenDevice {
  uint32_t claim = 0;     // index in PodClaims::claims
  uint32_t ask = 0;       // index in PodClaims::asks
  uint32_t pool = 0;      // index in NodeView::pools
  uint32_t device = 0;    // index in PoolView::devices
  bool shared = false;    // a share: `consumed` of its capacities, the device stays usable
  bool counters = false;  // its counters were taken with it
  Amounts consumed;
};

// What the devices of one claim take of their node's own resources.
struct ClaimTake {
  Amounts mapped;          // once (NodeMapping)
  Amounts per_pod;         // for each pod that uses the claim (NodeOverhead)
  Amounts per_container;   // and for each time that its containers name it
  bool exclusive = false;  // one pod only may use the claim

  // For one pod.
  Amounts For(int64_t uses) const;
};

// What chosen devices take of their node's own resources.
struct NodeShare {
  Amounts amounts;
  // Whose devices take some, in the form of 1.36: indices in PodClaims::claims.
  std::vector<uint32_t> claims;
};

struct NodeAllocation {
  Fit fit = Fit::kNoFit;
  std::string error;                          // for kError
  ErrorCause cause = ErrorCause::kAllocator;  // for kError
  std::optional<SelectorFailure> selector;    // for a selector's error: what is known beyond it
  // kNoFit on a node that sees an invalid pool. For tests and the tools that compare us with the
  // allocators of releases: some end with an error there.
  bool invalid_pools = false;
  // Devices that were refused may have kept counters or constraints from those after them
  // (AllocatorFeatures::refusals_leak): the scheduler may find less than this.
  bool leaked = false;
  std::vector<ChosenDevice> devices;  // for kFit: claim by claim, in request order
  std::vector<int> alternatives;      // for kFit: the index chosen, per firstAvailable request
  NodeShare of_node;     // for kFit; by the judge (judge/node_share.h), not by Allocate()
  uint32_t deepest = 0;  // the most devices that could be held at one time
  uint64_t steps = 0;    // how much searching it took, in vain or not
  // The scheduler takes at least so many steps, because it leaves nothing out: 2^n to find out that
  // n equal devices are too few. Used to predict on which node kube-scheduler would time out (10
  // s).
  double scheduler_steps = 0;
};

struct AllocatorLimits {
  // The scheduler gives up after 10 seconds on one node. One step takes about a microsecond.
  uint64_t max_steps = 1'000'000;
};

// What is relaxed to find out why something does not fit.
struct Relaxation {
  uint64_t constraints = 0;  // bit i: constraint i of every claim is dropped
  bool taints = false;
  bool counters = false;
  bool groups = false;  // compatibility groups
  bool capacity = false;
  bool in_use = false;  // everything is as if nothing was allocated
};

// `workspace`: what the simulation placed before; null for nothing.
NodeAllocation Allocate(const PodClaims& pod, const NodeView& node, const Workspace* workspace,
                        MatchCache& matches, const AllocatorFeatures& features,
                        const AllocatorLimits& limits = {}, const Relaxation& relaxation = {});

// The devices of a kFit are taken for what follows in the simulation.
void Commit(const NodeAllocation& allocation, const PodClaims& pod, const NodeView& node,
            Workspace& workspace);

}  // namespace fedra::dra
