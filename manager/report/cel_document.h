#pragma once
//
// A device selector asked of devices, for programs: what `cel` prints as JSON. Pure functions.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cel/selector.h"
#include "manager/report/cel_slices.h"

namespace fedra::report {

struct CelQuestion {
  std::string expression;
  std::string release;  // the Kubernetes release whose CEL environment is used: "1.36"
};

// What the selector says of one device.
struct CelAnswer {
  std::string place;                        // driver/pool/device
  const CelCandidate* candidate = nullptr;  // among those that were asked about; never null
  cel::EvalResult result;
  std::string operand;  // the false one; empty: none was
  std::string advice;   // what to write instead; may be empty
};
struct CelSummary {
  int matching = 0;
  int not_matching = 0;
  int errors = 0;
};

// One answer for each of the candidates, which must outlive it.
std::vector<CelAnswer> AskAll(const cel::Selector& selector,
                              const std::vector<CelCandidate>& candidates);
CelSummary CountAnswers(const std::vector<CelAnswer>& answers);
// "match", "no match", "error".
std::string_view OutcomeName(cel::Outcome outcome);

// CelReport of a selector that compiles, of one that was asked, and of one that does not compile.
nlohmann::ordered_json CelDocument(const CelQuestion& question, const cel::Selector& selector);
nlohmann::ordered_json CelDocument(const CelQuestion& question, const cel::Selector& selector,
                                   const std::vector<CelAnswer>& answers,
                                   const CelSummary& summary);
nlohmann::ordered_json CelDocument(const CelQuestion& question, const cel::CompileFailure& failure);

}  // namespace fedra::report
