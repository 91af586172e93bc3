#include <string>
#include <vector>

#include "config/load.h"
#include "config/print.h"
#include "tests/support/catch.h"

namespace fedra::config::parse_test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kHead =
    "apiVersion: fedra.dev/v1alpha1\n"
    "kind: Configuration\n"
    "manager: {kubeconfig: m.kubeconfig}\n";

// The problems of kHead + text, one per line; "ok" when there are none.
std::string ProblemsOf(const std::string& text) {
  const auto parsed = Parse(kHead + text, "/etc/fedra.yaml");
  return parsed ? "ok" : ToString(parsed.error());
}

struct Row {
  std::string text;
  std::string problems;
};

void CheckRows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(ProblemsOf(row.text) == row.problems);
  }
}

TEST_CASE("the file of the design is read as it stands") {
  const auto parsed = Parse(R"(apiVersion: fedra.dev/v1alpha1
kind: Configuration
manager: {kubeconfig: /etc/fedra/manager.kubeconfig}
workers:
- name: gpu-east
  kubeconfig: gpu-east.kubeconfig
  capabilities: [gpu.nvidia.com/MPSSupport]
  httpVersion: 1.1
  nodeResources: false
  scalablePools:
  - {class: gpu.example.com, devices: 8, maxNodes: 4, nodeLabels: {pool: h100}}
workersFrom: {multiKueueClusters: true, secretNamespace: queues, kubeconfigFolder: mounted}
kueue: {mode: admissionCheck, controllerName: fedra.dev/federation}
origin: fedra
verification: {templates: {drift: Require, sync: IfMissing}, devices: Off, sharedClaims: RequireTogether, dependencies: Warn, secrets: true, unknown: Never}
dispatch: {policy: best, candidates: 3, admissionTimeout: 2m30s}
workerLostTimeout: 5m
highAvailability: {enabled: true, leaseNamespace: ha, leaseName: fedra.b, leaseDuration: 30s, renewDeadline: 20s, retryPeriod: 500ms}
store: {path: state/fedra.db, historyRetention: 48h}
http: {address: "[::1]:0"}
api: {enabled: false, socket: fedra.sock, group: ""}
logging: {level: debug, format: json}
)",
                            "/srv/conf/fedra.yaml");
  REQUIRE(parsed);
  CHECK(parsed->high_availability ==
        HighAvailabilitySettings{.enabled = true,
                                 .lease_namespace = "ha",
                                 .lease_name = "fedra.b",
                                 .lease_duration = milliseconds(30'000),
                                 .renew_deadline = milliseconds(20'000),
                                 .retry_period = milliseconds(500)});
  CHECK(parsed->manager.kubeconfig == "/etc/fedra/manager.kubeconfig");
  REQUIRE(parsed->workers.size() == 1);
  const WorkerSettings& worker = parsed->workers[0];
  CHECK(worker.name == "gpu-east");
  CHECK_FALSE(worker.node_resources);
  REQUIRE(worker.scalable_pools.size() == 1);
  CHECK(worker.scalable_pools[0].device_class == "gpu.example.com");
  CHECK(worker.scalable_pools[0].devices == 8);
  CHECK(worker.scalable_pools[0].max_nodes == 4);
  CHECK(worker.scalable_pools[0].node_labels.at("pool") == "h100");
  CHECK(parsed->workers_from.multi_kueue_clusters);
  CHECK(parsed->workers_from.secret_namespace == "queues");
  CHECK(parsed->workers_from.kubeconfig_folder == "/srv/conf/mounted");
  CHECK(parsed->verification.dependencies == DependencyCheck::kWarn);
  CHECK(parsed->verification.secrets);
  CHECK(worker.kubeconfig == "/srv/conf/gpu-east.kubeconfig");
  CHECK(worker.capabilities == std::vector<std::string>{"gpu.nvidia.com/MPSSupport"});
  CHECK(worker.http_version == HttpVersion::k11);
  CHECK_FALSE(worker.allow_insecure);
  CHECK(parsed->verification.template_drift == Drift::kRequire);
  CHECK(parsed->verification.shared_claims == SharedClaims::kRequireTogether);
  CHECK(parsed->verification.template_sync == SyncPolicy::kIfMissing);
  CHECK(parsed->verification.unknown == UnknownPolicy::kNever);
  CHECK(parsed->dispatch.candidates == 3);
  CHECK(parsed->dispatch.admission_timeout == milliseconds(150'000));
  CHECK(parsed->worker_lost_timeout == std::chrono::minutes(5));
  CHECK(parsed->store.path == "/srv/conf/state/fedra.db");
  CHECK(parsed->store.history_retention == std::chrono::hours(48));
  CHECK(parsed->http.address == "[::1]:0");
  CHECK(parsed->api.socket == "/srv/conf/fedra.sock");
  CHECK(parsed->api.group.empty());
  CHECK_FALSE(parsed->api.enabled);
  CHECK(ApiSocket(*parsed) == "/srv/conf/fedra.sock");
  CHECK(parsed->logging.level == log::Level::kDebug);
  CHECK(parsed->logging.format == log::Format::kJson);
}

TEST_CASE("the secure API's files are found from the file's folder") {
  const auto parsed = Parse(R"(apiVersion: fedra.dev/v1alpha1
kind: Configuration
manager: {kubeconfig: m}
api:
  secure: {address: "[::]:8443", certFile: tls.crt, keyFile: /tls/tls.key, hosts: [fedra.example]}
)",
                            "/srv/conf/fedra.yaml");
  REQUIRE(parsed);
  const SecureApiSettings& secure = parsed->api.secure;
  CHECK(secure.address == "[::]:8443");
  CHECK(secure.certificate_file == "/srv/conf/tls.crt");
  CHECK(secure.key_file == "/tls/tls.key");
  CHECK(secure.hosts == std::vector<std::string>{"fedra.example"});
}

TEST_CASE("everything but the manager has a default") {
  const auto parsed = Parse(kHead, "/etc/fedra.yaml");
  REQUIRE(parsed);
  Configuration expected;
  expected.manager.kubeconfig = "/etc/m.kubeconfig";
  CHECK(View(*parsed) == View(expected));
  CHECK(ProblemsOf("workers:\ndispatch:\n") == "ok");
}

TEST_CASE("JSON is YAML") {
  CHECK(Parse(
      R"({"apiVersion":"fedra.dev/v1alpha1","kind":"Configuration","manager":{"inCluster":true}})",
      "c"));
}

TEST_CASE("keys and shapes") {
  CheckRows({
      {"dispach: {}\n",
       "/etc/fedra.yaml:4:1: unknown key \"dispach\" (did you mean \"dispatch\"?)"},
      {"candidates: 2\n",
       "/etc/fedra.yaml:4:1: unknown key \"candidates\" (did you mean dispatch.candidates?)"},
      {"kueue: {mdoe: a}\n",
       "/etc/fedra.yaml:4:9: kueue: unknown key \"mdoe\" (did you mean \"mode\"?)"},
      {"store: {frobnicate: 1}\n",
       "/etc/fedra.yaml:4:9: store: unknown key \"frobnicate\" (known here: path, "
       "historyRetention)"},
      {"? [a]\n: b\n", "/etc/fedra.yaml:4:3: a key must be a string"},
      {"origin: a\norigin: b\n", "/etc/fedra.yaml:5:1: origin: is there twice (first in line 4)"},
      {"origin: [a]\n", "/etc/fedra.yaml:4:9: origin: must be a string, not a list"},
      {"origin: 7\n",
       "/etc/fedra.yaml:4:9: origin: must be a string, not a number (put it in quotes)"},
      {"origin: yes\n",
       "/etc/fedra.yaml:4:9: origin: must be a string, not a boolean (put it in quotes)"},
      {"workers: {}\n", "/etc/fedra.yaml:4:10: workers: must be a list, not a map"},
      {"workers: [x]\n", "/etc/fedra.yaml:4:11: workers[0]: must be a map, not a string"},
      {"logging: debug\n", "/etc/fedra.yaml:4:10: logging: must be a map, not a string"},
      {"dispatch: {candidates: many}\n",
       "/etc/fedra.yaml:4:24: dispatch.candidates: must be a whole number, not a string"},
      {"dispatch: {candidates: 1.5}\n",
       "/etc/fedra.yaml:4:24: dispatch.candidates: must be a whole number, not a number"},
      {"workers: [{name: a, kubeconfig: k, allowInsecure: \"true\"}]\n",
       "/etc/fedra.yaml:4:51: workers[0].allowInsecure: must be a boolean, not a string "
       "(true or false, without quotes)"},
      {"workers: [{}]\n",
       "/etc/fedra.yaml:4:11: workers[0].name: is required (write name: gpu-east)\n"
       "/etc/fedra.yaml:4:11: workers[0].kubeconfig: is required (write kubeconfig: "
       "/etc/fedra/gpu-east.kubeconfig)"},
  });
}

TEST_CASE("access providers are read as Kueue's configuration has them") {
  const auto parsed = Parse(R"(apiVersion: fedra.dev/v1alpha1
kind: Configuration
manager: {kubeconfig: m}
workersFrom:
  clusterProfiles: {namespace: fleet, selector: "env=prod,gpu"}
  accessProviders:
  - name: acme
    execConfig:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: plugins/acme
      args: [token, "1"]
      env: [{name: REGION, value: east}, {name: EMPTY, value: ""}]
      installHint: ask Bob
      provideClusterInfo: true
      interactiveMode: Never
  - name: other
    execConfig: {apiVersion: client.authentication.k8s.io/v1, command: fleet-token}
)",
                            "/srv/conf/fedra.yaml");
  REQUIRE(parsed);
  const WorkersFrom& from = parsed->workers_from;
  CHECK(from.cluster_profiles.ns == "fleet");
  CHECK(from.cluster_profiles.selector == "env=prod,gpu");
  REQUIRE(from.access_providers.size() == 2);
  CHECK(from.access_providers[0].name == "acme");
  CHECK(from.access_providers[0].exec == ExecAccess{.api_version = kExecV1Beta1,
                                                    .command = "/srv/conf/plugins/acme",
                                                    .args = {"token", "1"},
                                                    .env = {{"REGION", "east"}, {"EMPTY", ""}},
                                                    .install_hint = "ask Bob",
                                                    .provide_cluster_info = true});
  CHECK(from.access_providers[1].exec.command == "fleet-token");
}

TEST_CASE("which namespaces' ClusterProfiles are read") {
  WorkersFrom from;
  using Names = std::vector<std::string>;
  from.multi_kueue_clusters = true;
  CHECK(DiscoversWorkers(from));
  CHECK(ProfileNamespaces(from).empty());
  from.access_providers.emplace_back();
  CHECK(ProfileNamespaces(from) == Names{"kueue-system"});
  from.cluster_profiles.ns = "fleet";
  CHECK(ProfileNamespaces(from) == Names{"kueue-system", "fleet"});
  from.secret_namespace = "fleet";
  CHECK(ProfileNamespaces(from) == Names{"fleet"});
  from.multi_kueue_clusters = false;
  CHECK(DiscoversWorkers(from));
  CHECK(ProfileNamespaces(from) == Names{"fleet"});
}

TEST_CASE("sources of workers that lead to none are problems") {
  const std::string providers =
      ", accessProviders: [{name: a, execConfig: {apiVersion: client.authentication.k8s.io/v1, "
      "command: a}}]}\n";
  CheckRows({
      {"workersFrom: {clusterProfiles: {namespace: fleet}" + providers, "ok"},
      {"workersFrom: {multiKueueClusters: true" + providers, "ok"},
      {"workersFrom: {clusterProfiles: {selector: gpu}" + providers,
       "/etc/fedra.yaml:4:32: workersFrom.clusterProfiles: has no namespace (write namespace: the "
       "one where the ClusterProfiles are)\n"
       "/etc/fedra.yaml:4:66: workersFrom.accessProviders: has no effect: no ClusterProfile is "
       "read (write clusterProfiles or multiKueueClusters, too)"},
      {"workersFrom: {clusterProfiles: {namespace: fleet}}\n",
       "/etc/fedra.yaml:4:32: workersFrom.clusterProfiles: no provider gives credentials for "
       "ClusterProfiles (write accessProviders, as multiKueue.clusterProfile.accessProviders of "
       "Kueue's configuration)"},
      {"workersFrom: {clusterProfiles: {namespace: fleet, selector: \"gpu in (\"}" + providers,
       "/etc/fedra.yaml:4:61: workersFrom.clusterProfiles.selector: \"gpu in (\": expected ) at "
       "the end (as of kubectl -l, such as env=prod,gpu)"},
      {"workersFrom: {multiKueueClusters: true, accessProviders: [{name: a, execConfig: "
       "{apiVersion: client.authentication.k8s.io/v1alpha1, command: \"\", interactiveMode: "
       "Always, env: [{name: \"A=B\", value: hidden}]}}]}\n",
       "/etc/fedra.yaml:4:94: workersFrom.accessProviders[0].execConfig.apiVersion: "
       "\"client.authentication.k8s.io/v1alpha1\" is not one of "
       "client.authentication.k8s.io/v1beta1, client.authentication.k8s.io/v1 (did you mean "
       "\"client.authentication.k8s.io/v1beta1\"?)\n"
       "/etc/fedra.yaml:4:142: workersFrom.accessProviders[0].execConfig.command: must not be "
       "empty\n"
       "/etc/fedra.yaml:4:163: workersFrom.accessProviders[0].execConfig.interactiveMode: "
       "\"Always\" is not supported (write Never)\n"
       "/etc/fedra.yaml:4:184: workersFrom.accessProviders[0].execConfig.env[0].name: must be the "
       "name of an environment variable"},
      {"workersFrom: {multiKueueClusters: true, accessProviders: [{name: a, execConfig: "
       "{apiVersion: client.authentication.k8s.io/v1, command: a}}, {name: a, execConfig: "
       "{apiVersion: client.authentication.k8s.io/v1, command: b}}]}\n",
       "/etc/fedra.yaml:4:148: workersFrom.accessProviders[1].name: \"a\" is also the name of "
       "accessProviders[0] (names must be unique)"},
      {"workersFrom: {multiKueueClusters: true, accessProviders: [{name: a}]}\n",
       "/etc/fedra.yaml:4:59: workersFrom.accessProviders[0].execConfig: is required (write "
       "execConfig: {apiVersion: client.authentication.k8s.io/v1, command: "
       "/opt/plugins/fleet-token})"},
  });
}

TEST_CASE("values") {
  CheckRows({
      {"origin: Fedra\n",
       "/etc/fedra.yaml:4:9: origin: \"Fedra\" is not a DNS-1123 label (lower-case letters, digits "
       "and \"-\", "
       "starting and ending with a letter or digit; at most 63)"},
      {"workers: [{name: gpu_east, kubeconfig: k}]\n",
       "/etc/fedra.yaml:4:18: workers[0].name: \"gpu_east\" is not a DNS-1123 name (lower-case "
       "letters, digits and "
       "\"-\", starting and ending with a letter or digit)"},
      {"store: {path: ~/fedra.db}\n",
       "/etc/fedra.yaml:4:15: store.path: \"~\" is not expanded (write the whole path)"},
      {"store: {path: \"\"}\n", "/etc/fedra.yaml:4:15: store.path: must not be empty"},
      {"http: {address: localhost:80}\n",
       "/etc/fedra.yaml:4:17: http.address: \"localhost:80\" does not start with an IP address "
       "(127.0.0.1 for this "
       "machine only, 0.0.0.0 or [::] for every interface)"},
      {"http: {address: 127.0.0.1}\n",
       "/etc/fedra.yaml:4:17: http.address: \"127.0.0.1\" has no port (write IP:port, such as "
       "127.0.0.1:9480)"},
      {"api: {socket: \"\"}\n", "/etc/fedra.yaml:4:15: api.socket: must not be empty"},
      {"api: {socket: /" + std::string(107, 'x') + "}\n",
       "/etc/fedra.yaml:4:15: api.socket: is 108 bytes long, a socket's path at most 107 (such as "
       "/run/fedra/fedra.sock)"},
      {"api: {secure: {address: localhost:8443}}\n",
       "/etc/fedra.yaml:4:25: api.secure.address: \"localhost:8443\" does not start with an IP "
       "address (127.0.0.1 for this machine only, 0.0.0.0 or [::] for every interface)"},
      {"api: {secure: {address: 127.0.0.1:8443, certFile: tls.crt}}\n",
       "/etc/fedra.yaml:4:51: api.secure.certFile: has no keyFile beside it (write both, or none: "
       "then a certificate is made)"},
      {"api: {secure: {address: 127.0.0.1:8443, keyFile: tls.key}}\n",
       "/etc/fedra.yaml:4:50: api.secure.keyFile: has no certFile beside it (write both, or none: "
       "then a certificate is made)"},
      {"api: {secure: {hosts: [fedra.example]}}\n",
       "/etc/fedra.yaml:4:15: api.secure: has no address, so that nothing is served (write one, "
       "such as address: 0.0.0.0:8443)"},
      {"api: {enabled: false, secure: {address: 127.0.0.1:8443}}\n",
       "/etc/fedra.yaml:4:41: api.secure.address: is not listened on, for api.enabled is false "
       "(remove one of them)"},
      {"api: {secure: {address: 127.0.0.1:9480}}\n",
       "/etc/fedra.yaml:4:25: api.secure.address: is that of http.address, too (choose another "
       "port)"},
      {"http: {health: \":8081\"}\n",
       "/etc/fedra.yaml:4:16: http.health: \":8081\" does not start with an IP address (127.0.0.1 "
       "for this machine only, 0.0.0.0 or [::] for every interface)"},
      {"http: {health: 127.0.0.1:9480}\n",
       "/etc/fedra.yaml:4:16: http.health: is that of http.address, too (choose another port, or "
       "remove it: http.address has the same pages)"},
      {"http: {health: 0.0.0.0:8443}\napi: {secure: {address: 0.0.0.0:8443}}\n",
       "/etc/fedra.yaml:5:25: api.secure.address: is that of http.health, too (choose another "
       "port)"},
      {"http: {address: \"127.0.0.1:65536\"}\n",
       "/etc/fedra.yaml:4:17: http.address: \"65536\" is no port (a number from 1 to 65535)"},
      {"kueue: {controllerName: kueue.x-k8s.io/multikueue}\n",
       "/etc/fedra.yaml:4:25: kueue.controllerName: is Kueue's own MultiKueue controller (use a "
       "name of your own, "
       "such as fedra.dev/federation)"},
      {"kueue: {controllerName: fedra}\n",
       "/etc/fedra.yaml:4:25: kueue.controllerName: \"fedra\" is not a controller name (write "
       "domain/name)"},
      {"kueue: {mode: multikueue}\n",
       "/etc/fedra.yaml:4:15: kueue.mode: multikueue takes its workers from MultiKueueClusters "
       "(write workersFrom: {multiKueueClusters: true})"},
      {"kueue: {mode: dispatcher, pods: true}\n",
       "/etc/fedra.yaml:4:33: kueue.pods: is not needed with kueue.mode dispatcher: MultiKueue "
       "copies pods itself (remove it)"},
      {"kueue: {mode: Dispatcher}\n",
       "/etc/fedra.yaml:4:15: kueue.mode: \"Dispatcher\" is not one of admissionCheck, multikueue, "
       "dispatcher (did you mean \"dispatcher\"?)"},
      {"kueue: {mode: dispatcher}\nverification: {templates: {sync: IfMissing}}\n"
       "dispatch: {keepFailed: 1h, failureLogLines: 5, removedWorkers: Drain}\n",
       "/etc/fedra.yaml:5:34: verification.templates.sync: is not possible with kueue.mode "
       "dispatcher: fedra writes nothing on workers (write Never, and create the templates there)\n"
       "/etc/fedra.yaml:6:24: dispatch.keepFailed: is not possible with kueue.mode dispatcher: "
       "Kueue removes a job's copies as soon as it has ended (remove it)\n"
       "/etc/fedra.yaml:6:45: dispatch.failureLogLines: is not possible with kueue.mode "
       "dispatcher: Kueue removes a job's pods as soon as it has ended (remove it)\n"
       "/etc/fedra.yaml:6:64: dispatch.removedWorkers: is not possible with kueue.mode dispatcher: "
       "a job that runs is Kueue's to take back (write Keep, and remove the worker from the "
       "MultiKueueConfig)"},
      {"verification: {devices: Warn, templates: {sync: ifMissing}}\n",
       "/etc/fedra.yaml:4:25: verification.devices: \"Warn\" is not one of Off, Enforce\n"
       "/etc/fedra.yaml:4:49: verification.templates.sync: \"ifMissing\" is not one of Never, "
       "IfMissing, Reconcile (did you mean \"IfMissing\"?)"},
      {"verification: {templates: {drift: warn}}\n",
       "/etc/fedra.yaml:4:35: verification.templates.drift: \"warn\" is not one of Ignore, Warn, "
       "Require (did you "
       "mean \"Warn\"?)"},
      {"dispatch: {candidates: 0}\n",
       "/etc/fedra.yaml:4:24: dispatch.candidates: 0 is out of range (1 to 1000)"},
      {"dispatch: {candidates: 99999999999}\n",
       "/etc/fedra.yaml:4:24: dispatch.candidates: 99999999999 is out of range (1 to 1000)"},
      {"workerLostTimeout: 15\n",
       "/etc/fedra.yaml:4:20: workerLostTimeout: \"15\" is not a duration such as 15m, 1h30m or "
       "250ms: the unit must "
       "be ms, s, m or h"},
      {"workerLostTimeout: 999ms\n",
       "/etc/fedra.yaml:4:20: workerLostTimeout: 999ms is out of range (1s to 8760h)"},
      {"workers: [{name: a, kubeconfig: k, httpVersion: 3}]\n",
       "/etc/fedra.yaml:4:49: workers[0].httpVersion: \"3\" is not one of 2, 1.1"},
      {"workers: [{name: a, kubeconfig: k, scalablePools: [{class: c.d, devices: 1,\n"
       "  nodeLabels: {-x: y, a: \"b c\"}}]}]\n",
       "/etc/fedra.yaml:5:16: workers[0].scalablePools[0].nodeLabels: \"-x\" is not a label key\n"
       "/etc/fedra.yaml:5:26: workers[0].scalablePools[0].nodeLabels[a]: \"b c\" is not a label "
       "value"},
      {"workers: [{name: a, kubeconfig: k, labels: {region: east}}]\n",
       "/etc/fedra.yaml:4:36: workers[0]: unknown key \"labels\" (it is no key any more and had no "
       "effect: remove it)"},
      {"workers: [{name: a, kubeconfig: k, capabilities: [\"a b\"]}]\n",
       "/etc/fedra.yaml:4:51: workers[0].capabilities[0]: \"a b\" is not a qualified name (such as "
       "gpu.nvidia.com/MPSSupport)"},
  });
}

TEST_CASE("rules between keys") {
  CheckRows({
      {"workers: [{name: a, kubeconfig: x}, {name: a, kubeconfig: z}]\n",
       "/etc/fedra.yaml:4:44: workers[1].name: \"a\" is also the name of workers[0] (names must be "
       "unique)"},
      {"workers: [{name: manager, kubeconfig: x}]\n",
       "/etc/fedra.yaml:4:18: workers[0].name: \"manager\" is the management cluster's own name "
       "(choose another "
       "name)"},
      {"workers: [{name: a, kubeconfig: ./x}, {name: b, kubeconfig: /etc/x}]\n",
       "/etc/fedra.yaml:4:61: workers[1].kubeconfig: is the same kubeconfig and context as that of "
       "workers[0] (each "
       "cluster may be configured once)"},
      {"workers: [{name: a, kubeconfig: m.kubeconfig}]\n",
       "/etc/fedra.yaml:4:33: workers[0].kubeconfig: is the same kubeconfig and context as that of "
       "the manager (each "
       "cluster may be configured once)"},
      {"workers: [{name: a, kubeconfig: x}, {name: b, kubeconfig: x, context: b}]\n", "ok"},
      {"dispatch: {policy: race, candidates: 2}\n",
       "/etc/fedra.yaml:4:38: dispatch.candidates: has no meaning with policy race (remove it: "
       "race uses every "
       "eligible worker)"},
      {"dispatch: {policy: race}\n", "ok"},
      {"highAvailability: {leaseDuration: 10s}\n",
       "/etc/fedra.yaml:4:35: highAvailability.leaseDuration: is not a second longer than "
       "renewDeadline (15s, "
       "10s and 2s are usual for leaseDuration, renewDeadline and retryPeriod)"},
      {"highAvailability: {leaseDuration: 15500ms}\n",
       "/etc/fedra.yaml:4:35: highAvailability.leaseDuration: is not in whole seconds (a Lease "
       "counts in seconds)"},
      {"highAvailability: {renewDeadline: 6s, retryPeriod: 5s}\n",
       "/etc/fedra.yaml:4:35: highAvailability.renewDeadline: is not longer than 1.2 times "
       "retryPeriod (a leader needs time for a second try)"},
      {"highAvailability: {renewDeadline: 6s, retryPeriod: 4999ms}\n", "ok"},
      {"highAvailability: {leaseDuration: 11s, renewDeadline: 10s}\n", "ok"},
      {"highAvailability: {leaseDuration: 11s, renewDeadline: 10001ms}\n",
       "/etc/fedra.yaml:4:35: highAvailability.leaseDuration: is not a second longer than "
       "renewDeadline (15s, 10s and 2s are usual for leaseDuration, renewDeadline and "
       "retryPeriod)"},
  });
}

TEST_CASE("the manager is reached in exactly one way") {
  const auto problems = [](const std::string& manager) {
    const auto parsed =
        Parse("apiVersion: fedra.dev/v1alpha1\nkind: Configuration\n" + manager, "c.yaml");
    return parsed ? "ok" : ToString(parsed.error());
  };
  CHECK(problems("manager: {inCluster: true}\n") == "ok");
  CHECK(problems("") ==
        "c.yaml:1:1: manager: no way to reach the management cluster (set kubeconfig, or "
        "inCluster: true inside a "
        "pod)");
  CHECK(problems("manager: {inCluster: true, kubeconfig: }\n") == "ok");
  CHECK(problems("manager: {kubeconfig: }\n") ==
        "c.yaml:3:10: manager: no way to reach the management cluster (set kubeconfig, or "
        "inCluster: true inside a pod)");
  CHECK(problems("manager: {inCluster: true, kubeconfig: x}\n") ==
        "c.yaml:3:10: manager: kubeconfig and context exclude inCluster (keep one of them)");
}

TEST_CASE("the head of the file") {
  const auto problems = [](const std::string& text) {
    const auto parsed = Parse(text, "c.yaml");
    return parsed ? "ok" : ToString(parsed.error());
  };
  CHECK(problems("") ==
        "c.yaml: is empty (fedra config print-defaults shows what may stand in it)");
  CHECK(problems("# nothing\n") ==
        "c.yaml: is empty (fedra config print-defaults shows what may stand in it)");
  CHECK(problems("- a\n") ==
        "c.yaml:1:1: must be a map, not a list\n"
        "c.yaml:1:1: manager: no way to reach the management cluster (set kubeconfig, or "
        "inCluster: true inside a "
        "pod)");
  CHECK(problems("manager: {inCluster: true}\n") ==
        "c.yaml:1:1: apiVersion: is required (write apiVersion: fedra.dev/v1alpha1)\n"
        "c.yaml:1:1: kind: is required (write kind: Configuration)");
  CHECK(problems("apiVersion: fedra.dev/v2\nkind: Configuration\nmanager: {inCluster: true}\n") ==
        "c.yaml:1:13: apiVersion: \"fedra.dev/v2\" is not supported (write fedra.dev/v1alpha1)");
  CHECK(problems("a: 1\n---\nb: 2\n") == "c.yaml: has more than one document");
  CHECK(problems("a: [1\n") ==
        "c.yaml:2:1: not valid YAML: end of sequence flow not found (check the "
        "indentation (spaces, no tabs), brackets and quotes)");
  CHECK(problems("a: \xff\n") == "c.yaml:1:4: not valid UTF-8 (the file must be UTF-8 text)");
  CHECK(problems(std::string("a: \x04 b\n")) ==
        "c.yaml:1:4: control character 0x04 (the file must be UTF-8 text)");
}

TEST_CASE("every problem is reported, in the order of the file") {
  CHECK(ProblemsOf("dispatch: {candidates: 0, admissionTimeout: soon}\n"
                   "workers:\n"
                   "- {name: A, kubeconfig: x}\n"
                   "http: {address: x}\n"
                   "frob: 1\n") ==
        "/etc/fedra.yaml:4:24: dispatch.candidates: 0 is out of range (1 to 1000)\n"
        "/etc/fedra.yaml:4:45: dispatch.admissionTimeout: \"soon\" is not a duration such as 15m, "
        "1h30m or 250ms: a "
        "number is missing\n"
        "/etc/fedra.yaml:6:10: workers[0].name: \"A\" is not a DNS-1123 name (lower-case letters, "
        "digits and \"-\", "
        "starting and ending with a letter or digit)\n"
        "/etc/fedra.yaml:7:17: http.address: \"x\" has no port (write IP:port, such as "
        "127.0.0.1:9480)\n"
        "/etc/fedra.yaml:8:1: unknown key \"frob\" (known here: apiVersion, kind, manager, "
        "workers, workersFrom, kueue, kinds, origin, "
        "verification, dispatch, workerLostTimeout, highAvailability, store, http, api, logging)");
}

TEST_CASE("documents that would grow without bound are refused") {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) bomb += "," + last;
    bomb += "]\n";
  }
  CHECK_THAT(ProblemsOf(bomb),
             ContainsSubstring("aliases make the document too large (write the values out)"));
  CHECK_THAT(ProblemsOf("a: " + std::string(60, '[') + std::string(60, ']') + "\n"),
             ContainsSubstring("nested more than 50 levels deep"));
  CHECK_THAT(ProblemsOf("a: " + std::string(5000, '[') + "\n"),
             ContainsSubstring("/etc/fedra.yaml:4:"));
  CHECK(ProblemsOf("# " + std::string(size_t{1} << 20, 'x') + "\n") ==
        "/etc/fedra.yaml: larger than 1024 KiB");
  CHECK_THAT(ProblemsOf("a: &a [*a]\n"), ContainsSubstring("an alias inside its own anchor"));
}

TEST_CASE("anchors and merge keys work within the bounds") {
  const auto parsed =
      Parse(std::string(kHead) +
                "workers:\n"
                "- &east {name: a, kubeconfig: x, capabilities: [example.com/fast]}\n"
                "- {<<: *east, name: b, context: b}\n",
            "/etc/fedra.yaml");
  REQUIRE(parsed);
  CHECK(parsed->workers[1].name == "b");
  CHECK(parsed->workers[1].capabilities == std::vector<std::string>{"example.com/fast"});
}

}  // namespace
}  // namespace fedra::config::parse_test
