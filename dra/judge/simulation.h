#pragma once
//
// One attempt to place the pods of a workload on one cluster, for Judge() only: step by step, first
// the assumed workloads, then the pod sets. A Placer places the pods of a step, an Explainer says
// why some do not fit.
//
// Thread rules: one judgement, one thread. Lifetime: everything given at construction outlives it.

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dra/judge/free_counts.h"
#include "dra/judge/judge.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/scaling.h"
#include "dra/judge/simulation_context.h"
#include "dra/judge/waiting.h"

namespace fedra::dra {

// How many pods of a set fit, and what may keep them from being bound all the same.
struct PodSetEnd {
  enum class Trouble { kNone, kErrorAhead, kGivenUp, kMayTakeLong, kTakesLong };

  int fitting = 0;
  Trouble trouble = Trouble::kNone;  // where all fit
  bool may_fit = false;              // where not all do: that is not proven

  bool operator==(const PodSetEnd&) const = default;
};

struct PodSetResult {
  PodSetReport report;
  PodSetEnd end;
  verdict::Outcome outcome = verdict::Outcome::kYes;
  std::vector<verdict::Reason> reasons;
  // When too few nodes are left for the pods: the claims that leave so few.
  std::vector<ObjectKey> contested;
};

// Nodes that a step's claims for many pods are not allocated on, by step; those beyond: none.
struct ExcludedNodes {
  std::vector<std::set<Symbol>> by_step;

  // Null: none.
  const std::set<Symbol>* Of(size_t step) const {
    return step < by_step.size() ? &by_step[step] : nullptr;
  }
};

class Simulation final {
 public:
  struct Options {
    const ExcludedNodes& excluded;
    bool explain = true;  // why pods do not fit, and what is left when all do
    // Whether waiting could help; null: shortages are reported without it.
    const AskFreeCluster* free_cluster = nullptr;
    OrderDraws* draws = nullptr;          // as in SimulationContext
    std::span<const TieBreak> ties = {};  // by pod set; those beyond: by name
    bool spreads = false;                 // as in NodeOrder::Question
  };

  Simulation(const std::string& ns, const Snapshot& snapshot, JudgeCaches caches,
             const JudgeOptions& judge_options, SearchCost& cost, Options options)
      : ns_(ns),
        context_{snapshot,      caches, caches.memory ? *caches.memory : own_memory_,
                 judge_options, cost,   options.draws},
        options_(options) {}
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  PodSetResult Place(const PodDemand& demand);
  // Takes what these pods will take, as far as they fit.
  void Assume(const AssumedPods& pods);
  // A claim whose allocation the scheduler would take back, because pods fitted nowhere: all
  // answers are about the cluster before that.
  const std::optional<ObjectKey>& idle_claim() const { return idle_claim_; }
  // One that it would take back once pods could not be bound: no answer looks that far.
  const std::optional<ObjectKey>& claim_taken_back_later() const { return claim_taken_back_later_; }
  // In the order of the steps.
  const std::vector<SharedChoice>& choices() const { return placed_.choices; }
  int assumed_fitting() const { return assumed_fitting_; }
  // Whether a node was taken of several that may score alike.
  bool chose_by_name() const { return placed_.chose_by_name; }
  // Devices beyond those that the pod sets take, as CountHeadroom() counts them. 0 where nothing is
  // explained.
  int Headroom() const { return CountHeadroom(context_, fitted_, placed_); }

 private:
  // What the rest of it depends on, for other orders.
  void NoteEnd(const PlacementTrace& trace, const PodSetEnd& end);
  // Could new nodes take the rest? Then the outcome is MayScale, and they are added.
  void Scale(const PlacementTrace& trace, PodSetResult& result, Explanation& explanation);

  const std::string& ns_;  // of the pods that are placed
  JudgeMemory own_memory_;
  const SimulationContext context_;
  const Options options_;
  PlacedPods placed_;
  AddedNodes added_nodes_;
  std::vector<FittedPods> fitted_;
  size_t steps_ = 0;     // so far
  size_t pod_sets_ = 0;  // placed so far, or begun
  int assumed_fitting_ = 0;
  std::optional<ObjectKey> idle_claim_;
  std::optional<ObjectKey> claim_taken_back_later_;
};

}  // namespace fedra::dra
