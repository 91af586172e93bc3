// Paths into objects: what they find, what can be written, what goes.

#include "manager/tracking/kinds/field_path.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::tracking::field_path_test {

using nlohmann::json;

namespace {

json Object() {
  return json::parse(R"({
    "spec": {"jobs": [{"name": "a", "n": 1}, {"name": "b", "n": 2}, {"name": "c"}],
             "roles": {"x": {"n": 3}, "y": {"n": null}},
             "strategy": {"onSuccess": {"policy": "DeleteSelf"}, "onFailure": {"policy": "Keep"}}},
    "status": {"conditions": [{"type": "Complete", "status": "True"}]}})");
}

std::vector<json> Found(const char* path) {
  const json object = Object();
  std::vector<json> values;
  for (const json* value : FindAll(object, path)) values.push_back(*value);
  return values;
}

json Without(const char* path) {
  json object = Object();
  EraseAt(object, path);
  return object["spec"];
}

using Values = std::vector<json>;

}  // namespace

TEST_CASE("a path finds what is there, in the object's order; nulls are absent") {
  CHECK(Found("spec.jobs[*].n") == Values{1, 2});
  CHECK(Found("spec.roles[*].n") == Values{3});
  CHECK(Found("spec.jobs[name=b].n") == Values{2});
  CHECK(Found("spec.jobs[n?=x].name") == Values{"c"});
  CHECK(Found("spec.jobs[name?=b].n") == Values{2});
  CHECK(Found("spec.strategy.onFailure[policy?=DeleteSelf]").empty());
  CHECK(Found("spec.strategy[none?=x].onFailure.policy") == Values{"Keep"});
  CHECK(Found("status.conditions[type=Complete].status") == Values{"True"});
  CHECK(Found("spec.strategy.onSuccess[policy=DeleteSelf].policy") == Values{"DeleteSelf"});
  CHECK(Found("spec.strategy.onFailure[policy=DeleteSelf]").empty());
  CHECK(Found("spec.jobs.name").empty());
  CHECK(Found("spec.none[*].n").empty());
  CHECK(FindFirst(Object(), "spec.none").is_null());
  CHECK(Found("") == Values{Object()});
}

TEST_CASE("what a path names is erased: members, elements, and objects that are meant") {
  CHECK_FALSE(Without("spec.jobs").contains("jobs"));
  CHECK(Without("spec.jobs[name=b]")["jobs"].size() == 2);
  CHECK(Without("spec.jobs[*].n")["jobs"][1] == json{{"name", "b"}});
  CHECK(Without("spec.jobs[*]")["jobs"] == json::array());
  CHECK(Without("spec.roles[*]")["roles"] == json::object());
  const json strategy = Without("spec.strategy.onSuccess[policy=DeleteSelf]")["strategy"];
  CHECK(strategy == json{{"onFailure", {{"policy", "Keep"}}}});
  CHECK(Without("spec.strategy.onFailure[policy=DeleteSelf]") == Object()["spec"]);
  CHECK(Without("spec.none.at.all") == Object()["spec"]);
}

TEST_CASE("a value is written where nothing was, and over what is no object") {
  json object = Object();
  PutAt(object, "spec.runPolicy.suspend", true);
  PutAt(object, "spec.jobs.suspend", true);
  CHECK(object["spec"]["runPolicy"] == json{{"suspend", true}});
  CHECK(object["spec"]["jobs"] == json{{"suspend", true}});
  CHECK(FieldPath("spec.suspend").IsPlain());
  CHECK_FALSE(FieldPath("spec.jobs[*].suspend").IsPlain());
  CHECK_FALSE(FieldPath().IsPlain());
}

TEST_CASE("a text that is no path says where") {
  const auto error = [](const char* text) { return FieldPath::Parse(text).error().message; };
  CHECK(error("spec..suspend") ==
        "\"spec..suspend\" is no path: a field is expected at character 6");
  CHECK(error("spec.jobs[*") ==
        "\"spec.jobs[*\" is no path: a bracket is not closed at character 10");
  CHECK(error("spec.jobs[0]") ==
        "\"spec.jobs[0]\" is no path: [*] or [key=text] is expected at character 10");
  CHECK(error("spec.jobs[*]name") ==
        "\"spec.jobs[*]name\" is no path: a dot is expected at character 13");
  CHECK(error(".spec") == "\".spec\" is no path: a field is expected at character 1");
}

}  // namespace fedra::tracking::field_path_test
