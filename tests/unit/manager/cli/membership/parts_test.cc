// What join writes, where it finds credentials, and what it leaves alone.

#include <algorithm>
#include <cstdlib>
#include <set>

#include <nlohmann/json.hpp>

#include "config/kubeconfig.h"
#include "manager/cli/join.h"
#include "manager/cli/membership/account_notes.h"
#include "manager/cli/membership/named_context.h"
#include "manager/cli/membership/worker_rights.h"
#include "manager/cli/membership/worker_secret.h"
#include "manager/wiring.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::cli::parts_test {
namespace {

using nlohmann::json;

kube::AccessSettings SomeAccess() {
  kube::AccessSettings access;
  access.server = "https://gpu-east.example.com:6443";
  access.tls_server_name = "kubernetes";
  access.proxy_url = "http://proxy.example.com:3128";
  return access;
}

std::string KubeconfigWithContexts(const std::vector<std::string>& names) {
  std::string clusters, contexts;
  for (const std::string& name : names) {
    clusters += "- {name: " + name + ", cluster: {server: 'https://" + name + ".example.com'}}\n";
    contexts += "- {name: " + name + ", context: {cluster: " + name + "}}\n";
  }
  return "apiVersion: v1\nkind: Config\ncurrent-context: " + names.front() + "\nclusters:\n" +
         clusters + "contexts:\n" + contexts;
}

class Variable final {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

using Names = std::set<std::string>;

// "ml/fedra-worker-writing", "/fedra-worker".
Names Bindings(const std::vector<RightsObject>& objects) {
  Names names;
  for (const RightsObject& object : objects)
    if (object.resource.kind.ends_with("Binding"))
      names.insert(object.key.ns + "/" + object.key.name);
  return names;
}

TEST_CASE("the rights are those of deploy/, and all bindings are for the account that join asks") {
  CHECK(OptionalRights() ==
        std::vector<std::string>{"dependencies", "logs", "pods", "template-sync"});
  const auto every = RightsFor({});
  const auto all = RightsFor({.optional = OptionalRights()});
  REQUIRE(every);
  REQUIRE(all);
  CHECK(every->size() == 8);
  CHECK(all->size() == 18);
  size_t accounts = 0;
  for (const RightsObject& object : *all) {
    CAPTURE(object.json);
    const json document = json::parse(object.json);
    CHECK(object.resource.namespaced == !object.key.ns.empty());
    if (object.resource.kind == "ServiceAccount") {
      ++accounts;
      CHECK(object.key == ObjectKey{kAccountNamespace, kAccountName});
    }
    for (const json& subject : document.value("subjects", json::array()))
      CHECK(subject == json{{"kind", "ServiceAccount"},
                            {"name", kAccountName},
                            {"namespace", kAccountNamespace}});
  }
  CHECK(accounts == 1);
}

TEST_CASE("in some namespaces is granted what is done in one; what is read is read everywhere") {
  const auto narrow = RightsFor({.optional = OptionalRights(), .namespaces = {"ml", "vision"}});
  REQUIRE(narrow);
  CHECK(Bindings(*narrow) ==
        Names{"/fedra-worker", "/fedra-worker-dependencies", "/fedra-worker-pods-reading",
              "fedra-system/fedra-token-renewal", "ml/fedra-worker-logs", "ml/fedra-worker-pods",
              "ml/fedra-worker-template-sync", "ml/fedra-worker-writing",
              "vision/fedra-worker-logs", "vision/fedra-worker-pods",
              "vision/fedra-worker-template-sync", "vision/fedra-worker-writing"});
  for (const RightsObject& object : *narrow) {
    const json document = json::parse(object.json);
    CHECK(document["kind"] == object.resource.kind);
    CHECK(document["metadata"].value("namespace", "") == object.key.ns);
    // What leave and the next join go by.
    if (document.contains("roleRef")) CHECK(document["roleRef"]["name"] == object.key.name);
  }
  const auto gone = AllRights({"ml", "vision"});
  REQUIRE(gone);
  for (const RightsObject& object : *narrow)
    CHECK(std::ranges::any_of(*gone, [&](const RightsObject& each) {
      return each.resource == object.resource && each.key == object.key;
    }));
}

TEST_CASE("the next join takes back what goes beyond") {
  const auto beyond = [](const WantedRights& wanted, const std::vector<std::string>& before) {
    return Bindings(BindingsBeyond(wanted, before).value());
  };
  CHECK(beyond({}, {}).empty());
  CHECK(beyond({.only_reads = true}, {}) == Names{"/fedra-worker-writing"});
  CHECK(beyond({.namespaces = {"ml"}}, {}) == Names{"/fedra-worker-writing"});
  // Narrowed is what is asked for now.
  CHECK(beyond({.optional = {"logs"}, .namespaces = {"ml"}}, {}) ==
        Names{"/fedra-worker-logs", "/fedra-worker-writing"});
  CHECK(beyond({.namespaces = {"vision"}}, {"ml", "vision"}) ==
        Names{"/fedra-worker-writing", "ml/fedra-worker-logs", "ml/fedra-worker-pods",
              "ml/fedra-worker-template-sync", "ml/fedra-worker-writing",
              "vision/fedra-worker-logs", "vision/fedra-worker-pods",
              "vision/fedra-worker-template-sync"});
}

TEST_CASE("managers and namespaces are noted on the account; what else is there is left out") {
  const auto rights = RightsFor({});
  const auto account = std::ranges::find(
      *rights, "ServiceAccount", [](const RightsObject& each) { return each.resource.kind; });
  REQUIRE(account != rights->end());
  const AccountNotes notes = NotesOf(WithNotes(account->json, {{"uid-1", "uid-2"}, {"ml"}}));
  CHECK(notes.managers == std::vector<std::string>{"uid-1", "uid-2"});
  CHECK(notes.namespaces == std::vector<std::string>{"ml"});
  CHECK(json::parse(WithNotes(account->json, {})) == json::parse(account->json));
  const AccountNotes odd = NotesOf(
      R"({"metadata": {"annotations": {"fedra.dev/managers": "a/../b,,ok", "fedra.dev/namespaces": 7}}})");
  CHECK(odd.managers == std::vector<std::string>{"ok"});
  CHECK(odd.namespaces.empty());
  CHECK(NotesOf("no JSON").managers.empty());
}

TEST_CASE("the kubeconfig can be read, and leads where the administrator's does") {
  const std::string text = TokenKubeconfig("gpu-east", SomeAccess(), "the-token");
  const auto access = config::ParseKubeconfig(text, "gpu-east.kubeconfig", {});
  REQUIRE(access);
  kube::AccessSettings expected = SomeAccess();
  expected.token = "the-token";
  CHECK(ToAccess(*access) == expected);
  CHECK(access->context == "gpu-east");
}

TEST_CASE("a Secret is ours by its label, and gives back its kubeconfig") {
  const WallTime ends(std::chrono::milliseconds(1'795'277'479'000));
  const ObjectKey key = SecretKeyOf("fedra-system", "gpu-east");
  CHECK(key == ObjectKey{"fedra-system", "fedra-worker-gpu-east"});
  const std::string ours = SecretDocument(key, "gpu-east", "a kubeconfig", &ends);
  REQUIRE(KubeconfigIn("gpu-east", ours));
  CHECK(*KubeconfigIn("gpu-east", ours) == "a kubeconfig");
  CHECK(json::parse(ours)["metadata"]["annotations"]["fedra.dev/token-ends"] ==
        "2026-11-21T16:11:19Z");

  json foreign = json::parse(ours);
  foreign["metadata"].erase("labels");
  for (const std::string& object :
       {foreign.dump(), ours, std::string("no JSON"), std::string("[]")}) {
    CAPTURE(object);
    const auto refused = KubeconfigIn("gpu-west", object);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::kConflict);
  }
  json empty = json::parse(ours);
  empty["data"]["kubeconfig"] = 7;
  CHECK(KubeconfigIn("gpu-east", empty.dump()).error().code == ErrorCode::kInvalid);
}

TEST_CASE("a worker's name is one, and a label") {
  for (const char* name : {"gpu-east", "a", "gpu.east-1"}) CHECK(IsWorkerName(name));
  for (const std::string& name :
       {std::string(), std::string("GPU"), std::string("gke_project_zone"), std::string(64, 'a')}) {
    CAPTURE(name);
    CHECK(!IsWorkerName(name));
  }
}

TEST_CASE("a token's life is at least what Kubernetes gives") {
  CHECK(TokenLifetime("10m").value() == std::chrono::minutes(10));
  CHECK(!TokenLifetime("9m59s"));
  CHECK(!TokenLifetime("soon"));
}

TEST_CASE(
    "of several kubeconfigs the first with the context counts; --kubeconfig is the only one") {
  const TempFolder folder;
  const std::string first = folder.Write("first", KubeconfigWithContexts({"a", "b"}));
  const std::string second = folder.Write("second", KubeconfigWithContexts({"c", "b"}));
  const Variable list("KUBECONFIG", first + "::" + second);
  const auto server = [](const ContextChoice& choice) { return FindContext(choice)->server; };
  CHECK(server({"", ""}) == "https://a.example.com");
  CHECK(server({"", "c"}) == "https://c.example.com");
  CHECK(server({second, ""}) == "https://c.example.com");
  // Its current context is in another file, which kubectl would merge: no guess at another one.
  std::string torn = KubeconfigWithContexts({"a"});
  torn.replace(torn.find("current-context: a"), 18, "current-context: c");
  const Variable split("KUBECONFIG", folder.Write("torn", torn) + ":" + second);
  CHECK_FALSE(FindContext({"", ""}));
  CHECK(server({"", "c"}) == "https://c.example.com");
  const Variable again("KUBECONFIG", first + "::" + second);
  const auto missing = FindContext({"", "d"});
  REQUIRE(!missing);
  CHECK(missing.error().message == first + ":8:1: contexts: no context \"d\" (known: a, b); " +
                                       second + ":8:1: contexts: no context \"d\" (known: c, b)");
}

TEST_CASE("in a pod the manager is its own cluster, unless another is chosen") {
  const TempFolder folder;
  const std::string file = folder.Write("config", KubeconfigWithContexts({"a"}));
  const Variable host("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  const Variable port("KUBERNETES_SERVICE_PORT", "443");
  const Variable none("KUBECONFIG", "");
  CHECK(FindManagerContext({file, ""})->server == "https://a.example.com");
  const auto pod = FindManagerContext({});
  REQUIRE(!pod);  // this is none: there is no token
  CHECK_THAT(pod.error().message, ContainsSubstring("/var/run/secrets/kubernetes.io"));
}

}  // namespace
}  // namespace fedra::cli::parts_test
