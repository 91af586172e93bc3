#include "cluster-clients/http/retry.h"

#include "tests/support/catch.h"

namespace fedra::http::retry_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

FailedAttempt Attempt(ErrorCode code, int http = 0) {
  FailedAttempt attempt;
  attempt.error.code = code;
  if (http != 0) attempt.error.http = http;
  attempt.left = 10s;
  return attempt;
}

TEST_CASE("what is repeated, and what is not") {
  struct Row {
    const char* what;
    FailedAttempt attempt;
    bool idempotent;
    bool repeated;
  };
  FailedAttempt unsent = Attempt(ErrorCode::kConnection);
  unsent.unsent = true;
  FailedAttempt unavailable_later = Attempt(ErrorCode::kUnavailable, 503);
  unavailable_later.error.retry_after = 1s;
  const Row rows[] = {
      {"429 of a create: it was not done", Attempt(ErrorCode::kTooManyRequests, 429), false, true},
      {"503 with Retry-After of a create", unavailable_later, false, true},
      {"503 without Retry-After of a create", Attempt(ErrorCode::kUnavailable, 503), false, false},
      {"503 without Retry-After of a get", Attempt(ErrorCode::kUnavailable, 503), true, true},
      {"refused before anything was sent", unsent, false, true},
      {"cut create: perhaps it was done", Attempt(ErrorCode::kConnection), false, false},
      {"cut get", Attempt(ErrorCode::kConnection), true, true},
      {"HTML instead of an object", Attempt(ErrorCode::kBadResponse, 200), true, true},
      {"not found stays not found", Attempt(ErrorCode::kNotFound, 404), true, false},
      {"conflict", Attempt(ErrorCode::kConflict, 409), true, false},
      {"forbidden", Attempt(ErrorCode::kForbidden, 403), true, false},
      {"unauthorized", Attempt(ErrorCode::kUnauthorized, 401), true, false},
      {"untrusted certificate", Attempt(ErrorCode::kTlsUntrusted), true, false},
      {"shutting down", Attempt(ErrorCode::kCancelled), true, false},
  };
  for (Row row : rows) {
    INFO(row.what);
    row.attempt.idempotent = row.idempotent;
    CHECK(RetryDelay(row.attempt).has_value() == row.repeated);
  }
}

TEST_CASE("Retry-After is a floor, jitter only adds to it") {
  for (const double jitter : {0.0, 0.5, 0.999}) {
    FailedAttempt attempt = Attempt(ErrorCode::kTooManyRequests, 429);
    attempt.error.retry_after = 2s;
    attempt.jitter = jitter;
    const auto delay = RetryDelay(attempt);
    REQUIRE(delay);
    CHECK(*delay >= 2s);
    CHECK(*delay <= 2100ms);
  }
}

TEST_CASE("delays grow, are spread, and end") {
  FailedAttempt attempt = Attempt(ErrorCode::kUnavailable, 500);
  attempt.idempotent = true;
  attempt.jitter = 0.5;
  milliseconds before = 0ms;
  for (attempt.number = 1; attempt.number < 4; ++attempt.number) {
    const auto delay = RetryDelay(attempt);
    REQUIRE(delay);
    CHECK(*delay > before);
    before = *delay;
  }
  CHECK(!RetryDelay(attempt));
  attempt.number = 1;
  attempt.jitter = 0.0;
  CHECK(RetryDelay(attempt) == 25ms);
  attempt.jitter = 1.0;
  CHECK(RetryDelay(attempt) == 75ms);
}

TEST_CASE("no attempt is begun that has no time left") {
  FailedAttempt attempt = Attempt(ErrorCode::kTooManyRequests, 429);
  attempt.error.retry_after = 5s;
  attempt.left = 5s;
  CHECK(!RetryDelay(attempt));
  attempt.left = 6s;
  CHECK(RetryDelay(attempt));
}

}  // namespace
}  // namespace fedra::http::retry_test
