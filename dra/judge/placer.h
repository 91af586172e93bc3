#pragma once
//
// Places the pods of one pod set, one after another, as kube-scheduler would.
//
// A node that the pod fits on is preferred by the score of the alternatives that it would get there
// (Score of kube-scheduler's plugin DynamicResources, 1.36.3), then by its name: the scheduler's
// other scores are left out.
//
// Thread rules: one simulation, one thread.

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dra/judge/error_forecaster.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {

// One step of a simulation.
struct PlacementStep {
  size_t number = 0;
  const std::set<Symbol>* excluded = nullptr;  // nodes not for the first pod; null: none
  bool forecast_errors = true;                 // of the scheduler's attempts
};

class Placer final {
 public:
  // `placed`: what earlier steps placed; this one adds to it.
  Placer(const SimulationContext& context, PlacedPods& placed, PodsToPlace pods,
         PlacementStep step);
  Placer(const Placer&) = delete;  // the forecaster writes into this one's trace
  Placer& operator=(const Placer&) = delete;

  // As many of the pods as fit; none where an object is missing. Once.
  PlacementTrace Place();

 private:
  // In which order nodes are asked to take a pod. Nothing that a node gave up comes back, so an
  // answer is never outdated for the better.
  struct NodeOrder {
    // Nodes where the next pod would lead to an error are left for last.
    bool spares = true;
    size_t next = 0;                         // from this position on, nodes have not been asked
    std::set<std::pair<int, size_t>> asked;  // those that fit: score negated, position
  };

  void PlacePods();
  bool Ends() const;
  // Among other orders of pools: whether an earlier way has come to this, too.
  bool Merges() const;
  bool IsLeftOut(size_t position) const;
  int BestScore() const;
  std::optional<Offer> Choose();
  std::optional<Offer> FirstGood();
  // Absent: the node cannot take the next pod, and the trace says why. Whatever comes of it, the
  // trace and the forecaster have learned of the node.
  std::optional<Offer> OfferOn(const Node& node);
  bool TakesDevices(const Offer& offer);
  bool TakesPod(const PodVariant& variant);
  bool FailsToScore(const Offer& offer);
  void Take(const Offer& offer);
  void Bind(const Offer& offer);
  void FindClaimTakenBack();

  const SimulationContext& context_;
  PlacedPods& placed_;
  const PodDemand& demand_;
  const PlacementStep step_;
  PlacementTrace trace_;
  ErrorForecaster forecaster_;
  NodeOrder order_;
};

}  // namespace fedra::dra
