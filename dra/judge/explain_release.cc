#include "dra/judge/explain_release.h"

#include <string>
#include <utility>
#include <vector>

namespace fedra::dra {

using verdict::Outcome;
using verdict::ReleaseDoubt;

namespace {

void Doubt(const AllocatorFeatures& features, ReleaseDoubt::Kind kind,
           std::vector<std::string> fields, Explanation& explanation) {
  explanation.outcome = Outcome::kUnknown;
  explanation.reasons.insert(explanation.reasons.begin(),
                             {verdict::ReasonCode::kReleaseUnverified, "",
                              ReleaseDoubt{.kind = kind,
                                           .release = std::string(cel::ToString(features.release)),
                                           .fields = std::move(fields),
                                           .version = {}}});
}

}  // namespace

bool DoubtsNo(const PlacementTrace& trace) {
  return trace.leaked || trace.confuses_counters || !trace.gated.empty();
}

void ExplainRelease(const SimulationContext& context, const PlacementTrace& trace,
                    Explanation& explanation) {
  if (explanation.outcome == Outcome::kUnknown) return;
  // Where a search may find less, its pod may not fit, or take other devices than the next pods
  // are thought to miss. A pod that fits nowhere is not helped by it: refusals only take away.
  const bool may_fail = trace.errors.may_go_on && explanation.outcome == Outcome::kYes;
  if (!DoubtsNo(trace) && !may_fail) return;
  if (trace.leaked || may_fail)
    return Doubt(context.features(), ReleaseDoubt::Kind::kRefusals, {}, explanation);
  if (trace.confuses_counters)
    return Doubt(context.features(), ReleaseDoubt::Kind::kCounters, {}, explanation);
  Doubt(context.features(), ReleaseDoubt::Kind::kGates, trace.gated, explanation);
}

}  // namespace fedra::dra
