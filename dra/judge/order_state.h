#pragma once
//
// What a simulation has come to before a pod is placed, as far as the rest of it depends on that:
// for OrderDraws, which goes on from each state once.
//
// Pure but for the caches.

#include "dra/judge/job_asks.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"
#include "dra/judge/state_text.h"

namespace fedra::dra {

// Whether that is all that matters: gates that are off where order is chance would add devices that
// are shared or take of counters, extended resources, binding conditions, shares of nodes.
bool HasStates(const AllocatorFeatures& features);

// With equal texts, ways go on equally, whatever the pods to come find. Devices that can stand for
// each other are one (JobAsks::KindsOn); the nodes that pods went to show all that was taken. Costs
// steps.
void AddPlaced(const SimulationContext& context, const PlacedPods& placed, JobAsks& asks,
               StateText& text);
void AddForecast(const ErrorForecast& forecast, StateText& text);

}  // namespace fedra::dra
