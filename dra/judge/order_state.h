#pragma once
//
// What a simulation has come to before a pod is placed, as far as the rest of it depends on that:
// for OrderDraws, which goes on from each state once.
//
// Pure but for the caches.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "dra/judge/job_asks.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {

// Names and numbers, one after the other: equal for equal ones only.
class StateText {
 public:
  void Add(std::string_view name) { (text_ += name) += '\n'; }
  void Add(uint64_t number) { (text_ += std::to_string(number)) += ' '; }
  void Add(const void* object) { Add(uint64_t{reinterpret_cast<uintptr_t>(object)}); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// With equal texts, ways go on equally, whatever the pods to come find. Devices that can stand for
// each other are one (JobAsks::KindsOn); the nodes that pods went to show all that was taken. Not
// for features with which devices are shared or take of counters: those are off where order is
// chance. Costs steps.
void AddPlaced(const SimulationContext& context, const PlacedPods& placed, JobAsks& asks,
               StateText& text);
void AddForecast(const ErrorForecast& forecast, StateText& text);

}  // namespace fedra::dra
