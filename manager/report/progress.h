#pragma once
//
// How far a job is, for those who wait for it (`fedra wait`). Pure functions.

#include <optional>
#include <string_view>
#include <vector>

#include "manager/placement/action.h"

namespace fedra::report {

// What may be waited for. Each is reached by a job that is further than that, too.
enum class Goal { kDispatched, kRunning, kFinished };

std::optional<Goal> ParseGoal(std::string_view text);
// "dispatched", "running", "finished"
std::vector<std::string_view> GoalNames();

enum class Progress {
  kNotYet,
  kReached,
  kNever,  // the job has failed or was deleted
};

// Of a job in this phase; nullopt: one of another version of fedra, which is no progress yet.
Progress ProgressOf(std::optional<placement::Phase> phase, Goal goal);

}  // namespace fedra::report
