#pragma once
//
// Why not all pods of a pod set fit: what an explanation adds to a PlacementTrace. Plain values.

#include <optional>
#include <string>
#include <vector>

#include "dra/judge/explain.h"
#include "verdict/verdict.h"

namespace fedra::dra {

struct Explanation {
  verdict::Outcome outcome = verdict::Outcome::kYes;
  std::vector<verdict::Reason> reasons;
  // As in PodSetReport.
  std::vector<RequestReport> requests;
  std::string nearest;
  std::optional<verdict::JointShortage> obstacle;
  bool aborted = false;
  std::optional<verdict::Reason> no_room;

  void Add(verdict::Outcome worst, verdict::ReasonCode code, std::string object,
           verdict::Facts facts) {
    Add(worst, {.code = code, .object = std::move(object), .facts = std::move(facts)});
  }
  void Add(verdict::Outcome worst, verdict::Reason reason) {
    outcome = std::max(outcome, worst);
    reasons.push_back(std::move(reason));
  }
};

}  // namespace fedra::dra
