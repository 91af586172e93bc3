#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::verbs_test {
namespace {

const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";

std::string VersionOf(const Json& object) { return object["metadata"]["resourceVersion"]; }

TEST_CASE("create fills in what the server decides") {
  Server server;
  const JsonReply reply = Post(server, kConfigMaps, ConfigMap("a", {{"k", "v"}}));
  REQUIRE(reply.status == 201);
  const Json& metadata = reply.body["metadata"];
  CHECK(metadata["uid"].get<std::string>().size() == 36);
  CHECK(metadata["creationTimestamp"].get<std::string>().size() == 20);
  CHECK_FALSE(VersionOf(reply.body).empty());
  CHECK_FALSE(metadata.contains("generation"));
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

// The texts were recorded from kube-apiserver 1.36.3.
TEST_CASE("errors are worded as Kubernetes words them") {
  Server server;
  const Json created = Post(server, kConfigMaps, ConfigMap("a")).body;
  const std::string uid = created["metadata"]["uid"];

  const JsonReply missing = Get(server, "/apis/batch/v1/namespaces/default/jobs/x");
  CHECK(missing.body == Json{{"kind", "Status"},
                             {"apiVersion", "v1"},
                             {"metadata", Json::object()},
                             {"status", "Failure"},
                             {"message", "jobs.batch \"x\" not found"},
                             {"reason", "NotFound"},
                             {"details", {{"name", "x"}, {"group", "batch"}, {"kind", "jobs"}}},
                             {"code", 404}});

  struct Row {
    std::string what;
    JsonReply reply;
    int status;
    std::string reason;
    std::string message;
  };
  Json with_version = ConfigMap("b");
  with_version["metadata"]["resourceVersion"] = "5";
  Json elsewhere = ConfigMap("b");
  elsewhere["metadata"]["namespace"] = "x";
  const Row rows[] = {
      {"exists", Post(server, kConfigMaps, ConfigMap("a")), 409, "AlreadyExists",
       "configmaps \"a\" already exists"},
      {"version at creation", Post(server, kConfigMaps, with_version), 500, "",
       "resourceVersion should not be set on objects to be created"},
      {"other namespace", Post(server, kConfigMaps, elsewhere), 400, "BadRequest",
       "the namespace of the provided object does not match the namespace sent on the request"},
      {"no name", Post(server, kConfigMaps, {{"metadata", Json::object()}}), 422, "Invalid",
       "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is "
       "required"},
      {"no namespace", Post(server, "/apis/batch/v1/namespaces/ml/jobs", Job("ml", "x")), 404,
       "NotFound", "namespaces \"ml\" not found"},
      {"old version", Merge(server, kConfigMaps + "/a", {{"metadata", {{"resourceVersion", "5"}}}}),
       409, "Conflict",
       "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please "
       "apply your changes to the latest version and try again"},
      {"other name", Put(server, kConfigMaps + "/a", ConfigMap("zz")), 400, "BadRequest",
       "the name of the object (zz) does not match the name on the URL (a)"},
      {"uid precondition", Remove(server, kConfigMaps + "/a", {{"preconditions", {{"uid", "x"}}}}),
       409, "Conflict",
       "Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (x) does "
       "not match the UID in record (" +
           uid + "). The object might have been deleted and then recreated"},
      {"unknown resource of a built-in group", Get(server, "/apis/batch/v1/foos"), 404, "NotFound",
       "the server could not find the requested resource"},
      {"method", Post(server, kConfigMaps + "/a", Json::object()), 405, "MethodNotAllowed",
       "the server does not allow this method on the requested resource"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(row.reply.status == row.status);
    CHECK(row.reply.body.value("reason", "") == row.reason);
    CHECK(row.reply.body["message"] == row.message);
  }
  for (const char* path : {"/apis/foo.io/v1", "/apis/foo.io/v1/foos",
                           "/apis/kueue.x-k8s.io/v1beta2/foos", "/nothing"}) {
    const Reply unknown = server.Call("GET", path);
    CHECK(unknown.status == 404);
    CHECK(unknown.body == "404 page not found\n");
  }
}

TEST_CASE("bodies that are no objects are refused and change nothing") {
  Server server;
  REQUIRE(Post(server, kConfigMaps, ConfigMap("a")).status == 201);
  for (const char* body : {"", "{", "[]", "5", "\"x\"", "null", "{\"metadata\":5}",
                           "{\"metadata\":[]}", "{\"spec\":1,\"metadata\":{\"name\":\"q\"}}"}) {
    INFO(body);
    CHECK(server.Call("POST", kConfigMaps, body).status == 400);
    CHECK(server.Call("PUT", kConfigMaps + "/a", body).status == 400);
  }
  CHECK(server.Call("PATCH", kConfigMaps + "/a", "{\"metadata\":7}", "application/merge-patch+json")
            .status == 400);
  CHECK(server.Call("PATCH", kConfigMaps + "/a", "{}", "application/json").status == 415);
  CHECK(server.objects().List("configmaps").size() == 1);
}

TEST_CASE("a write that changes nothing makes no new version") {
  Server server;
  const Json created = Post(server, kConfigMaps, ConfigMap("a", {{"k", "v"}})).body;
  CHECK(Merge(server, kConfigMaps + "/a", {{"data", {{"k", "v"}}}}).body == created);
  CHECK(Put(server, kConfigMaps + "/a", created).body == created);
  const Json changed = Merge(server, kConfigMaps + "/a", {{"data", {{"k", "w"}}}}).body;
  CHECK(VersionOf(changed) != VersionOf(created));
}

TEST_CASE("an update keeps what only the server may set") {
  Server server;
  const Json created = Post(server, kConfigMaps, ConfigMap("a")).body;
  Json forged = created;
  forged["metadata"]["creationTimestamp"] = "2000-01-01T00:00:00Z";
  forged["metadata"]["generation"] = 99;
  forged["data"] = {{"k", "v"}};
  const Json updated = Put(server, kConfigMaps + "/a", forged).body;
  CHECK(updated["metadata"]["creationTimestamp"] == created["metadata"]["creationTimestamp"]);
  CHECK_FALSE(updated["metadata"].contains("generation"));
  CHECK(updated["data"] == Json{{"k", "v"}});
}

TEST_CASE("spec and status are written apart") {
  Server server;
  const std::string queues = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues";
  const Json queue = {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                      {"kind", "ClusterQueue"},
                      {"metadata", {{"name", "q"}}},
                      {"spec", {{"cohortName", "c"}}},
                      {"status", {{"pendingWorkloads", 7}}}};
  const Json created = Post(server, queues, queue).body;
  CHECK_FALSE(created.contains("status"));
  CHECK(created["metadata"]["generation"] == 1);

  const Json status =
      Merge(server, queues + "/q/status",
            {{"spec", {{"cohortName", "other"}}}, {"status", {{"pendingWorkloads", 3}}}})
          .body;
  CHECK(status["spec"]["cohortName"] == "c");
  CHECK(status["status"]["pendingWorkloads"] == 3);
  CHECK(status["metadata"]["generation"] == 1);

  const Json spec = Merge(server, queues + "/q",
                          {{"spec", {{"cohortName", "d"}}}, {"status", {{"pendingWorkloads", 9}}}})
                        .body;
  CHECK(spec["spec"]["cohortName"] == "d");
  CHECK(spec["status"]["pendingWorkloads"] == 3);
  CHECK(spec["metadata"]["generation"] == 2);
}

TEST_CASE("custom resources want a resourceVersion in every update") {
  Server server;
  const std::string flavors = "/apis/kueue.x-k8s.io/v1beta2/resourceflavors";
  const Json flavor = {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                       {"kind", "ResourceFlavor"},
                       {"metadata", {{"name", "f"}}}};
  const Json created = Post(server, flavors, flavor).body;
  const JsonReply refused = Put(server, flavors + "/f", flavor);
  CHECK(refused.status == 422);
  CHECK(refused.body["message"] ==
        "resourceflavors.kueue.x-k8s.io \"f\" is invalid: metadata.resourceVersion: Invalid value: "
        "0: must be specified for an update");
  CHECK(Put(server, flavors + "/f", created).status == 200);
}

TEST_CASE("finalizers hold a deleted object until they are gone") {
  Server server;
  Json object = ConfigMap("a");
  object["metadata"]["finalizers"] = {"example.com/hold"};
  REQUIRE(Post(server, kConfigMaps, object).status == 201);
  const JsonReply deleted = Remove(server, kConfigMaps + "/a");
  CHECK(deleted.status == 200);
  CHECK(deleted.body["kind"] == "ConfigMap");
  CHECK(deleted.body["metadata"].contains("deletionTimestamp"));
  CHECK(Get(server, kConfigMaps + "/a").status == 200);
  CHECK(Merge(server, kConfigMaps + "/a", {{"metadata", {{"finalizers", nullptr}}}}).status == 200);
  CHECK(Get(server, kConfigMaps + "/a").status == 404);
}

TEST_CASE("deleting answers a Status when the object is gone") {
  Server server;
  const Json created = Post(server, kConfigMaps, ConfigMap("a")).body;
  const JsonReply deleted = Remove(server, kConfigMaps + "/a");
  CHECK(deleted.status == 200);
  CHECK(deleted.body["status"] == "Success");
  CHECK(deleted.body["details"] ==
        Json{{"name", "a"}, {"kind", "configmaps"}, {"uid", created["metadata"]["uid"]}});
}

TEST_CASE("a dry run answers and stores nothing") {
  Server server;
  CHECK(Post(server, kConfigMaps + "?dryRun=All", ConfigMap("a")).status == 201);
  CHECK(Get(server, kConfigMaps + "/a").status == 404);
  REQUIRE(Post(server, kConfigMaps, ConfigMap("a", {{"k", "v"}})).status == 201);
  CHECK(Merge(server, kConfigMaps + "/a?dryRun=All", {{"data", {{"k", "w"}}}}).body["data"]["k"] ==
        "w");
  CHECK(Get(server, kConfigMaps + "/a").body["data"]["k"] == "v");
  CHECK(Remove(server, kConfigMaps + "/a?dryRun=All").status == 200);
  CHECK(Get(server, kConfigMaps + "/a").status == 200);
}

TEST_CASE("deleting a collection takes what the selector matches") {
  Server server;
  for (const char* name : {"a", "b", "c"}) {
    Json object = ConfigMap(name);
    object["metadata"]["labels"] = {{"keep", std::string(name) == "b" ? "yes" : "no"}};
    REQUIRE(Post(server, kConfigMaps, object).status == 201);
  }
  CHECK(Remove(server, kConfigMaps + "?labelSelector=keep%3Dno").status == 200);
  const auto left = server.objects().List("configmaps");
  REQUIRE(left.size() == 1);
  CHECK(left[0]["metadata"]["name"] == "b");
}

TEST_CASE("core events and events.k8s.io are the same objects") {
  Server server;
  const Json event = {{"apiVersion", "events.k8s.io/v1"},
                      {"kind", "Event"},
                      {"metadata", {{"name", "e"}}},
                      {"eventTime", "2026-01-01T00:00:00.000000Z"},
                      {"reportingController", "fedra.dev/x"},
                      {"reportingInstance", "i"},
                      {"action", "Dispatch"},
                      {"reason", "Dispatched"},
                      {"type", "Normal"},
                      {"note", "hello"},
                      {"regarding", {{"kind", "Job"}, {"name", "j"}}}};
  REQUIRE(Post(server, "/apis/events.k8s.io/v1/namespaces/default/events", event).status == 201);
  const Json core = Get(server, "/api/v1/namespaces/default/events/e").body;
  CHECK(core["apiVersion"] == "v1");
  CHECK(core["message"] == "hello");
  CHECK(core["involvedObject"]["name"] == "j");
  CHECK(core["reportingComponent"] == "fedra.dev/x");
  Json broken = event;
  broken["metadata"]["name"] = "f";
  broken.erase("eventTime");
  CHECK(Post(server, "/apis/events.k8s.io/v1/namespaces/default/events", broken).status == 422);
}

TEST_CASE("older versions of resource.k8s.io show the same templates") {
  Server server({.dra_versions = {"v1", "v1beta2", "v1beta1"}});
  const std::string rest = "/namespaces/default/resourceclaimtemplates";
  const Json request = {{"name", "r"}, {"exactly", {{"deviceClassName", "gpu"}}}};
  REQUIRE(Post(server, "/apis/resource.k8s.io/v1" + rest,
               {{"apiVersion", "resource.k8s.io/v1"},
                {"kind", "ResourceClaimTemplate"},
                {"metadata", {{"name", "t"}}},
                {"spec", {{"spec", {{"devices", {{"requests", {request}}}}}}}}})
              .status == 201);
  const Json beta2 = Get(server, "/apis/resource.k8s.io/v1beta2" + rest + "/t").body;
  CHECK(beta2["apiVersion"] == "resource.k8s.io/v1beta2");
  CHECK(beta2["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"] == 1);
  const Json beta1 = Get(server, "/apis/resource.k8s.io/v1beta1" + rest).body;
  CHECK(beta1["items"][0]["spec"]["spec"]["devices"]["requests"][0] ==
        Json{{"name", "r"},
             {"deviceClassName", "gpu"},
             {"allocationMode", "ExactCount"},
             {"count", 1}});
  const JsonReply changed = Merge(server, "/apis/resource.k8s.io/v1" + rest + "/t",
                                  {{"spec", {{"spec", {{"devices", {{"requests", nullptr}}}}}}}});
  CHECK(changed.status == 422);
}

}  // namespace
}  // namespace fedra::sim::verbs_test
