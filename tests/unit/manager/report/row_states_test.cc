// The words in the store's rows, and what is said of them.

#include "manager/report/row_states.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "manager/report/states.h"
#include "tests/support/catch.h"

namespace fedra::report::row_states_test {
namespace {

using placement::Phase;
using verify::ClusterPhase;

store::WorkloadRow InState(std::string state) {
  store::WorkloadRow row;
  row.state = std::move(state);
  row.worker = ClusterName("east");
  return row;
}

std::set<std::string> Explained(std::string_view group) {
  std::set<std::string> names;
  for (const StateEntry& entry : StateEntries())
    if (entry.group == group) names.emplace(entry.name);
  return names;
}

TEST_CASE("every phase is read back, shown once, and explained") {
  std::set<std::string> names;
  std::set<int> urgencies;
  for (const PhaseView& view : PhaseViews()) {
    const std::string name(placement::ToString(view.phase));
    INFO(name);
    CHECK(placement::ParsePhase(name) == view.phase);
    CHECK(ViewOf(name) == &view);
    CHECK(names.insert(name).second);
    CHECK(urgencies.insert(view.urgency).second);
  }
  CHECK(names == Explained("Job"));
}

TEST_CASE("every phase of a cluster is read back and explained") {
  std::set<std::string> names;
  for (const auto connection :
       {ConnectionPhase::kConnecting, ConnectionPhase::kConnected, ConnectionPhase::kUnreachable,
        ConnectionPhase::kRejected, ConnectionPhase::kMisconfigured}) {
    for (const bool listed : {false, true}) {
      const ClusterPhase phase = verify::ClusterPhaseOf(connection, listed);
      CHECK(verify::ParseClusterPhase(ToString(phase)) == phase);
      names.emplace(ToString(phase));
    }
  }
  CHECK(names == Explained("Worker"));
}

TEST_CASE("a cluster that answers and is not listed is syncing, not connecting") {
  CHECK(ToString(verify::ClusterPhaseOf(ConnectionPhase::kConnected, false)) == "Syncing");
  CHECK(ToString(verify::ClusterPhaseOf(ConnectionPhase::kConnecting, false)) == "Connecting");
}

TEST_CASE("sentences about jobs") {
  CHECK(Predicate(InState("Blocked")) == "is blocked");
  CHECK(Predicate(InState("Dispatching")) == "is being dispatched");
  CHECK(Predicate(InState("Running")) == "is running on east");
  CHECK(Predicate(InState("Deleted")) == "was deleted on east");
}

TEST_CASE("a word of another version is shown as it is, and ends nothing") {
  const store::WorkloadRow row = InState("Paused");
  CHECK(PhaseOf(row) == std::nullopt);
  CHECK(Predicate(row) == "is Paused on east");
  CHECK_FALSE(HasEnded(row.state));
  CHECK_FALSE(LooksForWorker(row));
}

}  // namespace
}  // namespace fedra::report::row_states_test
