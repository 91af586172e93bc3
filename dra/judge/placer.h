#pragma once
//
// Places the pods of one pod set, one after another, as kube-scheduler would.
//
// Nodes are asked in the order of kube-scheduler's scores (node_order.h).
//
// Thread rules: one simulation, one thread.

#include <optional>
#include <set>

#include "dra/judge/error_forecaster.h"
#include "dra/judge/node_order.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/placement_trace.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {

// One step of a simulation.
struct PlacementStep {
  size_t number = 0;
  const std::set<Symbol>* excluded = nullptr;  // nodes not for the first pod; null: none
  bool forecast_errors = true;                 // of the scheduler's attempts
  const TieBreak* ties = nullptr;              // null: by name
  bool spreads = false;                        // as in NodeOrder::Question
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
  void PlacePods();
  bool Ends() const;
  // Among other orders of pools: whether an earlier way has come to this, too.
  bool Merges() const;
  bool IsLeftOut(size_t position) const;
  int ScoreOfBound() const;
  int BestScore() const;
  void OrderNodes();
  std::optional<Offer> Choose();
  // Absent: the node cannot take the next pod, and the trace says why. Whatever comes of it, the
  // trace and the forecaster have learned of the node.
  std::optional<Offer> OfferOn(size_t position);
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
  std::optional<NodeOrder> order_;  // absent until Place()
  // Nodes where the next pod would lead to an error are left for last.
  bool spares_ = true;
};

}  // namespace fedra::dra
