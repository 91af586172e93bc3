#pragma once
//
// Time that goes on while the machine sleeps (CLOCK_BOOTTIME, clock_gettime(2)): for what others
// count while we cannot, such as a lease. steady_clock is CLOCK_MONOTONIC, which stands still while
// a virtual machine is suspended.
//
// Thread rules: any thread. Cannot fail on Linux 2.6.39 and later.

#include <chrono>

namespace fedra {

// Meets the requirements of a clock of std::chrono.
struct BootClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;  // NOLINT(readability-identifier-naming): of the standard

  static time_point now() noexcept;
};

using BootTime = BootClock::time_point;

}  // namespace fedra
