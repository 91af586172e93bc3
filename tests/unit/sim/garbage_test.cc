#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::garbage_test {
namespace {

Json Child(const std::string& name, const Json& owner, bool blocks = true) {
  Json object = ConfigMap(name);
  object["metadata"]["ownerReferences"] = {{{"apiVersion", "v1"},
                                            {"kind", "ConfigMap"},
                                            {"name", owner["metadata"]["name"]},
                                            {"uid", owner["metadata"]["uid"]},
                                            {"blockOwnerDeletion", blocks}}};
  return object;
}

bool Gone(Server& server, const std::string& name) {
  return server.objects().WaitFor("configmaps", {"default", name},
                                  [](const Json& object) { return object.is_null(); });
}

TEST_CASE("objects follow their last owner") {
  Server server;
  const Json first = *server.objects().Create(ConfigMap("first"));
  const Json second = *server.objects().Create(ConfigMap("second"));
  Json shared = Child("shared", first);
  shared["metadata"]["ownerReferences"].push_back(
      Child("x", second)["metadata"]["ownerReferences"][0]);
  REQUIRE(server.objects().Create(shared));
  REQUIRE(server.objects().Create(Child("only", first)));
  REQUIRE(server.objects().Delete("configmaps", {"default", "first"}));
  CHECK(Gone(server, "only"));
  CHECK(server.objects().Get("configmaps", {"default", "shared"}));
  REQUIRE(server.objects().Delete("configmaps", {"default", "second"}));
  CHECK(Gone(server, "shared"));
}

TEST_CASE("an object whose owner never existed here is collected") {
  Server server;
  REQUIRE(server.objects().Create(
      Child("stray", {{"metadata", {{"name", "x"}, {"uid", "of-another-cluster"}}}})));
  CHECK(Gone(server, "stray"));
}

TEST_CASE("a foreground deletion waits for the dependents") {
  Server server;
  const Json owner = *server.objects().Create(ConfigMap("owner"));
  Json child = Child("child", owner);
  child["metadata"]["finalizers"] = {"example.com/hold"};
  REQUIRE(server.objects().Create(child));
  const JsonReply deleted =
      Remove(server, "/api/v1/namespaces/default/configmaps/owner?propagationPolicy=Foreground");
  CHECK(deleted.body["metadata"]["finalizers"] == Json{"foregroundDeletion"});
  REQUIRE(server.objects().WaitFor("configmaps", {"default", "child"}, [](const Json& object) {
    return object["metadata"].contains("deletionTimestamp");
  }));
  CHECK(server.objects().Get("configmaps", {"default", "owner"}));
  REQUIRE(server.objects().Patch("configmaps", {"default", "child"},
                                 {{"metadata", {{"finalizers", nullptr}}}}));
  CHECK(Gone(server, "owner"));
}

TEST_CASE("a namespace goes with everything in it") {
  Server server;
  REQUIRE(Post(server, "/api/v1/namespaces", {{"metadata", {{"name", "ml"}}}}).status == 201);
  REQUIRE(Post(server, "/apis/batch/v1/namespaces/ml/jobs", Job("ml", "j")).status == 201);
  Json held = Job("ml", "held");
  held["metadata"]["finalizers"] = {"example.com/hold"};
  REQUIRE(Post(server, "/apis/batch/v1/namespaces/ml/jobs", held).status == 201);
  const JsonReply deleted = Remove(server, "/api/v1/namespaces/ml");
  CHECK(deleted.body["status"]["phase"] == "Terminating");
  CHECK(server.objects().WaitFor("jobs", {"ml", "j"}, [](const Json& j) { return j.is_null(); }));
  const JsonReply late = Post(server, "/apis/batch/v1/namespaces/ml/jobs", Job("ml", "late"));
  CHECK(late.status == 403);
  CHECK(late.body["details"]["causes"][0]["reason"] == "NamespaceTerminating");
  REQUIRE(
      server.objects().Patch("jobs", {"ml", "held"}, {{"metadata", {{"finalizers", nullptr}}}}));
  CHECK(server.objects().WaitFor("namespaces", {"", "ml"},
                                 [](const Json& ns) { return ns.is_null(); }));
}

}  // namespace
}  // namespace fedra::sim::garbage_test
