#pragma once
//
// Why not all pods of a pod set fit: what an explanation adds to a PlacementTrace. Plain values.

#include <optional>
#include <string>
#include <vector>

#include "dra/judge/explain.h"
#include "dra/verdict.h"

namespace fedra::dra {

struct Explanation {
  Outcome outcome = Outcome::kYes;
  std::vector<Reason> reasons;
  int headroom = 0;  // when all fit
  // As in PodSetReport.
  std::vector<RequestReport> requests;
  std::string nearest;
  std::string obstacle;
  bool aborted = false;
  std::optional<Reason> no_room;

  void Add(Outcome worst, ReasonCode code, std::string object, std::string message) {
    Add(worst, {.code = code, .object = std::move(object), .message = std::move(message)});
  }
  void Add(Outcome worst, Reason reason) {
    outcome = std::max(outcome, worst);
    reasons.push_back(std::move(reason));
  }
};

}  // namespace fedra::dra
