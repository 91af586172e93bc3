// When what failed is tried again.

#include "manager/reconcile/retry.h"

#include "tests/support/catch.h"

namespace fedra::reconcile::retry_test {

using namespace std::chrono_literals;

namespace {

Error Failed(ErrorCode code, std::optional<std::chrono::milliseconds> wish = std::nullopt) {
  return {code, "it failed", std::nullopt, wish};
}

}  // namespace

TEST_CASE("retry: twice as late each time, up to a limit that depends on the error") {
  struct Row {
    Error error;
    int failures;
    std::chrono::milliseconds delay;
  };
  const auto [error, failures, delay] = GENERATE(
      Row{Failed(ErrorCode::kConflict), 1, 10ms}, Row{Failed(ErrorCode::kConflict), 3, 40ms},
      Row{Failed(ErrorCode::kConflict), 50, 1s},
      Row{Failed(ErrorCode::kUnavailable, 10ms), 1, 50ms},
      Row{Failed(ErrorCode::kUnavailable, 10ms), 50, 2s},
      Row{Failed(ErrorCode::kUnavailable), 1, 100ms}, Row{Failed(ErrorCode::kInternal), 2, 200ms},
      Row{Failed(ErrorCode::kInternal), 1'000'000, 30s},
      Row{Failed(ErrorCode::kInternal, 1min), 1, 1min},
      Row{Failed(ErrorCode::kUnavailable, 1'000'000'000s), 1, 1min});
  CAPTURE(failures, error.code);
  CHECK(RetryAfter(error, failures).delay == delay);
}

TEST_CASE(
    "retry: a conflict or a busy server is never news, another error from the third time on") {
  CHECK_FALSE(RetryAfter(Failed(ErrorCode::kConflict), 10).is_news);
  CHECK_FALSE(RetryAfter(Failed(ErrorCode::kUnavailable, 50ms), 10).is_news);
  CHECK_FALSE(RetryAfter(Failed(ErrorCode::kInternal), 2).is_news);
  CHECK(RetryAfter(Failed(ErrorCode::kInternal), 3).is_news);
}

TEST_CASE("retry: a refused copy is tried every ten seconds, and told once") {
  const Retry first = RetryCopyAfter(Failed(ErrorCode::kForbidden), 1);
  CHECK(first.delay == kRefusedCopyPause);
  CHECK(first.is_news);
  const Retry later = RetryCopyAfter(Failed(ErrorCode::kForbidden), 9);
  CHECK(later.delay == kRefusedCopyPause);
  CHECK_FALSE(later.is_news);
  CHECK(RetryCopyAfter(Failed(ErrorCode::kInternal), 1).delay == 100ms);
}

}  // namespace fedra::reconcile::retry_test
