#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::ownership_test {
namespace {

const std::string kConfigMap = "/api/v1/namespaces/default/configmaps/a";
const std::string kWorkloads = "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads";

Json Status(const Json& status) {
  return {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "Workload"},
          {"metadata", {{"name", "w"}}},
          {"status", status}};
}

Json Check(const std::string& name, const std::string& state, const std::string& message = "") {
  return {{"name", name},
          {"state", state},
          {"message", message},
          {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
}

void CreateWorkload(Server& server) {
  REQUIRE(Post(server, kWorkloads,
               {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                {"kind", "Workload"},
                {"metadata", {{"name", "w"}}},
                {"spec", {{"queueName", "q"}}}})
              .status == 201);
}

TEST_CASE("apply creates, changes and removes what it once applied") {
  Server server;
  Json config = ConfigMap("a", {{"x", "1"}, {"y", "2"}});
  config["metadata"]["labels"] = {{"l", "1"}};
  CHECK(Apply(server, kConfigMap, "m", config).status == 201);
  const JsonReply fewer = Apply(server, kConfigMap, "m", ConfigMap("a", {{"x", "1"}}));
  CHECK(fewer.status == 200);
  CHECK(fewer.body["data"] == Json{{"x", "1"}});
  CHECK_FALSE(fewer.body["metadata"].contains("labels"));
  Json nothing = ConfigMap("a");
  nothing.erase("data");
  CHECK_FALSE(Apply(server, kConfigMap, "m", nothing).body.contains("data"));
}

TEST_CASE("what another manager wrote is a conflict until it is forced") {
  Server server;
  REQUIRE(Post(server, "/api/v1/namespaces/default/configmaps?fieldManager=kubectl",
               ConfigMap("a", {{"k", "v"}}))
              .status == 201);
  const JsonReply conflict = Apply(server, kConfigMap, "m", ConfigMap("a", {{"k", "w"}}));
  CHECK(conflict.status == 409);
  CHECK(conflict.body["message"] ==
        "Apply failed with 1 conflict: conflict with \"kubectl\" using v1: .data.k");
  CHECK(conflict.body["details"]["causes"][0] ==
        Json{{"reason", "FieldManagerConflict"},
             {"message", "conflict with \"kubectl\" using v1"},
             {"field", ".data.k"}});
  CHECK(Apply(server, kConfigMap, "m", ConfigMap("a", {{"k", "v"}})).status == 200);
  CHECK(Apply(server, kConfigMap, "m", ConfigMap("a", {{"k", "w"}}), "&force=true").status == 200);
  CHECK(Apply(server, kConfigMap, "m", ConfigMap("a", {{"k", "x"}})).status == 200);
}

TEST_CASE("admission checks are a map: everybody applies only his own entry") {
  Server server;
  CreateWorkload(server);
  const std::string status = kWorkloads + "/w/status";
  REQUIRE(
      Apply(server, status, "one", Status({{"admissionChecks", {Check("one", "Ready")}}})).status ==
      200);
  const JsonReply both =
      Apply(server, status, "two", Status({{"admissionChecks", {Check("two", "Pending")}}}));
  CHECK(both.status == 200);
  CHECK(both.body["status"]["admissionChecks"].size() == 2);
  const JsonReply conflict =
      Apply(server, status, "two", Status({{"admissionChecks", {Check("one", "Retry", "m")}}}));
  CHECK(conflict.status == 409);
  CHECK(conflict.body["message"] ==
        "Apply failed with 2 conflicts: conflicts with \"one\" with subresource \"status\":\n"
        "- .status.admissionChecks[name=\"one\"].message\n"
        "- .status.admissionChecks[name=\"one\"].state");
  // A merge patch knows nothing of the map and replaces the list.
  const JsonReply replaced =
      Merge(server, status, {{"status", {{"admissionChecks", {Check("two", "Ready")}}}}});
  CHECK(replaced.body["status"]["admissionChecks"].size() == 1);
}

TEST_CASE("a field that two managers own survives one of them dropping it") {
  Server server;
  CreateWorkload(server);
  const std::string status = kWorkloads + "/w/status";
  const Json nominated = Status({{"nominatedClusterNames", {"a"}}});
  REQUIRE(Apply(server, status, "one", nominated).status == 200);
  REQUIRE(Apply(server, status, "two", nominated).status == 200);
  CHECK(Apply(server, status, "one", Status(Json::object())).body["status"] ==
        Json{{"nominatedClusterNames", {"a"}}});
  CHECK_FALSE(Merge(server, status, {{"status", {{"nominatedClusterNames", nullptr}}}})
                  .body["status"]
                  .contains("nominatedClusterNames"));
}

TEST_CASE("apply wants a manager, the current version, and an object for a subresource") {
  Server server;
  CreateWorkload(server);
  CHECK(server.Call("PATCH", kConfigMap, ConfigMap("a").dump(), "application/apply-patch+yaml")
            .status == 422);
  Json stale = Status({{"nominatedClusterNames", {"a"}}});
  stale["metadata"]["resourceVersion"] = "1";
  CHECK(Apply(server, kWorkloads + "/w/status", "m", stale).status == 409);
  // To create, the version means nothing; to change, it must be that of the object.
  Json only_create = ConfigMap("a");
  only_create["metadata"]["resourceVersion"] = "1";
  CHECK(Apply(server, kConfigMap, "m", only_create).status == 201);
  CHECK(Apply(server, kConfigMap, "m", only_create).status == 409);
  Json absent = Status(Json::object());
  absent["metadata"]["name"] = "nope";
  CHECK(Apply(server, kWorkloads + "/nope/status", "m", absent).status == 404);
}

}  // namespace
}  // namespace fedra::sim::ownership_test
