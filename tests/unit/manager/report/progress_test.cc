#include "manager/report/progress.h"

#include "manager/report/states.h"
#include "tests/support/catch.h"

namespace fedra::report::progress_test {

TEST_CASE("progress: a goal is reached by what is further, and never by what failed") {
  using enum Goal;
  struct Row {
    const char* state;
    Progress dispatched;
    Progress running;
    Progress finished;
  };
  const Row rows[] = {
      {"Waiting", Progress::kNotYet, Progress::kNotYet, Progress::kNotYet},
      {"Blocked", Progress::kNotYet, Progress::kNotYet, Progress::kNotYet},
      {"Dispatching", Progress::kReached, Progress::kNotYet, Progress::kNotYet},
      {"Running", Progress::kReached, Progress::kReached, Progress::kNotYet},
      {"Requeued", Progress::kNotYet, Progress::kNotYet, Progress::kNotYet},
      {"Suspended", Progress::kNotYet, Progress::kNotYet, Progress::kNotYet},
      {"Finished", Progress::kReached, Progress::kReached, Progress::kReached},
      {"Failed", Progress::kNever, Progress::kNever, Progress::kNever},
      {"Deleted", Progress::kNever, Progress::kNever, Progress::kNever},
  };
  size_t states = 0;
  for (const StateEntry& entry : StateEntries()) states += entry.group == "Job" ? 1 : 0;
  CHECK(states == std::size(rows));
  for (const Row& row : rows) {
    INFO(row.state);
    const auto phase = placement::ParsePhase(row.state);
    REQUIRE(phase);
    CHECK(ProgressOf(phase, kDispatched) == row.dispatched);
    CHECK(ProgressOf(phase, kRunning) == row.running);
    CHECK(ProgressOf(phase, kFinished) == row.finished);
  }
}

TEST_CASE("progress: a phase of another version of fedra is none yet") {
  CHECK(ProgressOf(placement::ParsePhase("Hibernating"), Goal::kDispatched) == Progress::kNotYet);
}

TEST_CASE("progress: the names of goals") {
  for (const std::string_view name : GoalNames())
    CHECK(GoalNames()[static_cast<size_t>(*ParseGoal(name))] == name);
  CHECK_FALSE(ParseGoal("Finished"));
  CHECK_FALSE(ParseGoal(""));
}

}  // namespace fedra::report::progress_test
