#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::access_test {
namespace {

User Viewer() {
  User user;
  user.name = "viewer";
  user.token = "viewer-token";
  user.allow = {{.verbs = {"get", "list"},
                 .groups = {"batch"},
                 .resources = {"jobs"},
                 .names = {"*"},
                 .namespaces = {"default"}}};
  return user;
}

TEST_CASE("what is not allowed is forbidden in RBAC's words") {
  Server server;
  server.SetUser(Viewer());
  CHECK(Get(server, "/apis/batch/v1/namespaces/default/jobs", "viewer").status == 200);
  CHECK(Get(server, "/apis/batch/v1/namespaces/default/jobs/x", "viewer").status == 404);
  const std::pair<const char*, const char*> rows[] = {
      {"/api/v1/pods",
       "pods is forbidden: User \"viewer\" cannot list resource \"pods\" in API group \"\" at the "
       "cluster scope"},
      {"/apis/batch/v1/jobs",
       "jobs.batch is forbidden: User \"viewer\" cannot list resource \"jobs\" in API group "
       "\"batch\" at the cluster scope"},
      {"/apis/batch/v1/namespaces/ml/jobs/x",
       "jobs.batch \"x\" is forbidden: User \"viewer\" cannot get resource \"jobs\" in API group "
       "\"batch\" in the namespace \"ml\""},
      {"/apis/batch/v1/namespaces/default/jobs?watch=1",
       "jobs.batch is forbidden: User \"viewer\" cannot watch resource \"jobs\" in API group "
       "\"batch\" in the namespace \"default\""},
      {"/apis/nope.io/v1/things",
       "things.nope.io is forbidden: User \"viewer\" cannot list resource \"things\" in API group "
       "\"nope.io\" at the cluster scope"},
  };
  for (const auto& [path, message] : rows) {
    const JsonReply reply = Get(server, path, "viewer");
    CHECK(reply.status == 403);
    CHECK(reply.body["reason"] == "Forbidden");
    CHECK(reply.body["message"] == message);
  }
  const Reply anonymous = server.Call("GET", "/api", "", "", "nobody");
  CHECK(anonymous.status == 403);
}

TEST_CASE("a deny rule takes away what is allowed") {
  Server server;
  User admin = Administrator("admin", "admin-token");
  admin.deny = {{.verbs = {"*"}, .groups = {"resource.k8s.io"}, .resources = {"*"}}};
  server.SetUser(admin);
  CHECK(Get(server, "/apis/resource.k8s.io/v1/deviceclasses").status == 403);
  CHECK(Get(server, "/apis/batch/v1/jobs").status == 200);
}

TEST_CASE("access reviews answer from the same rules") {
  Server server;
  server.SetUser(Viewer());
  const auto review = [&](const Json& attributes) {
    return Post(server, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                {{"apiVersion", "authorization.k8s.io/v1"},
                 {"kind", "SelfSubjectAccessReview"},
                 {"spec", {{"resourceAttributes", attributes}}}},
                "viewer");
  };
  const JsonReply allowed = review(
      {{"verb", "list"}, {"group", "batch"}, {"resource", "jobs"}, {"namespace", "default"}});
  CHECK(allowed.status == 201);
  CHECK(allowed.body["status"]["allowed"] == true);
  CHECK(review({{"verb", "list"}, {"group", "batch"}, {"resource", "jobs"}})
            .body["status"]["allowed"] == false);
  const JsonReply rules = Post(server, "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                               {{"spec", {{"namespace", "default"}}}}, "viewer");
  CHECK(rules.body["status"]["resourceRules"][0]["resources"] == Json{"jobs"});
}

TEST_CASE(
    "reviews about others say who has a token, and what they may when they are told of in full") {
  Server server;
  User viewer = Viewer();
  viewer.groups = {"viewers", "system:authenticated"};
  viewer.allow.push_back({.verbs = {"get"}, .groups = {}, .resources = {}, .paths = {"/own/*"}});
  server.SetUser(viewer);
  const auto who = [&](const std::string& token) {
    return Post(server, "/apis/authentication.k8s.io/v1/tokenreviews",
                {{"kind", "TokenReview"}, {"spec", {{"token", token}}}})
        .body["status"];
  };
  CHECK_FALSE(who("wrong").contains("authenticated"));
  const Json known = who("viewer-token");
  CHECK(known["authenticated"] == true);
  CHECK(known["user"]["username"] == "viewer");
  Json spec = {{"user", "viewer"},
               {"uid", known["user"]["uid"]},
               {"groups", known["user"]["groups"]},
               {"extra", known["user"]["extra"]}};
  const auto may = [&](const char* kind, const Json& attributes) {
    Json asked = spec;
    asked[kind] = attributes;
    return Post(server, "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                {{"kind", "SubjectAccessReview"}, {"spec", asked}})
               .body["status"]["allowed"] == true;
  };
  const Json jobs = {
      {"verb", "list"}, {"group", "batch"}, {"resource", "jobs"}, {"namespace", "default"}};
  CHECK(may("resourceAttributes", jobs));
  CHECK_FALSE(
      may("resourceAttributes", {{"verb", "list"}, {"group", "batch"}, {"resource", "jobs"}}));
  CHECK(may("nonResourceAttributes", {{"verb", "get"}, {"path", "/own/x"}}));
  CHECK_FALSE(may("nonResourceAttributes", {{"verb", "get"}, {"path", "/other"}}));
  // Everybody's, by ClusterRole system:discovery.
  CHECK(may("nonResourceAttributes", {{"verb", "get"}, {"path", "/apis/anything"}}));
  spec.erase("extra");
  CHECK_FALSE(may("resourceAttributes", jobs));
  const Reply refused = server.Call("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
                                    R"({"spec":{"token":"x"}})", "", "viewer");
  CHECK(refused.status == 403);
}

TEST_CASE("discovery lists what is served") {
  Server server({.git_version = "v1.34.4", .dra_versions = {"v1", "v1beta2"}});
  CHECK(Get(server, "/version").body["minor"] == "34");
  CHECK(Get(server, "/api").body["versions"] == Json{"v1"});
  const Json group = Get(server, "/apis/resource.k8s.io").body;
  CHECK(group["preferredVersion"]["version"] == "v1");
  CHECK(group["versions"].size() == 2);
  const Json resources = Get(server, "/apis/kueue.x-k8s.io/v1beta2").body;
  CHECK(resources["groupVersion"] == "kueue.x-k8s.io/v1beta2");
  bool status = false;
  for (const Json& resource : resources["resources"]) {
    status = status || resource["name"] == "workloads/status";
  }
  CHECK(status);
  CHECK(server.Call("GET", "/readyz").body == "ok");

  Server bare({.dra_versions = {}, .kueue = false});
  CHECK(Get(bare, "/apis/resource.k8s.io/v1").status == 404);
  CHECK(bare.Call("GET", "/apis/kueue.x-k8s.io/v1beta2/workloads").status == 404);
  CHECK(Get(bare, "/apis").body["groups"].size() == 9);
}

}  // namespace
}  // namespace fedra::sim::access_test
