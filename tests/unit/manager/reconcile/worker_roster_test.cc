// Workers come, go and change while the daemon runs.

#include "manager/reconcile/worker_roster.h"

#include "cluster-clients/threads.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/wait.h"

namespace fedra::reconcile::worker_roster_test {

using placement::Membership;
using Names = std::vector<std::string>;

namespace {

struct Fixture {
  Threads threads{4};
  sim::Server east{{}};
  sim::Server west{{}};
  WorkerSet set;
  WorkerRoster roster{
      set, [this](WorkerSettings settings) {
        return std::make_shared<Worker>(
            std::move(settings), threads.loop, threads.pool, SystemClock(),
            WorkerListener{[](const ObjectKey&) {}, [](const tracking::JobKey&) {},
                           [](const ObjectKey&) {}, [](const Worker&, const InputChange&) {},
                           [](const Worker&) {}});
      }};

  Fixture() {
    sim::Furnish(east, /*manager=*/false);
    sim::Furnish(west, /*manager=*/false);
  }
  ~Fixture() { roster.StopAll(); }

  WorkerSettings Settings(const std::string& name, const sim::Server& server) const {
    WorkerSettings settings;
    settings.cluster.name = ClusterName(name);
    settings.cluster.access = AccessTo(server);
    return settings;
  }
  // The names of changed workers.
  static Names Changed(const RosterChange& change) {
    Names names;
    for (const ClusterName& name : change.changed) names.push_back(name.value);
    return names;
  }
  Names Workers() const {
    Names names;
    const auto now = set.Now();
    for (const auto& worker : *now) names.push_back(worker->name().value);
    return names;
  }
  std::shared_ptr<Worker> Find(const std::string& name) const {
    return set.Now()->Find(ClusterName(name));
  }
  Membership MembershipOf(const std::string& name) const {
    return set.Now()->MembershipOf(ClusterName(name));
  }
};

bool IsConnected(const Worker& worker) { return worker.contact() == placement::Contact::kFull; }

}  // namespace

TEST_CASE("a worker that is added is connected, and the others are left alone") {
  Fixture f;
  CHECK(f.Changed(f.roster.Configure({f.Settings("east", f.east)}, false)) == Names{"east"});
  const auto east = f.Find("east");
  REQUIRE(WaitUntil([&] { return IsConnected(*east); }));
  CHECK(f.Changed(f.roster.Configure({f.Settings("west", f.west), f.Settings("east", f.east)},
                                     false)) == Names{"west"});
  CHECK(f.Workers() == Names{"west", "east"});
  CHECK(f.Find("east") == east);
  CHECK(IsConnected(*east));
  CHECK(WaitUntil([&] { return IsConnected(*f.Find("west")); }));
}

TEST_CASE("a worker that is removed stays connected until it is released") {
  Fixture f;
  f.roster.Configure({f.Settings("east", f.east), f.Settings("west", f.west)}, false);
  const auto east = f.Find("east");
  REQUIRE(WaitUntil([&] { return IsConnected(*east); }));
  CHECK(f.Changed(f.roster.Configure({f.Settings("west", f.west)}, false)) == Names{"east"});
  CHECK(f.Workers() == Names{"west", "east"});
  CHECK(f.MembershipOf("east") == Membership::kKept);
  CHECK(f.MembershipOf("west") == Membership::kConfigured);
  CHECK(f.Changed(f.roster.Configure({f.Settings("west", f.west)}, true)) == Names{"east"});
  CHECK(f.MembershipOf("east") == Membership::kDrained);
  CHECK(IsConnected(*east));
  CHECK(f.Changed(f.roster.Release(ClusterName("east"))) == Names{"east"});
  CHECK(f.Workers() == Names{"west"});
}

TEST_CASE("a removed worker that is configured again is as before") {
  Fixture f;
  f.roster.Configure({f.Settings("east", f.east)}, true);
  const auto east = f.Find("east");
  f.roster.Configure({}, true);
  REQUIRE(f.MembershipOf("east") == Membership::kDrained);
  CHECK(f.Changed(f.roster.Configure({f.Settings("east", f.east)}, true)) == Names{"east"});
  CHECK(f.Find("east") == east);
  CHECK(f.MembershipOf("east") == Membership::kConfigured);
}

TEST_CASE("new credentials are used by the worker that is there; another shape is a new one") {
  Fixture f;
  f.roster.Configure({f.Settings("east", f.east)}, false);
  const auto east = f.Find("east");
  WorkerSettings settings = f.Settings("east", f.east);
  settings.cluster.access = AccessTo(f.east, "another-token");
  CHECK(f.Changed(f.roster.Configure({settings}, false)).empty());
  CHECK(f.Find("east") == east);
  settings.capabilities = {"gpu.nvidia.com/MPSSupport"};
  CHECK(f.Changed(f.roster.Configure({settings}, false)) == Names{"east"});
  CHECK(f.Find("east") != east);
}

TEST_CASE("no API server is two workers: a renamed one waits until the old name is released") {
  Fixture f;
  f.roster.Configure({f.Settings("east", f.east)}, false);
  CHECK(f.Changed(f.roster.Configure({f.Settings("orient", f.east)}, false)) == Names{"east"});
  CHECK(f.Workers() == Names{"east"});
  CHECK(f.MembershipOf("east") == Membership::kKept);
  CHECK(f.Changed(f.roster.Release(ClusterName("east"))) == Names{"orient", "east"});
  CHECK(f.Workers() == Names{"orient"});
  CHECK(WaitUntil([&] { return IsConnected(*f.Find("orient")); }));
}

}  // namespace fedra::reconcile::worker_roster_test
