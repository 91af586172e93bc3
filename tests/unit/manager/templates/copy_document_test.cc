// What is applied to a worker.

#include "manager/templates/copy_document.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::templates::copy_document_test {

using nlohmann::json;

namespace {

verify::ClaimSummary Original() {
  const auto parsed = verify::ParseTemplate(json::parse(R"({
    "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
    "metadata": {"namespace": "ml", "name": "one-gpu", "uid": "u1", "resourceVersion": "77",
                 "labels": {"team": "ml"},
                 "annotations": {"note": "n", "fedra.dev/capabilities": "b, a"}},
    "spec": {"metadata": {"labels": {"a": "b"}}, "spec": {"devices": {
      "config": [{"opaque": {"driver": "d", "parameters": {"empty": []}}}],
      "requests": [{"name": "gpu", "exactly": {"deviceClassName": "c",
                                              "allocationMode": "ExactCount", "count": 2}}]}}}})"));
  REQUIRE(parsed.has_value());
  return *parsed;
}

}  // namespace

TEST_CASE("a copy has the original's content and our marks, and must not exist yet") {
  const json document = json::parse(CopyDocument(Original(), "v1", {"fedra", "m1"}, kMustNotExist));
  CHECK(document == json::parse(R"({
    "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
    "metadata": {"namespace": "ml", "name": "one-gpu", "resourceVersion": "1",
                 "labels": {"fedra.dev/origin": "fedra"},
                 "annotations": {"fedra.dev/template-uid": "u1", "fedra.dev/manager-uid": "m1",
                                 "fedra.dev/capabilities": "a,b"}},
    "spec": {"metadata": {"labels": {"a": "b"}}, "spec": {"devices": {
      "config": [{"opaque": {"driver": "d", "parameters": {"empty": []}}}],
      "requests": [{"name": "gpu", "exactly": {"deviceClassName": "c",
                                              "allocationMode": "ExactCount", "count": 2}}]}}}})"));
}

TEST_CASE("the worker's own server takes it as ours, with the content that the manager has") {
  for (const char* version : {"v1", "v1beta2", "v1beta1"}) {
    INFO(version);
    const json document = json::parse(CopyDocument(Original(), version, {"fedra", {}}, "9"));
    CHECK(document["apiVersion"] == std::string("resource.k8s.io/") + version);
    CHECK(document["metadata"]["resourceVersion"] == "9");
    const json& request = document["spec"]["spec"]["devices"]["requests"][0];
    CHECK(request.contains("exactly") == (std::string(version) != "v1beta1"));
    const auto copy = verify::ParseTemplate(document);
    REQUIRE(copy.has_value());
    CHECK(copy->spec == Original().spec);
    CHECK(copy->marks.origin == "fedra");
    CHECK(copy->marks.source_uid == "u1");
  }
}

}  // namespace fedra::templates::copy_document_test
