// Targets as clients send them, well and badly made.

#include "manager/api/parameters.h"

#include "tests/support/catch.h"

namespace fedra::parameters_test {

using api::Parameters;

namespace {

Parameters Parsed(std::string_view target) {
  auto parsed = Parameters::Parse(*api::FindRoute("jobs"), target);
  REQUIRE(parsed);
  return *parsed;
}

std::string Complaint(std::string_view target, std::string_view route = "jobs") {
  const auto parsed = Parameters::Parse(*api::FindRoute(route), target);
  REQUIRE(!parsed);
  CHECK(parsed.error().code == ErrorCode::kInvalidArgument);
  return ToString(parsed.error());
}

TEST_CASE("values are decoded by their form") {
  const Parameters asked = Parsed(
      "/x?state=Blocked,Waiting&state=Running&limit=5&all&selector=a%3D%31+%2B&&headers=false");
  CHECK(asked.List("state") == std::vector<std::string>{"Blocked", "Waiting", "Running"});
  CHECK(asked.Number("limit") == 5);
  CHECK(asked.Flag("all"));
  CHECK(asked.Text("selector") == "a=1 +");
  CHECK(!asked.Flag("headers", true));
  CHECK(asked.Flag("color", true));
  CHECK(asked.Text("namespace").empty());
  CHECK(asked.Number("columns") == 0);
}

TEST_CASE("what is wrong is named") {
  struct Row {
    const char* target;
    const char* complaint;
  };
  const Row rows[] = {
      {"/x?stat=Blocked", "--stat: jobs has no such parameter; did you mean state?"},
      {"/x?limit=-1", "--limit: \"-1\" is not a number from 0 to 1000000000"},
      {"/x?limit=9999999999999999999999", "--limit: \"9999999999999999999999\" is not a number"},
      {"/x?limit=", "--limit: \"\" is not a number"},
      {"/x?namespace=", "--namespace: is empty: give it a value, or leave it out"},
      {"/x?namespace", "--namespace: is empty"},
      {"/x?state=Blocked&worker=", "--worker: is empty"},
      {"/x?limit=1&limit=2", "--limit: is there twice"},
      {"/x?all=yes", "--all: \"yes\" is neither true nor false"},
      {"/x?sort-by=size", "--sort-by: \"size\" is not one of state, line, name"},
      {"/x?output=xml", "--output: \"xml\" is not one of json, yaml"},
      {"/x?selector=%", "is not well encoded"},
      {"/x?selector=%4", "is not well encoded"},
      {"/x?selector=%zz", "is not well encoded"},
      {"/x?selector=%00", "is not well encoded"},
      {"/x?%00=1", "is not well encoded"},
  };
  for (const Row& row : rows) {
    INFO(row.target);
    CHECK_THAT(Complaint(row.target), ContainsSubstring(row.complaint));
  }
  CHECK_THAT(Complaint("/x?" + std::string(9'000, 'a')), ContainsSubstring("aaa..."));
  CHECK(Complaint("/x?" + std::string(9'000, 'a')).size() < 600);
  CHECK_THAT(Complaint("/x", "why"), ContainsSubstring("--job: is missing"));
  CHECK_THAT(Complaint("/x?job=", "why"), ContainsSubstring("--job: is missing"));
}

TEST_CASE("a list has no more values than its route takes, however they are given") {
  std::string target = "/x?job=a";
  for (int i = 1; i < 50; ++i) target += i % 2 == 0 ? ",a" : "&job=a";
  CHECK(Parameters::Parse(*api::FindRoute("why"), target)->List("job").size() == 50);
  CHECK_THAT(Complaint(target + ",a", "why"), ContainsSubstring("--job: at most 50 at once"));
  CHECK_THAT(Complaint(target + "&job=a", "why"), ContainsSubstring("--job: at most 50 at once"));
}

TEST_CASE("what a client encodes is what is decoded") {
  const std::string odd = "a b&c=d+e%f/ü,\x01";
  const Parameters asked = Parsed("/x" + api::QueryOf({{"selector", odd}, {"namespace", ""}}));
  CHECK(asked.Text("selector") == odd);
  CHECK(api::QueryOf({{"limit", "5"}, {"state", "A,B"}}) == "?limit=5&state=A,B");
  CHECK(api::QueryOf({}).empty());
}

TEST_CASE("paths are decoded, too") {
  CHECK(api::PathOf("/api/v1alpha1/%73tatus?x=%").value() == "/api/v1alpha1/status");
  CHECK(!api::PathOf("/api/%2"));
}

TEST_CASE("what is asked has one of few names for metrics, whatever is sent") {
  CHECK(api::EndpointOf("/api/v1alpha1/jobs?state=Blocked") == "jobs");
  CHECK(api::EndpointOf("/api/v1alpha1/openapi.json") == "openapi.json");
  for (const char* other :
       {"", "/", "/api/v1alpha1/", "/api/v1alpha1/x1", "/jobs", "/%2", "nonsense"})
    CHECK(api::EndpointOf(other) == "other");
}

TEST_CASE("each endpoint has a name of its own, and so have its parameters") {
  for (const api::Route& route : api::Routes()) {
    CHECK(api::FindRoute(route.path) == &route);
    for (const api::Parameter& parameter : route.parameters)
      CHECK(api::FindParameter(route, parameter.name) == &parameter);
    for (const api::Parameter& parameter : api::CommonParameters())
      CHECK(api::FindParameter(route, parameter.name) ==
            (api::IsPrinted(route) ? &parameter : nullptr));
  }
}

TEST_CASE("of a list of words each is looked at") {
  const auto parse = [](const std::string& query) {
    return api::Parameters::Parse(*api::FindRoute(api::kWatchPath), "/x?" + query);
  };
  CHECK(parse("topics=jobs,workers&topics=daemon")->List("topics").size() == 3);
  CHECK_FALSE(parse("topics=jobs,colours"));
  CHECK_FALSE(parse("output=yaml"));
}

}  // namespace

}  // namespace fedra::parameters_test
