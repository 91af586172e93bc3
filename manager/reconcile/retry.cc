#include "manager/reconcile/retry.h"

#include <algorithm>

#include "base/backoff.h"

namespace fedra::reconcile {
namespace {

using std::chrono::milliseconds;

constexpr ExponentialBackoff kConflictBackoff{milliseconds(10), milliseconds(1'000)};
constexpr ExponentialBackoff kBusyBackoff{milliseconds(50), milliseconds(2'000)};
constexpr ExponentialBackoff kErrorBackoff{milliseconds(100), milliseconds(30'000)};
// A server's Retry-After beyond this is not believed: a workload has other workers to go to.
constexpr milliseconds kLongestRetryAfter{60'000};
// The first failures of a connection that just broke are not news.
constexpr int kQuietFailures = 2;

milliseconds DelayAfter(const ExponentialBackoff& backoff, const Error& error, int failures) {
  const milliseconds asked = error.retry_after.value_or(milliseconds(0));
  return std::max(backoff.After(failures), std::min(asked, kLongestRetryAfter));
}

}  // namespace

Retry RetryAfter(const Error& error, int failures) {
  if (error.code == ErrorCode::kConflict)
    return {DelayAfter(kConflictBackoff, error, failures), false};
  const bool busy = error.code == ErrorCode::kUnavailable && error.retry_after;
  if (busy) return {DelayAfter(kBusyBackoff, error, failures), false};
  return {DelayAfter(kErrorBackoff, error, failures), failures > kQuietFailures};
}

Retry RetryCopyAfter(const Error& error, int failures) {
  if (IsRefusal(error.code)) return {kRefusedCopyPause, failures == 1};
  return {DelayAfter(kErrorBackoff, error, failures), false};
}

}  // namespace fedra::reconcile
