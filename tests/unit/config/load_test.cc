#include "config/load.h"

#include <algorithm>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

namespace fedra::config::load_test {
namespace {

using test::Now;
using test::Text;

constexpr const char* kGood =
    "current-context: main\n"
    "contexts: [{name: main, context: {cluster: c, user: u}}, {name: other, context: {cluster: "
    "d}}]\n"
    "clusters: [{name: c, cluster: {server: \"https://h\"}}, {name: d, cluster: {server: "
    "\"https://d\"}}]\n"
    "users: [{name: u, user: {token: abc}}]\n";

constexpr const char* kHead = "apiVersion: fedra.dev/v1alpha1\nkind: Configuration\n";

tl::expected<Loaded, Problems> LoadText(const TempFolder& folder, const std::string& text,
                                        bool manager_may_fail = false) {
  return Load(folder.Write("fedra.yaml", kHead + text), {Now(), {}, manager_may_fail});
}

TEST_CASE("a whole configuration is loaded, and the files to watch are known") {
  const TempFolder folder;
  const std::string good(kGood);
  folder.Write("a", good);
  folder.Write("m", good.substr(0, good.find("https://h")) + "https://m" +
                        good.substr(good.find("https://h") + 9));
  const auto loaded =
      LoadText(folder,
               "manager: {kubeconfig: m}\n"
               "workers: [{name: a, kubeconfig: a}, {name: b, kubeconfig: a, context: other}]\n");
  if (!loaded) FAIL(Text(loaded.error(), folder));
  CHECK(loaded->manager->token == "abc");
  REQUIRE(loaded->workers.size() == 2);
  CHECK(loaded->workers[0]->context == "main");
  CHECK(loaded->workers[1]->context == "other");
  CHECK(loaded->files ==
        std::vector<std::string>{folder.Path("a"), folder.Path("fedra.yaml"), folder.Path("m")});
  CHECK(AccessProblems(*loaded, true).empty());
}

TEST_CASE("the stamp tells when to load again") {
  const TempFolder folder;
  folder.Write("m", kGood);
  const auto loaded = LoadText(folder,
                               "manager: {kubeconfig: m}\n"
                               "workers: [{name: a, kubeconfig: later}]\n");
  if (!loaded) FAIL(Text(loaded.error(), folder));
  CHECK(loaded->stamp == StampFiles(loaded->files));
  folder.Write("later", kGood);
  CHECK_FALSE(loaded->stamp == StampFiles(loaded->files));
}

TEST_CASE("one worker's broken access is its own failure only") {
  const TempFolder folder;
  folder.Write("m", kGood);
  folder.Write(
      "insecure",
      "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"
      "clusters: [{name: c, cluster: {server: \"https://i\", insecure-skip-tls-verify: true}}]\n");
  const auto loaded = LoadText(folder,
                               "manager: {kubeconfig: m}\n"
                               "workers:\n"
                               "- {name: a, kubeconfig: none}\n"
                               "- {name: b, kubeconfig: m, context: other}\n"
                               "- {name: c, kubeconfig: insecure}\n"
                               "- {name: d, kubeconfig: m, context: missing}\n");
  if (!loaded) FAIL(Text(loaded.error(), folder));
  REQUIRE(loaded->workers.size() == 4);
  CHECK_FALSE(loaded->workers[0]);
  CHECK(loaded->workers[1]);
  CHECK(Text(AccessProblems(*loaded, true), folder) ==
        "DIR/fedra.yaml:5:25: worker a: workers[0].kubeconfig: DIR/none: no such file\n"
        "DIR/insecure:3:79: worker c: clusters[0].cluster.insecure-skip-tls-verify: is refused, "
        "because "
        "others on the network "
        "could read the credentials (give certificate-authority-data, or set allowInsecure: true "
        "for this worker)\n"
        "DIR/m:2:11: worker d: contexts: no context \"missing\" (known: main, other)");
  CHECK(std::find(loaded->files.begin(), loaded->files.end(), folder.Path("none")) !=
        loaded->files.end());
}

TEST_CASE("one cluster under two names is used under the first") {
  const TempFolder folder;
  folder.Write("m", kGood);
  folder.Write("copy", kGood);
  const auto loaded = LoadText(folder,
                               "manager: {kubeconfig: m}\n"
                               "workers:\n"
                               "- {name: a, kubeconfig: m, context: other}\n"
                               "- {name: b, kubeconfig: copy, context: other}\n"
                               "- {name: c, kubeconfig: copy}\n");
  REQUIRE(loaded);
  CHECK(loaded->workers[0]);
  CHECK(Text(AccessProblems(*loaded, true), folder) ==
        "DIR/fedra.yaml:6:25: worker b: workers[1].kubeconfig: leads to https://d, as that of "
        "workers[0] does (each cluster may be configured once)\n"
        "DIR/fedra.yaml:7:25: worker c: workers[2].kubeconfig: leads to https://h, as that of the "
        "manager does (each cluster may be configured once)");
}

TEST_CASE("allowInsecure belongs to one worker and turns the refusal into a warning") {
  const TempFolder folder;
  folder.Write("m", kGood);
  folder.Write(
      "insecure",
      "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"
      "clusters: [{name: c, cluster: {server: \"https://i\", insecure-skip-tls-verify: true}}]\n");
  const auto loaded = LoadText(folder,
                               "manager: {kubeconfig: m}\n"
                               "workers: [{name: c, kubeconfig: insecure, allowInsecure: true}]\n");
  REQUIRE(loaded);
  CHECK(loaded->workers[0]);
  CHECK(AccessProblems(*loaded, false).empty());
  CHECK(Text(AccessProblems(*loaded, true), folder) ==
        "DIR/insecure:3:79: worker c: clusters[0].cluster.insecure-skip-tls-verify: the server's "
        "certificate "
        "is not verified");
}

TEST_CASE("without access to the manager nothing is loaded, unless that is allowed") {
  const TempFolder folder;
  const std::string text = "manager: {kubeconfig: none}\n";
  const auto refused = LoadText(folder, text);
  REQUIRE_FALSE(refused);
  CHECK(Text(refused.error(), folder) ==
        "DIR/fedra.yaml:3:23: manager: manager.kubeconfig: DIR/none: no such file");

  const auto allowed = LoadText(folder, text, true);
  REQUIRE(allowed);
  CHECK_FALSE(allowed->manager);
  CHECK(Text(AccessProblems(*allowed, false), folder) ==
        "DIR/fedra.yaml:3:23: manager: manager.kubeconfig: DIR/none: no such file");
}

TEST_CASE("a broken access to the manager does not hide those to the workers") {
  const TempFolder folder;
  const auto refused = LoadText(folder,
                                "manager: {kubeconfig: none}\n"
                                "workers:\n"
                                "- {name: a, kubeconfig: gone}\n");
  REQUIRE_FALSE(refused);
  CHECK(Text(refused.error(), folder) ==
        "DIR/fedra.yaml:3:23: manager: manager.kubeconfig: DIR/none: no such file\n"
        "DIR/fedra.yaml:5:25: worker a: workers[0].kubeconfig: DIR/gone: no such file");
}

TEST_CASE("a mistake in the file does not hide those in the kubeconfigs it names") {
  const TempFolder folder;
  folder.Write("m", kGood);
  folder.Write("empty",
               "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
               "clusters: [{name: c, cluster: {server: \"https://h\"}}]\n"
               "users: [{name: u, user: {token: \"\"}}]\n");
  const auto loaded = LoadText(folder,
                               "manager: {kubeconfig: m}\n"
                               "workerz: 1\n"
                               "workers:\n"
                               "- {name: a, kubeconfig: none}\n"
                               "- {name: b, kubeconfig: empty}\n"
                               "- {name: b, kubeconfig: empty}\n"
                               "- {name: c}\n");
  REQUIRE_FALSE(loaded);
  const std::string text = Text(loaded.error(), folder);
  for (const char* const line :
       {"DIR/fedra.yaml:4:1: unknown key \"workerz\"",
        "DIR/fedra.yaml:6:25: worker a: workers[0].kubeconfig: DIR/none: no such file",
        "is the same kubeconfig and context as that of workers[1]",
        "DIR/empty:4:33: worker b: users[0].user.token: is empty (remove it, or put a token in)",
        "workers[3].kubeconfig: is required"}) {
    CHECK_THAT(text, ContainsSubstring(line));
  }
  CHECK(std::count(text.begin(), text.end(), '\n') + 1 == 6);
}

TEST_CASE("a worker without a name is told of by its place in the file") {
  const TempFolder folder;
  folder.Write("m", kGood);
  const auto loaded = LoadText(folder,
                               "manager: {kubeconfig: m}\n"
                               "workers:\n"
                               "- {kubeconfig: none}\n");
  REQUIRE_FALSE(loaded);
  CHECK_THAT(
      Text(loaded.error(), folder),
      ContainsSubstring("DIR/fedra.yaml:5:16: workers[0].kubeconfig: DIR/none: no such file"));
}

TEST_CASE("an unreadable configuration is a problem of its path") {
  const TempFolder folder;
  const auto none = Load(folder.Path("none.yaml"), {Now(), {}, false});
  REQUIRE_FALSE(none);
  CHECK(Text(none.error(), folder) == "DIR/none.yaml: no such file");
  const auto below = Load(folder.Write("file", "") + "/fedra.yaml", {Now(), {}, false});
  REQUIRE_FALSE(below);
  CHECK(Text(below.error(), folder) == "DIR/file/fedra.yaml: a part of the path is not a folder");
}

TEST_CASE("in a pod the manager is reached with the service account") {
  const TempFolder folder;
  const auto now = Now();
  folder.Write("ca.crt",
               test::MakeCertificate("ca", now, now + std::chrono::hours(1000)).certificate_pem);
  folder.Write("token", "abc");
  const auto loaded =
      Load(folder.Write("fedra.yaml", std::string(kHead) + "manager: {inCluster: true}\n"),
           {now, {folder.path().string(), "10.0.0.1", "443"}, false});
  if (!loaded) FAIL(Text(loaded.error(), folder));
  CHECK(loaded->manager->server == "https://10.0.0.1:443");
}

}  // namespace
}  // namespace fedra::config::load_test
