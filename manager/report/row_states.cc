#include "manager/report/row_states.h"

#include <algorithm>
#include <array>

namespace fedra::report {
namespace {

using placement::Phase;
using verdict::Outcome;
using verify::ClusterPhase;

constexpr std::array kPhaseViews = {
    PhaseView{Phase::kRunning, "is running", true, 4},
    PhaseView{Phase::kDispatching, "is being dispatched", false, 2},
    PhaseView{Phase::kRequeued, "is queued again", false, 1},
    PhaseView{Phase::kWaiting, "is waiting", false, 3},
    PhaseView{Phase::kBlocked, "is blocked", false, 0},
    PhaseView{Phase::kSuspended, "is suspended", false, 5},
    PhaseView{Phase::kFinished, "has finished", true, 7},
    PhaseView{Phase::kFailed, "has failed", true, 6},
    PhaseView{Phase::kGone, "was deleted", true, 8},
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
  return verify::ParseClusterPhase(row.phase);
}

bool IsOutOfContact(const store::ClusterRow& row) {
  const std::optional<ClusterPhase> phase = PhaseOf(row);
  return phase == ClusterPhase::kUnreachable || phase == ClusterPhase::kRejected ||
         phase == ClusterPhase::kMisconfigured;
}

const PhaseView* ViewOf(std::string_view state) {
  const std::optional<Phase> phase = placement::ParsePhase(state);
  const auto found = std::find_if(kPhaseViews.begin(), kPhaseViews.end(),
                                  [&](const PhaseView& view) { return view.phase == phase; });
  return found == kPhaseViews.end() ? nullptr : &*found;
}

bool HasEnded(std::string_view state) {
  const std::optional<Phase> phase = placement::ParsePhase(state);
  return phase == Phase::kFinished || phase == Phase::kFailed || phase == Phase::kGone;
}

bool LooksForWorker(const store::WorkloadRow& row) {
  const std::optional<Phase> phase = PhaseOf(row);
  return phase == Phase::kBlocked || phase == Phase::kDispatching || phase == Phase::kRequeued ||
         phase == Phase::kWaiting;
}

std::string Predicate(const store::WorkloadRow& row) {
  const std::string on_worker = row.worker.empty() ? "" : " on " + row.worker.value;
  const PhaseView* view = ViewOf(row.state);
  if (view == nullptr) return "is " + row.state + on_worker;
  return std::string(view->predicate) + (view->names_worker ? on_worker : "");
}

}  // namespace fedra::report
