#include "cluster-clients/kube/discovery_answers.h"
#include "tests/support/catch.h"

namespace fedra::kube::discovery_test {
namespace {

TEST_CASE("the version, also as providers write it") {
  ServerInfo info;
  REQUIRE(ReadVersion(R"({"major":"1","minor":"36+","gitVersion":"v1.36.3-gke.1"})", info));
  CHECK(info.git_version == "v1.36.3-gke.1");
  CHECK(info.major == 1);
  CHECK(info.minor == 36);
  for (const char* body : {"", "<html>", "{}", R"({"gitVersion":5})", "[]"}) {
    INFO(body);
    CHECK(ReadVersion(body, info).error().code == ErrorCode::kBadResponse);
  }
}

TEST_CASE("groups with the preferred version first, and the core group") {
  ServerInfo info;
  REQUIRE(ReadGroups(R"({"kind":"APIGroupList","groups":[{"name":"resource.k8s.io","versions":[
      {"groupVersion":"resource.k8s.io/v1beta2","version":"v1beta2"},{"version":"v1"}],
      "preferredVersion":{"version":"v1"}},{"name":"batch","versions":[{"version":"v1"}]}, 7, {"name":5}]})",
                     info));
  CHECK(info.groups["resource.k8s.io"] == std::vector<std::string>{"v1", "v1beta2"});
  CHECK(info.Serves("resource.k8s.io", "v1beta2"));
  CHECK(!info.Serves("resource.k8s.io", "v1beta1"));
  CHECK(info.Serves("batch", "v1"));
  CHECK(info.Serves("", "v1"));
  CHECK(!info.Serves("kueue.x-k8s.io", "v1beta2"));
  CHECK(!ReadGroups(R"({"kind":"Status"})", info));
}

TEST_CASE("resources of a group and version") {
  ServerInfo info;
  REQUIRE(ReadResources(
      R"({"kind":"APIResourceList","resources":[{"name":"jobs"},{"name":"jobs/status"},{},3]})",
      "batch/v1", info));
  CHECK(info.resources == std::set<std::string>{"batch/v1/jobs", "batch/v1/jobs/status"});
  CHECK(!ReadResources(R"({"kind":"APIGroupList"})", "batch/v1", info));
}

}  // namespace
}  // namespace fedra::kube::discovery_test
