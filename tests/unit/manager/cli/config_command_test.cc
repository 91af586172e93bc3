// fedra config validate and config view: what they print and return.

#include <sstream>

#include <nlohmann/json.hpp>

#include "manager/cli/commands.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::cli::config_command_test {
namespace {

constexpr const char* kKubeconfig =
    "current-context: main\ncontexts: [{name: main, context: {cluster: c, user: u}}]\n"
    "clusters: [{name: c, cluster: {server: \"https://%\"}}]\nusers: [{name: u, user: {token: "
    "t}}]\n";

std::string Kubeconfig(const std::string& host) {
  std::string text = kKubeconfig;
  return text.replace(text.find('%'), 1, host);
}

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

// `workers`: the rest of the file. `connect`: to where no server listens.
Ran Validate(const std::string& workers, const std::string& format = "text", bool connect = false) {
  const TempFolder folder;
  folder.Write("m", Kubeconfig(connect ? "127.0.0.1:1" : "manager"));
  folder.Write("east", Kubeconfig(connect ? "127.0.0.1:2" : "east"));
  const std::string file =
      folder.Write("fedra.yaml",
                   "apiVersion: fedra.dev/v1alpha1\nkind: Configuration\nmanager: {kubeconfig: m}\n"
                   "store: {path: fedra.db}\n" +
                       workers);
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal{.out = out, .err = err};
  ValidateOptions options;
  options.config = file;
  options.format = format;
  options.connect = connect;
  options.timeout = "2s";
  const int code = ConfigValidate(options, terminal);
  return {code, out.str(), err.str()};
}

TEST_CASE("config validate names every cluster of a valid file") {
  const Ran ran = Validate("workers: [{name: gpu-east, kubeconfig: east}]\n");
  INFO(ran.out << ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.err.empty());
  CHECK_THAT(ran.out, ContainsSubstring("fedra.yaml is valid: manager https://manager"));
  CHECK_THAT(ran.out, ContainsSubstring("\n  worker gpu-east: https://east"));
  CHECK_THAT(ran.out, !ContainsSubstring("no worker"));
}

TEST_CASE("config validate says that no job runs without workers") {
  for (const char* none : {"", "workers: []\n"}) {
    const Ran ran = Validate(none);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, ContainsSubstring("\n  no worker: every job waits"));
  }
}

TEST_CASE("config validate: what is wrong is on the error stream, and nothing is called valid") {
  const Ran ran = Validate("workers: [{name: gpu-east, kubeconfig: gone}]\n");
  CHECK(ran.code == 1);
  CHECK(ran.out.empty());
  CHECK_THAT(ran.err, ContainsSubstring("worker gpu-east: workers[0].kubeconfig: "));
  CHECK_THAT(ran.err, ContainsSubstring("no such file"));
}

TEST_CASE("config validate --connect: what a cluster does not answer is one of the results") {
  const std::string worker = "workers: [{name: gpu-east, kubeconfig: east}]\n";
  const Ran text = Validate(worker, "text", /*connect=*/true);
  CHECK(text.code == 1);
  CHECK(text.err.empty());
  CHECK_THAT(text.out, ContainsSubstring("\ngpu-east: Unreachable: "));
  const Ran ran = Validate(worker, "json", /*connect=*/true);
  CHECK(ran.code == 1);
  CHECK(ran.err.empty());
  const auto document = nlohmann::json::parse(ran.out);
  REQUIRE(document.contains("clusters"));
  REQUIRE(document["clusters"].size() == 2);
  for (const auto& cluster : document["clusters"])
    CHECK(!cluster["problem"].get<std::string>().empty());
}

TEST_CASE("config validate for programs: one document on the output, valid or not") {
  const Ran good = Validate("workers: [{name: gpu-east, kubeconfig: east}]\n", "json");
  CHECK(good.code == 0);
  CHECK(good.err.empty());
  const auto report = nlohmann::json::parse(good.out);
  CHECK(report["kind"] == "ConfigReport");
  CHECK(report["valid"] == true);
  CHECK(report["problems"].empty());
  CHECK(report["workers"][0]["name"] == "gpu-east");
  CHECK_FALSE(report.contains("clusters"));  // no cluster was asked
  const Ran bad = Validate("workers: [{name: gpu-east, kubeconfig: gone}]\n", "json");
  CHECK(bad.code == 1);
  CHECK(bad.err.empty());
  const auto refused = nlohmann::json::parse(bad.out);
  CHECK(refused["valid"] == false);
  CHECK(refused["problems"][0]["path"] == "workers[0].kubeconfig");
  CHECK(refused["problems"][0]["line"] == 5);
  const Ran broken = Validate("wrokers: []\n", "yaml");
  CHECK(broken.code == 1);
  CHECK_THAT(broken.out, ContainsSubstring("valid: false\n") &&
                             ContainsSubstring("unknown key \\\"wrokers\\\""));
}

TEST_CASE("config view: YAML for people and files, JSON for programs") {
  const TempFolder folder;
  folder.Write("m", Kubeconfig("manager"));
  const std::string file =
      folder.Write("fedra.yaml",
                   "apiVersion: fedra.dev/v1alpha1\nkind: Configuration\nmanager: {kubeconfig: m}\n"
                   "verification: {dependencies: Off}\n");
  const auto view = [&](const std::string& format) {
    std::ostringstream out;
    std::ostringstream err;
    Terminal terminal{.out = out, .err = err};
    CHECK(ConfigView(file, format, terminal) == 0);
    CHECK(err.str().empty());
    return out.str();
  };
  CHECK_THAT(view("yaml"), ContainsSubstring("\nkind: Configuration\n"));
  const auto document = nlohmann::json::parse(view("json"));
  CHECK(document["kind"] == "Configuration");
  CHECK(document["dispatch"].contains("order"));
  CHECK(document["verification"]["dependencies"] == "Off");  // to YAML 1.1 a boolean
}

}  // namespace
}  // namespace fedra::cli::config_command_test
