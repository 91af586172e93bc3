#include "cel/lib/time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "base/ascii.h"
#include "base/guarded.h"

namespace fedra::cel {
namespace {

constexpr int64_t kSecondsPerDay = 86400;
constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kMinSeconds = -62135596800;  // 0001-01-01T00:00:00Z
constexpr int64_t kMaxSeconds = 253402300799;  // 9999-12-31T23:59:59Z
constexpr Value kTimestampOverflow = Value::Error("timestamp overflow");

int64_t FloorDivide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

bool IsLeapYear(int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int DaysInMonth(int64_t year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

// Takes `count` digits from the front. -1 if they are not there.
int TakeNumber(std::string_view& text, size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (!IsDigit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool TakeChar(std::string_view& text, char expected) {
  if (text.empty() || text[0] != expected) return false;
  text.remove_prefix(1);
  return true;
}

// ".123456789" or ",123456789", longer fractions are cut off. Nothing if there are no digits.
std::optional<uint32_t> TakeFraction(std::string_view& text) {
  if (!TakeChar(text, '.') && !TakeChar(text, ',')) return 0U;
  uint32_t nanos = 0;
  size_t digits = 0;
  for (; digits < text.size() && IsDigit(text[digits]); ++digits) {
    if (digits < 9) nanos = nanos * 10 + static_cast<uint32_t>(text[digits] - '0');
  }
  if (digits == 0) return std::nullopt;
  for (size_t i = digits; i < 9; ++i) nanos *= 10;
  text.remove_prefix(digits);
  return nanos;
}

// "Z" or "+01:00" to the end. Minutes.
std::optional<int> TakeOffset(std::string_view text) {
  if (text == "Z") return 0;
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const bool negative = text[0] == '-';
  text.remove_prefix(1);
  const int hours = TakeNumber(text, 2);
  if (!TakeChar(text, ':')) return std::nullopt;
  const int minutes = TakeNumber(text, 2);
  if (hours < 0 || hours > 24 || minutes < 0 || minutes > 60 || !text.empty()) return std::nullopt;
  return (negative ? -1 : 1) * (hours * 60 + minutes);
}

struct DurationUnit {
  std::string_view name;
  int64_t nanoseconds;
};
constexpr DurationUnit kUnits[] = {{"ns", 1},
                                   {"us", 1'000},
                                   {"\u00B5s", 1'000},
                                   {"\u03BCs", 1'000},
                                   {"ms", 1'000'000},
                                   {"s", kNanosPerSecond},
                                   {"m", 60 * kNanosPerSecond},
                                   {"h", 3600 * kNanosPerSecond}};

const DurationUnit* TakeUnit(std::string_view& text) {
  size_t length = 0;
  while (length < text.size() && text[length] != '.' && !IsDigit(text[length])) ++length;
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  for (const DurationUnit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// One "3.5s" of a duration, in nanoseconds.
std::optional<uint64_t> TakeDurationPart(std::string_view& text) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide kLimit = Wide{1} << 63;
  Wide whole = 0;
  size_t digits = 0;
  for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), ++digits) {
    whole = whole * 10 + static_cast<Wide>(text[0] - '0');
    if (whole > kLimit) return std::nullopt;
  }
  uint64_t fraction = 0;
  double scale = 1;
  if (TakeChar(text, '.')) {
    for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), ++digits) {
      if (scale >= 1e18) continue;  // digits beyond nano do not count
      fraction = fraction * 10 + static_cast<uint64_t>(text[0] - '0');
      scale *= 10;
    }
  }
  const DurationUnit* unit = digits == 0 ? nullptr : TakeUnit(text);
  if (unit == nullptr) return std::nullopt;
  whole = whole * static_cast<Wide>(unit->nanoseconds) +
          static_cast<Wide>(static_cast<double>(fraction) *
                            (static_cast<double>(unit->nanoseconds) / scale));
  if (whole > kLimit) return std::nullopt;
  return static_cast<uint64_t>(whole);
}

// The transitions of one zone: from times[i] on, offsets[i] holds.
struct Zone {
  std::vector<int64_t> times;
  std::vector<int64_t> offsets;
  int64_t first_offset = 0;
};

// Reads the 64-bit part of a TZif file. Beyond the last transition the last offset is kept.
class ZoneReader final {
 public:
  explicit ZoneReader(std::string_view data) : data_(data) {}

  std::optional<Zone> Read() {
    const auto first = Header();
    if (!first || version_ < '2') return std::nullopt;
    Skip(first->times * 4 + first->times + first->types * 6 + first->chars + first->leaps * 8 +
         first->standard + first->ut);
    const auto counts = Header();
    if (!counts || counts->types == 0) return std::nullopt;
    return Body(*counts);
  }

 private:
  struct Counts {
    size_t ut, standard, leaps, times, types, chars;
  };

  std::optional<Counts> Header() {
    if (data_.size() < 44 || data_.substr(0, 4) != "TZif") return std::nullopt;
    version_ = data_[4];
    Skip(20);
    Counts counts{};
    for (size_t* count : {&counts.ut, &counts.standard, &counts.leaps, &counts.times, &counts.types,
                          &counts.chars}) {
      *count = static_cast<size_t>(BigEndian(4));
      if (*count > 100000) return std::nullopt;
    }
    return counts;
  }

  std::optional<Zone> Body(const Counts& counts) {
    if (data_.size() < counts.times * 9 + counts.types * 6) return std::nullopt;
    Zone zone;
    for (size_t i = 0; i < counts.times; ++i) zone.times.push_back(BigEndian(8));
    const std::string_view kinds = data_.substr(0, counts.times);
    Skip(counts.times);
    std::vector<int64_t> offsets;
    for (size_t i = 0; i < counts.types; ++i) {
      offsets.push_back(BigEndian(4));
      Skip(2);
    }
    for (const char kind : kinds) {
      const auto index = static_cast<unsigned char>(kind);
      if (index >= offsets.size()) return std::nullopt;
      zone.offsets.push_back(offsets[index]);
    }
    zone.first_offset = offsets[0];
    return zone;
  }

  int64_t BigEndian(size_t bytes) {
    uint64_t value = static_cast<unsigned char>(data_[0]) >= 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(data_[i]);
    Skip(bytes);
    return static_cast<int64_t>(value);
  }

  void Skip(size_t bytes) { data_.remove_prefix(std::min(bytes, data_.size())); }

  std::string_view data_;
  char version_ = '\0';
};

bool IsZoneName(std::string_view name) {
  if (name.empty() || name.size() > 64 || name[0] == '/' ||
      name.find("..") != std::string_view::npos)
    return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return IsAlphanumeric(c) || c == '_' || c == '-' || c == '+' || c == '/';
  });
}

std::shared_ptr<const Zone> LoadZone(const std::string& name) {
  static auto* const zones = new Guarded<std::map<std::string, std::shared_ptr<const Zone>>>;
  if (auto known = zones->With([&](auto& map) {
        const auto found = map.find(name);
        return found == map.end() ? nullptr : found->second;
      })) {
    return known;
  }
  std::ifstream file("/usr/share/zoneinfo/" + name, std::ios::binary);
  const std::string data((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto zone = ZoneReader(data).Read();
  if (!zone) return nullptr;
  auto loaded = std::make_shared<const Zone>(*zone);
  zones->With([&](auto& map) { map[name] = loaded; });
  return loaded;
}

Result<int64_t> FixedOffset(std::string_view zone, size_t colon) {
  const auto number = [](std::string_view text, int& value) {
    if (!text.empty() && text[0] == '+') text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::abs(value) < 100000;
  };
  int hours = 0;
  int minutes = 0;
  if (!number(zone.substr(0, colon), hours) || !number(zone.substr(colon + 1), minutes)) {
    return Fail(ErrorCode::kInvalidArgument,
                "\"" + std::string(zone) + "\" is not an offset from UTC");
  }
  return int64_t{60} * (zone[0] == '-' ? hours * 60 - minutes : hours * 60 + minutes);
}

}  // namespace

int64_t DaysFromCivil(int64_t year, int month, int day) {
  // Counts from the first of March, so that the leap day is the last one of its year.
  const int64_t y = month <= 2 ? year - 1 : year;
  const int64_t era = FloorDivide(y, 400);
  const int64_t year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

CivilTime ToCivil(int64_t seconds) {
  const int64_t days = FloorDivide(seconds, kSecondsPerDay);
  const int64_t rest = seconds - days * kSecondsPerDay;
  const int64_t shifted = days + 719468;
  const int64_t era = FloorDivide(shifted, 146097);
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month = (5 * day_of_year + 2) / 153;
  CivilTime time;
  time.day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  time.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  time.year = year_of_era + era * 400 + (time.month <= 2 ? 1 : 0);
  time.hour = static_cast<int>(rest / 3600);
  time.minute = static_cast<int>(rest / 60 % 60);
  time.second = static_cast<int>(rest % 60);
  time.weekday = static_cast<int>(((days % 7) + 11) % 7);
  time.day_of_year = static_cast<int>(days - DaysFromCivil(time.year, 1, 1));
  return time;
}

// What Go's time.Parse takes for RFC 3339: a little more than the standard.
std::optional<Value> ParseTimestamp(std::string_view text) {
  const int year = TakeNumber(text, 4);
  if (!TakeChar(text, '-')) return std::nullopt;
  const int month = TakeNumber(text, 2);
  if (!TakeChar(text, '-')) return std::nullopt;
  const int day = TakeNumber(text, 2);
  if (!TakeChar(text, 'T')) return std::nullopt;
  const bool one_digit = text.size() > 1 && !IsDigit(text[1]);
  const int hour = TakeNumber(text, one_digit ? 1 : 2);
  if (!TakeChar(text, ':')) return std::nullopt;
  const int minute = TakeNumber(text, 2);
  if (!TakeChar(text, ':')) return std::nullopt;
  const int second = TakeNumber(text, 2);
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > DaysInMonth(year, month))
    return std::nullopt;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59)
    return std::nullopt;
  const auto nanos = TakeFraction(text);
  if (!nanos) return std::nullopt;
  const auto offset = TakeOffset(text);
  if (!offset) return std::nullopt;
  const int64_t seconds = DaysFromCivil(year, month, day) * kSecondsPerDay + hour * 3600 +
                          minute * 60 + second - *offset * 60;
  if (seconds < kMinSeconds || seconds > kMaxSeconds) return kTimestampOverflow;
  return Value::Timestamp(seconds, *nanos, static_cast<int16_t>(*offset));
}

std::optional<int64_t> ParseDuration(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  uint64_t total = 0;
  while (!text.empty()) {
    const auto part = TakeDurationPart(text);
    if (!part || __builtin_add_overflow(total, *part, &total)) return std::nullopt;
    if (total > uint64_t{1} << 63) return std::nullopt;
  }
  if (negative) return static_cast<int64_t>(0 - total);
  if (total > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
  return static_cast<int64_t>(total);
}

Value TimestampFromSeconds(int64_t seconds) {
  if (seconds < kMinSeconds || seconds > kMaxSeconds) return kTimestampOverflow;
  return Value::Timestamp(seconds, 0);
}

Value AddToTimestamp(const Value& timestamp, int64_t nanoseconds) {
  int64_t seconds = timestamp.seconds() + nanoseconds / kNanosPerSecond;
  int64_t nanos = int64_t{timestamp.nanoseconds()} + nanoseconds % kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    --seconds;
  } else if (nanos >= kNanosPerSecond) {
    nanos -= kNanosPerSecond;
    ++seconds;
  }
  if (seconds < kMinSeconds || seconds > kMaxSeconds) return kTimestampOverflow;
  return Value::Timestamp(seconds, static_cast<uint32_t>(nanos), timestamp.zone_minutes());
}

Value TimestampDifference(const Value& left, const Value& right) {
  int64_t nanos = 0;
  if (__builtin_mul_overflow(left.seconds() - right.seconds(), kNanosPerSecond, &nanos) ||
      __builtin_add_overflow(nanos, int64_t{left.nanoseconds()} - int64_t{right.nanoseconds()},
                             &nanos)) {
    return kIntOverflow;
  }
  return Value::Duration(nanos);
}

Result<int64_t> ZoneOffset(std::string_view zone, int64_t seconds) {
  // "Local" is the zone of the scheduler's host, which is UTC in its image.
  if (zone.empty() || zone == "UTC" || zone == "Local") return 0;
  if (const size_t colon = zone.find(':'); colon != std::string_view::npos)
    return FixedOffset(zone, colon);
  const auto loaded = IsZoneName(zone) ? LoadZone(std::string(zone)) : nullptr;
  if (loaded == nullptr)
    return Fail(ErrorCode::kNotFound, "unknown time zone " + std::string(zone));
  const auto next = std::upper_bound(loaded->times.begin(), loaded->times.end(), seconds);
  if (next == loaded->times.begin()) return loaded->first_offset;
  return loaded->offsets[static_cast<size_t>(next - loaded->times.begin() - 1)];
}

}  // namespace fedra::cel
