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
#include "manager/cli/membership/worker_rights.h"
#include "manager/tracking/resources.h"
#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/deaf_listener.h"

namespace fedra::cli::access_rights_test {

using nlohmann::json;

namespace {

std::vector<std::string> DocumentsIn(const std::string& file) {
  std::ifstream stream(std::string(FEDRA_TEST_DATA) + "/../../deploy/" + file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto documents = config::YamlToJson(text);
  REQUIRE(documents);
  return *documents;
}

// The rules of the Roles and ClusterRoles in a file of deploy/.
std::vector<sim::PolicyRule> RulesIn(const std::string& file) {
  std::vector<sim::PolicyRule> rules;
  for (const std::string& document : DocumentsIn(file)) {
    const json object = json::parse(document);
    if (object["kind"] != "ClusterRole" && object["kind"] != "Role") continue;
    for (const json& rule : object["rules"])
      rules.push_back({.verbs = rule["verbs"],
                       .groups = rule["apiGroups"],
                       .resources = rule["resources"],
                       .names = rule.value("resourceNames", json::array({"*"})),
                       .namespaces = json::array({object["metadata"].value("namespace", "*")})});
  }
  REQUIRE(!rules.empty());
  return rules;
}

void Grant(const std::string& file, sim::User& user) {
  const auto rules = RulesIn(file);
  user.allow.insert(user.allow.end(), rules.begin(), rules.end());
}

// "get leases.coordination.k8s.io fedra in fedra-system" for each right of these files.
std::set<std::string> GrantedBy(std::initializer_list<const char*> files) {
  std::set<std::string> granted;
  const auto add = [&](const std::string& verb, const std::string& group,
                       const std::string& resource, const std::string& name,
                       const std::string& ns) {
    const size_t slash = resource.find('/');
    Right right{.verb = verb,
                .resource = {group, "v1", resource.substr(0, slash), "", true},
                .subresource = slash == std::string::npos ? "" : resource.substr(slash + 1),
                .name = name == "*" ? "" : name,
                .ns = ns == "*" ? "" : ns};
    granted.insert(ToText(right));
  };
  for (const char* file : files)
    for (const sim::PolicyRule& rule : RulesIn(file))
      for (const std::string& verb : rule.verbs)
        for (const std::string& group : rule.groups)
          for (const std::string& resource : rule.resources)
            for (const std::string& name : rule.names)
              for (const std::string& ns : rule.namespaces) add(verb, group, resource, name, ns);
  return granted;
}

// Granted without a need: of all that these files grant, what no configuration asks for.
std::vector<std::string> Unused(std::initializer_list<const char*> files,
                                std::initializer_list<std::vector<Right>> needs) {
  std::set<std::string> unused = GrantedBy(files);
  for (const std::vector<Right>& need : needs)
    for (const Right& right : need) unused.erase(ToText(right));
  return {unused.begin(), unused.end()};
}

tracking::JobKindsPtr WithPods() {
  static const auto kinds =
      std::make_shared<const tracking::JobKinds>(std::vector<tracking::KindRow>(), /*pods=*/true);
  return kinds;
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
    options.discover_groups.push_back(tracking::kPlacementRecords.group);
    for (const tracking::JobAdapter* kind : WithPods()->all())
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

verify::WorkerObjectsOptions VerifiesDevices() {
  verify::WorkerObjectsOptions verified;
  verified.devices.emplace();
  return verified;
}

using Texts = std::vector<std::string>;

const Texts kNothing;
const ObjectKey kOutages{"fedra-system", "fedra-outages"};

}  // namespace

TEST_CASE("the roles of deploy/ grant what is needed, each for its part") {
  Fixture f;
  Grant("worker-rbac.yaml", f.user);
  const verify::WorkerObjectsOptions plain = VerifiesDevices();
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

TEST_CASE("what the secure API asks the manager is granted by a file of its own") {
  Fixture f;
  CHECK(f.Missing(SecureApiRights()) == Texts{"create tokenreviews.authentication.k8s.io",
                                              "create subjectaccessreviews.authorization.k8s.io"});
  Grant("manager-rbac-secure-api.yaml", f.user);
  CHECK(f.Missing(SecureApiRights()).empty());
}

TEST_CASE(
    "what several replicas need is granted by a file of its own, and needed where it is served") {
  Fixture f;
  CHECK(f.Missing(ReplicaRights(kOutages)) ==
        Texts{"get configmaps fedra-outages in fedra-system", "create configmaps in fedra-system",
              "patch configmaps fedra-outages in fedra-system", "list placementrecords.fedra.dev",
              "watch placementrecords.fedra.dev", "create placementrecords.fedra.dev",
              "patch placementrecords.fedra.dev", "delete placementrecords.fedra.dev"});
  Grant("manager-rbac-replicas.yaml", f.user);
  CHECK(f.Missing(ReplicaRights(kOutages)).empty());
}

TEST_CASE("without the resource of PlacementRecords no right to it is missed") {
  Fixture f;
  sim::Faults faults;
  faults.not_served.insert("fedra.dev/v1alpha1");
  f.server.SetFaults(faults);
  CHECK(f.Missing(ReplicaRights(kOutages)).size() == 3);  // to the ConfigMap
}

TEST_CASE("the roles of deploy/ grant nothing that no configuration needs") {
  const auto& kinds = *tracking::BuiltInKinds();
  const std::vector<Right> leader = LeaderRights({"fedra-system", "fedra"});
  const reconcile::Discovery discovery{.secrets_in = "kueue-system",
                                       .profiles_in = {"kueue-system"}};
  CHECK(Unused({"manager-rbac.yaml", "manager-rbac-discovery.yaml",
                "manager-rbac-clusterprofiles.yaml", "manager-rbac-multikueue.yaml"},
               {ManagerRights(kinds, discovery, false, true), leader}) == kNothing);
  CHECK(Unused({"dispatcher-manager-rbac.yaml", "manager-rbac-discovery.yaml"},
               {ManagerRights(kinds, discovery, true), leader}) == kNothing);
  CHECK(Unused({"manager-rbac-replicas.yaml"}, {ReplicaRights(kOutages)}) == kNothing);
  CHECK(Unused({"manager-rbac-secure-api.yaml"}, {SecureApiRights()}) == kNothing);
  // The optional ones not in what every worker gets, either.
  const std::vector<Right> plain = WorkerRights(VerifiesDevices(), false, false);
  CHECK(Unused({"worker-rbac.yaml"}, {plain}) == kNothing);
  CHECK(Unused({"worker-rbac-dependencies.yaml", "worker-rbac-template-sync.yaml",
                "worker-rbac-logs.yaml"},
               {WorkerRights(VerifiesEverything(), true, true)}) == kNothing);
  CHECK(Unused({"dispatcher-worker-rbac.yaml"},
               {WorkerRights(VerifiesDevices(), false, false, true)}) == kNothing);
  CHECK(Unused({"manager-rbac-pods.yaml"}, {ManagerRights(*WithPods())}) == kNothing);
  verify::WorkerObjectsOptions pods;
  pods.kinds = WithPods();
  CHECK(Unused({"worker-rbac-pods.yaml"}, {WorkerRights(pods, false, false)}) == kNothing);
  // `fedra join --rotate`, not the daemon.
  CHECK(GrantedBy({"worker-rbac-token-renewal.yaml"}) ==
        std::set<std::string>{"create serviceaccounts/token fedra in fedra-system"});
}

TEST_CASE("join grants a worker of mode dispatcher what deploy/dispatcher-worker-rbac.yaml says") {
  const auto documents = DocumentsIn("dispatcher-worker-rbac.yaml");
  const auto rights = RightsFor({.only_reads = true});
  REQUIRE(rights);
  // Then the two of the tokens' renewal.
  REQUIRE(rights->size() == documents.size() + 2);
  for (size_t i = 0; i < documents.size(); ++i)
    CHECK(json::parse((*rights)[i].json) == json::parse(documents[i]));
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

TEST_CASE("pods as jobs need rights of their own, each named once") {
  Fixture f;
  Grant("worker-rbac.yaml", f.user);
  verify::WorkerObjectsOptions worker = VerifiesDevices();
  worker.kinds = WithPods();
  CHECK(f.Missing(WorkerRights(worker, false, false)) ==
        Texts{"get pods", "create pods", "delete pods", "patch pods", "list statefulsets.apps",
              "watch statefulsets.apps", "get statefulsets.apps", "create statefulsets.apps",
              "delete statefulsets.apps", "list leaderworkersets.leaderworkerset.x-k8s.io",
              "watch leaderworkersets.leaderworkerset.x-k8s.io",
              "get leaderworkersets.leaderworkerset.x-k8s.io",
              "create leaderworkersets.leaderworkerset.x-k8s.io",
              "delete leaderworkersets.leaderworkerset.x-k8s.io",
              "patch leaderworkersets.leaderworkerset.x-k8s.io"});
  Grant("worker-rbac-pods.yaml", f.user);
  CHECK(f.Missing(WorkerRights(worker, false, false)).empty());

  Fixture manager;
  Grant("manager-rbac.yaml", manager.user);
  CHECK(manager.Missing(ManagerRights(*WithPods())) ==
        Texts{"list pods", "watch pods", "list statefulsets.apps", "watch statefulsets.apps",
              "list leaderworkersets.leaderworkerset.x-k8s.io",
              "watch leaderworkersets.leaderworkerset.x-k8s.io", "patch pods/status"});
  Grant("manager-rbac-pods.yaml", manager.user);
  CHECK(manager.Missing(ManagerRights(*WithPods())).empty());
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
  const reconcile::Discovery discovery = {.secrets_in = "kueue-system",
                                          .profiles_in = {"kueue-system", "fleet"}};
  for (const Right& right : ManagerRights(*kinds, discovery, nominates)) {
    if (right.verb == "list" || right.verb == "watch")
      rights.insert(right.verb + " " + right.resource.plural);
  }
  reconcile::ManagerCluster manager(
      ClusterSettings{ClusterName("manager"), AccessTo(server), {}, Fixture::Options()}, kinds,
      threads.loop, threads.pool, SystemClock(), reconcile::DeafListener(), nominates);
  manager.DiscoverWorkers(discovery);
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
  const auto rights = ManagerRights(*tracking::BuiltInKinds(), {.secrets_in = "kueue-system"});
  CHECK(f.Missing(rights) == Texts{"list multikueueclusters.kueue.x-k8s.io",
                                   "watch multikueueclusters.kueue.x-k8s.io",
                                   "get secrets in kueue-system"});
  Grant("manager-rbac-discovery.yaml", f.user);
  CHECK(f.Missing(rights).empty());
  CHECK(f.Missing(ManagerRights(*tracking::BuiltInKinds(), {.secrets_in = "elsewhere"})) ==
        Texts{"get secrets in elsewhere"});
  for (const sim::PolicyRule& rule : f.user.allow) {
    if (std::count(rule.resources.begin(), rule.resources.end(), "secrets") == 0) continue;
    CHECK(rule.verbs == std::vector<std::string>{"get"});
    CHECK(rule.namespaces == std::vector<std::string>{"kueue-system"});
  }
}

TEST_CASE("ClusterProfiles are read in their namespaces only, and with no Secret") {
  Fixture f;
  Grant("manager-rbac.yaml", f.user);
  const auto rights = ManagerRights(*tracking::BuiltInKinds(), {.profiles_in = {"kueue-system"}});
  CHECK(f.Missing(rights) == Texts{"list clusterprofiles.multicluster.x-k8s.io in kueue-system",
                                   "watch clusterprofiles.multicluster.x-k8s.io in kueue-system"});
  const size_t before = f.user.allow.size();
  Grant("manager-rbac-clusterprofiles.yaml", f.user);
  CHECK(f.Missing(rights).empty());
  CHECK(f.Missing(ManagerRights(*tracking::BuiltInKinds(), {.profiles_in = {"fleet"}})).size() ==
        2);
  REQUIRE(f.user.allow.size() == before + 1);
  CHECK(f.user.allow.back().resources == std::vector<std::string>{"clusterprofiles"});
  CHECK(f.user.allow.back().verbs == std::vector<std::string>{"list", "watch"});
}

TEST_CASE("in the place of MultiKueue the conditions of its clusters are ours to write") {
  Fixture f;
  Grant("manager-rbac.yaml", f.user);
  Grant("manager-rbac-discovery.yaml", f.user);
  const auto rights =
      ManagerRights(*tracking::BuiltInKinds(), {.secrets_in = "kueue-system"}, false, true);
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
    CHECK(f.Missing(ManagerRights(*tracking::BuiltInKinds(), {.secrets_in = "kueue-system"}, true))
              .empty());
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
  CHECK(f.Missing(WorkerRights({}, false, false)) ==
        Texts{"list jobs.batch", "watch jobs.batch", "get jobs.batch", "create jobs.batch",
              "delete jobs.batch", "patch jobs.batch"});
}

TEST_CASE("what is done in a namespace may be granted there; what is read may not") {
  Fixture f;
  Grant("worker-rbac.yaml", f.user);
  for (sim::PolicyRule& rule : f.user.allow)
    if (std::count(rule.verbs.begin(), rule.verbs.end(), "create") > 0 && rule.groups[0] == "batch")
      rule.namespaces = {"ml", "vision"};
  const auto rights = WorkerRights({}, false, false);
  CHECK(f.Missing(rights) ==
        Texts{"get jobs.batch", "create jobs.batch", "delete jobs.batch", "patch jobs.batch"});
  const auto missing = MissingRights(*f.cluster, rights);
  REQUIRE(missing);
  CHECK(std::ranges::all_of(*missing, IsOfNamespaces));
  const auto in = GrantedIn(*f.cluster, *missing, {"ml", "vision", "web"});
  REQUIRE(in);
  CHECK(*in == Texts{"ml", "vision"});
  CHECK(!IsOfNamespaces({.verb = "list", .resource = tracking::kWorkloads}));
  CHECK(!IsOfNamespaces({.verb = "get", .resource = tracking::kNamespaces}));
}

}  // namespace fedra::cli::access_rights_test
