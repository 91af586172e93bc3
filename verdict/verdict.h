#pragma once
//
// The answer for one (requirement, worker): can this workload run there, and if not, exactly why.
// Plain values.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verdict/reason.h"

namespace fedra::verdict {

// Ordered from best to worst, so that a ranking may compare them.
enum class Outcome {
  kYes,       // everything that was checked is there
  kMayScale,  // not now, but a declared scalable pool could provide it
  kUnknown,   // it could not be found out; the reasons say why
  kNo,        // it would not run there
};

std::string_view ToString(Outcome outcome);
std::optional<Outcome> ParseOutcome(std::string_view text);

struct Verdict {
  Outcome outcome = Outcome::kUnknown;
  std::vector<int>
      alternatives;      // PodSetReport::alternatives of one pod set after the other, indices only
  int pods_fitting = 0;  // of all pod sets together; meaningful when devices were judged
  int pods_wanted = 0;
  int headroom = 0;  // free matching devices beyond the need; for ranking only
  // kNo, but all pods would fit if the devices that are in use became free.
  bool fits_when_free = false;
  std::vector<Reason>
      reasons;  // never empty for an outcome other than kYes; warnings may stand beside kYes

  bool operator==(const Verdict&) const = default;
};

// "TemplateMissing", or the outcome's own name when there is no reason.
std::string_view Headline(const Verdict& verdict);

}  // namespace fedra::verdict
