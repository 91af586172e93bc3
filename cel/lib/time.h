#pragma once
//
// Calendar arithmetic and time zones for timestamps and durations.
//
// The calendar is the proleptic Gregorian one; years are 1 to 9999. Named zones come from the
// machine's zoneinfo files (TZif, RFC 8536), read once per zone and kept.
//
// Thread rules: all functions may be called from any thread.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "cel/value.h"

namespace fedra::cel {

struct CivilTime {
  int64_t year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;    // 1 to 31
  int hour = 0;
  int minute = 0;
  int second = 0;
  int weekday = 4;      // 0 is Sunday
  int day_of_year = 0;  // 0 to 365
};

// Seconds since 1970-01-01T00:00:00.
CivilTime ToCivil(int64_t seconds);
int64_t DaysFromCivil(int64_t year, int month, int day);

// "2009-02-13T23:31:30.5+01:00". Nothing if it is not RFC 3339; an error value outside the years 1
// to 9999.
std::optional<Value> ParseTimestamp(std::string_view text);
// "1h2m3.5s", "-300ms", as Go's time.ParseDuration.
std::optional<int64_t> ParseDuration(std::string_view text);

// Errors are CEL error values.
Value TimestampFromSeconds(int64_t seconds);
Value AddToTimestamp(const Value& timestamp, int64_t nanoseconds);
Value TimestampDifference(const Value& left, const Value& right);

// Seconds east of UTC at that moment in a zone: "UTC", "America/Los_Angeles", "-08:00", "02:00".
Result<int64_t> ZoneOffset(std::string_view zone, int64_t seconds);

}  // namespace fedra::cel
