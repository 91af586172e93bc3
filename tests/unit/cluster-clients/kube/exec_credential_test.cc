#include "cluster-clients/kube/exec_credential.h"

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "tests/support/catch.h"

namespace fedra::kube::exec_credential_test {
namespace {

using nlohmann::json;

ExecPlugin Plugin() {
  ExecPlugin plugin;
  plugin.api_version = "client.authentication.k8s.io/v1";
  plugin.command = "get-token";
  return plugin;
}

std::string Output(const json& status, const char* version = "client.authentication.k8s.io/v1") {
  return json{{"kind", "ExecCredential"}, {"apiVersion", version}, {"status", status}}.dump();
}

TEST_CASE("a token, with and without an end") {
  const auto plain = ReadExecCredential(Plugin(), Output({{"token", "abc"}}));
  REQUIRE(plain);
  CHECK(plain->authorization == "Bearer abc");
  CHECK(!plain->expires);
  const auto ending = ReadExecCredential(
      Plugin(), Output({{"token", "abc"}, {"expirationTimestamp", "2026-11-21T16:00:00Z"}}));
  REQUIRE(ending);
  CHECK(ending->expires == *ParseRfc3339("2026-11-21T16:00:00Z"));
}

TEST_CASE("a client certificate needs its key") {
  const auto both = ReadExecCredential(
      Plugin(), Output({{"clientCertificateData", "C"}, {"clientKeyData", "K"}}));
  REQUIRE(both);
  CHECK(both->client_certificate_pem == "C");
  CHECK(both->client_key_pem == "K");
  CHECK(both->authorization.empty());
  CHECK(!ReadExecCredential(Plugin(), Output({{"clientCertificateData", "C"}})));
  CHECK(!ReadExecCredential(Plugin(), Output({{"clientKeyData", "K"}, {"token", "t"}})));
}

TEST_CASE("unusable outputs are refused without being repeated") {
  const std::string outputs[] = {
      "",
      "secret-token",
      R"({"token":"secret"})",
      Output({{"token", "secret"}}, "client.authentication.k8s.io/v1beta1"),
      Output({{"token", "secret\nX-Header: 1"}}),
      Output({{"token", "secret"}, {"expirationTimestamp", "secret tomorrow"}}),
      Output(json::object()),
      Output("secret"),
  };
  for (const std::string& output : outputs) {
    INFO(output);
    const auto result = ReadExecCredential(Plugin(), output);
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::kUnauthorized);
    CHECK(result.error().message.find("secret") == std::string::npos);
    CHECK_THAT(result.error().message, ContainsSubstring("get-token"));
  }
}

TEST_CASE("a plugin hears about the cluster only when it asked") {
  AccessSettings access;
  access.server = "https://example:6443";
  access.ca_pem = "CA";
  ExecPlugin plugin = Plugin();
  json info = json::parse(ExecInfo(access, plugin));
  CHECK(info["apiVersion"] == plugin.api_version);
  CHECK(info["spec"]["interactive"] == false);
  CHECK(!info["spec"].contains("cluster"));
  plugin.provide_cluster_info = true;
  info = json::parse(ExecInfo(access, plugin));
  CHECK(info["spec"]["cluster"]["server"] == "https://example:6443");
  CHECK(info["spec"]["cluster"]["certificate-authority-data"] == "Q0E=");
  CHECK_FALSE(info["spec"]["cluster"].contains("config"));
  plugin.cluster_config = R"({"audience":"east"})";
  CHECK(json::parse(ExecInfo(access, plugin))["spec"]["cluster"]["config"]["audience"] == "east");
  plugin.provide_cluster_info = false;
  CHECK(ExecInfo(access, plugin).find("east") == std::string::npos);
}

}  // namespace
}  // namespace fedra::kube::exec_credential_test
