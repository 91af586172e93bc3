#include "cluster-clients/kube/status.h"

#include <fmt/format.h>

#include "tests/support/catch.h"

namespace fedra::kube::status_test {
namespace {

http::Reply Answer(int status, std::string body, std::string type = "application/json") {
  http::Reply reply;
  reply.status = status;
  reply.body = std::move(body);
  reply.content_type = std::move(type);
  return reply;
}

std::string Status(int code, const std::string& reason, const std::string& message) {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"{}","reason":"{}","code":{}}})",
      message, reason, code);
}

TEST_CASE("a refusal means what its reason says") {
  struct Row {
    int code;
    const char* reason;
    const char* message;
    ErrorCode expected;
  };
  const Row rows[] = {
      {404, "NotFound", R"(jobs.batch \"x\" not found)", ErrorCode::kNotFound},
      {404, "NotFound", R"(namespaces \"ml\" not found)", ErrorCode::kNotFound},
      {404, "NotFound", "the server could not find the requested resource", ErrorCode::kApiMissing},
      {404, "", "not here", ErrorCode::kApiMissing},
      {409, "AlreadyExists", "taken", ErrorCode::kAlreadyExists},
      {409, "Conflict", "the object has been modified", ErrorCode::kConflict},
      {410, "Expired", "too old resource version", ErrorCode::kGone},
      {410, "Gone", "gone", ErrorCode::kGone},
      {401, "Unauthorized", "Unauthorized", ErrorCode::kUnauthorized},
      {403, "Forbidden", "jobs is forbidden", ErrorCode::kForbidden},
      {422, "Invalid", "spec: wrong", ErrorCode::kInvalid},
      {400, "BadRequest", "bad", ErrorCode::kInvalid},
      {405, "MethodNotAllowed", "no", ErrorCode::kInvalid},
      {415, "UnsupportedMediaType", "no", ErrorCode::kInvalid},
      {429, "TooManyRequests", "slow down", ErrorCode::kTooManyRequests},
      {500, "InternalError", "failed calling webhook", ErrorCode::kUnavailable},
      {503, "ServiceUnavailable", "down", ErrorCode::kUnavailable},
      {504, "Timeout", "Too large resource version", ErrorCode::kUnavailable},
  };
  for (const Row& row : rows) {
    INFO(row.code << " " << row.reason << " " << row.message);
    const Error error = ErrorOf(Answer(row.code, Status(row.code, row.reason, row.message)));
    CHECK(error.code == row.expected);
    CHECK(error.http == row.code);
  }
}

TEST_CASE("answers without a Status") {
  struct Row {
    int code;
    const char* body;
    const char* type;
    ErrorCode expected;
  };
  const Row rows[] = {
      // The API server's own answer for a path that it does not serve.
      {404, "404 page not found\n", "text/plain", ErrorCode::kApiMissing},
      {404, "<html>nothing</html>", "text/html", ErrorCode::kBadResponse},
      {404, "  <!doctype html>", "", ErrorCode::kBadResponse},
      {401, "<html>log in</html>", "text/html", ErrorCode::kUnauthorized},
      {403, "denied by proxy", "text/plain", ErrorCode::kForbidden},
      {429, "", "", ErrorCode::kTooManyRequests},
      {502, "<html>bad gateway</html>", "text/html", ErrorCode::kUnavailable},
      {400, "<html>plain HTTP to HTTPS port</html>", "text/html", ErrorCode::kBadResponse},
      {302, "", "", ErrorCode::kBadResponse},
      {500, R"({"kind":"Status","message":"cut)", "application/json", ErrorCode::kUnavailable},
  };
  for (const Row& row : rows) {
    INFO(row.code << " " << row.body);
    const Error error = ErrorOf(Answer(row.code, row.body, row.type));
    CHECK(error.code == row.expected);
    CHECK(error.message.find("html>") == std::string::npos);
  }
}

TEST_CASE("a body that is no Status is never repeated") {
  const Error error = ErrorOf(Answer(400, "token=verysecret", "text/plain"));
  CHECK(error.message.find("secret") == std::string::npos);
  CHECK_THAT(error.message, ContainsSubstring("HTTP 400") && ContainsSubstring("16 bytes"));
}

TEST_CASE("messages are one bounded line") {
  const Error error =
      ErrorOf(Answer(500, Status(500, "InternalError", "a\\nb" + std::string(5000, 'x'))));
  CHECK(error.message.size() < 600);
  CHECK(error.message.find('\n') == std::string::npos);
}

TEST_CASE("Retry-After comes from the header or from the Status") {
  http::Reply reply = Answer(429, Status(429, "TooManyRequests", "later"));
  reply.retry_after = std::chrono::seconds(7);
  CHECK(ErrorOf(reply).retry_after == std::chrono::seconds(7));
  const Error error = ErrorOfStatus(
      R"({"kind":"Status","message":"m","reason":"TooManyRequests","code":429,"details":{"retryAfterSeconds":3}})");
  CHECK(error.retry_after == std::chrono::seconds(3));
}

TEST_CASE("the error of a watch event") {
  CHECK(ErrorOfStatus(Status(410, "Expired", "too old resource version: 1 (5)")).code ==
        ErrorCode::kGone);
  CHECK(ErrorOfStatus("{}").code == ErrorCode::kBadResponse);
  CHECK(ErrorOfStatus("nonsense").code == ErrorCode::kBadResponse);
}

TEST_CASE("a success must be a whole JSON object") {
  CHECK(TakeObject(Answer(200, R"({"a":1})")) == R"({"a":1})");
  CHECK(TakeObject(Answer(201, " {\"a\":[\"}\"]}\n")).has_value());
  for (const char* body :
       {"", "<html></html>", R"({"a":1)", R"({"a":"})", "[]", R"({} {})", "null"}) {
    INFO(body);
    const auto result = TakeObject(Answer(200, body));
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::kBadResponse);
  }
}

TEST_CASE("a failed transfer stays what it was") {
  http::Reply reply;
  reply.failure = Error{ErrorCode::kTlsUntrusted, "self signed", {}, {}};
  CHECK(ErrorOf(reply).code == ErrorCode::kTlsUntrusted);
}

}  // namespace
}  // namespace fedra::kube::status_test
