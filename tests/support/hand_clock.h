#pragma once
//
// A clock that stands still until a test moves it. Thread rules: any thread.

#include <chrono>

#include "base/clock.h"
#include "base/guarded.h"

namespace fedra {

class HandClock final : public Clock {
 public:
  WallTime Now() const override { return times_.Copy().wall; }
  SteadyTime Steady() const override { return times_.Copy().steady; }

  // Time goes by.
  void Advance(std::chrono::milliseconds time) {
    times_.With([&](Times& times) {
      times.wall += time;
      times.steady += time;
    });
  }
  // A user sets the wall clock.
  void JumpWall(std::chrono::milliseconds time) {
    times_.With([&](Times& times) { times.wall += time; });
  }

 private:
  struct Times {
    WallTime wall{std::chrono::hours(24 * 365 * 50)};
    SteadyTime steady{std::chrono::hours(24)};
  };
  Guarded<Times> times_;
};

}  // namespace fedra
