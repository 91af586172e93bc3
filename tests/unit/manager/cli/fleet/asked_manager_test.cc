// The manager as a command asks it.

#include "manager/cli/fleet/asked_manager.h"

#include "manager/tracking/kinds/job_kinds.h"
#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/wait.h"

namespace fedra::cli::asked_manager_test {

TEST_CASE("a manager whose kubeconfig cannot be used has answered, and is not asked") {
  sim::Server server;
  ClusterSettings settings{ClusterName("manager"), AccessTo(server), {}, {}};
  const bool misconfigured = GENERATE(true, false);
  CAPTURE(misconfigured);
  if (misconfigured)
    settings.misconfigured = Error{ErrorCode::kInvalidArgument, "line 3: no server", {}, {}};
  AskedManager manager(std::move(settings), "fedra.dev/dispatch", /*kueue_copies=*/false,
                       tracking::BuiltInKinds()->all(), [] {});
  REQUIRE(WaitUntil([&] { return manager.HasAnswered(); }));
  CHECK((manager.cache() == nullptr) == misconfigured);
  CHECK(server.RequestCounts().empty() == misconfigured);
}

}  // namespace fedra::cli::asked_manager_test
