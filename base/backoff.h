#pragma once
//
// How long to wait after failures in a row: each time longer, up to a limit.
//
// Pure: jitter, in [0, 1), is an argument. Sources: kube-rs and client-go double from 800 ms to 30
// s.

#include <algorithm>
#include <chrono>

namespace fedra {

struct ExponentialBackoff {
  std::chrono::milliseconds first;  // after the first failure
  std::chrono::milliseconds longest;
  int factor = 2;

  // `failures`: in a row, this one included; less than 1 counts as 1.
  std::chrono::milliseconds After(int failures) const {
    std::chrono::milliseconds delay = std::min(first, longest);
    for (int i = 1; i < failures && delay < longest; ++i) delay = std::min(delay * factor, longest);
    return delay;
  }
};

// Shorter by up to a quarter, so that what failed together is not repeated together.
inline std::chrono::milliseconds Shortened(std::chrono::milliseconds delay, double jitter) {
  const double shorter = static_cast<double>(delay.count()) * (1.0 - jitter / 4);
  return std::chrono::milliseconds(static_cast<long long>(shorter));
}

}  // namespace fedra
