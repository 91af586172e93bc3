// Service accounts' tokens, as `kubectl create token` asks for them.

#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::token_test {
namespace {

const std::string kAccounts = "/api/v1/namespaces/default/serviceaccounts";
const std::string kRbac = "/apis/rbac.authorization.k8s.io/v1/";
const std::string kRobot = "system:serviceaccount:default:robot";

Json TokenRequest(int64_t seconds) {
  return {{"apiVersion", "authentication.k8s.io/v1"},
          {"kind", "TokenRequest"},
          {"spec", {{"expirationSeconds", seconds}}}};
}

Json Rbac(const std::string& kind, const std::string& name, const std::string& key, Json value) {
  return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
          {"kind", kind},
          {"metadata", {{"name", name}}},
          {key, std::move(value)}};
}

Json Rule(const std::string& resource, const std::string& verb) {
  return {{"apiGroups", {""}}, {"resources", {resource}}, {"verbs", {verb}}};
}

// Of robot, to a ClusterRole.
Json Binding(const std::string& kind, const std::string& name, const std::string& role) {
  Json binding = Rbac(
      kind, name, "subjects",
      Json::array({{{"kind", "ServiceAccount"}, {"name", "robot"}, {"namespace", "default"}}}));
  binding["roleRef"] = {
      {"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", role}};
  return binding;
}

void Grant(Server& server, const std::string& path, const Json& object) {
  const JsonReply reply = Apply(server, kRbac + path, "test", object);
  INFO(reply.body.dump());
  REQUIRE((reply.status == 200 || reply.status == 201));
}

TEST_CASE("an account's token is a credential until the account goes") {
  Server server;
  CHECK(Post(server, kAccounts + "/robot/token", TokenRequest(3600)).status == 404);
  REQUIRE(Apply(server, kAccounts + "/robot", "test",
                {{"apiVersion", "v1"},
                 {"kind", "ServiceAccount"},
                 {"metadata", {{"name", "robot"}, {"namespace", "default"}}}})
              .status == 201);
  CHECK(Post(server, kAccounts + "/robot/token", TokenRequest(599)).status == 422);
  const JsonReply first = Post(server, kAccounts + "/robot/token", TokenRequest(3600));
  REQUIRE(first.status == 201);
  const JsonReply second = Post(server, kAccounts + "/robot/token", TokenRequest(3600));
  CHECK(first.body["status"]["token"] != second.body["status"]["token"]);
  CHECK(first.body["status"]["expirationTimestamp"].get<std::string>().ends_with("Z"));
  CHECK(Get(server, "/api/v1/namespaces", kRobot).status == 403);
  Grant(server, "clusterroles/reader",
        Rbac("ClusterRole", "reader", "rules", Json::array({Rule("namespaces", "list")})));
  Grant(server, "clusterrolebindings/robot", Binding("ClusterRoleBinding", "robot", "reader"));
  CHECK(Get(server, "/api/v1/namespaces", kRobot).status == 200);

  REQUIRE(Remove(server, kAccounts + "/robot").status == 200);
  CHECK(Get(server, "/api/v1/namespaces", kRobot).status == 403);
}

TEST_CASE("an account may do what its bindings say, while they do") {
  Server server;
  REQUIRE(Apply(server, kAccounts + "/robot", "test",
                {{"apiVersion", "v1"},
                 {"kind", "ServiceAccount"},
                 {"metadata", {{"name", "robot"}, {"namespace", "default"}}}})
              .status == 201);
  REQUIRE(Post(server, kAccounts + "/robot/token", TokenRequest(3600)).status == 201);
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  CHECK(Get(server, maps, kRobot).status == 403);

  // A ClusterRole by a RoleBinding: in that namespace only, and only what it names.
  Json once = Rule("configmaps", "get");
  once["resourceNames"] = {"mine"};
  Grant(server, "clusterroles/reader",
        Rbac("ClusterRole", "reader", "rules", Json::array({Rule("configmaps", "list"), once})));
  Grant(server, "namespaces/default/rolebindings/robot", Binding("RoleBinding", "robot", "reader"));
  CHECK(Get(server, maps, kRobot).status == 200);
  CHECK(Get(server, maps + "/mine", kRobot).status == 404);
  CHECK(Get(server, maps + "/other", kRobot).status == 403);
  CHECK(Get(server, "/api/v1/configmaps", kRobot).status == 403);
  CHECK(Post(server, maps, ConfigMap("x"), kRobot).status == 403);

  const Json review = {
      {"spec",
       {{"resourceAttributes",
         {{"verb", "list"}, {"resource", "configmaps"}, {"namespace", "default"}}}}}};
  const std::string reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  CHECK(Post(server, reviews, review, kRobot).body["status"]["allowed"] == true);
  REQUIRE(Remove(server, kRbac + "namespaces/default/rolebindings/robot").status == 200);
  CHECK(Post(server, reviews, review, kRobot).body["status"]["allowed"] == false);
  CHECK(Get(server, maps, kRobot).status == 403);
}

}  // namespace
}  // namespace fedra::sim::token_test
