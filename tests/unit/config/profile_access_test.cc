#include "config/profile_access.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

namespace fedra::config::profile_access_test {
namespace {

using test::Now;

constexpr const char* kSource = "ClusterProfile fleet/gpu-east";

AccessProvider Provider(const std::string& name, const std::string& command = "fleet-token") {
  AccessProvider provider;
  provider.name = name;
  provider.exec.api_version = kExecV1;
  provider.exec.command = command;
  return provider;
}

OfferedAccess Offer(const std::string& provider, const std::string& cluster) {
  return {provider, cluster, "status.accessProviders[0].cluster"};
}

// The server, or every problem.
std::string Outcome(const std::vector<OfferedAccess>& offered,
                    const std::vector<AccessProvider>& providers) {
  const ClusterAccess access = ReadProfileAccess(offered, providers, kSource, Now());
  return access ? access->server : ToString(access.error().problems);
}

std::string OutcomeOf(const std::string& cluster) {
  return Outcome({Offer("fleet", cluster)}, {Provider("fleet")});
}

TEST_CASE("where the cluster is says the profile, who we are there says the configuration") {
  AccessProvider provider = Provider("fleet");
  provider.exec.args = {"token"};
  provider.exec.env = {{"REGION", "east"}};
  provider.exec.provide_cluster_info = true;
  const ClusterAccess access = ReadProfileAccess(
      {Offer("fleet",
             R"({"server": "https://10.0.0.1:6443/", "tls-server-name": "east", )"
             R"("proxy-url": "socks5://proxy:1080", "disable-compression": true, "extensions": [)"
             R"({"name": "other", "extension": {"x": 1}}, )"
             R"({"name": "client.authentication.k8s.io/exec", "extension": )"
             R"({"id": "007", "n": 7, "on": true, "none": null}}]})")},
      {provider}, kSource, Now());
  REQUIRE(access);
  CHECK(access->server == "https://10.0.0.1:6443");
  CHECK(access->tls_server_name == "east");
  CHECK(access->proxy_url == "socks5://proxy:1080");
  CHECK(access->exec == provider.exec);
  CHECK(access->exec_cluster_config == R"({"id":"007","n":7,"on":true,"none":null})");
  CHECK(access->files.empty());
}

TEST_CASE("the first provider of the configuration that the profile lists is used") {
  const std::vector<OfferedAccess> offered = {Offer("a", R"({"server": "https://a"})"),
                                              Offer("b", R"({"server": "https://b"})")};
  CHECK(Outcome(offered, {Provider("a"), Provider("b")}) == "https://a");
  CHECK(Outcome(offered, {Provider("b"), Provider("a")}) == "https://b");
  CHECK(Outcome(offered, {Provider("c"), Provider("b")}) == "https://b");
}

TEST_CASE("what is missing is said with what to do") {
  const std::string cluster = R"({"server": "https://a"})";
  CHECK(Outcome({Offer("a", cluster)}, {}) ==
        "ClusterProfile fleet/gpu-east: no access provider is configured (write "
        "workersFrom.accessProviders, as multiKueue.clusterProfile.accessProviders of Kueue's "
        "configuration)");
  CHECK(Outcome({}, {Provider("a")}) ==
        "ClusterProfile fleet/gpu-east: lists no access provider (its cluster manager writes "
        "status.accessProviders)");
  CHECK(Outcome({Offer("b", cluster), Offer("c", cluster)}, {Provider("a")}) ==
        "ClusterProfile fleet/gpu-east: none of its access providers is configured: b, c "
        "(workersFrom.accessProviders has a)");
  AccessProvider gone = Provider("a", "/nowhere/fleet-token");
  gone.exec.install_hint = "ask Bob";
  CHECK(Outcome({Offer("a", cluster)}, {gone}) ==
        "access provider a: execConfig.command: /nowhere/fleet-token cannot be executed (ask "
        "Bob)");
  const ClusterAccess access = ReadProfileAccess({}, {Provider("a")}, kSource, Now());
  CHECK(access.error().fault == AccessFault::kMissing);
}

TEST_CASE("names of others are cut in messages") {
  std::vector<OfferedAccess> offered;
  for (int i = 0; i < 64; ++i) offered.push_back(Offer(std::string(1000, 'x'), ""));
  CHECK(Outcome(offered, {Provider("a")}).size() < 1000);
}

TEST_CASE("the author of a profile can neither read a file nor weaken the connection") {
  struct Row {
    std::string cluster, key, problem;
  };
  const std::vector<Row> rows = {
      {"", "server", "is required"},
      {"[]", "", "must be a map"},
      {R"("text")", "", "must be a map"},
      {R"({"server": 7})", "server", "must be a string"},
      {R"({"server": "http://a"})", "server", "plain http sends credentials in the clear"},
      {R"({"server": "file:///etc/passwd"})", "server", "is not an address"},
      {R"({"server": "https://user:word@a"})", "server", "is not an address"},
      {R"({"server": "https://a_b"})", "server", "no IP address and no DNS-1123 name"},
      {R"({"server": "https://-a"})", "server", "no IP address and no DNS-1123 name"},
      {R"({"server": "https://a", "insecure-skip-tls-verify": true})", "insecure-skip-tls-verify",
       "is refused"},
      {R"({"server": "https://a", "certificate-authority": "/etc/passwd"})",
       "certificate-authority", "names a file, which is refused"},
      {R"({"server": "https://a", "certificate-authority-data": "!"})",
       "certificate-authority-data", "is not base64"},
      {R"({"server": "https://a", "certificate-authority-data": "aGVsbG8="})",
       "certificate-authority-data", "holds no PEM certificate"},
      {R"({"server": "https://a", "proxy-url": "file:///x"})", "proxy-url",
       "is not the address of a proxy"},
      {R"({"server": "https://a", "tls-server-name": "a b"})", "tls-server-name",
       "is not a host name"},
      {fmt::format(R"({{"server": "https://a", "extensions": [{{"name": )"
                   R"("client.authentication.k8s.io/exec", "extension": "{}"}}]}})",
                   std::string(40'000, 'x')),
       "extensions", "is larger than 32 KiB"},
      {fmt::format(R"({{"server": "https://{}"}})", std::string(70'000, 'x')), "", "64"},
  };
  for (const Row& row : rows) {
    const ClusterAccess access =
        ReadProfileAccess({Offer("fleet", row.cluster)}, {Provider("fleet")}, kSource, Now());
    CAPTURE(row.cluster.substr(0, 100));
    REQUIRE_FALSE(access);
    const std::string text = ToString(access.error().problems);
    CAPTURE(text);
    CHECK(text.starts_with("ClusterProfile fleet/gpu-east: status.accessProviders[0].cluster" +
                           (row.key.empty() ? std::string() : "." + row.key) + ": "));
    CHECK_THAT(text, ContainsSubstring(row.problem));
    CHECK(access.error().fault == AccessFault::kRefused);
    CHECK(access.error().files.empty());
  }
}

TEST_CASE("hosts that may be trusted") {
  for (const char* host : {"10.0.0.1", "[fd00::1]:6443", "API.Example.com", "a"})
    CHECK(OutcomeOf(fmt::format(R"({{"server": "https://{}"}})", host)) ==
          fmt::format("https://{}", host));
}

}  // namespace
}  // namespace fedra::config::profile_access_test
