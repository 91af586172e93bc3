#include "manager/reconcile/retry.h"

#include <algorithm>

namespace fedra::reconcile {
namespace {

using std::chrono::milliseconds;

struct Backoff {
  milliseconds first;
  milliseconds last;
};
constexpr Backoff kConflictBackoff{milliseconds(10), milliseconds(1'000)};
constexpr Backoff kBusyBackoff{milliseconds(50), milliseconds(2'000)};
constexpr Backoff kErrorBackoff{milliseconds(100), milliseconds(30'000)};
constexpr int kMostDoublings = 10;
// The first failures of a connection that just broke are not news.
constexpr int kQuietFailures = 2;

milliseconds Delay(const Backoff& backoff, const Error& error, int failures) {
  const int doublings = std::clamp(failures - 1, 0, kMostDoublings);
  return std::max(std::min(backoff.last, backoff.first * (1 << doublings)),
                  error.retry_after.value_or(milliseconds(0)));
}

}  // namespace

Retry RetryAfter(const Error& error, int failures) {
  if (error.code == ErrorCode::kConflict) return {Delay(kConflictBackoff, error, failures), false};
  const bool busy = error.code == ErrorCode::kUnavailable && error.retry_after;
  if (busy) return {Delay(kBusyBackoff, error, failures), false};
  return {Delay(kErrorBackoff, error, failures), failures > kQuietFailures};
}

Retry RetryCopyAfter(const Error& error, int failures) {
  if (IsRefusal(error.code)) return {kRefusedCopyPause, failures == 1};
  return {Delay(kErrorBackoff, error, failures), false};
}

}  // namespace fedra::reconcile
