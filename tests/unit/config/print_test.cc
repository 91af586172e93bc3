#include <sstream>

#include "config/load.h"
#include "config/print.h"
#include "tests/support/catch.h"

namespace fedra::config::print_test {
namespace {

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("the printed defaults are the defaults") {
  const std::string text = Replaced(PrintDefaults(), "# kubeconfig:", "kubeconfig:");
  const auto parsed = Parse(text, "/etc/fedra/fedra.yaml");
  REQUIRE(parsed);
  Configuration expected;
  expected.manager.kubeconfig = "/etc/fedra/manager.kubeconfig";
  CHECK(View(*parsed) == View(expected));
}

TEST_CASE("the printed example worker is valid once its comment signs are removed") {
  std::istringstream lines(Replaced(PrintDefaults(), "# kubeconfig:", "kubeconfig:"));
  std::string text;
  bool in_workers = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "workers:") in_workers = true;
    if (line.empty()) in_workers = false;
    text += (in_workers && line.starts_with("# ") ? line.substr(2) : line) + "\n";
  }
  const auto parsed = Parse(text, "/etc/fedra/fedra.yaml");
  REQUIRE(parsed);
  REQUIRE(parsed->workers.size() == 1);
  CHECK(parsed->workers[0].name == "gpu-east");
  CHECK(parsed->workers[0].capabilities.size() == 1);
}

TEST_CASE("no printed line is longer than 100 columns") {
  std::istringstream lines(PrintDefaults());
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("the environment of a credential plugin is not printed") {
  Configuration configuration;
  AccessProvider& provider = configuration.workers_from.access_providers.emplace_back();
  provider.name = "acme";
  provider.exec.command = "/opt/acme";
  provider.exec.env = {{"PASSWORD", "hidden"}};
  const std::string text = View(configuration);
  CHECK_THAT(text, ContainsSubstring("  accessProviders:\n  - name: acme\n    execConfig:\n"));
  CHECK_THAT(text, ContainsSubstring("      - name: PASSWORD\n        value: REDACTED\n"));
  CHECK(text.find("hidden") == std::string::npos);
}

TEST_CASE("a viewed configuration reads back as the same") {
  Configuration configuration;
  configuration.manager.in_cluster = true;
  WorkerSettings worker;
  worker.name = "123";
  worker.kubeconfig = "/etc/with space: \"quote\" and\nline\tbreak.yaml";
  worker.context = "kubernetes-admin@east";
  worker.capabilities = {"gpu.nvidia.com/MPSSupport", "1e3"};
  worker.http_version = HttpVersion::k11;
  configuration.workers = {worker, worker};
  configuration.workers[1].name = "b";
  configuration.workers[1].context.clear();
  configuration.dispatch.policy = DispatchPolicy::kBest;
  configuration.logging.level = log::Level::kError;

  const std::string text = View(configuration);
  const auto parsed = Parse(text, "/etc/fedra.yaml");
  INFO(text);
  if (!parsed) FAIL(ToString(parsed.error()));
  CHECK(View(*parsed) == text);
  CHECK(parsed->workers[0].kubeconfig == worker.kubeconfig);
  CHECK(parsed->workers[0].capabilities == worker.capabilities);
}

TEST_CASE("the reference page has one row for each key") {
  const std::string page = ReferencePage();
  CHECK_THAT(page, ContainsSubstring("| `workers[].kubeconfig` | path | required |"));
  CHECK_THAT(page, ContainsSubstring("| `dispatch.candidates` | 1 to 1000 | `1` |"));
  CHECK_THAT(page, ContainsSubstring(
                       "| `verification.templates.drift` | Ignore, Warn, Require | `Warn` |"));
}

}  // namespace
}  // namespace fedra::config::print_test
