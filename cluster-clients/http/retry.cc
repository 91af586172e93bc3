#include "cluster-clients/http/retry.h"

#include <random>

#include "base/backoff.h"

namespace fedra::http {
namespace {

using std::chrono::milliseconds;

constexpr int kMaxAttempts = 4;
constexpr ExponentialBackoff kBackoff{milliseconds(50), milliseconds(2'000), 4};

bool RefusedUndone(const Error& error) {
  return error.http == 429 || (error.http == 503 && error.retry_after);
}

bool MayRepeat(const FailedAttempt& attempt) {
  if (attempt.unsent && attempt.error.code == ErrorCode::kConnection) return true;
  if (RefusedUndone(attempt.error)) return true;
  return attempt.idempotent && IsRetryable(attempt.error.code);
}

// 50 ms, 200 ms, 800 ms, each between half and one and a half times that.
milliseconds Backoff(int number, double jitter) {
  const auto full = static_cast<double>(kBackoff.After(number).count());
  return milliseconds(static_cast<long long>(full * (0.5 + jitter)));
}

}  // namespace

double Jitter() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(random);
}

std::optional<milliseconds> RetryDelay(const FailedAttempt& attempt) {
  if (attempt.number >= kMaxAttempts || !MayRepeat(attempt)) return std::nullopt;
  milliseconds delay = Backoff(attempt.number, attempt.jitter);
  if (attempt.error.retry_after) delay += *attempt.error.retry_after;
  if (delay >= attempt.left) return std::nullopt;  // no time for an answer
  return delay;
}

}  // namespace fedra::http
