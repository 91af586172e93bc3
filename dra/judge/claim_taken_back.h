#pragma once
//
// Which allocated claim kube-scheduler takes back so that pods fit, after which it allocates it
// again (PostFilter of its DRA plugin; Kubernetes v1.36.3, pkg/scheduler/framework/plugins/
// dynamicresources/dynamicresources.go:937; the same from 1.34 to 1.37).
//
// Thread rules: one simulation, one thread.

#include <optional>

#include "dra/judge/placed_pods.h"
#include "dra/judge/resolved_pod.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {

// A pod that fits nowhere.
struct StuckPod {
  const SimulationContext& context;
  const PodDemand& demand;
  const ResolvedPod& resolved;
};

// A claim that is reserved for no pod, and that keeps the pod from using a node: one where
// the claims to allocate find their devices. On any other the scheduler's Filter ends before it
// notes the claim (dynamicresources.go:879). Absent: none.
std::optional<ObjectKey> ClaimTakenBack(const StuckPod& pod, const PlacedPods& placed);

// The pods of the demand fit, and none of them can be bound because of `unbindable`, one of their
// allocated claims. PreBind binds a pod's claims in their order (dynamicresources.go:1367), and
// those before the one that fails stay allocated: Unreserve only takes the pod out of their
// reservedFor (:1313), and pkg/controller/resourceclaim/controller.go:1474 deallocates only what
// it took the last pod from itself. So each pod leaves less to the next, and one that fits nowhere
// may have a claim taken back.
//
// `placed` gets what stays allocated. Ends early where the pods share a claim that is not allocated
// yet, and when half of the judgement's steps are spent: then nothing is taken back.
std::optional<ObjectKey> ClaimTakenBackAfterFailures(const StuckPod& pod,
                                                     const ObjectKey& unbindable,
                                                     PlacedPods& placed);

}  // namespace fedra::dra
