#pragma once
//
// How often something may be done: a bucket of tokens that fills with time. Plain value; one thread
// at a time.

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace fedra::access {

struct Rate {
  double burst = 0;       // at once, after a while of nothing
  double per_second = 0;  // after that
};

class RateLimit final {
 public:
  RateLimit(Rate rate, SteadyTime now) : rate_(rate), left_(rate.burst), as_of_(now) {}

  // Whether it may be done once more.
  bool Take(SteadyTime now) {
    const std::chrono::duration<double> passed = now - as_of_;
    left_ = std::min(rate_.burst, left_ + passed.count() * rate_.per_second);
    as_of_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  Rate rate_;
  double left_;
  SteadyTime as_of_;
};

}  // namespace fedra::access
