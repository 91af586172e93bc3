#include "manager/report/row_states.h"

#include <algorithm>
#include <array>

namespace fedra::cli {
namespace {

using placement::Phase;
using reconcile::ClusterPhase;
using verdict::Outcome;

constexpr std::array kPhaseViews = {
    PhaseView{Phase::kRunning, Tone::kGood, "is running", true, 4},
    PhaseView{Phase::kDispatching, Tone::kWarning, "is being dispatched", false, 2},
    PhaseView{Phase::kRequeued, Tone::kWarning, "is queued again", false, 1},
    PhaseView{Phase::kWaiting, Tone::kPlain, "is waiting", false, 3},
    PhaseView{Phase::kBlocked, Tone::kBad, "is blocked", false, 0},
    PhaseView{Phase::kSuspended, Tone::kPlain, "is suspended", false, 5},
    PhaseView{Phase::kFinished, Tone::kGood, "has finished", true, 7},
    PhaseView{Phase::kFailed, Tone::kBad, "has failed", true, 6},
    PhaseView{Phase::kGone, Tone::kPlain, "was deleted", true, 8},
};
static_assert(kPhaseViews.size() == placement::kPhases.size() + 1, "every phase is shown");

}  // namespace

std::span<const PhaseView> PhaseViews() { return kPhaseViews; }

std::optional<Phase> PhaseOf(const store::WorkloadRow& row) {
  return placement::ParsePhase(row.state);
}

std::optional<Outcome> OutcomeOf(const store::VerdictRow& row) {
  return verdict::ParseOutcome(row.outcome);
}

std::optional<ClusterPhase> PhaseOf(const store::ClusterRow& row) {
  return reconcile::ParseClusterPhase(row.phase);
}

const PhaseView* ViewOf(const store::WorkloadRow& row) {
  const std::optional<Phase> phase = PhaseOf(row);
  const auto found = std::find_if(kPhaseViews.begin(), kPhaseViews.end(),
                                  [&](const PhaseView& view) { return view.phase == phase; });
  return found == kPhaseViews.end() ? nullptr : &*found;
}

bool HasEnded(const store::WorkloadRow& row) {
  const std::optional<Phase> phase = PhaseOf(row);
  return phase == Phase::kFinished || phase == Phase::kFailed || phase == Phase::kGone;
}

bool LooksForWorker(const store::WorkloadRow& row) {
  const std::optional<Phase> phase = PhaseOf(row);
  return phase == Phase::kBlocked || phase == Phase::kDispatching || phase == Phase::kRequeued ||
         phase == Phase::kWaiting;
}

Tone ToneOf(const store::WorkloadRow& row) {
  const PhaseView* view = ViewOf(row);
  return view == nullptr ? Tone::kPlain : view->tone;
}

Tone ToneOf(const store::ClusterRow& row) {
  const std::optional<ClusterPhase> phase = PhaseOf(row);
  if (phase == ClusterPhase::kConnected) return Tone::kGood;
  return phase == ClusterPhase::kConnecting || phase == ClusterPhase::kSyncing ? Tone::kWarning
                                                                               : Tone::kBad;
}

Tone ToneOfOutcome(std::string_view verdict_outcome) {
  const std::optional<Outcome> outcome = verdict::ParseOutcome(verdict_outcome);
  if (outcome == Outcome::kYes) return Tone::kGood;
  return outcome == Outcome::kNo ? Tone::kBad : Tone::kWarning;
}

std::string Predicate(const store::WorkloadRow& row) {
  const std::string on_worker = row.worker.empty() ? "" : " on " + row.worker.value;
  const PhaseView* view = ViewOf(row);
  if (view == nullptr) return "is " + row.state + on_worker;
  return std::string(view->predicate) + (view->names_worker ? on_worker : "");
}

}  // namespace fedra::cli
