// What a server is asked, and what is made of its answers: only a clear yes is one.

#include "manager/access/review_json.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::access::review_json_test {

using nlohmann::json;

TEST_CASE("a token is somebody's when the review says so") {
  const std::string answer = R"({"kind": "TokenReview", "status": {"authenticated": true, "user":
      {"username": "ada", "uid": "u", "groups": ["a", "b"], "extra": {"k": ["v", "w"]}}}})";
  const User expected{
      .name = "ada", .uid = "u", .groups = {"a", "b"}, .extra = {{"k", {"v", "w"}}}};
  CHECK(UserIn(answer).value() == expected);
  for (const std::string status :
       {R"({})", R"({"authenticated": false, "user": {"username": "ada"}})",
        R"({"authenticated": "true", "user": {"username": "ada"}})",
        R"({"user": {"username": "ada"}})", R"({"authenticated": true})",
        R"({"authenticated": true, "user": {}})", R"({"authenticated": true, "user": "ada"})",
        R"({"authenticated": true, "user": {"username": ""}})",
        R"({"authenticated": true, "user": {"username": "system:anonymous"}})"}) {
    INFO(status);
    CHECK(UserIn(R"({"kind": "TokenReview", "status": )" + status + "}").value() == std::nullopt);
  }
  for (const std::string wrong : {"", "[]", "nonsense", R"({"kind": "TokenReview"})",
                                  R"({"kind": "TokenReview", "status": true})",
                                  R"({"kind": "Status", "status": {"authenticated": true}})",
                                  R"({"status": {"authenticated": true}})"}) {
    INFO(wrong);
    CHECK(UserIn(wrong).error().code == ErrorCode::kBadResponse);
  }
}

TEST_CASE("something is allowed when the review says so") {
  const auto allowed = [](const std::string& status) {
    return AllowedIn(R"({"kind": "SubjectAccessReview", "status": )" + status + "}");
  };
  CHECK(allowed(R"({"allowed": true})").value());
  CHECK_FALSE(allowed(R"({"allowed": true, "denied": true})").value());
  CHECK_FALSE(allowed(R"({"allowed": false})").value());
  CHECK_FALSE(allowed(R"({"allowed": "true"})").value());
  CHECK_FALSE(allowed(R"({"allowed": 1})").value());
  CHECK_FALSE(allowed(R"({})").value());
  CHECK(allowed("null").error().code == ErrorCode::kBadResponse);
  CHECK(AllowedIn(R"({"kind": "TokenReview", "status": {"allowed": true}})").error().code ==
        ErrorCode::kBadResponse);
}

TEST_CASE("the server is told all that it has said about the user") {
  const User user{.name = "ada", .uid = "u", .groups = {"a"}, .extra = {{"k", {"v"}}}};
  const Attributes jobs{
      .verb = "list", .group = "kueue.x-k8s.io", .resource = "workloads", .ns = "ml"};
  const json spec = json::parse(AccessReviewOf(user, jobs)).at("spec");
  CHECK(spec == json::parse(R"({"user": "ada", "uid": "u", "groups": ["a"], "extra": {"k": ["v"]},
      "resourceAttributes": {"verb": "list", "group": "kueue.x-k8s.io", "resource": "workloads",
                             "namespace": "ml"}})"));
  const json of_path =
      json::parse(AccessReviewOf(user, {.verb = "get", .path = "/fedra/fleet"})).at("spec");
  CHECK(of_path.at("nonResourceAttributes") ==
        json::parse(R"({"verb": "get", "path": "/fedra/fleet"})"));
  CHECK_FALSE(of_path.contains("resourceAttributes"));
  CHECK(json::parse(TokenReviewOf("abc")).at("spec") == json::parse(R"({"token": "abc"})"));
}

TEST_CASE("a right is worded as kubectl does") {
  CHECK(TextOf({.verb = "list", .group = "kueue.x-k8s.io", .resource = "workloads"}) ==
        "list workloads.kueue.x-k8s.io everywhere");
  CHECK(TextOf({.verb = "get", .resource = "pods", .subresource = "log", .ns = "ml"}) ==
        "get pods/log in the namespace ml");
  CHECK(TextOf({.verb = "get", .path = "/fedra/fleet"}) == "get the path /fedra/fleet");
}

}  // namespace fedra::access::review_json_test
