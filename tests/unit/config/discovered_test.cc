#include "config/discovered.h"

#include <string>
#include <vector>

#include "config/foreign_kubeconfig.h"
#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

namespace fedra::config::discovered_test {
namespace {

using test::Now;

ClusterAccess To(const std::string& host, const std::string& token = "abc") {
  KubeAccess access;
  access.server = "https://" + host;
  access.token = token;
  return access;
}

DiscoveredWorker Found(const std::string& name, ClusterAccess access) {
  return {name, std::move(access), "MultiKueueCluster " + name};
}

// The manager, and worker east of the file.
Loaded Configured() {
  Loaded loaded;
  loaded.manager = To("manager");
  WorkerSettings east;
  east.name = "east";
  east.kubeconfig = "/etc/fedra/east";
  loaded.configuration.workers.push_back(east);
  loaded.workers.push_back(To("east"));
  return loaded;
}

std::vector<std::string> Names(const Loaded& loaded) {
  std::vector<std::string> names;
  for (const WorkerSettings& worker : loaded.configuration.workers) names.push_back(worker.name);
  return names;
}

TEST_CASE("discovered workers stand behind the configured ones, with defaults") {
  Loaded loaded = Configured();
  AddDiscovered({Found("west", To("west")), Found("north", To("north"))}, loaded);
  CHECK(Names(loaded) == std::vector<std::string>{"east", "west", "north"});
  REQUIRE(loaded.workers.size() == 3);
  CHECK(loaded.workers[1]->server == "https://west");
  CHECK(loaded.configuration.workers[1].discovered);
  CHECK_FALSE(loaded.configuration.workers[0].discovered);
  CHECK(AccessProblems(loaded, true).empty());
}

TEST_CASE("a configured worker's name, and the manager's, are taken") {
  Loaded loaded = Configured();
  AddDiscovered({Found("east", To("elsewhere")),
                 Found("manager", To("other")),
                 Found("west", To("west")),
                 {"west", To("west"), "ClusterProfile fleet/west"}},
                loaded);
  CHECK(Names(loaded) == std::vector<std::string>{"east", "west"});
  CHECK(loaded.workers[0]->server == "https://east");
  CHECK(ToString(AccessProblems(loaded, true)) ==
        "MultiKueueCluster east: is not used: workers has one of this name (rename one of them)\n"
        "MultiKueueCluster manager: is not used: \"manager\" is the management cluster's own name "
        "(rename one of them)\n"
        "ClusterProfile fleet/west: is not used: a MultiKueueCluster has this name (rename one of "
        "them)");
  CHECK(AccessProblems(loaded, false).empty());
}

TEST_CASE("one API server is one worker: the one that was there first") {
  Loaded loaded = Configured();
  AddDiscovered({Found("again", To("east")), Found("west", To("west")),
                 Found("twin", To("west", "other")), Found("self", To("manager"))},
                loaded);
  REQUIRE(loaded.workers.size() == 5);
  CHECK(loaded.workers[2]);
  CHECK(ToString(AccessProblems(loaded, false)) ==
        "MultiKueueCluster again: worker again: leads to https://east, as worker east does (each "
        "cluster may be a worker once)\n"
        "MultiKueueCluster twin: worker twin: leads to https://west, as worker west does (each "
        "cluster may be a worker once)\n"
        "MultiKueueCluster self: worker self: leads to https://manager, as the manager does (each "
        "cluster may be a worker once)");
}

TEST_CASE("what cannot be used is that worker's failure, and is told") {
  Loaded loaded = Configured();
  AddDiscovered({{"west", Unusable("Secret kueue-system/west", "does not exist", "create it")}},
                loaded);
  REQUIRE(loaded.workers.size() == 2);
  CHECK_FALSE(loaded.workers[1]);
  CHECK(ToString(AccessProblems(loaded, false)) ==
        "Secret kueue-system/west: worker west: does not exist (create it)");
}

TEST_CASE("a changed credential, address or failure makes a difference, and nothing else does") {
  const std::vector<DiscoveredWorker> one = {{"west", To("west")}};
  CHECK(AreSame(one, {{"west", To("west")}}));
  CHECK_FALSE(AreSame(one, {}));
  CHECK_FALSE(AreSame(one, {{"east", To("west")}}));
  CHECK_FALSE(AreSame(one, {{"west", To("west", "rotated")}}));
  CHECK_FALSE(AreSame(one, {{"west", To("west2")}}));
  const std::vector<DiscoveredWorker> bad = {{"west", Unusable("Secret a/b", "is gone", "")}};
  CHECK_FALSE(AreSame(one, bad));
  CHECK(AreSame(bad, {{"west", Unusable("Secret a/b", "is gone", "")}}));
  CHECK_FALSE(AreSame(bad, {{"west", Unusable("Secret a/b", "is bad", "")}}));
}

}  // namespace
}  // namespace fedra::config::discovered_test
