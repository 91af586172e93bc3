#include "base/error.h"

#include <set>
#include <string>

#include "base/result.h"
#include "tests/support/catch.h"

namespace fedra::error_test {
namespace {

struct Row {
  ErrorCode code;
  const char* name;
  bool retryable;
};

constexpr Row kRows[] = {
    {ErrorCode::kInvalidArgument, "InvalidArgument", false},
    {ErrorCode::kNotFound, "NotFound", false},
    {ErrorCode::kApiMissing, "ApiMissing", false},
    {ErrorCode::kAlreadyExists, "AlreadyExists", false},
    {ErrorCode::kConflict, "Conflict", false},
    {ErrorCode::kGone, "Gone", false},
    {ErrorCode::kUnauthorized, "Unauthorized", false},
    {ErrorCode::kForbidden, "Forbidden", false},
    {ErrorCode::kInvalid, "Invalid", false},
    {ErrorCode::kTooManyRequests, "TooManyRequests", true},
    {ErrorCode::kUnavailable, "Unavailable", true},
    {ErrorCode::kTimeout, "Timeout", true},
    {ErrorCode::kConnection, "Connection", true},
    {ErrorCode::kTlsUntrusted, "TlsUntrusted", false},
    {ErrorCode::kBadResponse, "BadResponse", true},
    {ErrorCode::kTooLarge, "TooLarge", false},
    {ErrorCode::kCancelled, "Cancelled", false},
    {ErrorCode::kCorrupt, "Corrupt", false},
    {ErrorCode::kStorage, "Storage", false},
    {ErrorCode::kInternal, "Internal", false},
};

TEST_CASE("every code has its name, and says whether trying again helps") {
  std::set<std::string_view> names;
  for (const Row& row : kRows) {
    INFO(row.name);
    CHECK(ToString(row.code) == row.name);
    CHECK(IsRetryable(row.code) == row.retryable);
    CHECK(names.insert(ToString(row.code)).second);
  }
}

TEST_CASE("a refusal is what no other try changes, and another worker may not say") {
  const std::set<ErrorCode> refusals = {ErrorCode::kForbidden, ErrorCode::kInvalid,
                                        ErrorCode::kNotFound, ErrorCode::kApiMissing};
  for (const Row& row : kRows) {
    INFO(row.name);
    CHECK(IsRefusal(row.code) == refusals.contains(row.code));
    CHECK_FALSE((IsRefusal(row.code) && IsRetryable(row.code)));
  }
}

TEST_CASE("context goes in front and keeps the rest") {
  Error error;
  error.code = ErrorCode::kTooManyRequests;
  error.message = "slow down";
  error.http = 429;
  error.retry_after = std::chrono::seconds(3);
  const Error wrapped = error.WithContext("list pods of gpu-east");
  CHECK(wrapped.message == "list pods of gpu-east: slow down");
  CHECK(error.message == "slow down");
  CHECK(wrapped.code == ErrorCode::kTooManyRequests);
  CHECK(wrapped.http == 429);
  CHECK(wrapped.retry_after == std::chrono::seconds(3));
  const Error twice = std::move(error).WithContext("a").WithContext("b");
  CHECK(twice.message == "b: a: slow down");
}

TEST_CASE("what an error is about stays beside its message, whatever context is added") {
  struct Told {
    const char* name;
    Error error;
    const char* message;  // for a sentence that has said the rest
    const char* whole;
  };
  Error slow;
  slow.message = "slow down";
  const Told rows[] = {
      {"nothing is known", slow, "slow down", "slow down"},
      {"a cluster", Error(slow).WithCluster("gpu-east"), "slow down", "gpu-east: slow down"},
      {"a context before it", slow.WithContext("list pods").WithCluster("gpu-east"),
       "list pods: slow down", "gpu-east: list pods: slow down"},
      {"a context behind it, too",
       slow.WithContext("list pods").WithCluster("gpu-east").WithContext("look"),
       "look: list pods: slow down", "gpu-east: look: list pods: slow down"},
      {"an option", WrongOption("limit", "is there twice"), "is there twice",
       "--limit: is there twice"},
      {"its value", WrongOption("state", "there is none", "Gone"), "there is none",
       "--state Gone: there is none"},
      {"an option behind a context",
       WrongOption("state", "there is none", "Gone").WithContext("jobs"), "jobs: there is none",
       "--state Gone: jobs: there is none"},
      {"both", WrongOption("state", "there is none").WithCluster("gpu-east"), "there is none",
       "gpu-east: --state: there is none"},
  };
  for (const Told& row : rows) {
    INFO(row.name);
    CHECK(row.error.message == row.message);
    CHECK(ToString(row.error) == row.whole);
  }
}

TEST_CASE("a wrong option is a wrong argument, and has no dashes as a parameter") {
  const Error wrong = WrongOption("state", "there is none", "Gone");
  CHECK(wrong.code == ErrorCode::kInvalidArgument);
  CHECK(wrong.option == "state");
  CHECK(wrong.value == "Gone");
  CHECK(ToString(wrong, "") == "state Gone: there is none");
}

Result<int> Half(int number) {
  if (number % 2 != 0) return Fail(ErrorCode::kInvalidArgument, std::to_string(number) + " is odd");
  return number / 2;
}

Result<std::string> Quarter(int number) {
  FEDRA_ASSIGN_OR_RETURN(const int half, Half(number));
  FEDRA_ASSIGN_OR_RETURN(const int quarter, Half(half));
  FEDRA_RETURN_IF_ERROR(Half(0));
  return std::to_string(quarter);
}

TEST_CASE("an error travels up through the macros unchanged") {
  CHECK(Quarter(8) == "2");
  REQUIRE_FALSE(Quarter(6));
  CHECK(Quarter(6).error().message == "3 is odd");
  CHECK(Quarter(7).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace fedra::error_test
