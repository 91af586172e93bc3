#include "cluster-clients/watch/backoff.h"

#include <algorithm>

namespace fedra::watch {
namespace {

using std::chrono::milliseconds;

// `first` doubled `doublings` times, at most `longest`, shortened by up to a quarter.
milliseconds Doubled(milliseconds first, int doublings, milliseconds longest, double luck) {
  const milliseconds full =
      std::min<milliseconds>(first * (1 << std::clamp(doublings, 0, 20)), longest);
  return milliseconds(static_cast<long long>(static_cast<double>(full.count()) * (1.0 - luck / 4)));
}

milliseconds Own(Trouble trouble, int failures, double luck) {
  switch (trouble) {
    case Trouble::kCut:
      if (failures <= 1) return milliseconds(50 + static_cast<long long>(luck * 150));
      return Doubled(milliseconds(800), failures - 2, milliseconds(30'000), luck);
    case Trouble::kFailing:
      return Doubled(milliseconds(800), failures - 1, milliseconds(30'000), luck);
    case Trouble::kRefused:
      return Doubled(milliseconds(1'000), failures - 1, milliseconds(15'000), luck);
  }
  return milliseconds(30'000);
}

constexpr milliseconds kLongestWish{300'000};

}  // namespace

milliseconds Backoff(Trouble trouble, int failures, double luck,
                     std::optional<milliseconds> retry_after) {
  return std::max(Own(trouble, failures, luck),
                  std::min(retry_after.value_or(milliseconds(0)), kLongestWish));
}

}  // namespace fedra::watch
