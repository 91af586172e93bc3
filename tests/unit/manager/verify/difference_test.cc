// How a difference reads.

#include "manager/verify/difference.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "verdict/reason_text.h"

namespace fedra::verify::difference_test {

using nlohmann::json;

namespace {

std::string DifferencesOf(const char* there, const char* here, size_t limit = 3) {
  return verdict::DifferencesText(Compare(json::parse(there), json::parse(here), "spec", limit));
}

}  // namespace

TEST_CASE("a difference names the field and both values") {
  CHECK(DifferencesOf(R"({"devices": {"requests": [{"exactly": {"count": 2}}]}})",
                      R"({"devices": {"requests": [{"exactly": {"count": 1}}]}})") ==
        "spec.devices.requests[0].exactly.count: 2 there, 1 on the manager");
  CHECK(DifferencesOf(R"({"a": 1})", R"({"b": "x"})") ==
        "spec.a: 1 there, absent on the manager; spec.b: absent there, \"x\" on the manager");
  CHECK(DifferencesOf(R"({"a": [1, 2]})", R"({"a": {"x": 1}})") ==
        R"(spec.a: [1,2] there, {"x":1} on the manager)");
}

TEST_CASE("what is equal is no difference") {
  CHECK(
      Compare(json::parse(R"({"a": [1], "b": 2})"), json::parse(R"({"b": 2, "a": [1]})"), "spec", 3)
          .total == 0);
}

TEST_CASE("elements of lists are compared one by one, extra ones as a whole") {
  CHECK(DifferencesOf(R"({"a": [1, {"b": 2}, 3]})", R"({"a": [1, {"b": 4}]})") ==
        "spec.a[1].b: 2 there, 4 on the manager; spec.a[2]: 3 there, absent on the manager");
}

TEST_CASE("keys that are no plain words are quoted") {
  CHECK(DifferencesOf(R"({"labels": {"a.b/c": "1"}})", R"({"labels": {"a.b/c": "2"}})") ==
        R"(spec.labels["a.b/c"]: "1" there, "2" on the manager)");
}

TEST_CASE("the first few are shown, the rest is counted") {
  CHECK(DifferencesOf(R"([1, 1, 1, 1, 1])", R"([2, 2, 2, 2, 2])", 2) ==
        "spec[0]: 1 there, 2 on the manager; spec[1]: 1 there, 2 on the manager; and 3 more");
}

TEST_CASE("a long value is cut") {
  const json there = std::string(5000, 'x');
  const std::string words = verdict::DifferencesText(Compare(there, json(), "spec", 3));
  CHECK(words.size() < 200);
  CHECK(words.find("...") != std::string::npos);
}

TEST_CASE("a template without a spec differs as a whole") {
  CHECK(TemplateDifference("null", R"({"spec":{}})") ==
        R"(spec: null there, {"spec":{}} on the manager)");
}

}  // namespace fedra::verify::difference_test
