#include "base/clock.h"

namespace fedra {
namespace {

class System final : public Clock {
 public:
  WallTime Now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }
  SteadyTime Steady() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace

const Clock& SystemClock() {
  static const System clock;
  return clock;
}

}  // namespace fedra
