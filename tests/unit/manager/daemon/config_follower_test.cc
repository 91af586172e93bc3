// What the daemon makes of files that change.

#include "manager/daemon/config_follower.h"

#include <vector>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::config_follower_test {
namespace {

std::string Kubeconfig(const std::string& server) {
  return "current-context: main\n"
         "contexts: [{name: main, context: {cluster: c, user: u}}]\n"
         "clusters: [{name: c, cluster: {server: \"https://" +
         server + "\"}}]\nusers: [{name: u, user: {token: t}}]\n";
}

struct Fixture {
  Fixture() {
    folder.Write("m", Kubeconfig("manager"));
    for (const char* const name : {"east", "west"}) folder.Write(name, Kubeconfig(name));
    Configure("workers: [{name: east, kubeconfig: east}]\n");
    auto loaded =
        config::Load(folder.Path("fedra.yaml"), config::OptionsNow(/*manager_may_fail=*/false));
    REQUIRE(loaded);
    follower.emplace(folder.Path("fedra.yaml"), std::move(*loaded),
                     [this](bool ok) { reads.push_back(ok); });
  }
  void Configure(const std::string& text) {
    folder.Write(
        "fedra.yaml",
        "apiVersion: fedra.dev/v1alpha1\nkind: Configuration\nmanager: {kubeconfig: m}\n" + text);
  }
  size_t Workers() const { return follower->now().configuration.workers.size(); }

  TempFolder folder;
  std::vector<bool> reads;
  std::optional<ConfigFollower> follower;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "files that have not changed are read again only on demand") {
  CHECK_FALSE(follower->Follow(false));
  CHECK(reads.empty());
  CHECK(follower->Follow(true));
  CHECK(reads == std::vector{true});
}

TEST_CASE_METHOD(Fixture, "a changed configuration takes the place of the one before") {
  Configure("workers: [{name: east, kubeconfig: east}, {name: west, kubeconfig: west}]\n");
  const auto before = follower->Follow(false);
  REQUIRE(before);
  CHECK(before->configuration.workers.size() == 1);
  CHECK(Workers() == 2);
  CHECK_FALSE(follower->Follow(false));
}

TEST_CASE_METHOD(Fixture, "a broken file changes nothing until it is mended") {
  Configure("workers: [{name: east}]\nnonsense: 1\n");
  CHECK_FALSE(follower->Follow(false));
  CHECK(Workers() == 1);
  CHECK_FALSE(follower->Follow(false));  // and is not read again and again
  Configure("workers: []\n");
  CHECK(follower->Follow(false));
  CHECK(Workers() == 0);
  CHECK(reads == std::vector{false, true});
}

TEST_CASE_METHOD(Fixture, "what needs a restart is named, and not in use") {
  Configure("workers: []\norigin: another\n");
  REQUIRE(follower->Follow(false));
  CHECK(follower->restart_needed() == "origin");
  CHECK(follower->now().configuration.origin != "another");
  Configure("workers: []\n");
  REQUIRE(follower->Follow(false));
  CHECK(follower->restart_needed().empty());
}

TEST_CASE_METHOD(Fixture, "a kubeconfig that leads to another manager is not used") {
  folder.Write("m", Kubeconfig("elsewhere"));
  REQUIRE(follower->Follow(false));
  CHECK(follower->now().manager->server == "https://manager");
}

}  // namespace fedra::config_follower_test
