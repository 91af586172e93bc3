#include "verdict/verdict.h"

namespace fedra::verdict {

std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kYes:
      return "Yes";
    case Outcome::kMayScale:
      return "MayScale";
    case Outcome::kUnknown:
      return "Unknown";
    case Outcome::kNo:
      return "No";
  }
  return "Unknown";
}

std::optional<Outcome> ParseOutcome(std::string_view text) {
  for (const Outcome outcome :
       {Outcome::kYes, Outcome::kMayScale, Outcome::kUnknown, Outcome::kNo}) {
    if (ToString(outcome) == text) return outcome;
  }
  return std::nullopt;
}

std::string_view Headline(const Verdict& verdict) {
  return verdict.reasons.empty() ? ToString(verdict.outcome)
                                 : ToString(verdict.reasons.front().code);
}

}  // namespace fedra::verdict
