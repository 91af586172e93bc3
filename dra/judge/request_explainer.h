#pragma once
//
// Which request of a pod cannot be satisfied by itself, and whether waiting could change that.
//
// Reads what was placed and changes nothing of it. Thread rules: one simulation, one thread.

#include <cstdint>
#include <span>

#include "dra/judge/explanation.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"
#include "dra/judge/waiting.h"

namespace fedra::dra {

class RequestExplainer final {
 public:
  RequestExplainer(const SimulationContext& context, const PlacementTrace& trace,
                   const PlacedPods& placed, const Waiting& waiting)
      : context_(context), trace_(trace), placed_(placed), waiting_(waiting) {}

  // Reports on every request; adds a reason for each that cannot be satisfied. True: there is one.
  bool Explain(const PodVariant& variant, Explanation& explanation) const;

 private:
  RequestReport ReportOn(const PodVariant& variant, uint32_t ask) const;
  int64_t Need(const SubRequest& ask, const RequestReport& report, bool shared) const;
  verdict::ReasonCode CodeOf(const RequestReport& report, int64_t need) const;
  // Sets what waiting will not bring, in the facts of either shape.
  template <class Counts>
  void AddShortfall(const RequestReport& report, int64_t need, Counts& facts) const;
  verdict::AlternativeCounts CountAlternatives(const SubRequest& ask,
                                               std::span<const RequestReport> reports) const;
  void Refuse(const SubRequest& ask, std::span<const RequestReport> reports, bool shared,
              Explanation& explanation) const;

  const SimulationContext& context_;
  const PlacementTrace& trace_;
  const PlacedPods& placed_;
  const Waiting& waiting_;
};

}  // namespace fedra::dra
