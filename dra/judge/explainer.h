#pragma once
//
// Why not all pods of a pod set fit, and what is left when they do.
//
// Reads what was placed and changes nothing of it; what it tries costs steps of the judgement.
// Thread rules: one simulation, one thread.

#include "dra/judge/explanation.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"
#include "dra/judge/waiting.h"

namespace fedra::dra {

class Explainer final {
 public:
  // `placed`: after the pods of `trace`.
  Explainer(const SimulationContext& context, const PlacementTrace& trace, const PlacedPods& placed,
            const Waiting& waiting)
      : context_(context), trace_(trace), placed_(placed), waiting_(waiting) {}

  Explanation Explain() const;

 private:
  void ExplainShortage(Explanation& explanation) const;
  void ExplainBudget(Explanation& explanation) const;
  void ExplainUnbindable(Explanation& explanation) const;
  void ExplainFullClaim(Explanation& explanation) const;
  void ExplainNearest(Explanation& explanation) const;

  const SimulationContext& context_;
  const PlacementTrace& trace_;
  const PlacedPods& placed_;
  const Waiting& waiting_;
};

}  // namespace fedra::dra
