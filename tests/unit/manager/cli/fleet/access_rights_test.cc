// Which rights fedra needs, that deploy/ grants them, and that those that are missing are named.

#include "manager/cli/fleet/access_rights.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

#include "base/guarded.h"
#include "cluster-clients/threads.h"
#include "config/yaml_json.h"
#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/deaf_listener.h"

namespace fedra::cli::access_rights_test {

using nlohmann::json;

namespace {

// The rules of the Roles and ClusterRoles in a file of deploy/.
void Grant(const std::string& file, sim::User& user) {
  std::ifstream stream(std::string(FEDRA_TEST_DATA) + "/../../deploy/" + file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto documents = config::YamlToJson(text);
  REQUIRE(documents);
  const size_t before = user.allow.size();
  for (const std::string& document : *documents) {
    const json object = json::parse(document);
    if (object["kind"] != "ClusterRole" && object["kind"] != "Role") continue;
    for (const json& rule : object["rules"])
      user.allow.push_back(
          {.verbs = rule["verbs"],
           .groups = rule["apiGroups"],
           .resources = rule["resources"],
           .names = rule.value("resourceNames", json::array({"*"})),
           .namespaces = json::array({object["metadata"].value("namespace", "*")})});
  }
  REQUIRE(user.allow.size() > before);
}

struct Fixture {
  sim::Server server{{.job_kinds = true}};
  Threads threads{4};
  Guarded<ConnectionPhase> phase;
  std::unique_ptr<Cluster> cluster;
  sim::User user{
      .name = "fedra", .groups = {"system:authenticated"}, .token = "t", .allow = {}, .deny = {}};

  Fixture() {
    // Everybody's, by system:basic-user.
    user.allow.push_back({.verbs = {"create"},
                          .groups = {"authorization.k8s.io"},
                          .resources = {"selfsubjectaccessreviews"}});
  }
  ~Fixture() {
    if (cluster != nullptr) cluster->Stop();
  }
  std::vector<std::string> Missing(const std::vector<Right>& rights) {
    server.SetUser(user);
    if (cluster == nullptr) Connect();
    const auto missing = MissingRights(*cluster, rights);
    REQUIRE(missing);
    std::vector<std::string> texts;
    for (const Right& right : *missing) texts.push_back(ToText(right));
    return texts;
  }
  static ClusterOptions Options() {
    ClusterOptions options;
    for (const tracking::JobAdapter* kind : tracking::BuiltInKinds()->all())
      options.discover_groups.push_back(kind->resource().group);
    return options;
  }
  void Connect() {
    cluster = std::make_unique<Cluster>(
        ClusterName("gpu-east"), AccessTo(server, user.token), Options(), threads.loop,
        threads.pool, SystemClock(), [this](const ConnectionState& state) {
          phase.With([&](ConnectionPhase& now) { now = state.phase; });
          phase.Notify();
        });
    cluster->Start();
    const auto connected = [](ConnectionPhase now) { return now == ConnectionPhase::kConnected; };
    REQUIRE(phase.WaitFor(std::chrono::seconds(10), connected, connected));
  }
};

verify::WorkerObjectsOptions VerifiesEverything() {
  verify::WorkerObjectsOptions verified;
  verified.devices.emplace();
  verified.dependencies.emplace();
  return verified;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the roles of deploy/ grant what is needed, each for its part") {
  Fixture f;
  Grant("worker-rbac.yaml", f.user);
  verify::WorkerObjectsOptions plain;
  plain.devices.emplace();
  CHECK(f.Missing(WorkerRights(plain, false, false)).empty());
  CHECK(f.Missing(WorkerRights(plain, true, false)) ==
        Texts{"create resourceclaimtemplates.resource.k8s.io",
              "patch resourceclaimtemplates.resource.k8s.io",
              "delete resourceclaimtemplates.resource.k8s.io"});
  CHECK(f.Missing(WorkerRights(VerifiesEverything(), false, false)).size() == 10);
  Grant("worker-rbac-template-sync.yaml", f.user);
  Grant("worker-rbac-dependencies.yaml", f.user);
  CHECK(f.Missing(WorkerRights(VerifiesEverything(), true, true)) == Texts{"get pods/log"});
  Grant("worker-rbac-logs.yaml", f.user);
  CHECK(f.Missing(WorkerRights(VerifiesEverything(), true, true)).empty());
}

TEST_CASE("PodGroups are read for devices and for dependencies, else not") {
  const auto reads_groups = [](const verify::WorkerObjectsOptions& verified) {
    const auto rights = WorkerRights(verified, false, false);
    return std::count_if(rights.begin(), rights.end(),
                         [](const Right& right) { return right.resource.plural == "podgroups"; });
  };
  CHECK(reads_groups({}) == 0);
  verify::WorkerObjectsOptions verified;
  verified.dependencies.emplace();
  CHECK(reads_groups(verified) == 2);
  CHECK(reads_groups(VerifiesEverything()) == 2);
}

TEST_CASE("rights to a kind of job are needed where the kind is served") {
  Fixture f;
  Grant("worker-rbac.yaml", f.user);
  f.user.deny = {{.verbs = {"create"}, .groups = {"*"}, .resources = {"jobsets", "rayjobs"}}};
  sim::Faults faults;
  faults.not_served.insert("ray.io/v1");
  f.server.SetFaults(faults);
  verify::WorkerObjectsOptions plain;
  CHECK(f.Missing(WorkerRights(plain, false, false)) == Texts{"create jobsets.jobset.x-k8s.io"});
}

TEST_CASE("the manager's role grants what is needed there") {
  Fixture f;
  Grant("manager-rbac.yaml", f.user);
  CHECK(f.Missing(ManagerRights(*tracking::BuiltInKinds())).empty());
  f.user.deny = {{.verbs = {"patch"}, .groups = {"*"}, .resources = {"workloads/status"}}};
  CHECK(f.Missing(ManagerRights(*tracking::BuiltInKinds())) ==
        Texts{"patch workloads.kueue.x-k8s.io/status"});
  f.user.deny = {{.verbs = {"get"}, .groups = {""}, .resources = {"namespaces"}}};
  CHECK(f.Missing(ManagerRights(*tracking::BuiltInKinds())) == Texts{"get namespaces kube-system"});
}

TEST_CASE("the manager's role grants fedra's Lease, and nothing else in its namespace") {
  Fixture f;
  const std::vector<Right> rights = LeaderRights({"fedra-system", "fedra"});
  CHECK(f.Missing(rights) == Texts{"get leases.coordination.k8s.io fedra in fedra-system",
                                   "create leases.coordination.k8s.io in fedra-system",
                                   "update leases.coordination.k8s.io fedra in fedra-system"});
  const std::string file = GENERATE("manager-rbac.yaml", "dispatcher-manager-rbac.yaml");
  Grant(file, f.user);
  CHECK(f.Missing(rights).empty());
  CHECK(f.Missing(LeaderRights({"fedra-system", "other"})).size() == 2);
  CHECK(f.Missing(LeaderRights({"other", "fedra"})).size() == 3);
}

// "list jobs", as the simulated server counts them.
TEST_CASE("what the daemon lists and watches on the manager is what rights are asked for") {
  const bool nominates = GENERATE(false, true);
  sim::Server server{{.job_kinds = true}};
  Threads threads{4};
  const auto& kinds = tracking::BuiltInKinds();
  std::set<std::string> rights;
  for (const Right& right : ManagerRights(*kinds, {}, nominates)) {
    if (right.verb == "list" || right.verb == "watch")
      rights.insert(right.verb + " " + right.resource.plural);
  }
  reconcile::ManagerCluster manager(
      ClusterSettings{ClusterName("manager"), AccessTo(server), {}, Fixture::Options()}, kinds,
      threads.loop, threads.pool, SystemClock(), reconcile::DeafListener(), nominates);
  manager.Start();
  std::set<std::string> requests;
  const auto all_asked = WaitUntil([&] {
    requests.clear();
    for (const auto& [request, count] : server.RequestCounts()) {
      if (request.starts_with("list ") || request.starts_with("watch ")) requests.insert(request);
    }
    return std::ranges::includes(requests, rights);
  });
  manager.Stop();
  CAPTURE(rights, requests);
  CHECK(all_asked);
  CHECK(std::ranges::includes(rights, requests));
}

TEST_CASE("discovered workers need rights of their own, and Secrets of one namespace only") {
  Fixture f;
  Grant("manager-rbac.yaml", f.user);
  const auto rights = ManagerRights(*tracking::BuiltInKinds(), "kueue-system");
  CHECK(f.Missing(rights) == Texts{"list multikueueclusters.kueue.x-k8s.io",
                                   "watch multikueueclusters.kueue.x-k8s.io",
                                   "get secrets in kueue-system"});
  Grant("manager-rbac-discovery.yaml", f.user);
  CHECK(f.Missing(rights).empty());
  CHECK(f.Missing(ManagerRights(*tracking::BuiltInKinds(), "elsewhere")) ==
        Texts{"get secrets in elsewhere"});
  for (const sim::PolicyRule& rule : f.user.allow) {
    if (std::count(rule.resources.begin(), rule.resources.end(), "secrets") == 0) continue;
    CHECK(rule.verbs == std::vector<std::string>{"get"});
    CHECK(rule.namespaces == std::vector<std::string>{"kueue-system"});
  }
}

TEST_CASE("in the place of MultiKueue the conditions of its clusters are ours to write") {
  Fixture f;
  Grant("manager-rbac.yaml", f.user);
  Grant("manager-rbac-discovery.yaml", f.user);
  const auto rights = ManagerRights(*tracking::BuiltInKinds(), "kueue-system", false, true);
  CHECK(f.Missing(rights) == Texts{"patch multikueueclusters.kueue.x-k8s.io/status"});
  Grant("manager-rbac-multikueue.yaml", f.user);
  CHECK(f.Missing(rights).empty());
}

TEST_CASE("where fedra only nominates it may write that and events, and nothing on workers") {
  const auto writes = [](const sim::User& user) {
    std::set<std::string> found;
    for (const sim::PolicyRule& rule : user.allow) {
      for (const std::string& verb : rule.verbs)
        for (const std::string& resource : rule.resources)
          if (verb != "get" && verb != "list" && verb != "watch") found.insert(resource);
    }
    found.erase("selfsubjectaccessreviews");
    return found;
  };
  SECTION("the manager") {
    Fixture f;
    Grant("dispatcher-manager-rbac.yaml", f.user);
    const auto rights = ManagerRights(*tracking::BuiltInKinds(), {}, /*nominates=*/true);
    CHECK(f.Missing(rights).empty());
    CHECK(writes(f.user) == std::set<std::string>{"workloads/status", "events", "leases"});
    Grant("manager-rbac-discovery.yaml", f.user);
    CHECK(f.Missing(ManagerRights(*tracking::BuiltInKinds(), "kueue-system", true)).empty());
  }
  SECTION("a manager with the rights of mode admissionCheck lacks those to MultiKueueClusters") {
    Fixture f;
    Grant("manager-rbac.yaml", f.user);
    CHECK(
        f.Missing(ManagerRights(*tracking::BuiltInKinds(), {}, true)) ==
        Texts{"list multikueueclusters.kueue.x-k8s.io", "watch multikueueclusters.kueue.x-k8s.io"});
  }
  SECTION("a worker") {
    Fixture f;
    Grant("dispatcher-worker-rbac.yaml", f.user);
    Grant("worker-rbac-dependencies.yaml", f.user);
    CHECK(f.Missing(WorkerRights(VerifiesEverything(), false, false, true)).empty());
    CHECK(writes(f.user).empty());
  }
}

TEST_CASE("a right in some namespaces is not a right") {
  Fixture f;
  Grant("worker-rbac.yaml", f.user);
  for (sim::PolicyRule& rule : f.user.allow) {
    if (std::count(rule.resources.begin(), rule.resources.end(), "jobs") > 0)
      rule.namespaces = {"ml"};
  }
  CHECK(f.Missing(WorkerRights({}, false, false)) == Texts{"list jobs.batch", "watch jobs.batch",
                                                           "get jobs.batch", "create jobs.batch",
                                                           "delete jobs.batch"});
}

}  // namespace fedra::cli::access_rights_test
