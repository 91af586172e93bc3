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

Progress ProgressOf(std::string_view state, Goal goal) {
  if (state == "Failed" || state == "Deleted") return Progress::kNever;
  std::optional<Goal> furthest;
  if (state == "Dispatching") furthest = Goal::kDispatched;
  if (state == "Running") furthest = Goal::kRunning;
  if (state == "Finished") furthest = Goal::kFinished;
  return furthest && *furthest >= goal ? Progress::kReached : Progress::kNotYet;
}

}  // namespace fedra::report
