// Who the manager is: asked for without waiting.

#include "manager/reconcile/manager_cluster.h"

#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected.h"

using namespace fedra;
using namespace fedra::reconcile;
using namespace std::chrono_literals;

namespace {

ConnectedOptions Alone() {
  ConnectedOptions options;
  options.workers = {};
  return options;
}

}  // namespace

TEST_CASE("the manager's UID is asked for beside the caller, until it is known") {
  Connected f(Alone());
  f.Start();
  CHECK(f.WaitUntil([&] { return f.manager().IdentifySoon(); }));
  CHECK_FALSE(f.manager().uid().empty());
}

TEST_CASE("a manager that falls silent holds up neither who asks for its UID nor the end") {
  Connected f(Alone());
  f.Start();
  sim::Faults silent;
  silent.hang = true;
  f.manager_server().SetFaults(silent);
  const SteadyTime begin = SystemClock().Steady();
  CHECK_FALSE(f.manager().IdentifySoon());
  CHECK_FALSE(f.manager().IdentifySoon());
  f.manager().Stop();
  CHECK(SystemClock().Steady() - begin < 5s);
}

// Their order and their shares would be the default ones.
TEST_CASE("decisions wait for the manager's ClusterQueues, unless they are withheld") {
  Connected f(Alone());
  sim::Faults slow;
  slow.answers.push_back({.kind = sim::InjectedAnswer::Kind::kHang,
                          .method = "GET",
                          .path_contains = "/clusterqueues"});
  f.manager_server().SetFaults(slow);
  f.manager().Start();
  REQUIRE(f.WaitUntil([&] {
    return f.manager().workloads().cache().health().complete &&
           f.manager().checks().health().complete && f.manager().configs().health().complete &&
           f.manager().templates().health().complete;
  }));
  CHECK_FALSE(f.manager().IsListed());
  slow.answers.front().kind = sim::InjectedAnswer::Kind::kStatus;
  slow.answers.front().code = 403;
  f.manager_server().SetFaults(slow);
  f.manager_server().DropConnections();
  CHECK(f.WaitUntil([&] { return f.manager().IsListed(); }));
  CHECK(f.manager().IsUsable());
}
