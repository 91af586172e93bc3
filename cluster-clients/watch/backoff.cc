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

milliseconds Own(Trouble trouble, int failures, double luck) {
  switch (trouble) {
    case Trouble::kCut:
      if (failures <= 1) return milliseconds(50 + static_cast<long long>(luck * 150));
      return Shortened(kUsual.After(failures - 1), luck);
    case Trouble::kFailing:
      return Shortened(kUsual.After(failures), luck);
    case Trouble::kRefused:
      return Shortened(kWhenRefused.After(failures), luck);
    case Trouble::kTooLong:
      return Shortened(kWhenTooLong.After(failures), luck);
  }
  return kUsual.longest;
}

constexpr milliseconds kLongestWish{300'000};

}  // namespace

milliseconds Backoff(Trouble trouble, int failures, double luck,
                     std::optional<milliseconds> retry_after) {
  return std::max(Own(trouble, failures, luck),
                  std::min(retry_after.value_or(milliseconds(0)), kLongestWish));
}

}  // namespace fedra::watch
