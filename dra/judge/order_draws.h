#pragma once
//
// Chance, played out: in which order each pod finds the pools and slices of each node, where that
// makes a difference to it (AllocatorFeatures::order_is_chance). One way after the other, by
// simulations that are begun anew: each goes as the one before until the last draw that has another
// outcome left. Where it comes to what an earlier way has come to, it ends: all ways on from there
// have been gone.
//
// Thread rules: one judgement, one thread.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dra/judge/job_asks.h"
#include "dra/judge/simulation_context.h"
#include "dra/judge/state_text.h"

namespace fedra::dra {

struct PlacedPods;

// What a pod gets of a node, and what it leaves there: with equal ones all goes on equally. The
// kinds of its devices are by claim; what is left is ContentOf().
struct Gain {
  Fit fit = Fit::kNoFit;
  int slow = 0;
  std::vector<int> alternatives;
  std::vector<std::pair<uint32_t, uint32_t>> chosen;
  std::vector<std::vector<uint32_t>> left;

  bool operator==(const Gain&) const = default;
};

class OrderDraws final {
 public:
  // Of nodes where more orders than these make a difference, not all are played out.
  static constexpr size_t kMostOrders = 720;

  // `nodes`: where orders make a difference. Without `merges` each way goes to its end.
  OrderDraws(JobAsks& asks, std::set<Symbol> nodes, bool merges)
      : asks_(asks), nodes_(std::move(nodes)), merges_(merges) {}

  // Before each simulation; a way may have several.
  void BeginSimulation();
  // After each of its steps: what that came to.
  void EndStep(const std::string& end);
  // Before a pod is placed: whether an earlier way has gone on from here, which else is noted of
  // this one. `of_step`: what the rest of the way depends on, beside what is placed, what earlier
  // steps came to and what this pod has seen of nodes.
  bool Merges(const SimulationContext& context, const PlacedPods& placed, StateText of_step);
  // Then the way says nothing, and its simulation should end.
  bool has_merged() const { return has_merged_; }
  // What the pod whose turn it is sees of the node, the same whenever it is asked.
  NodeView See(const SimulationContext& context, const Node& node, const PodClaims& pod,
               const PlacedPods& placed);
  // Goes back to the beginning, and on to the next way. False: there is none.
  bool Next();
  // Whether some draw had too many outcomes, or did not come again. Then nothing is proven.
  bool gave_up() const { return gave_up_; }

 private:
  struct Outcome {
    NodeView view;
    Gain gain;
  };
  struct Draw {
    Symbol node;
    std::vector<Outcome> outcomes;
    size_t chosen = 0;
  };
  std::vector<Outcome> Outcomes(const SimulationContext& context, const NodeView& view,
                                const PodClaims& pod, const PlacedPods& placed);

  JobAsks& asks_;
  const std::set<Symbol> nodes_;
  const bool merges_;
  std::vector<Draw> draws_;
  std::set<std::pair<uint64_t, uint64_t>> known_;  // hashes of states that a way has gone on from
  bool gave_up_ = false;

  // Of this way:
  size_t drawn_ = 0;        // so far
  size_t simulations_ = 0;  // begun
  bool branched_ = false;   // some draw had several outcomes
  bool has_merged_ = false;
  // Of its simulation:
  std::string ends_;                                           // of the steps so far
  std::map<std::pair<size_t, Symbol>, size_t> of_simulation_;  // by turn and node: in draws_
};

}  // namespace fedra::dra
