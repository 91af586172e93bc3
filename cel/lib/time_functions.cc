#include "cel/lib/time.h"
#include "cel/library.h"

namespace fedra::cel {
namespace {

// What a getter takes from a timestamp.
using Field = int64_t (*)(const CivilTime& time, const Value& timestamp);

int64_t FullYear(const CivilTime& time, const Value&) { return time.year; }
int64_t Month(const CivilTime& time, const Value&) { return time.month - 1; }
int64_t DayOfYear(const CivilTime& time, const Value&) { return time.day_of_year; }
int64_t DayOfMonth(const CivilTime& time, const Value&) { return time.day - 1; }
int64_t Date(const CivilTime& time, const Value&) { return time.day; }
int64_t DayOfWeek(const CivilTime& time, const Value&) { return time.weekday; }
int64_t Hours(const CivilTime& time, const Value&) { return time.hour; }
int64_t Minutes(const CivilTime& time, const Value&) { return time.minute; }
int64_t Seconds(const CivilTime& time, const Value&) { return time.second; }
int64_t Milliseconds(const CivilTime&, const Value& timestamp) {
  return timestamp.nanoseconds() / 1'000'000;
}

template <Field kField>
Value InUtc(Evaluation&, const Value* args) {
  return Value::Int(kField(ToCivil(args[0].seconds()), args[0]));
}

template <Field kField>
Value InZone(Evaluation& evaluation, const Value* args) {
  const auto offset = ZoneOffset(args[1].AsText(), args[0].seconds());
  if (!offset) return evaluation.Error(offset.error().message);
  return Value::Int(kField(ToCivil(args[0].seconds() + *offset), args[0]));
}

template <int64_t kUnit>
Value OfDuration(Evaluation&, const Value* args) {
  return Value::Int(args[0].AsInt() / kUnit);
}

constexpr std::array<const Type*, 4> kTimestamp = {&kTimestampType};
constexpr std::array<const Type*, 4> kTimestampAndZone = {&kTimestampType, &kStringType};
constexpr std::array<const Type*, 4> kDuration = {&kDurationType};

constexpr Overload kTimeOverloads[] = {
    Member("getFullYear", "timestamp_to_year", kTimestamp, kIntType, InUtc<FullYear>),
    Member("getFullYear", "timestamp_to_year_with_tz", kTimestampAndZone, kIntType,
           InZone<FullYear>),
    Member("getMonth", "timestamp_to_month", kTimestamp, kIntType, InUtc<Month>),
    Member("getMonth", "timestamp_to_month_with_tz", kTimestampAndZone, kIntType, InZone<Month>),
    Member("getDayOfYear", "timestamp_to_day_of_year", kTimestamp, kIntType, InUtc<DayOfYear>),
    Member("getDayOfYear", "timestamp_to_day_of_year_with_tz", kTimestampAndZone, kIntType,
           InZone<DayOfYear>),
    Member("getDayOfMonth", "timestamp_to_day_of_month", kTimestamp, kIntType, InUtc<DayOfMonth>),
    Member("getDayOfMonth", "timestamp_to_day_of_month_with_tz", kTimestampAndZone, kIntType,
           InZone<DayOfMonth>),
    Member("getDate", "timestamp_to_day_of_month_1_based", kTimestamp, kIntType, InUtc<Date>),
    Member("getDate", "timestamp_to_day_of_month_1_based_with_tz", kTimestampAndZone, kIntType,
           InZone<Date>),
    Member("getDayOfWeek", "timestamp_to_day_of_week", kTimestamp, kIntType, InUtc<DayOfWeek>),
    Member("getDayOfWeek", "timestamp_to_day_of_week_with_tz", kTimestampAndZone, kIntType,
           InZone<DayOfWeek>),
    Member("getHours", "timestamp_to_hours", kTimestamp, kIntType, InUtc<Hours>),
    Member("getHours", "timestamp_to_hours_with_tz", kTimestampAndZone, kIntType, InZone<Hours>),
    Member("getHours", "duration_to_hours", kDuration, kIntType, OfDuration<3'600'000'000'000>),
    Member("getMinutes", "timestamp_to_minutes", kTimestamp, kIntType, InUtc<Minutes>),
    Member("getMinutes", "timestamp_to_minutes_with_tz", kTimestampAndZone, kIntType,
           InZone<Minutes>),
    Member("getMinutes", "duration_to_minutes", kDuration, kIntType, OfDuration<60'000'000'000>),
    Member("getSeconds", "timestamp_to_seconds", kTimestamp, kIntType, InUtc<Seconds>),
    Member("getSeconds", "timestamp_to_seconds_tz", kTimestampAndZone, kIntType, InZone<Seconds>),
    Member("getSeconds", "duration_to_seconds", kDuration, kIntType, OfDuration<1'000'000'000>),
    Member("getMilliseconds", "timestamp_to_milliseconds", kTimestamp, kIntType,
           InUtc<Milliseconds>),
    Member("getMilliseconds", "timestamp_to_milliseconds_with_tz", kTimestampAndZone, kIntType,
           InZone<Milliseconds>),
    Member("getMilliseconds", "duration_to_milliseconds", kDuration, kIntType,
           OfDuration<1'000'000>),
};

}  // namespace

std::span<const Overload> TimeLibrary() { return kTimeOverloads; }

}  // namespace fedra::cel
