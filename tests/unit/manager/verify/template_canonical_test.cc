// Which differences between two servers' views of one template count, and which do not.

#include "manager/verify/template_canonical.h"

#include <nlohmann/json.hpp>

#include "manager/verify/difference.h"
#include "manager/verify/objects.h"
#include "tests/support/catch.h"

namespace fedra::verify::template_canonical_test {

using nlohmann::json;

namespace {

json Spec(const std::string& devices) { return {{"spec", {{"devices", json::parse(devices)}}}}; }

std::string Canonical(const json& spec) { return CanonicalTemplateSpec(spec).dump(); }

const std::string kV1 = R"({"requests": [{"name": "gpu", "exactly": {
  "deviceClassName": "gpu.example.com", "allocationMode": "ExactCount", "count": 1,
  "tolerations": [{"key": "k", "operator": "Equal", "value": "v"}],
  "capacity": {"requests": {"memory": "1Gi"}}}}]})";

}  // namespace

TEST_CASE("one template read in two versions, or from a manifest, has one canonical form") {
  const std::string same = GENERATE(
      // v1beta1: flat.
      std::string(R"({"requests": [{"name": "gpu",
        "deviceClassName": "gpu.example.com", "allocationMode": "ExactCount", "count": 1,
        "tolerations": [{"key": "k", "operator": "Equal", "value": "v"}],
        "capacity": {"requests": {"memory": "1Gi"}}}]})"),
      // A manifest: no defaults, a quantity as a person writes it, false written out.
      std::string(R"({"requests": [{"name": "gpu", "exactly": {
        "deviceClassName": "gpu.example.com", "tolerations": [{"key": "k", "value": "v"}],
        "adminAccess": false, "capacity": {"requests": {"memory": "1024Mi"}}}}]})"),
      // Empty and null members.
      std::string(R"({"constraints": [], "config": null, "requests": [{"name": "gpu",
        "firstAvailable": [], "exactly": {"selectors": [], "deviceClassName": "gpu.example.com",
        "tolerations": [{"key": "k", "value": "v"}],
        "capacity": {"requests": {"memory": "1Gi"}}}}]})"));
  CHECK(Canonical(Spec(same)) == Canonical(Spec(kV1)));
}

TEST_CASE("alternatives have the same defaults and stay alternatives") {
  const json spec = Spec(R"({"requests": [{"name": "gpu", "firstAvailable": [
    {"name": "a", "deviceClassName": "big"}, {"name": "b", "deviceClassName": "small",
     "allocationMode": "All"}]}]})");
  CHECK(CanonicalTemplateSpec(spec) == Spec(R"({"requests": [{"name": "gpu", "firstAvailable": [
    {"name": "a", "deviceClassName": "big", "allocationMode": "ExactCount", "count": 1},
    {"name": "b", "deviceClassName": "small", "allocationMode": "All"}]}]})"));
}

TEST_CASE("of the claims' metadata labels and annotations count") {
  const json plain = Spec(kV1);
  json spec = plain;
  spec["metadata"] = GENERATE(json::object(), json{{"creationTimestamp", nullptr}},
                              json{{"labels", json::object()}}, json{{"uid", "x"}});
  CHECK(Canonical(spec) == Canonical(plain));
  spec["metadata"] = {{"labels", {{"team", "ml"}}}};
  CHECK(Canonical(spec) != Canonical(plain));
}

TEST_CASE("what a driver reads is kept to the letter, and so is what nobody here knows") {
  const json spec = Spec(R"({"future": {"x": 1}, "config": [{"opaque": {
    "driver": "d", "parameters": {"z": null, "a": [], "b": {}}}}], "requests": [{"name": "gpu",
    "exactly": {"deviceClassName": "c", "allocationMode": "All", "derived": [1]}}]})");
  CHECK(CanonicalTemplateSpec(spec) == spec);
}

TEST_CASE("a canonical spec goes back to v1beta1, and comes again as it was") {
  const json canonical = CanonicalTemplateSpec(Spec(kV1));
  const json flat = TemplateSpecInV1Beta1(canonical);
  CHECK(flat["spec"]["devices"]["requests"][0]["deviceClassName"] == "gpu.example.com");
  CHECK_FALSE(flat["spec"]["devices"]["requests"][0].contains("exactly"));
  CHECK(CanonicalTemplateSpec(flat) == canonical);
  const json alternatives = Spec(
      R"({"requests": [{"name": "gpu", "firstAvailable": [
          {"name": "a", "deviceClassName": "big", "allocationMode": "All"}]}]})");
  CHECK(TemplateSpecInV1Beta1(alternatives) == alternatives);
}

TEST_CASE("a spec of another shape is left alone") {
  const json spec = GENERATE(json(), json(7), json::array({json("x")}), json{{"spec", 3}},
                             json{{"metadata", "m"}}, Spec(R"({"requests": "none"})"),
                             Spec(R"({"requests": ["text", 3]})"), Spec(R"("x")"));
  CHECK(CanonicalTemplateSpec(spec) == spec);
  CHECK(TemplateSpecInV1Beta1(spec) == spec);
}

TEST_CASE("a template is kept in its canonical form") {
  const json object = {{"metadata", {{"namespace", "ml"}, {"name", "one-gpu"}}},
                       {"spec", Spec(R"({"requests": [{"name": "g", "deviceClassName": "c"}]})")}};
  const auto parsed = ParseTemplate(object);
  REQUIRE(parsed.has_value());
  CHECK(json::parse(parsed->spec) == Spec(R"({"requests": [{"name": "g", "exactly": {
            "deviceClassName": "c", "allocationMode": "ExactCount", "count": 1}}]})"));
  CHECK(parsed->device_classes == std::vector<std::string>{"c"});
}

}  // namespace fedra::verify::template_canonical_test
