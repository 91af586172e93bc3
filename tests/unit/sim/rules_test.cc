#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::rules_test {
namespace {

const std::string kJobs = "/apis/batch/v1/namespaces/default/jobs";
const std::string kWorkloads = "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads";

Json SuspendedJob() {
  Json job = Job("default", "j");
  job["spec"]["suspend"] = true;
  job["spec"]["managedBy"] = "kueue.x-k8s.io/multikueue";
  return job;
}

std::string StatusError(Server& server, const Json& status) {
  const JsonReply reply = Merge(server, kJobs + "/j/status", {{"status", status}});
  return reply.status == 200 ? "" : reply.body["message"].get<std::string>();
}

Json True(const std::string& type) { return {{"type", type}, {"status", "True"}}; }

TEST_CASE("a Job gets the defaults, labels and selector of Kubernetes") {
  Server server;
  const Json job = Post(server, kJobs, SuspendedJob()).body;
  const Json uid = job["metadata"]["uid"];
  CHECK(job["spec"]["selector"]["matchLabels"] ==
        Json{{"batch.kubernetes.io/controller-uid", uid}});
  const Json labels = {{"batch.kubernetes.io/controller-uid", uid},
                       {"controller-uid", uid},
                       {"batch.kubernetes.io/job-name", "j"},
                       {"job-name", "j"}};
  CHECK(job["spec"]["template"]["metadata"]["labels"] == labels);
  CHECK(job["metadata"]["labels"] == labels);
  CHECK(job["status"] == Json::object());
  CHECK(job["metadata"]["generation"] == 1);
  CHECK(job["spec"]["template"]["spec"]["containers"][0]["terminationMessagePath"] ==
        "/dev/termination-log");
}

TEST_CASE("a PlacementRecord is held to its schema") {
  struct Case {
    const char* what;
    Json failures;
    int status;
  };
  const auto failure = [](const std::string& worker) {
    return Json{{"worker", worker}, {"reason", "RecentlyFailed"}, {"time", "2026-11-27T12:00:00Z"}};
  };
  const auto with = [&](const char* field, const Json& value) {
    Json one = failure("east");
    one[field] = value;
    return Json::array({one});
  };
  Json many = Json::array();
  for (int i = 0; i < 21; ++i) many.push_back(failure("worker-" + std::to_string(i)));
  const std::vector<Case> cases = {
      {"none", Json::array(), 201},
      {"two", Json::array({failure("east"), failure("west")}), 201},
      {"one worker twice", Json::array({failure("east"), failure("east")}), 422},
      {"too many", many, 422},
      {"no time", Json::array({{{"worker", "east"}, {"reason", "RecentlyFailed"}}}), 422},
      {"a message that is too long", with("message", std::string(1025, 'x')), 422},
      {"no number of times", with("times", 0), 422},
      {"no list", nullptr, 422},
  };
  const std::string records = "/apis/fedra.dev/v1alpha1/namespaces/default/placementrecords";
  for (const Case& each : cases) {
    CAPTURE(each.what);
    Server server;
    const Json record = {{"apiVersion", "fedra.dev/v1alpha1"},
                         {"kind", "PlacementRecord"},
                         {"metadata", {{"name", "job-train"}}},
                         {"status", {{"attempt", 1}, {"failures", each.failures}}}};
    CHECK(Post(server, records, record).status == each.status);
    // As well when it is changed.
    Json good = record;
    good["status"]["failures"] = Json::array();
    if (each.status == 201) continue;
    REQUIRE(Post(server, records, good).status == 201);
    const Json patch = {{"status", {{"failures", each.failures}}}};
    CHECK(Merge(server, records + "/job-train", patch).status == 422);
  }
}

TEST_CASE("a Job copied with the selector of another cluster is refused") {
  Server server;
  Json copy = SuspendedJob();
  copy["spec"]["template"]["metadata"]["labels"] = {{"controller-uid", "zz"},
                                                    {"batch.kubernetes.io/controller-uid", "zz"}};
  copy["spec"]["selector"]["matchLabels"] = {{"batch.kubernetes.io/controller-uid", "zz"}};
  const JsonReply reply = Post(server, kJobs, copy);
  CHECK(reply.status == 422);
  const Json causes = reply.body["details"]["causes"];
  REQUIRE(causes.size() == 3);
  CHECK(causes[0]["field"] == "spec.template.metadata.labels[controller-uid]");
  CHECK(causes[2]["field"] == "spec.selector");
  CHECK_THAT(causes[2]["message"].get<std::string>(),
             ContainsSubstring("`selector` not auto-generated"));
}

TEST_CASE("what of a Job's spec may change") {
  Server server;
  REQUIRE(Post(server, kJobs, SuspendedJob()).status == 201);
  const auto patch = [&](const Json& spec) {
    return Merge(server, kJobs + "/j", {{"spec", spec}}).status;
  };
  const Json node_selector = {{"template", {{"spec", {{"nodeSelector", {{"a", "b"}}}}}}}};
  CHECK(patch({{"managedBy", "example.com/other"}}) == 422);
  CHECK(patch({{"template", {{"spec", {{"restartPolicy", "OnFailure"}}}}}}) == 422);
  CHECK(patch(node_selector) == 200);
  CHECK(patch({{"suspend", false}}) == 200);
  CHECK(patch({{"template", {{"spec", {{"nodeSelector", nullptr}}}}}}) == 422);
}

// The rules that a controller meets that mirrors the status of a Job with managedBy.
TEST_CASE("the status of a Job is checked against itself") {
  Server server;
  REQUIRE(Post(server, kJobs, SuspendedJob()).status == 201);
  CHECK(StatusError(server, {{"conditions", {True("Complete")}}}) ==
        "Job.batch \"j\" is invalid: [status.conditions: Invalid value: cannot set Complete=True "
        "condition without the SuccessCriteriaMet=true condition, status.completionTime: Required "
        "value: completionTime is required for Complete jobs, status.startTime: Required value: "
        "startTime is required for finished job]");
  CHECK(StatusError(server, {{"active", 1}, {"ready", 2}}) ==
        "Job.batch \"j\" is invalid: status.ready: Invalid value: 2: cannot set more ready pods "
        "than active");
  REQUIRE(Merge(server, kJobs + "/j", {{"spec", {{"suspend", false}}}}).status == 200);
  CHECK(StatusError(server, {{"active", 1}, {"startTime", "2026-01-01T00:00:00Z"}}).empty());
  CHECK_THAT(StatusError(server, {{"startTime", "2026-01-01T00:00:05Z"}}),
             ContainsSubstring("field is immutable for unsuspended job once set"));
  const Json complete = {{"active", 0},
                         {"succeeded", 1},
                         {"completionTime", "2026-01-01T00:01:00Z"},
                         {"conditions", {True("SuccessCriteriaMet"), True("Complete")}}};
  Json busy = complete;
  busy["active"] = 1;
  CHECK_THAT(StatusError(server, busy), ContainsSubstring("active>0 is invalid for finished job"));
  CHECK(StatusError(server, complete).empty());
  CHECK_THAT(StatusError(server, {{"conditions", Json::array()}, {"completionTime", nullptr}}),
             ContainsSubstring("cannot disable the terminal Complete=True condition"));
  CHECK_THAT(StatusError(server, {{"succeeded", 0}}),
             ContainsSubstring("cannot decrease the succeeded counter"));
}

TEST_CASE("a Job deleted without a policy orphans what it owns") {
  Server server;
  const Json job = Post(server, kJobs, SuspendedJob()).body;
  const auto child = [&](const std::string& name) {
    Json object = ConfigMap(name);
    object["metadata"]["ownerReferences"] = {{{"apiVersion", "batch/v1"},
                                              {"kind", "Job"},
                                              {"name", "j"},
                                              {"uid", job["metadata"]["uid"]}}};
    return server.objects().Create(object);
  };
  REQUIRE(child("c"));
  CHECK(Remove(server, kJobs + "/j").body["metadata"]["finalizers"] == Json{"orphan"});
  CHECK(server.objects().WaitFor("jobs", {"default", "j"},
                                 [](const Json& j) { return j.is_null(); }));
  CHECK_FALSE((*server.objects().Get("configmaps", {"default", "c"}))["metadata"].contains(
      "ownerReferences"));
}

Json Workload() {
  return {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "Workload"},
          {"metadata", {{"name", "w"}}},
          {"spec", {{"queueName", "q"}, {"podSets", {{{"name", "main"}, {"count", 1}}}}}}};
}

TEST_CASE("clusterName comes from the nominated and does not change") {
  Server server;
  REQUIRE(Post(server, kWorkloads, Workload()).status == 201);
  const auto set = [&](const Json& status) {
    return Merge(server, kWorkloads + "/w/status", {{"status", status}});
  };
  const JsonReply uninvited = set({{"clusterName", "a"}});
  CHECK(uninvited.status == 403);
  CHECK(uninvited.body["reason"] == "Forbidden");
  CHECK(uninvited.body["message"] ==
        "admission webhook \"vworkload.kb.io\" denied the request: status.clusterName: Invalid "
        "value: \"a\": when setting clusterName it must be one of the nominatedClusterNames");
  REQUIRE(set({{"nominatedClusterNames", {"a", "b"}}}).status == 200);
  const JsonReply both = set({{"clusterName", "a"}});
  CHECK(both.status == 422);
  CHECK(both.body["message"] ==
        "Workload.kueue.x-k8s.io \"w\" is invalid: status: Invalid value: clusterName and "
        "nominatedClusterNames are mutually exclusive");
  CHECK(set({{"clusterName", "a"}, {"nominatedClusterNames", nullptr}}).status == 200);
  CHECK(set({{"clusterName", "b"}}).body["message"] ==
        "Workload.kueue.x-k8s.io \"w\" is invalid: status: Invalid value: clusterName is "
        "immutable once set");
  CHECK(set({{"clusterName", nullptr}}).status == 200);
  Json many = Json::array();
  for (int i = 0; i < 21; ++i) many.push_back(std::to_string(i));
  CHECK_THAT(set({{"nominatedClusterNames", many}}).body["message"].get<std::string>(),
             ContainsSubstring("status.nominatedClusterNames: Too many: 21: must have at most 20 "
                               "items"));
}

TEST_CASE("admission checks need every field and a known state") {
  Server server;
  REQUIRE(Post(server, kWorkloads, Workload()).status == 201);
  const JsonReply reply =
      Merge(server, kWorkloads + "/w/status",
            {{"status", {{"admissionChecks", {{{"name", "x"}, {"state", "Foo"}}}}}}});
  CHECK(reply.status == 422);
  std::vector<std::string> fields;
  for (const Json& cause : reply.body["details"]["causes"]) fields.push_back(cause["field"]);
  CHECK(fields == std::vector<std::string>{"status.admissionChecks[0].lastTransitionTime",
                                           "status.admissionChecks[0].message",
                                           "status.admissionChecks[0].state", "<nil>"});
}

TEST_CASE("pod sets are fixed while quota is reserved") {
  Server server;
  REQUIRE(Post(server, kWorkloads, Workload()).status == 201);
  const Json resize = {{"spec", {{"podSets", {{{"name", "main"}, {"count", 2}}}}}}};
  CHECK(Merge(server, kWorkloads + "/w", resize).status == 200);
  const Json reserved = {{"type", "QuotaReserved"},
                         {"status", "True"},
                         {"reason", "QuotaReserved"},
                         {"message", ""},
                         {"lastTransitionTime", "2026-01-01T00:00:00Z"}};
  REQUIRE(Merge(server, kWorkloads + "/w/status",
                {{"status",
                  {{"conditions", {reserved}},
                   {"admission", {{"clusterQueue", "q"}, {"podSetAssignments", Json::array()}}}}}})
              .status == 200);
  CHECK(Merge(server, kWorkloads + "/w", {{"spec", {{"podSets", Json::array()}}}}).status == 403);
}

TEST_CASE("admin access is refused in a namespace without the label") {
  Server server;
  const std::string templates =
      "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates";
  const Json spec = {
      {"devices",
       {{"requests",
         {{{"name", "r"}, {"exactly", {{"deviceClassName", "gpu"}, {"adminAccess", true}}}}}}}}};
  const Json object = {{"metadata", {{"name", "admin"}}}, {"spec", {{"spec", spec}}}};
  const JsonReply refused = Post(server, templates, object);
  CHECK(refused.status == 422);
  CHECK_THAT(refused.body["message"].get<std::string>(),
             ContainsSubstring("spec.devices.requests[0].adminAccess: Forbidden: admin access"));
  const Json label = {{"resource.kubernetes.io/admin-access", "true"}};
  REQUIRE(Merge(server, "/api/v1/namespaces/default", {{"metadata", {{"labels", label}}}}).status ==
          200);
  CHECK(Post(server, templates, object).status == 201);
}

TEST_CASE("an update that leaves out a template's defaults changes nothing, another count does") {
  Server server;
  const std::string path =
      "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates/one-gpu";
  const auto wanted = [](int count) {
    Json exactly = {{"deviceClassName", "gpu"}};
    if (count != 1) exactly["count"] = count;  // 1 is the default
    const Json request = {{"name", "r"}, {"exactly", exactly}};
    return Json{{"apiVersion", "resource.k8s.io/v1"},
                {"kind", "ResourceClaimTemplate"},
                {"metadata", {{"name", "one-gpu"}}},
                {"spec", {{"spec", {{"devices", {{"requests", {request}}}}}}}}};
  };
  CHECK(Apply(server, path, "m", wanted(1)).status == 201);
  CHECK(Apply(server, path, "m", wanted(1)).status == 200);
  CHECK(Apply(server, path, "m", wanted(2)).status == 422);
}

}  // namespace
}  // namespace fedra::sim::rules_test
