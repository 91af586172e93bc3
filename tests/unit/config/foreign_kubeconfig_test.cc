#include "config/foreign_kubeconfig.h"

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

namespace fedra::config::foreign_kubeconfig_test {
namespace {

using test::Now;
using test::Text;

std::string Config(const std::string& cluster, const std::string& user) {
  return fmt::format(
      "current-context: main\ncontexts: [{{name: main, context: {{cluster: c, user: u}}}}]\n"
      "clusters: [{{name: c, cluster: {}}}]\nusers: [{{name: u, user: {}}}]\n",
      cluster, user);
}

constexpr const char* kServer = "{server: \"https://10.0.0.1:6443\"}";
const std::string kGood = Config(kServer, "{token: abc}");

TEST_CASE("a kubeconfig of a Secret may hold credentials, and no file is watched for it") {
  const auto access = ParseForeignKubeconfig(kGood, "Secret kueue-system/east", Now());
  REQUIRE(access);
  CHECK(access->server == "https://10.0.0.1:6443");
  CHECK(access->token == "abc");
  CHECK(access->files.empty());
}

TEST_CASE("a kubeconfig of a Secret can neither run a program nor read a file of fedra's machine") {
  const TempFolder folder;
  const std::string file = folder.Write("bait", "secret-of-fedra");
  const std::string in_file = fmt::format("\"{}\"", file);
  struct Row {
    std::string cluster, user, key;
    std::string hint = "";
  };
  const std::vector<Row> rows = {
      {kServer, "{exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/true}}",
       "users[0].user.exec"},
      {kServer, fmt::format("{{tokenFile: {}}}", in_file), "users[0].user.tokenFile",
       "(write the token itself, as token: TOKEN)"},
      {kServer, fmt::format("{{client-certificate: {0}, client-key: {0}}}", in_file),
       "users[0].user.client-certificate",
       "(write what is in it as client-certificate-data, in base64)"},
      {fmt::format("{{server: \"https://h\", certificate-authority: {}}}", in_file), "{token: abc}",
       "clusters[0].cluster.certificate-authority",
       "(write what is in it as certificate-authority-data, in base64)"},
      {kServer, "{username: u, password: p}", "users[0].user.username"},
      {"{server: \"https://h\", insecure-skip-tls-verify: true}", "{token: abc}",
       "clusters[0].cluster.insecure-skip-tls-verify"},
      {"{server: \"http://h\"}", "{token: abc}", "clusters[0].cluster.server"},
      {"{server: \"https://a_b\"}", "{token: abc}", "clusters[0].cluster.server"},
  };
  for (const Row& row : rows) {
    const auto access =
        ParseForeignKubeconfig(Config(row.cluster, row.user), "Secret kueue-system/east", Now());
    CAPTURE(row.key);
    REQUIRE_FALSE(access);
    const std::string text = ToString(access.error().problems);
    CAPTURE(text);
    CHECK(text.find("Secret kueue-system/east:") == 0);
    CHECK(text.find(row.key + ":") != std::string::npos);
    CHECK(text.find(row.hint) != std::string::npos);
    CHECK(text.find("secret-of-fedra") == std::string::npos);
    CHECK(text.find("allowInsecure") == std::string::npos);
    CHECK(access.error().files.empty());
  }
}

TEST_CASE("a file that a MultiKueueCluster names must be below the folder, links followed") {
  const TempFolder folder, outside;
  folder.Write("east", kGood);
  outside.Write("admin.conf", kGood);
  std::filesystem::create_symlink(outside.Path("admin.conf"), folder.Path("link"));
  std::filesystem::create_symlink(folder.Path("east"), outside.Path("link"));
  const auto outcome = [&](const std::string& path) {
    const auto access = ReadForeignKubeconfig(path, folder.Path("."), Now());
    return access ? "ok" : access.error().problems.front().problem;
  };
  const std::string elsewhere = "is not below " + folder.Path(".");
  CHECK(outcome(folder.Path("east")) == "ok");
  CHECK(outcome(outside.Path("link")) == "ok");
  CHECK(outcome(folder.Path("link")) == elsewhere);
  CHECK(outcome(outside.Path("admin.conf")) == elsewhere);
  CHECK(outcome(outside.Path("missing")) == elsewhere);
  CHECK(outcome(folder.Path(".")) == elsewhere);
  CHECK(outcome(folder.Path("missing")) == "no such file");
  CHECK(outcome("east") == "is no absolute path");
}

TEST_CASE("a kubeconfig larger than a Secret can be is not read") {
  const auto access = ParseForeignKubeconfig(std::string((1 << 20) + 1, ' '), "Secret a/b", Now());
  REQUIRE_FALSE(access);
  CHECK(ToString(access.error().problems) == "Secret a/b: is larger than 1024 KiB");
}

}  // namespace
}  // namespace fedra::config::foreign_kubeconfig_test
