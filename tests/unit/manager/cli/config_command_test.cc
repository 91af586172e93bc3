// fedra config validate: what it prints and returns.

#include <sstream>

#include "manager/cli/commands.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::cli {
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

// `workers`: the rest of the file.
Ran Validate(const std::string& workers) {
  const TempFolder folder;
  folder.Write("m", Kubeconfig("manager"));
  folder.Write("east", Kubeconfig("east"));
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

}  // namespace
}  // namespace fedra::cli
