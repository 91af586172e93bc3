#pragma once
//
// The verdict on devices: would these pods run on that cluster, how many of them, and if not all,
// why?
//
// Pods are placed one after another in a simulation, each with all its claims jointly on one node
// (dra/allocator/allocator.h), the one that kube-scheduler's scores prefer (node_order.h); what it
// takes is gone for the next.
//
// A named claim is allocated once, by the first pod, and binds the others to the nodes of its
// allocation. Not all that decides which node that is can be seen here: when not all pods fit,
// others are tried, and it is a No when none holds all pods.
//
// A selector error on any node that the pod could use aborts the pod in kube-scheduler, even when
// another node fits, and so does a search that does not end within its 10 seconds (seen with
// 1.36.3); the simulation does the same. The devices that earlier pods took may be what kept the
// search from an error; where it depends on the nodes that they went to, the outcome is kUnknown.
//
// A named claim that is allocated but reserved for no pod does not pin the pods: when no
// node fits, kube-scheduler takes one such claim's allocation back and tries again.
//
// Reasons only advise to wait where that can help: a shortage of devices that are held is judged
// once more with nothing allocated, within a budget of its own that changes no outcome.
//
// Where a release leaves the order of pools and slices to chance, the outcome is kUnknown if all
// pods fit in some orders and not in others; where they never do, but in another order other pods,
// a reason says so (order_question.h). What else an answer has is that of the order by name: how
// many pods fit, where they go, headroom, new nodes, whether waiting helps.
//
// Of nodes that it scores alike kube-scheduler takes any: where another choice was found to decide
// whether all pods fit, the outcome is kUnknown as well (placement_question.h). The rest of the
// answer is that of the first by name.
//
// Thread rules: pure but for the caches, which one user has at a time.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dra/allocator/allocator.h"
#include "dra/allocator/match.h"
#include "dra/judge/explain.h"
#include "dra/judge/judge_memory.h"
#include "dra/judge/scalable_pool.h"
#include "dra/model/pod_demand.h"
#include "dra/model/snapshot.h"
#include "verdict/verdict.h"

namespace fedra::dra {

struct JudgeCaches {
  SelectorCache& selectors;
  MatchCache& matches;
  // What the questions about one worker share; null: nothing is remembered between them.
  JudgeMemory* memory = nullptr;
};

// Pods of another workload that was dispatched to the cluster, and that do not hold their devices
// there yet: what they will take is taken.
struct AssumedPods {
  std::string ns;
  std::shared_ptr<const PodDemand> demand;
  int count = 0;

  // The same demand, not an equal one.
  bool operator==(const AssumedPods&) const = default;
};
// In the order in which they take. Shared by all judgements about a cluster; null: there are none.
using AssumedList = std::shared_ptr<const std::vector<AssumedPods>>;

struct JudgeOptions {
  // For all searches of one judgement together, whatever the number of nodes, pods and attempts;
  // beyond them the outcome is kUnknown. Whether the order of pools decides, where it is chance, is
  // found out with three times as many, for all orders together; so is whether the choice among
  // nodes that score alike does.
  AllocatorLimits limits;
  AssumedList assumed;
  // Pods are placed one by one: whether more than these would fit is not looked at (kUnknown).
  int max_pods = 10'000;
  // Whether cpu, memory, pods and plugin resources must have room on the node. Without it a plugin
  // resource must only be there.
  bool node_resources = true;
  // What running pods hold; null: nothing is known to run. The memory knows it by its address, so
  // it must not change.
  std::shared_ptr<const NodeUse> used = nullptr;
  // Claims through which running pods hold resources of their node (node_share.h), by node; null:
  // there are none.
  const std::map<Symbol, std::set<ObjectKey>>* node_claims = nullptr;
  // Namespaces whose pods may be kept off nodes by running pods with required anti-affinity, "*":
  // of any; null: there are none. A Yes says that it was not looked at.
  const std::set<std::string>* repelled = nullptr;
  // Whose the claims are that hold devices, for messages; null: not known.
  const JobOfClaim* jobs = nullptr;
  // Nodes that could be added: when what is missing are devices that they would bring, the outcome
  // is kMayScale instead of kNo. Null: none.
  const std::vector<ScalablePool>* scalable_pools = nullptr;
  // Whether PodSetReport::devices is filled in: for tests and the tools that compare us with
  // schedulers; no verdict shows them.
  bool name_devices = false;
};

// A device that a pod would get.
struct PlannedDevice {
  std::string claim;    // name of the claim, or the pod's name for a claim made from a template
  std::string request;  // "req" or "req/sub"
  PoolKey pool;
  Symbol device;
};

// Which alternative of a firstAvailable request the pods get.
struct ChosenAlternative {
  size_t claim = 0;    // index in PodDemand::claims
  size_t request = 0;  // index in that claim's ClaimSpec::requests
  int index = 0;       // the worst that one of the pods gets

  bool operator==(const ChosenAlternative&) const = default;
};

// One pod set.
struct PodSetReport {
  std::string name;
  int wanted = 0;
  int fitting = 0;
  std::vector<std::string> nodes;                   // where the fitting pods went, in order
  std::vector<std::vector<PlannedDevice>> devices;  // parallel to `nodes`; only when asked for
  // Of the claims that these pods allocate, ascending by claim and request.
  std::vector<ChosenAlternative> alternatives;
  std::vector<RequestReport> requests;  // only when not all fit: each request, each alternative
  std::string nearest;                  // the node that came closest; empty where nothing matches
  bool aborted = false;  // the scheduler ends with an error, whatever other nodes offer
  std::optional<verdict::JointShortage> obstacle;  // against all requests together
  std::optional<verdict::NewNodes> new_nodes;      // that could take the rest
  // Nodes that could take the pod otherwise have no room for it: the reason that says so.
  std::optional<verdict::Reason> no_room;
};

struct Judgement {
  verdict::Verdict verdict;
  std::vector<PodSetReport> pod_sets;
};

Judgement Judge(const std::string& ns, std::span<const PodDemand> demands, const Snapshot& snapshot,
                JudgeCaches caches, const JudgeOptions& options = {});

}  // namespace fedra::dra
