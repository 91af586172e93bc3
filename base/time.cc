#include "base/time.h"

#include <limits>

#include <fmt/format.h>

#include "base/ascii.h"

namespace fedra {
namespace {

using std::chrono::milliseconds;

// Reads exactly `digits` decimal digits at `pos`.
bool ReadNumber(std::string_view text, size_t& pos, int digits, int& value) {
  value = 0;
  for (int i = 0; i < digits; ++i, ++pos) {
    if (pos >= text.size() || !IsDigit(text[pos])) return false;
    value = value * 10 + (text[pos] - '0');
  }
  return true;
}

bool Expect(std::string_view text, size_t& pos, char c) {
  if (pos >= text.size() || text[pos] != c) return false;
  ++pos;
  return true;
}

int ReadFractionMillis(std::string_view text, size_t& pos) {
  int millis = 0;
  int scale = 100;
  while (pos < text.size() && IsDigit(text[pos])) {
    millis += (text[pos++] - '0') * scale;
    scale /= 10;
  }
  return millis;
}

// "Z" or "+hh:mm"; the offset to subtract.
bool ReadZone(std::string_view text, size_t& pos, std::chrono::minutes& offset) {
  if (pos < text.size() && (text[pos] == 'Z' || text[pos] == 'z')) {
    ++pos;
    return true;
  }
  if (pos >= text.size() || (text[pos] != '+' && text[pos] != '-')) return false;
  const int sign = text[pos++] == '-' ? -1 : 1;
  int hours = 0;
  int minutes = 0;
  if (!ReadNumber(text, pos, 2, hours) || !Expect(text, pos, ':') ||
      !ReadNumber(text, pos, 2, minutes))
    return false;
  offset = std::chrono::minutes(sign * (hours * 60 + minutes));
  return hours < 24 && minutes < 60;
}

struct Broken {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<milliseconds> time;
};

Broken Break(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  return {std::chrono::year_month_day(day), std::chrono::hh_mm_ss<milliseconds>(time - day)};
}

std::string FormatTo(WallTime time, bool micro) {
  const Broken b = Break(time);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(b.date.year()),
                  static_cast<unsigned>(b.date.month()), static_cast<unsigned>(b.date.day()),
                  b.time.hours().count(), b.time.minutes().count(), b.time.seconds().count());
  if (micro) text += fmt::format(".{:03}000", b.time.subseconds().count());
  return text + "Z";
}

struct Unit {
  std::string_view name;
  long long millis;
};
// "ms" stands before "m" because the first match wins.
constexpr Unit kUnits[] = {{"ms", 1}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}};

}  // namespace

Result<WallTime> ParseRfc3339(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  size_t pos = 0;
  std::chrono::minutes offset{0};
  const auto bad = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is not an RFC 3339 time", text.substr(0, 64)));
  };
  if (!ReadNumber(text, pos, 4, year) || !Expect(text, pos, '-') ||
      !ReadNumber(text, pos, 2, month) || !Expect(text, pos, '-') || !ReadNumber(text, pos, 2, day))
    return bad();
  if (!Expect(text, pos, 'T') && !Expect(text, pos, 't')) return bad();
  if (!ReadNumber(text, pos, 2, hour) || !Expect(text, pos, ':') ||
      !ReadNumber(text, pos, 2, minute) || !Expect(text, pos, ':') ||
      !ReadNumber(text, pos, 2, second))
    return bad();
  int millis = 0;
  if (Expect(text, pos, '.')) {
    const size_t start = pos;
    millis = ReadFractionMillis(text, pos);
    if (pos == start) return bad();
  }
  if (!ReadZone(text, pos, offset) || pos != text.size()) return bad();
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return bad();
  return WallTime(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
         std::chrono::minutes(minute) + std::chrono::seconds(second) + milliseconds(millis) -
         offset;
}

std::string FormatRfc3339(WallTime time) { return FormatTo(time, false); }
std::string FormatRfc3339Micro(WallTime time) { return FormatTo(time, true); }

Result<milliseconds> ParseDuration(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is not a duration such as 15m, 1h30m or 250ms: {}",
                            text.substr(0, 64), why));
  };
  if (text == "0") return milliseconds(0);
  if (text.empty()) return bad("it is empty");
  constexpr long long kMax = std::numeric_limits<long long>::max() / 2;
  long long total = 0;
  for (size_t pos = 0; pos < text.size();) {
    long long number = 0;
    const size_t start = pos;
    for (; pos < text.size() && IsDigit(text[pos]); ++pos) {
      if (number > kMax / 100) return bad("the number is too large");
      number = number * 10 + (text[pos] - '0');
    }
    if (pos == start) return bad("a number is missing");
    const Unit* unit = nullptr;
    for (const Unit& candidate : kUnits) {
      if (text.substr(pos).starts_with(candidate.name)) {
        unit = &candidate;
        break;
      }
    }
    if (unit == nullptr) return bad("the unit must be ms, s, m or h");
    if (number > kMax / unit->millis || total > kMax - number * unit->millis)
      return bad("it is too large");
    total += number * unit->millis;
    pos += unit->name.size();
  }
  return milliseconds(total);
}

std::string FormatDuration(milliseconds duration) {
  long long rest = duration.count();
  if (rest == 0) return "0";
  std::string text;
  for (const Unit& unit : {kUnits[1], kUnits[2], kUnits[3], kUnits[0]}) {
    if (rest >= unit.millis) text += fmt::format("{}{}", rest / unit.millis, unit.name);
    rest %= unit.millis;
  }
  return text;
}

std::string FormatAge(milliseconds age) {
  const long long seconds = age.count() < 0 ? 0 : age.count() / 1000;
  const auto two = [](long long big, char big_unit, long long small, char small_unit) {
    return small == 0 ? fmt::format("{}{}", big, big_unit)
                      : fmt::format("{}{}{}{}", big, big_unit, small, small_unit);
  };
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (seconds < 600) return two(seconds / 60, 'm', seconds % 60, 's');
  if (seconds < 3 * 3600) return fmt::format("{}m", seconds / 60);
  if (seconds < 8 * 3600) return two(seconds / 3600, 'h', seconds / 60 % 60, 'm');
  if (seconds < 48 * 3600) return fmt::format("{}h", seconds / 3600);
  if (seconds < 8 * 86400) return two(seconds / 86400, 'd', seconds / 3600 % 24, 'h');
  return fmt::format("{}d", seconds / 86400);
}

}  // namespace fedra
