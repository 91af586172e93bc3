// From which objects it follows that a workload will take devices and quota of a worker.

#include "manager/placement/assumption.h"

#include "tests/support/catch.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::assumption_test {

using fedra::placement::testing::World;

namespace {

// The workers where pods may come, "a b".
std::string Assumed(const World& world) {
  std::string names;
  for (const ClusterView& cluster : world.Seen()) {
    if (AssumptionOn(world.View(), cluster))
      names += (names.empty() ? "" : " ") + cluster.name.value;
  }
  return names;
}

}  // namespace

TEST_CASE("a workload is assumed from its nomination to the end of its job") {
  World world({"a", "b"});
  CHECK(Assumed(world).empty());
  world.ReserveQuota();
  CHECK(Assumed(world).empty());
  const Decision decision = world.Step(1);  // the nomination, and no clone yet
  REQUIRE(std::holds_alternative<Nominate>(decision.actions.at(0)));
  REQUIRE(world.WorkersWithClone().empty());
  CHECK(Assumed(world) == "a");
  CHECK_FALSE(AssumptionOn(world.View(), world.Seen()[0])->since);
  world.Settle();
  REQUIRE(world.WorkersWithClone() == std::vector<std::string>{"a"});
  CHECK(AssumptionOn(world.View(), world.Seen()[0])->since == world.worker("a").clone->created);
  REQUIRE(world.Admit("a"));
  world.Settle();
  REQUIRE(world.workload().cluster_name == "a");
  CHECK(Assumed(world) == "a");
  REQUIRE(world.Finish("a"));
  CHECK(Assumed(world).empty());  // before the manager knows
  world.Settle();
  CHECK(Assumed(world).empty());
}

TEST_CASE("names that Kueue has left behind promise nothing; copies do until they go") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(Assumed(world) == "a");
  world.EvictOnManager("Pending");
  REQUIRE(world.workload().nominated.size() == 1);
  CHECK(Assumed(world) == "a");
  world.Edit(world.worker("a"))->deleting = true;
  CHECK(Assumed(world).empty());
  world.worker("a").clone = nullptr;
  CHECK(Assumed(world).empty());
}

TEST_CASE("a copy that is not of this workload promises nothing") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.PutCopyOfAnotherManager("b");
  CHECK(Assumed(world).empty());
  world.Settle();
  CHECK(Assumed(world) == "a");
}

TEST_CASE("a workload that is deleted, or whose pods are not known, promises nothing") {
  World world({"a"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(Assumed(world) == "a");
  world.workload().deleting = true;
  CHECK(Assumed(world).empty());
  world.workload().deleting = false;
  world.workload().requirement.demands = nullptr;
  CHECK(Assumed(world).empty());
  world.DeleteWorkload();
  CHECK(Assumed(world).empty());
}

TEST_CASE("where the worker's Kueue has no quota for it, its devices are free for others") {
  World world({"a"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(Assumed(world) == "a");
  const auto takes_devices = [&] {
    return AssumptionOn(world.View(), world.Seen()[0]).value().takes_devices;
  };
  CHECK(takes_devices());
  const auto clone = world.Edit(world.worker("a"));
  clone->quota_reserved = tracking::Condition{.is_true = false, .reason = "Pending"};
  CHECK_FALSE(takes_devices());
  clone->quota_reserved->is_true = true;
  CHECK(takes_devices());
}

TEST_CASE("quota is taken from the decision on; since when, its clone says") {
  World world({"a"});
  world.ReserveQuota();
  world.workload().requirement.queue = "gpu";
  CHECK(AssumptionOf(world.View()).quota.queue == "gpu");
  CHECK(AssumptionOf(world.View()).quota.counted == world.workload().requirement.demands);
  world.Settle();
  const auto quota = [&] { return AssumptionOn(world.View(), world.Seen()[0]).value().quota; };
  CHECK(quota().queue == "gpu");
  CHECK(quota().counted == world.workload().requirement.demands);
  CHECK_FALSE(quota().reserved_at);
  const auto clone = world.Edit(world.worker("a"));
  clone->quota_reserved = tracking::Condition{.is_true = true, .since = world.now()};
  CHECK(quota().reserved_at == world.now());
  clone->quota_reserved->is_true = false;
  CHECK_FALSE(quota().reserved_at);
  // What Kueue counts is something else where the Workload does not show it.
  const auto counted = std::make_shared<const std::vector<dra::PodDemand>>(2);
  world.workload().requirement.counted = counted;
  CHECK(quota().counted == counted);
  clone->active = false;  // that Kueue gives it none any more
  CHECK(quota().counted == nullptr);
}

TEST_CASE("without its check the job's worker counts") {
  World world({"a", "b"});
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Settle();
  world.worker("a").clone = nullptr;
  world.worker("a").job = nullptr;
  WorkloadView view = world.View();
  CHECK(AssumptionOn(view, world.Seen()[0]));
  view.check.clear();
  CHECK(AssumptionOn(view, world.Seen()[0]));
  CHECK_FALSE(AssumptionOn(view, world.Seen()[1]));
}

}  // namespace fedra::placement::assumption_test
