#include <atomic>
#include <filesystem>
#include <thread>

#include "base/time.h"
#include "cluster-clients/cluster.h"
#include "tests/sim/net/pki.h"
#include "tests/support/catch.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cluster-clients/support/harness.h"
#include "tests/unit/cluster-clients/support/socks_proxy.h"

namespace fedra::cluster_connection_test {
namespace {

using namespace std::chrono_literals;
using Phase = ConnectionPhase;

struct Fixture {
  sim::Server server;
  Threads threads{4};
};

sim::Faults With(bool sim::Faults::* fault) {
  sim::Faults faults;
  faults.*fault = true;
  return faults;
}

TEST_CASE("connecting finds out who the server is and what it serves") {
  Fixture f;
  TestCluster cluster(f.threads, AccessTo(f.server));
  REQUIRE(cluster.WaitFor(Phase::kConnected));
  const auto info = cluster->server();
  REQUIRE(info);
  CHECK(info->git_version == "v1.36.3");
  CHECK(info->minor == 36);
  CHECK(info->Serves("resource.k8s.io", "v1"));
  CHECK(info->resources.contains("resource.k8s.io/v1/resourceclaimtemplates"));
  CHECK(info->resources.contains("batch/v1/jobs/status"));
}

TEST_CASE("no request is made before Start") {
  Fixture f;
  Cluster cluster(ClusterName("quiet"), AccessTo(f.server), QuickOptions(), f.threads.loop,
                  f.threads.pool, SystemClock(), nullptr);
  CHECK(cluster.state().phase == Phase::kConnecting);
  CHECK(!cluster.server());
  cluster.Stop();
  CHECK(f.server.RequestCounts().empty());
}

// The release stays: /version alone would not tell.
TEST_CASE("what is served is asked for again after an outage, and told when it differs") {
  Fixture f;
  sim::Faults older;
  older.not_served = {"resource.k8s.io/v1"};
  f.server.SetFaults(older);
  std::atomic<int> told{0};
  Guarded<Phase> phase;
  Cluster cluster(
      ClusterName("gpu-east"), AccessTo(f.server), QuickOptions(), f.threads.loop, f.threads.pool,
      SystemClock(),
      [&](const ConnectionState& state) {
        phase.With([&](Phase& now) { now = state.phase; });
        phase.Notify();
      },
      [&] { ++told; });
  const auto wait_for = [&](Phase wanted) {
    const auto is_there = [wanted](Phase now) { return now == wanted; };
    return phase.WaitFor(Stretched(10s), is_there, is_there);
  };
  cluster.Start();
  REQUIRE(wait_for(Phase::kConnected));
  CHECK(told == 1);
  CHECK_FALSE(cluster.server()->Serves("resource.k8s.io", "v1"));
  for (int outage = 0; outage < 2; ++outage) {  // the second changes nothing
    f.server.SetFaults(With(&sim::Faults::refuse));
    REQUIRE(wait_for(Phase::kUnreachable));
    f.server.SetFaults({});
    REQUIRE(wait_for(Phase::kConnected));
    CHECK(cluster.server()->Serves("resource.k8s.io", "v1"));
    CHECK(told == 2);
  }
  cluster.Stop();
}

TEST_CASE("what is served is asked for again when a watch was cut, although calls get through") {
  Fixture f;
  sim::Faults older;
  older.not_served = {"resource.k8s.io/v1"};
  f.server.SetFaults(older);
  Guarded<int> told;
  TestCache cache;
  Cluster cluster(ClusterName("gpu-east"), AccessTo(f.server), QuickOptions(), f.threads.loop,
                  f.threads.pool, SystemClock(), nullptr, [&] {
                    told.With([](int& times) { ++times; });
                    told.Notify();
                  });
  cluster.Watch({kConfigMaps}, *cache);
  cluster.Start();
  REQUIRE(cache.WaitForState(watch::CacheState::kSynced));
  REQUIRE(f.server.objects().Create(ConfigMap("a", "1")));
  REQUIRE(cache.WaitForContent({"a=1"}));  // there is a watch to cut
  f.server.SetFaults({});
  f.server.DropConnections();
  const auto known = [&](int) { return cluster.server()->Serves("resource.k8s.io", "v1"); };
  CHECK(told.WaitFor(Stretched(10s), known, known));
  cluster.Stop();
}

TEST_CASE("what is served is asked for now and then, although nothing was reason to") {
  Fixture f;
  sim::Faults older;
  older.not_served = {"resource.k8s.io/v1"};
  f.server.SetFaults(older);
  Guarded<int> told;
  ClusterOptions options = QuickOptions();
  options.discovery_interval = 500ms;
  Cluster cluster(ClusterName("gpu-east"), AccessTo(f.server), options, f.threads.loop,
                  f.threads.pool, SystemClock(), nullptr, [&] {
                    told.With([](int& times) { ++times; });
                    told.Notify();
                  });
  cluster.Start();
  const auto told_once = [](int times) { return times == 1; };
  REQUIRE(told.WaitFor(Stretched(10s), told_once, told_once));
  const kube::Resource templates{"resource.k8s.io", "v1", "resourceclaimtemplates",
                                 "ResourceClaimTemplate"};
  CHECK_FALSE(cluster.server()->Serves(templates));
  f.server.SetFaults({});
  const auto known = [&](int) { return cluster.server()->Serves(templates); };
  CHECK(told.WaitFor(Stretched(10s), known, known));
  cluster.Stop();
}

// Each way to fail, what is said about it, and that it is over when it is over.
TEST_CASE("phases") {
  struct Row {
    const char* what;
    bool sim::Faults::* fault;
    Phase phase;
    ErrorCode code;
    ClusterOptions options;
  };
  const Row rows[] = {
      {"refused", &sim::Faults::refuse, Phase::kUnreachable, ErrorCode::kConnection,
       QuickOptions()},
      {"silent", &sim::Faults::hang, Phase::kUnreachable, ErrorCode::kTimeout, ImpatientOptions()},
      {"401", &sim::Faults::reject_credentials, Phase::kRejected, ErrorCode::kUnauthorized,
       QuickOptions()},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Fixture f;
    TestCluster cluster(f.threads, AccessTo(f.server), row.options);
    REQUIRE(cluster.WaitFor(Phase::kConnected));
    f.server.SetFaults(With(row.fault));
    REQUIRE(cluster.WaitFor(row.phase));
    const ConnectionState lost = cluster->state();
    CHECK(lost.why->code == row.code);
    // Calls do not wait for it.
    const auto before = std::chrono::steady_clock::now();
    const auto call = cluster->Get(kConfigMaps, {"default", "a"});
    REQUIRE(!call);
    CHECK(call.error().code == row.code);
    CHECK(std::chrono::steady_clock::now() - before < row.options.call_timeout / 3);
    f.server.SetFaults({});
    REQUIRE(cluster.WaitFor(Phase::kConnected));
    CHECK(cluster->state().since > lost.since);
    CHECK(cluster->Get(kConfigMaps, {"default", "a"}).error().code == ErrorCode::kNotFound);
    CHECK(cluster.History() == std::vector<Phase>{Phase::kConnected, row.phase, Phase::kConnected});
  }
}

TEST_CASE("a certificate that does not verify rejects the server, not the other way round") {
  for (const auto fault : {&sim::Faults::foreign_ca, &sim::Faults::expired_certificate}) {
    Fixture f;
    f.server.SetFaults(With(fault));
    TestCluster cluster(f.threads, AccessTo(f.server));
    REQUIRE(cluster.WaitFor(Phase::kRejected));
    CHECK(cluster->state().why->code == ErrorCode::kTlsUntrusted);
    CHECK_THAT(cluster->state().why->message, ContainsSubstring("certificate"));
    f.server.SetFaults({});
    CHECK(cluster.WaitFor(Phase::kConnected));
  }
}

TEST_CASE("another CA than the server's is not trusted until the access is updated") {
  Fixture f;
  const sim::Server other;
  kube::AccessSettings access = AccessTo(f.server);
  access.ca_pem = other.CaPem();
  TestCluster cluster(f.threads, access);
  REQUIRE(cluster.WaitFor(Phase::kRejected));
  CHECK(cluster->state().why->code == ErrorCode::kTlsUntrusted);
  cluster->UpdateAccess(AccessTo(f.server));
  CHECK(cluster.WaitFor(Phase::kConnected));
}

TEST_CASE("settings that cannot be used are said to be so") {
  struct Row {
    const char* what;
    void (*spoil)(kube::AccessSettings& access);
  };
  const Row rows[] = {
      {"no URL", [](kube::AccessSettings& access) { access.server = "nonsense://"; }},
      {"ftp", [](kube::AccessSettings& access) { access.server = "ftp://example"; }},
      {"a password in the URL",
       [](kube::AccessSettings& access) { access.server = "https://me:secret@127.0.0.1:1"; }},
      {"a CA that is no certificate",
       [](kube::AccessSettings& access) { access.ca_pem = "nonsense"; }},
      {"a client certificate that is none",
       [](kube::AccessSettings& access) {
         access.client_certificate_pem = "nonsense";
         access.client_key_pem = "nonsense";
       }},
      {"a key with a password",
       [](kube::AccessSettings& access) {
         const sim::Authority authority("locked");
         const auto [certificate, key] = authority.IssueClient("fedra", {});
         access.client_certificate_pem = certificate;
         access.client_key_pem = sim::WithPassword(key);  // OpenSSL would ask at the terminal
       }},
  };
  Fixture f;
  for (const Row& row : rows) {
    INFO(row.what);
    kube::AccessSettings access = AccessTo(f.server);
    row.spoil(access);
    TestCluster cluster(f.threads, access);
    REQUIRE(cluster.WaitFor(Phase::kMisconfigured));
    CHECK(cluster->state().why->message.find("secret") == std::string::npos);
    CHECK(cluster->Get(kConfigMaps, {"default", "a"}).error().code == ErrorCode::kInvalidArgument);
    cluster->UpdateAccess(AccessTo(f.server));
    CHECK(cluster.WaitFor(Phase::kConnected));
  }
}

TEST_CASE("a kubeconfig that cannot be read is a state of the cluster") {
  Fixture f;
  TestCluster cluster(f.threads, AccessTo(f.server));
  REQUIRE(cluster.WaitFor(Phase::kConnected));
  cluster->SetMisconfigured(Error{ErrorCode::kInvalidArgument, "line 3: no server", {}, {}});
  REQUIRE(cluster.WaitFor(Phase::kMisconfigured));
  CHECK_THAT(cluster->Get(kConfigMaps, {"default", "a"}).error().message,
             ContainsSubstring("line 3: no server"));
  cluster->UpdateAccess(AccessTo(f.server));
  CHECK(cluster.WaitFor(Phase::kConnected));
}

TEST_CASE("why a kubeconfig cannot be read is no answer of the server to a watch") {
  Fixture f;
  REQUIRE(f.server.objects().Create(ConfigMap("a", "1")));
  TestCache cache;
  TestCluster cluster(f.threads, AccessTo(f.server));
  cluster->Watch({kConfigMaps}, *cache);
  // Which is first, the end of the watch or the cluster's state, is a matter of chance.
  for (int round = 0; round < 20; ++round) {
    REQUIRE(cluster.WaitFor(Phase::kConnected));
    REQUIRE(cache.WaitForState(watch::CacheState::kSynced));
    cluster->SetMisconfigured(Error{ErrorCode::kNotFound, "no such file", {}, {}});
    REQUIRE(cluster.WaitFor(Phase::kMisconfigured));
    REQUIRE(cache.WaitForState(watch::CacheState::kFailing));
    CHECK(cache.Content() == std::set<std::string>{"a=1"});
    cluster->UpdateAccess(AccessTo(f.server));
  }
  for (const auto& told : cache.Healths())
    CHECK(told.health.state != watch::CacheState::kNotServed);
}

TEST_CASE("one outage has one beginning") {
  Fixture f;
  TestCluster cluster(f.threads, AccessTo(f.server));
  REQUIRE(cluster.WaitFor(Phase::kConnected));
  f.server.SetFaults(With(&sim::Faults::refuse));
  REQUIRE(cluster.WaitFor(Phase::kUnreachable));
  const WallTime since = cluster->state().since;
  f.server.SetFaults(With(&sim::Faults::reject_credentials));
  REQUIRE(cluster.WaitFor(Phase::kRejected));
  CHECK(cluster->state().since == since);
}

TEST_CASE("a server that is lost is noticed through its watches, and so is its return") {
  Fixture f;
  ClusterOptions patient = QuickOptions();
  patient.probe_interval = 60s;  // no call is made
  TestCache cache;
  TestCluster cluster(f.threads, AccessTo(f.server), patient);
  cluster->Watch({kConfigMaps}, *cache);
  REQUIRE(cache.WaitForState(watch::CacheState::kSynced));
  f.server.SetFaults(With(&sim::Faults::refuse));
  REQUIRE(cluster.WaitFor(Phase::kUnreachable));
  REQUIRE(cache.WaitForState(watch::CacheState::kFailing));
  REQUIRE(f.server.objects().Create(ConfigMap("a", "1")));
  f.server.SetFaults({});
  CHECK(cache.WaitForContent({"a=1"}));
  CHECK(cluster->state().phase == Phase::kConnected);
}

TEST_CASE("stopping a cluster reports no outage") {
  ClusterOptions patient = QuickOptions();
  patient.probe_interval = 60s;
  // Whether the server is to be asked while everything is being stopped is chance.
  for (int i = 0; i < 50; ++i) {
    Fixture f;
    TestCache cache, other;
    Cluster cluster(ClusterName("gpu-east"), AccessTo(f.server), patient, f.threads.loop,
                    f.threads.pool, SystemClock(), nullptr);
    cluster.Watch({kConfigMaps}, *cache);
    cluster.Start();
    REQUIRE(cache.WaitForState(watch::CacheState::kSynced));
    // What this group serves is asked for.
    std::thread asks(
        [&] { cluster.Watch({{"example.com", "v1", "things", "Thing", true}}, *other); });
    cluster.Stop();
    asks.join();
    CHECK(cluster.state().phase == Phase::kConnected);
    CHECK(cache->health().state == watch::CacheState::kSynced);
  }
}

TEST_CASE("silence is noticed by a call long before the next probe") {
  Fixture f;
  ClusterOptions patient = ImpatientOptions();
  patient.probe_interval = 60s;
  patient.call_timeout = 10s;
  TestCluster cluster(f.threads, AccessTo(f.server), patient);
  REQUIRE(cluster.WaitFor(Phase::kConnected));
  f.server.SetFaults(With(&sim::Faults::hang));
  const auto before = std::chrono::steady_clock::now();
  CHECK(cluster->Get(kConfigMaps, {"default", "a"}).error().code == ErrorCode::kTimeout);
  // A second to wonder, a second for the probe: far from the whole deadline.
  CHECK(std::chrono::steady_clock::now() - before < 6s);
  CHECK(cluster->state().phase == Phase::kUnreachable);
}

TEST_CASE("silent clusters cost the others nothing") {
  Threads threads{4};
  std::vector<std::unique_ptr<sim::Server>> servers;
  std::vector<std::unique_ptr<TestCluster>> clusters;
  const auto engine = std::make_shared<sim::Engine>();
  ClusterOptions patient = QuickOptions();
  patient.call_timeout = 10s;
  for (int i = 0; i < 20; ++i) {
    servers.push_back(std::make_unique<sim::Server>(sim::ServerOptions{}, engine));
    if (i % 2 == 0) servers.back()->SetFaults(With(&sim::Faults::hang));
    clusters.push_back(std::make_unique<TestCluster>(threads, AccessTo(*servers.back()), patient,
                                                     "c" + std::to_string(i)));
  }
  // Before the first of the silent ones has been given up.
  for (size_t i = 1; i < 20; i += 2) {
    REQUIRE(clusters[i]->WaitFor(Phase::kConnected));
    CHECK((*clusters[0])->state().phase == Phase::kConnecting);
  }
  for (size_t i = 0; i < 20; i += 2) REQUIRE(clusters[i]->WaitFor(Phase::kUnreachable));
  for (size_t i = 1; i < 20; i += 2) {
    const auto begin = std::chrono::steady_clock::now();
    CHECK((*clusters[i])->Get(kConfigMaps, {"default", "a"}).error().code == ErrorCode::kNotFound);
    CHECK(std::chrono::steady_clock::now() - begin < patient.call_timeout / 5);
  }
}

TEST_CASE("client certificates, and none") {
  Fixture f;
  f.server.SetUser(sim::Administrator("cert-user", ""));
  const sim::ClientCertificate certificate = f.server.IssueCertificate("cert-user");
  kube::AccessSettings access = AccessTo(f.server, "");
  access.client_certificate_pem = certificate.certificate_pem;
  access.client_key_pem = certificate.key_pem;
  TestCluster cluster(f.threads, access);
  REQUIRE(cluster.WaitFor(Phase::kConnected));
  CHECK(cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
}

TEST_CASE("the name in the certificate may be another than the address") {
  Fixture f;
  kube::AccessSettings access = AccessTo(f.server);
  access.tls_server_name = "kubernetes";
  TestCluster named(f.threads, access);
  CHECK(named.WaitFor(Phase::kConnected));
  access.tls_server_name = "example.com";
  TestCluster wrong(f.threads, access);
  REQUIRE(wrong.WaitFor(Phase::kRejected));
  CHECK(wrong->state().why->code == ErrorCode::kTlsUntrusted);
}

// Only the proxy knows the name.
TEST_CASE("requests go through the kubeconfig's proxy, which resolves the names") {
  Fixture f;
  const SocksProxy proxy;
  kube::AccessSettings access = AccessTo(f.server);
  const std::string port = access.server.substr(access.server.rfind(':'));
  access.server = "https://kubernetes" + port;
  access.proxy_url = proxy.Url();
  TestCluster cluster(f.threads, access);
  REQUIRE(cluster.WaitFor(Phase::kConnected));
  CHECK(cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  const auto asked = proxy.Asked();
  REQUIRE(!asked.empty());
  for (const std::string& one : asked) CHECK(one == "kubernetes" + port);
  cluster->Stop();
}

TEST_CASE("new credentials are used from now on, watches go on") {
  Fixture f;
  TestCache cache;
  TestCluster cluster(f.threads, AccessTo(f.server));
  cluster->Watch({kConfigMaps}, *cache);
  REQUIRE(cache.WaitForState(watch::CacheState::kSynced));
  f.server.SetUser(sim::Administrator("other", "other-token"));
  cluster->UpdateAccess(AccessTo(f.server, "other-token"));
  REQUIRE(cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  CHECK(cache.WaitForContent({"a=1"}));
  CHECK(cluster.History() == std::vector<Phase>{Phase::kConnected});
}

TEST_CASE("a change of access with many watches open does not starve the first call") {
  Fixture f;
  std::vector<std::unique_ptr<TestCache>> caches;
  TestCluster cluster(f.threads, AccessTo(f.server));
  for (int i = 0; i < 20; ++i) {
    caches.push_back(std::make_unique<TestCache>());
    cluster->Watch({kConfigMaps}, **caches.back());
  }
  for (const auto& cache : caches) REQUIRE(cache->WaitForState(watch::CacheState::kSynced));
  f.server.SetUser(sim::Administrator("other", "other-token"));
  cluster->UpdateAccess(AccessTo(f.server, "other-token"));
  REQUIRE(cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  for (const auto& cache : caches) CHECK(cache->WaitForContent({"a=1"}));
  CHECK(cluster.History() == std::vector<Phase>{Phase::kConnected});
  cluster->Stop();
}

TEST_CASE("a token file is read again when its token is refused") {
  Fixture f;
  const TempFolder folder;
  kube::AccessSettings access = AccessTo(f.server, "");
  access.token_file = folder.Write("token", "admin-token\n");
  TestCluster cluster(f.threads, access);
  REQUIRE(cluster.WaitFor(Phase::kConnected));
  folder.Write("token", "next-token\n");
  f.server.SetUser(sim::Administrator("admin", "next-token"));
  CHECK(cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  CHECK(cluster.History() == std::vector<Phase>{Phase::kConnected});
}

TEST_CASE("an exec plugin gives tokens, again after each refusal") {
  Fixture f;
  const TempFolder folder;
  folder.Write("token", "admin-token");
  const std::string plugin = folder.Write(
      "plugin",
      "#!/bin/sh\n"
      "echo run >> \"$FOLDER/runs\"\n"
      "case \"$KUBERNETES_EXEC_INFO\" in *'\"interactive\":false'*) ;; *) exit 3;; esac\n"
      "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",'\n"
      "printf '\"status\":{\"token\":\"%s\"}}' \"$(cat \"$FOLDER/token\")\"\n",
      true);
  kube::AccessSettings access = AccessTo(f.server, "");
  kube::ExecPlugin exec;
  exec.api_version = "client.authentication.k8s.io/v1";
  exec.command = plugin;
  exec.env = {{"FOLDER", folder.path().string()}};
  access.exec = {exec};
  TestCluster cluster(f.threads, access);
  REQUIRE(cluster.WaitFor(Phase::kConnected));
  CHECK(cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
  CHECK(std::filesystem::file_size(folder.Path("runs")) == 4);  // once for everything
  folder.Write("token", "next-token");
  f.server.SetUser(sim::Administrator("admin", "next-token"));
  CHECK(cluster->Create(kConfigMaps, "default", ConfigMap("b", "1").dump()));
  CHECK(cluster.History() == std::vector<Phase>{Phase::kConnected});
}

TEST_CASE("an exec plugin may give a client certificate") {
  Fixture f;
  f.server.SetUser(sim::Administrator("cert-user", ""));
  const sim::ClientCertificate certificate = f.server.IssueCertificate("cert-user");
  const TempFolder folder;
  const json credential = {{"kind", "ExecCredential"},
                           {"apiVersion", "client.authentication.k8s.io/v1beta1"},
                           {"status",
                            {{"clientCertificateData", certificate.certificate_pem},
                             {"clientKeyData", certificate.key_pem}}}};
  folder.Write("credential", credential.dump());
  kube::AccessSettings access = AccessTo(f.server, "");
  kube::ExecPlugin exec;
  exec.api_version = "client.authentication.k8s.io/v1beta1";
  exec.command = "cat";
  exec.args = {folder.Path("credential")};
  access.exec = {exec};
  TestCluster cluster(f.threads, access);
  REQUIRE(cluster.WaitFor(Phase::kConnected));
  CHECK(cluster->Create(kConfigMaps, "default", ConfigMap("a", "1").dump()));
}

TEST_CASE("a plugin that fails rejects the credentials and says which plugin") {
  Fixture f;
  kube::AccessSettings access = AccessTo(f.server, "");
  kube::ExecPlugin exec;
  exec.api_version = "client.authentication.k8s.io/v1";
  exec.install_hint = "apt install get-token";
  exec.command = "/nonexistent/get-token";
  access.exec = {exec};
  TestCluster missing(f.threads, access);
  REQUIRE(missing.WaitFor(Phase::kRejected));
  CHECK_THAT(missing->state().why->message, ContainsSubstring("/nonexistent/get-token") &&
                                                ContainsSubstring("apt install get-token"));
  access.exec[0].command = "sh";
  access.exec[0].args = {"-c", "echo a-token >&2; exit 1"};
  TestCluster failing(f.threads, access);
  REQUIRE(failing.WaitFor(Phase::kRejected));
  CHECK_THAT(failing->state().why->message,
             ContainsSubstring("exit code 1") && !ContainsSubstring("a-token"));
}

}  // namespace
}  // namespace fedra::cluster_connection_test
