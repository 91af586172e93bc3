#pragma once
//
// Where kube-scheduler ends a pod's attempt with an error.
//
// It filters every node for every pod (findNodesThatPassFilters of pkg/scheduler/schedule_one.go,
// v1.36.3), and the first error ends the attempt; the pod is tried again and gets no further. An
// error comes only from devices that the search reaches, and it passes those that are in use. So
// each pod that takes devices may bring the next attempt to an error: on the node that it went to;
// on any node, when it took devices that several nodes reach; and on those where a claim that it
// shares was to be allocated until then.
//
// Which nodes the pods go to is decided by scores, of which not all can be seen here. An error that
// another choice would have avoided is no proof: it is Unknown. It is No where no choice avoids it:
// pods go to nodes where they lead to an error only when no other node takes them. Between pods of
// one set every choice is looked at; what earlier sets and dispatched jobs could have done
// elsewhere is not, so an error that only their other choices lead to is missed.
//
// Reads what was placed and changes nothing of it.
// Thread rules: one simulation, one thread.

#include <optional>
#include <set>
#include <vector>

#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {

class ErrorForecaster final {
 public:
  ErrorForecaster(const SimulationContext& context, const PlacedPods& placed,
                  const PodDemand& demand, ErrorForecast& forecast)
      : context_(context), placed_(placed), demand_(demand), forecast_(forecast) {}

  // Before the first pod. `pods`: resolved.EveryVariant(); `too_few`: as in PlacementTrace.
  void Begin(const ResolvedPod& resolved, const std::set<const PodClaims*>& pods,
             const std::vector<bool>& too_few);
  // What a node said about the next pod.
  void Note(const Node& node, const NodeAllocation& found);
  // Whether a pod that gets this changes more than its node, which is asked next anyway.
  bool ChangesOthers(const Offer& offer) const;
  // After such a pod was placed. `binds`: it allocated claims for the others; `fitting`: pods so
  // far.
  void Renew(const ResolvedPod& resolved, int fitting, bool binds);

 private:
  bool DerivationCanFail(const SubRequest& ask) const;
  bool CanEndWithError(const PodClaims& pod) const;
  bool CanBeSlow(const ResolvedPod& resolved, const PodClaims& pod) const;
  bool ErrorsPossible(const ResolvedPod& resolved, const std::set<const PodClaims*>& pods,
                      const std::vector<bool>& too_few) const;
  void NoteSlowness(const Node& node, const NodeAllocation& found);
  void NoteLeak(const NodeAllocation& found);
  // Looks at every node, as the scheduler does; `ahead`: also at what more of the pods lead to.
  void ExamineNodes(const ResolvedPod& resolved, int fitting, bool ahead);
  // Find(), paid from the half of the steps that looking at all nodes may take.
  NodeAllocation FindAhead(const Offer& offer, const Workspace& taken);
  std::optional<Offer> Examine(const ResolvedPod& resolved, const Node& node);
  void LookAhead(const Offer& first, int most);
  void FindErrors(const ResolvedPod& resolved, int fitting);
  bool FailsAnyway(const ResolvedPod& resolved) const;

  const SimulationContext& context_;
  const PlacedPods& placed_;
  const PodDemand& demand_;
  ErrorForecast& forecast_;
  uint64_t steps_ = 0;  // of FindAhead()
};

}  // namespace fedra::dra
