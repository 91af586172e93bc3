// Service accounts' tokens, as `kubectl create token` asks for them.

#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::token_test {
namespace {

const std::string kAccounts = "/api/v1/namespaces/default/serviceaccounts";
const std::string kRobot = "system:serviceaccount:default:robot";

Json TokenRequest(int64_t seconds) {
  return {{"apiVersion", "authentication.k8s.io/v1"},
          {"kind", "TokenRequest"},
          {"spec", {{"expirationSeconds", seconds}}}};
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
  CHECK(Get(server, "/api/v1/namespaces", kRobot).status == 200);

  REQUIRE(Remove(server, kAccounts + "/robot").status == 200);
  CHECK(Get(server, "/api/v1/namespaces", kRobot).status == 403);
}

}  // namespace
}  // namespace fedra::sim::token_test
