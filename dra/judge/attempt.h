#pragma once
//
// One try to place a whole job on a cluster, for Judge(): simulation after simulation, with other
// nodes for the claims that pods share when not all pods fit.
//
// Thread rules: one judgement, one thread.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dra/judge/judge.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/simulation.h"
#include "dra/judge/waiting.h"

namespace fedra::dra {

// What Judge() is asked, the cluster apart.
struct Question {
  const std::string& ns;
  std::span<const PodDemand> demands;
  const JudgeOptions& options;
};

struct Attempt {
  Judgement judgement;
  std::optional<ObjectKey> idle_claim;              // must lose its allocation before anything fits
  std::optional<ObjectKey> claim_taken_back_later;  // loses it once pods could not be bound
  std::vector<SharedChoice> choices;
  std::vector<ObjectKey> contested;  // claims that keep pods out, by the nodes that they are on
  std::vector<PodSetEnd> ends;       // by pod set
  bool certain = false;              // other pods do not fit for reasons of their own
  bool chose_by_name = false;        // for a pod before the last pod set, of nodes that score alike
  int assumed_fitting = 0;
};

struct AttemptOptions {
  // Whether waiting could help; null: shortages are reported without it.
  const AskFreeCluster* free_cluster = nullptr;
  bool explain = true;                  // as in Simulation::Options
  OrderDraws* draws = nullptr;          // as in SimulationContext
  std::span<const TieBreak> ties = {};  // as in Simulation::Options
  bool spreads = false;                 // likewise
};

Attempt TryNodes(const Question& question, const Snapshot& snapshot, JudgeCaches caches,
                 SearchCost& cost, const AttemptOptions& how);

}  // namespace fedra::dra
