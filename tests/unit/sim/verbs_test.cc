#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim {
namespace {

const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";

TEST_CASE("create fills in what the server decides") {
  Server server;
  const JsonReply reply = Post(server, kConfigMaps, ConfigMap("a", {{"k", "v"}}));
  REQUIRE(reply.status == 201);
  const Json& metadata = reply.body["metadata"];
  CHECK(metadata["uid"].get<std::string>().size() == 36);
  CHECK(metadata["generation"] == 1);
  CHECK(metadata["creationTimestamp"].get<std::string>().size() == 20);
  CHECK_FALSE(metadata["resourceVersion"].get<std::string>().empty());
  CHECK(Get(server, kConfigMaps + "/a").body == reply.body);
}

TEST_CASE("generateName makes different names") {
  Server server;
  Json object = ConfigMap("", {});
  object["metadata"] = {{"generateName", "run-"}};
  const std::string first = Post(server, kConfigMaps, object).body["metadata"]["name"];
  const std::string second = Post(server, kConfigMaps, object).body["metadata"]["name"];
  CHECK(first.size() == 9);
  CHECK(first.substr(0, 4) == "run-");
  CHECK(first != second);
}

TEST_CASE("errors are worded as Kubernetes words them") {
  Server server;
  REQUIRE(Post(server, kConfigMaps, ConfigMap("a")).status == 201);

  const JsonReply exists = Post(server, kConfigMaps, ConfigMap("a"));
  CHECK(exists.status == 409);
  CHECK(exists.body["reason"] == "AlreadyExists");
  CHECK(exists.body["message"] == "configmaps \"a\" already exists");
  CHECK(exists.body["details"] == Json{{"name", "a"}, {"kind", "configmaps"}});

  const JsonReply missing = Get(server, "/apis/batch/v1/namespaces/default/jobs/x");
  CHECK(missing.status == 404);
  CHECK(missing.body == Json{{"kind", "Status"},
                             {"apiVersion", "v1"},
                             {"metadata", Json::object()},
                             {"status", "Failure"},
                             {"message", "jobs.batch \"x\" not found"},
                             {"reason", "NotFound"},
                             {"details", {{"name", "x"}, {"group", "batch"}, {"kind", "jobs"}}},
                             {"code", 404}});

  const JsonReply nowhere = Post(server, "/apis/batch/v1/namespaces/ml/jobs", Job("ml", "x"));
  CHECK(nowhere.status == 404);
  CHECK(nowhere.body["message"] == "namespaces \"ml\" not found");

  const Reply unknown = server.Call("GET", "/apis/jobset.x-k8s.io/v1alpha2/jobsets");
  CHECK(unknown.status == 404);
  CHECK(unknown.body == "404 page not found\n");
}

}  // namespace
}  // namespace fedra::sim
