#pragma once
//
// How quickly a client must take its answer: as a whole, and never pausing for long. Pure.

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/clock.h"

namespace fedra::httpd {

struct WriteLimits {
  std::chrono::milliseconds whole{30'000};
  // The slowest that is borne: `bytes`, or what is left, in each `pause`. A modem does that.
  std::chrono::milliseconds pause{5'000};
  size_t bytes = size_t{16} << 10;
};

class WritePace final {
 public:
  WritePace(const WriteLimits& limits, SteadyTime now)
      : limits_(limits), end_(now + limits.whole), since_(now) {}

  // Until when the next bytes must have been taken.
  SteadyTime Deadline() const { return std::min(end_, since_ + limits_.pause); }

  void Took(size_t bytes, SteadyTime now) {
    taken_ += bytes;
    if (taken_ < limits_.bytes) return;
    taken_ = 0;
    since_ = now;
  }

 private:
  WriteLimits limits_;
  SteadyTime end_;
  SteadyTime since_;  // then `taken_` was 0
  size_t taken_ = 0;
};

}  // namespace fedra::httpd
