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
                                           .fields = std::move(fields)}});
}

}  // namespace

void ExplainRelease(const SimulationContext& context, const PlacementTrace& trace,
                    Explanation& explanation) {
  if (explanation.outcome == Outcome::kUnknown) return;
  // Refusals only take away: what does not fit does not fit there, either.
  if (trace.leaked && explanation.outcome == Outcome::kYes)
    return Doubt(context.features(), ReleaseDoubt::Kind::kRefusals, {}, explanation);
  if (!trace.gated.empty())
    Doubt(context.features(), ReleaseDoubt::Kind::kGates, trace.gated, explanation);
}

}  // namespace fedra::dra
