// join, rotate and leave between two simulated clusters.

#include "manager/cli/join.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "config/kubeconfig.h"
#include "manager/cli/commands.h"
#include "manager/cli/membership/worker_rights.h"
#include "manager/cli/membership/worker_secret.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::cli::join_test {
namespace {

using nlohmann::json;

const std::string kSecretPath = "/api/v1/namespaces/fedra-system/secrets/fedra-worker-gpu-east";
const std::string kAccountPath = "/api/v1/namespaces/fedra-system/serviceaccounts/fedra";
const std::string kRolePath = "/apis/rbac.authorization.k8s.io/v1/clusterroles/";
const std::string kClonesPath = "/apis/kueue.x-k8s.io/v1beta2/namespaces/ml/workloads";
constexpr const char* kApply = "application/apply-patch+yaml";

struct Printed {
  int code = 0;
  std::string out;
  std::string err;
};

struct Clusters {
  TempFolder folder;
  sim::Fleet fleet{{.workers = {"worker1", "manager2"}}};
  sim::Server& manager = fleet.manager().server;
  sim::Server& worker = fleet.Find("worker1")->server;
  sim::Server& manager2 = fleet.Find("manager2")->server;
  JoinOptions join;
  LeaveOptions leave;

  Clusters() {
    const std::string files = folder.Write("manager", manager.Kubeconfig()) + ":" +
                              folder.Write("worker", worker.Kubeconfig()) + ":" +
                              folder.Write("manager2", manager2.Kubeconfig());
    setenv("KUBECONFIG", files.c_str(), 1);
    MakeNamespace(manager, "fedra-system");
    MakeNamespace(manager2, "fedra-system");
    join.where.worker.context = leave.where.worker.context = "worker1";
    join.names = {leave.name = "gpu-east"};
  }
  ~Clusters() { unsetenv("KUBECONFIG"); }

  // Server-side apply as another field manager; the status code.
  static int Put(sim::Server& server, const std::string& path, const json& object) {
    return server.Call("PATCH", path + "?fieldManager=kubectl", object.dump(), kApply).status;
  }
  static void MakeNamespace(sim::Server& server, const std::string& name) {
    REQUIRE(Put(server, "/api/v1/namespaces/" + name,
                {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}}) ==
            201);
  }
  // Whether fedra's account on the worker may do everywhere, or in this namespace, what a role of
  // this name says.
  bool IsBound(const std::string& role, const std::string& ns = {}) {
    const std::string where =
        ns.empty() ? "clusterrolebindings/" : "namespaces/" + ns + "/rolebindings/";
    return Has(worker, "/apis/rbac.authorization.k8s.io/v1/" + where + role);
  }
  static bool Has(sim::Server& server, const std::string& path) {
    return server.Call("GET", path).status == 200;
  }
  json Secret() { return json::parse(manager.Call("GET", kSecretPath).body); }
  // Of the worker's kubeconfig on the manager.
  std::string Token() {
    const auto text = Base64Decode(Secret()["data"]["kubeconfig"].get<std::string>());
    REQUIRE(text);
    const auto access = config::ParseKubeconfig(*text, "secret", {});
    REQUIRE(access);
    CHECK(access->server == worker.Address());
    return access->token;
  }
  Printed Run(const JoinOptions& options) {
    return Printing([&](Terminal& terminal) { return Join(options, terminal); });
  }
  Printed Run(const LeaveOptions& options) {
    return Printing([&](Terminal& terminal) { return Leave(options, terminal); });
  }
  // Kueue's MultiKueue marks its own with the origin alone.
  void MakeClone(const std::string& name, bool by_fedra = true) {
    json clone = {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                  {"kind", "Workload"},
                  {"metadata",
                   {{"name", name},
                    {"namespace", "ml"},
                    {"labels", {{"kueue.x-k8s.io/multikueue-origin", "fedra"}}}}},
                  {"spec", {{"queueName", "none"}, {"podSets", PodSets()}}}};
    if (by_fedra) clone["metadata"]["annotations"]["fedra.dev/workload-uid"] = "uid-" + name;
    const sim::Reply made = worker.Call("POST", kClonesPath, clone.dump());
    INFO(made.body);
    REQUIRE(made.status == 201);
  }

 private:
  static json PodSets() {
    const json container = {{"name", "main"}, {"image", "train"}};
    const json spec = {{"containers", json::array({container})}, {"restartPolicy", "Never"}};
    return json::array({{{"name", "main"}, {"count", 1}, {"template", {{"spec", spec}}}}});
  }
  Printed Printing(const std::function<int(Terminal&)>& command) {
    std::ostringstream out, err;
    Terminal terminal{out, err};
    Printed printed;
    printed.code = command(terminal);
    printed.out = out.str();
    printed.err = err.str();
    // Whatever was done, no credential is told.
    for (const char* credential : {"admin-token", "sim-token-"}) {
      CHECK(printed.out.find(credential) == std::string::npos);
      CHECK(printed.err.find(credential) == std::string::npos);
    }
    return printed;
  }
};

TEST_CASE("join makes account, rights and Secret; what it prints is the worker's line") {
  Clusters clusters;
  const Printed joined = clusters.Run(clusters.join);
  INFO(joined.err);
  REQUIRE(joined.code == 0);
  CHECK(joined.out == "workers:\n- name: gpu-east\n  secretName: fedra-worker-gpu-east\n");
  CHECK_THAT(joined.err, ContainsSubstring("note: https://127.0.0.1"));
  CHECK(Clusters::Has(clusters.worker, kAccountPath));
  CHECK(Clusters::Has(clusters.worker, kRolePath + "fedra-worker"));
  CHECK(!Clusters::Has(clusters.worker, kRolePath + "fedra-worker-logs"));
  CHECK(clusters.Secret()["metadata"]["labels"]["fedra.dev/worker"] == "gpu-east");

  // Again, with more: a token of its own, and the rights that are new.
  const std::string before = clusters.Token();
  clusters.join.optional = {"logs"};
  REQUIRE(clusters.Run(clusters.join).code == 0);
  CHECK(Clusters::Has(clusters.worker, kRolePath + "fedra-worker-logs"));
  CHECK(clusters.Token() != before);
}

TEST_CASE("join into a file: private, and nothing on the manager") {
  Clusters clusters;
  clusters.join.kubeconfig_out = clusters.folder.Path("gpu-east.kubeconfig");
  clusters.join.server = "https://gpu-east.example.com";
  const Printed joined = clusters.Run(clusters.join);
  INFO(joined.err);
  REQUIRE(joined.code == 0);
  CHECK_THAT(joined.out, ContainsSubstring("kubeconfig: \"" + clusters.join.kubeconfig_out));
  CHECK(!Clusters::Has(clusters.manager, kSecretPath));
  struct stat file{};
  REQUIRE(stat(clusters.join.kubeconfig_out.c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0600);
  const auto access = config::ReadKubeconfig(clusters.join.kubeconfig_out, {});
  REQUIRE(access);
  CHECK(access->server == clusters.join.server);
  CHECK(!access->token.empty());
}

TEST_CASE("a file that is there is replaced when that is said, and is private then") {
  Clusters clusters;
  const std::string file = clusters.join.kubeconfig_out = clusters.folder.Write("mine", "mine");
  REQUIRE(chmod(file.c_str(), 0644) == 0);
  const Printed refused = clusters.Run(clusters.join);
  CHECK(refused.code == kFailed);
  CHECK_THAT(refused.err, ContainsSubstring(file + ": exists; add --overwrite"));
  CHECK(!Clusters::Has(clusters.worker, kAccountPath));
  CHECK(std::filesystem::file_size(file) == 4);

  clusters.join.overwrite = true;
  REQUIRE(clusters.Run(clusters.join).code == 0);
  struct stat status{};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(config::ReadKubeconfig(file, {}));
}

TEST_CASE("a password for a proxy is not published; another proxy may be named") {
  Clusters clusters;
  std::string kubeconfig = clusters.worker.Kubeconfig();
  const size_t at = kubeconfig.find("    server:");
  REQUIRE(at != std::string::npos);
  kubeconfig.insert(at, "    proxy-url: http://alice:geheim@proxy.example.com:3128\n");
  clusters.join.where.worker.kubeconfig = clusters.folder.Write("by-proxy", kubeconfig);
  clusters.join.kubeconfig_out = clusters.folder.Path("out");
  clusters.join.where.dry_run = true;
  const Printed refused = clusters.Run(clusters.join);
  CHECK(refused.code == kFailed);
  CHECK_THAT(refused.err, ContainsSubstring("--proxy-url"));
  CHECK(refused.err.find("geheim") == std::string::npos);
  for (const char* proxy : {"", "socks5://proxy.example.com:1080"}) {
    clusters.join.proxy_url = proxy;
    CHECK(clusters.Run(clusters.join).code == 0);
  }
  for (const char* proxy : {"http://bob@proxy.example.com", "proxy.example.com"}) {
    clusters.join.proxy_url = proxy;
    CHECK(clusters.Run(clusters.join).code == kFailed);
  }
}

TEST_CASE("a dry run prints every object and changes nothing") {
  Clusters clusters;
  clusters.join.where.dry_run = true;
  const Printed shown = clusters.Run(clusters.join);
  CHECK(shown.code == 0);
  for (const char* part : {"kind: ServiceAccount", "name: fedra-worker\n", "kind: Secret",
                           "fedra-worker-gpu-east", "with a token for 2160h"})
    CHECK_THAT(shown.out, ContainsSubstring(part));
  CHECK(!Clusters::Has(clusters.worker, kAccountPath));
  CHECK(!Clusters::Has(clusters.manager, kSecretPath));
}

TEST_CASE("join refuses before it writes") {
  Clusters clusters;
  const auto refuses = [&](const std::string& why) {
    const Printed printed = clusters.Run(clusters.join);
    INFO(printed.err);
    CHECK(printed.code == kFailed);
    CHECK(printed.out.empty());
    CHECK_THAT(printed.err, ContainsSubstring("fedra join: "));
    CHECK_THAT(printed.err, ContainsSubstring(why));
    CHECK(!Clusters::Has(clusters.worker, kAccountPath));
  };
  SECTION("the manager as its own worker") {
    clusters.join.where.worker.context = "manager";
    refuses("both contexts lead to the same cluster");
  }
  SECTION("a Secret that is not ours") {
    REQUIRE(Clusters::Put(clusters.manager, kSecretPath,
                          {{"apiVersion", "v1"},
                           {"kind", "Secret"},
                           {"metadata", {{"name", "fedra-worker-gpu-east"}}},
                           {"data", {{"kubeconfig", "eA=="}}}}) == 201);
    refuses("was not made by `fedra join` for gpu-east");
    CHECK(clusters.Secret()["data"]["kubeconfig"] == "eA==");
  }
  SECTION("a context that there is not") {
    clusters.join.where.worker.context = "worker9";
    refuses("no context \"worker9\" (known: ");
  }
  SECTION("no context") {
    clusters.join.where.worker.context = "";
    refuses("--context is needed");
  }
  SECTION("a name that no worker can have") {
    clusters.join.names = {"GPU_East"};
    refuses("\"GPU_East\": a worker's name has");
  }
  SECTION("a worker that does not answer") {
    clusters.worker.SetFaults({.refuse = true});
    refuses("gpu-east: ");
  }
}

TEST_CASE("a namespace that is missing on the manager is named, with what to do") {
  Clusters clusters;
  clusters.join.where.ns = "elsewhere";
  const Printed printed = clusters.Run(clusters.join);
  CHECK(printed.code == kFailed);
  CHECK_THAT(printed.err, ContainsSubstring("`kubectl create namespace elsewhere`"));
}

TEST_CASE("rights that something else has applied are taken over by force only") {
  Clusters clusters;
  const json role = {{"apiVersion", "rbac.authorization.k8s.io/v1"},
                     {"kind", "ClusterRole"},
                     {"metadata", {{"name", "fedra-worker"}}},
                     {"rules", json::array()}};
  REQUIRE(Clusters::Put(clusters.worker, kRolePath + "fedra-worker", role) == 201);
  const Printed refused = clusters.Run(clusters.join);
  CHECK(refused.code == kFailed);
  CHECK_THAT(refused.err, ContainsSubstring("--force-conflicts"));
  clusters.join.force_conflicts = true;
  CHECK(clusters.Run(clusters.join).code == 0);
}

TEST_CASE("rotate: the token asks for the next one, without an administrator of the worker") {
  Clusters clusters;
  REQUIRE(clusters.Run(clusters.join).code == 0);
  const std::string before = clusters.Token();
  JoinOptions rotate;
  rotate.rotate = true;
  rotate.where.worker.kubeconfig = clusters.folder.Path("manager");
  rotate.names = {"gpu-east", "gpu-west"};  // the second is none of ours
  const Printed both = clusters.Run(rotate);
  CHECK(both.code == kFailed);
  CHECK_THAT(both.err, ContainsSubstring("gpu-east: its new token ends "));
  CHECK_THAT(both.err, ContainsSubstring("fedra-worker-gpu-west"));
  const std::string after = clusters.Token();
  CHECK(after != before);

  rotate.names = {"gpu-east"};
  REQUIRE(clusters.worker.Call("DELETE", kAccountPath).status == 200);
  const Printed ended = clusters.Run(rotate);
  CHECK(ended.code == kFailed);
  CHECK_THAT(ended.err, ContainsSubstring("join it again"));
  CHECK(clusters.Token() == after);
}

TEST_CASE("rotate a file; a plugin in a kubeconfig is not run") {
  Clusters clusters;
  const std::string file = clusters.folder.Path("gpu-east.kubeconfig");
  clusters.join.kubeconfig_out = file;
  REQUIRE(clusters.Run(clusters.join).code == 0);
  const std::string before = config::ReadKubeconfig(file, {})->token;
  JoinOptions rotate;
  rotate.rotate = true;
  rotate.kubeconfig_out = file;
  const Printed rotated = clusters.Run(rotate);
  INFO(rotated.err);
  CHECK(rotated.code == 0);
  CHECK(config::ReadKubeconfig(file, {})->token != before);

  const std::string mark = clusters.folder.Path("was-run");
  const std::string plugin = fmt::format(
      "apiVersion: v1\nkind: Config\ncurrent-context: a\n"
      "clusters: [{{name: a, cluster: {{server: {}}}}}]\n"
      "contexts: [{{name: a, context: {{cluster: a, user: a}}}}]\n"
      "users: [{{name: a, user: {{exec: {{apiVersion: client.authentication.k8s.io/v1, "
      "interactiveMode: Never, command: touch, args: [{}]}}}}}}]\n",
      clusters.worker.Address(), mark);
  rotate.kubeconfig_out = clusters.folder.Write("plugin", plugin);
  const Printed refused = clusters.Run(rotate);
  CHECK(refused.code == kFailed);
  CHECK_THAT(refused.err, ContainsSubstring("a credential plugin is refused"));
  CHECK(!std::ifstream(mark).good());
}

TEST_CASE("leave takes back what join made, and nothing else") {
  Clusters clusters;
  clusters.join.optional = OptionalRights();
  REQUIRE(clusters.Run(clusters.join).code == 0);
  LeaveOptions shown = clusters.leave;
  shown.where.dry_run = true;
  CHECK_THAT(clusters.Run(shown).out,
             ContainsSubstring("manager: Secret fedra-system/fedra-worker-gpu-east"));
  CHECK(Clusters::Has(clusters.manager, kSecretPath));

  const Printed left = clusters.Run(clusters.leave);
  INFO(left.err);
  CHECK(left.code == 0);
  CHECK(!Clusters::Has(clusters.manager, kSecretPath));
  CHECK(!Clusters::Has(clusters.worker, kAccountPath));
  for (const char* role : {"fedra-worker", "fedra-worker-logs", "fedra-worker-template-sync"})
    CHECK(!Clusters::Has(clusters.worker, kRolePath + role));
  CHECK(Clusters::Has(clusters.worker, "/api/v1/namespaces/fedra-system"));
  // There is nothing any more, and that is no error.
  CHECK(clusters.Run(clusters.leave).code == 0);
}

TEST_CASE("join for some namespaces, for others, for all; leave takes back what is there then") {
  Clusters clusters;
  Clusters::MakeNamespace(clusters.worker, "vision");  // ml is there
  REQUIRE(clusters.Run(clusters.join).code == 0);
  clusters.join.namespaces = {"ml", "vision"};
  clusters.join.optional = {"logs"};
  const Printed narrow = clusters.Run(clusters.join);
  INFO(narrow.err);
  REQUIRE(narrow.code == 0);
  CHECK_THAT(narrow.err, ContainsSubstring("it makes jobs in the namespaces ml, vision only"));
  CHECK(clusters.IsBound("fedra-worker"));
  CHECK(!clusters.IsBound("fedra-worker-writing"));
  CHECK(!clusters.IsBound("fedra-worker-logs"));
  for (const char* ns : {"ml", "vision"}) {
    CHECK(clusters.IsBound("fedra-worker-writing", ns));
    CHECK(clusters.IsBound("fedra-worker-logs", ns));
  }
  clusters.join.namespaces = {"vision"};
  REQUIRE(clusters.Run(clusters.join).code == 0);
  CHECK(!clusters.IsBound("fedra-worker-writing", "ml"));
  CHECK(clusters.IsBound("fedra-worker-writing", "vision"));
  SECTION("for all again") {
    clusters.join.namespaces = {};
    REQUIRE(clusters.Run(clusters.join).code == 0);
    CHECK(!clusters.IsBound("fedra-worker-writing", "vision"));
    CHECK(clusters.IsBound("fedra-worker-writing"));
  }
  SECTION("and for one that there is not") {
    clusters.join.namespaces = {"missing"};
    const Printed refused = clusters.Run(clusters.join);
    CHECK(refused.code == kFailed);
    CHECK_THAT(refused.err, ContainsSubstring("`kubectl create namespace missing` on the worker"));
    CHECK(clusters.IsBound("fedra-worker-writing", "vision"));
  }
  REQUIRE(clusters.Run(clusters.leave).code == 0);
  CHECK(!clusters.IsBound("fedra-worker-writing"));
  CHECK(!clusters.IsBound("fedra-worker-writing", "vision"));
  CHECK(!clusters.IsBound("fedra-worker-logs", "vision"));
}

TEST_CASE("a worker of mode dispatcher is only read, also when it was another's before") {
  Clusters clusters;
  REQUIRE(clusters.Run(clusters.join).code == 0);
  CHECK(clusters.IsBound("fedra-worker-writing"));
  clusters.join.mode = "dispatcher";
  REQUIRE(clusters.Run(clusters.join).code == 0);
  CHECK(clusters.IsBound("fedra-worker"));
  CHECK(!clusters.IsBound("fedra-worker-writing"));
  clusters.join.namespaces = {"ml"};
  const Printed refused = clusters.Run(clusters.join);
  CHECK(refused.code == kFailed);
  CHECK_THAT(refused.err, ContainsSubstring("--in is not for --mode dispatcher"));
}

TEST_CASE("a worker of two managers keeps account and rights until both have left") {
  Clusters clusters;
  REQUIRE(clusters.Run(clusters.join).code == 0);
  JoinOptions second = clusters.join;
  second.where.manager_context = "manager2";
  second.mode = "dispatcher";
  const Printed joined = clusters.Run(second);
  INFO(joined.err);
  REQUIRE(joined.code == 0);
  CHECK_THAT(joined.err, ContainsSubstring("uses this account, too"));
  CHECK(clusters.IsBound("fedra-worker-writing"));  // the first one's

  SECTION("one after the other") {
    const Printed left = clusters.Run(clusters.leave);
    CHECK(left.code == 0);
    CHECK_THAT(left.err, ContainsSubstring("and its rights stay, for another manager uses them"));
    CHECK(!Clusters::Has(clusters.manager, kSecretPath));
    CHECK(Clusters::Has(clusters.worker, kAccountPath));
    CHECK(clusters.IsBound("fedra-worker-writing"));
    LeaveOptions last = clusters.leave;
    last.where.manager_context = "manager2";
    CHECK(clusters.Run(last).code == 0);
    CHECK(!Clusters::Has(clusters.worker, kAccountPath));
    CHECK(!clusters.IsBound("fedra-worker-writing"));
  }
  SECTION("one that joined with a file is not known, and does not know") {
    clusters.leave.worker_only = true;
    CHECK(clusters.Run(clusters.leave).code == 0);
    CHECK(Clusters::Has(clusters.worker, kAccountPath));
  }
  SECTION("by force") {
    clusters.leave.force = true;
    CHECK(clusters.Run(clusters.leave).code == 0);
    CHECK(!Clusters::Has(clusters.worker, kAccountPath));
  }
}

TEST_CASE("leave refuses while copies have not ended there") {
  Clusters clusters;
  REQUIRE(clusters.Run(clusters.join).code == 0);
  clusters.MakeClone("train", /*by_fedra=*/GENERATE(true, false));
  const Printed refused = clusters.Run(clusters.leave);
  CHECK(refused.code == kFailed);
  CHECK_THAT(refused.err,
             ContainsSubstring("1 workload of a manager that has not ended: ml/train"));
  CHECK(Clusters::Has(clusters.worker, kAccountPath));
  CHECK(Clusters::Has(clusters.manager, kSecretPath));
  clusters.leave.force = true;
  CHECK(clusters.Run(clusters.leave).code == 0);
  CHECK(!Clusters::Has(clusters.worker, kAccountPath));
}

TEST_CASE("a worker that is gone can be left by force, and what was not done is said") {
  Clusters clusters;
  REQUIRE(clusters.Run(clusters.join).code == 0);
  clusters.worker.SetFaults({.refuse = true});
  CHECK(clusters.Run(clusters.leave).code == kFailed);
  CHECK(Clusters::Has(clusters.manager, kSecretPath));
  clusters.leave.force = true;
  const Printed left = clusters.Run(clusters.leave);
  CHECK(left.code == kUnknown);
  CHECK_THAT(left.err, ContainsSubstring("its account and rights are still there"));
  CHECK(!Clusters::Has(clusters.manager, kSecretPath));
}

}  // namespace
}  // namespace fedra::cli::join_test
