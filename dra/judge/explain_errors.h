#pragma once
//
// The reasons behind an ErrorForecast: where kube-scheduler's attempt ends with an error, or takes
// longer than it may. Pure functions.

#include "dra/judge/explanation.h"
#include "dra/judge/placement_trace.h"

namespace fedra::dra {

// Where ErrorForecast::error ends placing the pods.
void ExplainError(const PlacementTrace& trace, const Snapshot& snapshot, Explanation& explanation);
// All pods fit, if they go where they do not bring the scheduler to ErrorForecast::ahead.
void ExplainErrorAhead(const PlacementTrace& trace, const Snapshot& snapshot,
                       Explanation& explanation);
// All pods fit, but the scheduler does not get that far: it searches every node, and one search
// that it gives up ends the pod's attempt.
void ExplainSlowSearch(const PlacementTrace& trace, const AllocatorFeatures& features,
                       Explanation& explanation);

// All pods fit, but a node was not searched to the end, as the scheduler would have to.
void ExplainGivenUp(const PlacementTrace& trace, Explanation& explanation);

verdict::PodsFit HowManyFit(const PodSetReport& report);
// Whether the scheduler comes to `errors.error`, whatever it finds before.
bool IsCertain(const ErrorForecast& errors);

}  // namespace fedra::dra
