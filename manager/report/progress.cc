#include "manager/report/progress.h"

#include <algorithm>
#include <array>

namespace fedra::report {
namespace {

constexpr std::array<std::string_view, 3> kGoals = {"dispatched", "running", "finished"};

}  // namespace

std::vector<std::string_view> GoalNames() { return {kGoals.begin(), kGoals.end()}; }

std::optional<Goal> ParseGoal(std::string_view text) {
  const auto* found = std::find(kGoals.begin(), kGoals.end(), text);
  if (found == kGoals.end()) return std::nullopt;
  return static_cast<Goal>(found - kGoals.begin());
}

Progress ProgressOf(std::optional<placement::Phase> phase, Goal goal) {
  using enum placement::Phase;
  const auto reached = [&](Goal furthest) {
    return furthest >= goal ? Progress::kReached : Progress::kNotYet;
  };
  if (!phase) return Progress::kNotYet;
  switch (*phase) {
    case kWaiting:
    case kBlocked:
    case kRequeued:
    case kSuspended:
      return Progress::kNotYet;
    case kDispatching:
      return reached(Goal::kDispatched);
    case kRunning:
      return reached(Goal::kRunning);
    case kFinished:
      return reached(Goal::kFinished);
    case kFailed:
    case kGone:
      break;
  }
  return Progress::kNever;
}

}  // namespace fedra::report
