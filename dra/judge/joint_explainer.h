#pragma once
//
// Why requests that could each be satisfied alone cannot be satisfied together on one node: one
// rule after the other is dropped, to see what then fits.
//
// Reads what was placed and changes nothing of it. Thread rules: one simulation, one thread.

#include <string>

#include "dra/judge/explanation.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"
#include "dra/judge/waiting.h"

namespace fedra::dra {

// Whether the pod's claims fit on the node with some rules dropped, found out within the steps that
// explaining may take.
bool FitsWith(const SimulationContext& context, const PlacedPods& placed, const Node& node,
              const PodClaims& pod, const Relaxation& relaxation);

class JointExplainer final {
 public:
  // `variant`: the pod's on the node.
  JointExplainer(const SimulationContext& context, const PlacementTrace& trace,
                 const PlacedPods& placed, const Node& node, const PodVariant& variant)
      : context_(context), trace_(trace), placed_(placed), node_(node), pod_(variant.pod) {}

  // Adds the reason and sets `obstacle`. `waiting`: whether it could help.
  void Explain(const Waiting& waiting, Explanation& explanation) const;

 private:
  bool Fits(const Relaxation& relaxation) const {
    return FitsWith(context_, placed_, node_, pod_, relaxation);
  }
  bool ExplainConstraints(Explanation& explanation) const;
  bool ExplainAmounts(verdict::JointShortage shortage, Explanation& explanation) const;
  verdict::JointShortage On(verdict::JointShortage::Cause cause) const {
    return {.cause = cause, .node = node_.name.str()};
  }
  static void Refuse(verdict::ReasonCode code, std::string object, verdict::JointShortage shortage,
                     Explanation& explanation);

  const SimulationContext& context_;
  const PlacementTrace& trace_;
  const PlacedPods& placed_;
  const Node& node_;
  const PodClaims& pod_;
};

}  // namespace fedra::dra
