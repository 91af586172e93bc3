#include "manager/text/row_tones.h"

#include <optional>

#include "manager/report/row_states.h"

namespace fedra::text {
namespace {

Tone ToneOfPhase(placement::Phase phase) {
  switch (phase) {
    case placement::Phase::kRunning:
    case placement::Phase::kFinished:
      return Tone::kGood;
    case placement::Phase::kDispatching:
    case placement::Phase::kRequeued:
      return Tone::kWarning;
    case placement::Phase::kBlocked:
    case placement::Phase::kFailed:
      return Tone::kBad;
    case placement::Phase::kWaiting:
    case placement::Phase::kSuspended:
    case placement::Phase::kGone:
      break;
  }
  return Tone::kPlain;
}

}  // namespace

Tone ToneOf(const store::WorkloadRow& row) {
  const std::optional<placement::Phase> phase = report::PhaseOf(row);
  return phase ? ToneOfPhase(*phase) : Tone::kPlain;
}

Tone ToneOf(const store::ClusterRow& row) {
  using verify::ClusterPhase;
  const std::optional<ClusterPhase> phase = report::PhaseOf(row);
  if (phase == ClusterPhase::kConnected) return Tone::kGood;
  return phase == ClusterPhase::kConnecting || phase == ClusterPhase::kSyncing ? Tone::kWarning
                                                                               : Tone::kBad;
}

Tone ToneOfOutcome(std::string_view verdict_outcome) {
  const std::optional<verdict::Outcome> outcome = verdict::ParseOutcome(verdict_outcome);
  if (outcome == verdict::Outcome::kYes) return Tone::kGood;
  return outcome == verdict::Outcome::kNo ? Tone::kBad : Tone::kWarning;
}

}  // namespace fedra::text
