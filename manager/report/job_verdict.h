#pragma once
//
// What is said of one job on one worker, as `fedra check` shows it. Plain values.

#include <cstddef>
#include <string>
#include <vector>

#include "base/types.h"
#include "dra/judge/judge.h"
#include "verdict/verdict.h"

namespace fedra::report {

// The alternative of a firstAvailable request that the pods would get.
struct NamedAlternative {
  std::string pod_set;
  std::string claim;    // its name in the pod
  std::string request;  // empty: the worker's copy of the claim does not tell
  std::string name;     // of the alternative; empty like `request`
  int index = 0;        // from 0
  size_t of = 0;        // how many there are; 0: unknown
};

// What a person should know of a verdict although it decides nothing.
struct VerdictNote {
  std::string object;  // "ResourceClaimTemplate ml/one-gpu"
  std::string message;
  std::string remedy;  // what to do

  bool operator==(const VerdictNote&) const = default;
};

struct JobVerdict {
  ClusterName worker;
  verdict::Verdict verdict;
  std::vector<VerdictNote> notes = {};
  bool devices_judged = false;
  std::vector<dra::PodSetReport> pod_sets;  // when devices were judged
  std::vector<NamedAlternative> alternatives;
};

}  // namespace fedra::report
