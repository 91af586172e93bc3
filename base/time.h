#pragma once
//
// Times and durations as text: RFC 3339 as Kubernetes writes them, Go durations as configuration
// files write them, ages as kubectl prints them.

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace fedra {

// "2026-11-21T16:11:19Z", optional fraction, "Z" or "+02:00". Fractions below a millisecond are
// cut.
Result<WallTime> ParseRfc3339(std::string_view text);
// Seconds, UTC: the form of metav1.Time.
std::string FormatRfc3339(WallTime time);
// Microseconds, UTC: the form of metav1.MicroTime (events, leases).
std::string FormatRfc3339Micro(WallTime time);

// Go's time.ParseDuration for what a person writes: "15m", "1h30m", "250ms", "0". No sign, no
// "us"/"ns".
Result<std::chrono::milliseconds> ParseDuration(std::string_view text);
// The shortest such text: "15m", "1h30m", "250ms".
std::string FormatDuration(std::chrono::milliseconds duration);

// As kubectl's AGE column: "5s", "4m10s", "3h12m", "3d4h", "210d". Negative is "0s".
std::string FormatAge(std::chrono::milliseconds age);

}  // namespace fedra
