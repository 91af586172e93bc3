#include "cluster-clients/watch/backoff.h"

#include <algorithm>

#include "base/backoff.h"

namespace fedra::watch {
namespace {

using std::chrono::milliseconds;

// client-go's reflector and kube-rs.
constexpr ExponentialBackoff kUsual{milliseconds(800), milliseconds(30'000)};
constexpr ExponentialBackoff kWhenRefused{milliseconds(1'000), milliseconds(15'000)};
constexpr ExponentialBackoff kWhenTooLong{milliseconds(30'000), milliseconds(600'000)};

milliseconds Own(RetryClass trouble, int failures, double jitter) {
  switch (trouble) {
    case RetryClass::kCut:
      if (failures <= 1) return milliseconds(50 + static_cast<long long>(jitter * 150));
      return Shortened(kUsual.After(failures - 1), jitter);
    case RetryClass::kFailing:
      return Shortened(kUsual.After(failures), jitter);
    case RetryClass::kRefused:
      return Shortened(kWhenRefused.After(failures), jitter);
    case RetryClass::kTooLong:
      return Shortened(kWhenTooLong.After(failures), jitter);
  }
  return kUsual.longest;
}

constexpr milliseconds kLongestWish{300'000};

}  // namespace

milliseconds Backoff(RetryClass trouble, int failures, double jitter,
                     std::optional<milliseconds> retry_after) {
  return std::max(Own(trouble, failures, jitter),
                  std::min(retry_after.value_or(milliseconds(0)), kLongestWish));
}

}  // namespace fedra::watch
