#pragma once
//
// Time as a value. WallTime is what people and other machines see and may jump; SteadyTime is for
// time-outs and never does. Pure code takes `now` as an argument; only the shell asks a Clock.

#include <chrono>

namespace fedra {

using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;
using SteadyTime = std::chrono::steady_clock::time_point;

// A seam for tests. Thread rules: both functions may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime Now() const = 0;
  virtual SteadyTime Steady() const = 0;
};

// The machine's clocks. Lives for the whole process.
const Clock& SystemClock();

}  // namespace fedra
