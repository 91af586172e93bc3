#pragma once
//
// Chance, played out: in which order each pod finds the pools and slices of each node, where that
// makes a difference to it (AllocatorFeatures::order_is_chance). One way after the other, by
// simulations that are begun anew: each goes as the one before until the last draw that has another
// outcome left.
//
// Thread rules: one judgement, one thread.

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "dra/judge/job_asks.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {

struct PlacedPods;

class OrderDraws final {
 public:
  // Of nodes where more orders than these make a difference, not all are played out.
  static constexpr size_t kMostOrders = 24;

  // `nodes`: where orders make a difference.
  OrderDraws(JobAsks& asks, std::set<Symbol> nodes) : asks_(asks), nodes_(std::move(nodes)) {}

  // Before each simulation.
  void BeginSimulation() { of_simulation_.clear(); }
  // What the pod whose turn it is sees of the node, the same whenever it is asked.
  NodeView See(const SimulationContext& context, const Node& node, const PodClaims& pod,
               const PlacedPods& placed);
  // Goes back to the beginning, and on to the next way. False: there is none.
  bool Next();
  // Whether some draw had too many outcomes, or did not come again. Then nothing is proven.
  bool gave_up() const { return gave_up_; }

 private:
  struct Draw {
    Symbol node;
    std::vector<NodeView> outcomes;
    size_t chosen = 0;
  };
  std::vector<NodeView> Outcomes(const SimulationContext& context, const NodeView& view,
                                 const PodClaims& pod, const PlacedPods& placed);

  JobAsks& asks_;
  const std::set<Symbol> nodes_;
  std::vector<Draw> draws_;
  size_t drawn_ = 0;                                           // so far this way
  std::map<std::pair<size_t, Symbol>, size_t> of_simulation_;  // by turn and node: in draws_
  bool gave_up_ = false;
};

}  // namespace fedra::dra
