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
