#include "base/time.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace fedra::time_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

TEST_CASE("RFC 3339 times are read") {
  const std::vector<std::pair<std::string, long long>> rows = {
      {"1970-01-01T00:00:00Z", 0},
      {"2026-11-21T16:11:19Z", 1'795'277'479'000},
      {"2026-11-21t16:11:19z", 1'795'277'479'000},
      {"2026-11-21T18:11:19+02:00", 1'795'277'479'000},
      {"2026-11-21T10:41:19-05:30", 1'795'277'479'000},
      {"2026-11-21T16:11:19.5Z", 1'795'277'479'500},
      {"2026-11-21T16:11:19.123456789Z", 1'795'277'479'123},
      {"2024-02-29T00:00:00Z", 1'709'164'800'000},
      {"2016-12-31T23:59:60Z", 1'483'228'800'000},
      {"1969-12-31T23:59:59.999Z", -1},
      {"0001-01-01T00:00:00Z", -62'135'596'800'000},
      {"9999-12-31T23:59:59Z", 253'402'300'799'000},
  };
  for (const auto& [text, millis] : rows) {
    INFO(text);
    const auto time = ParseRfc3339(text);
    REQUIRE(time);
    CHECK(time->time_since_epoch().count() == millis);
  }
}

TEST_CASE("what is no RFC 3339 time is refused") {
  for (const std::string text :
       {"", "2026", "2026-11-21", "2026-11-21T16:11:19", "2026-11-21 16:11:19Z",
        "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z",
        "2026-11-21T16:60:00Z", "2026-11-21T16:11:61Z", "2026-11-21T16:11:19Zx",
        "2026-11-21T16:11:19+2:00", "2026-11-21T16:11:19+24:00", "2026-11-21T16:11:19+02:60",
        "2026-11-21T16:11:19.Z", "26-11-21T16:11:19Z", "+026-11-21T16:11:19Z",
        "2026-00-10T00:00:00Z"}) {
    INFO(text);
    const auto time = ParseRfc3339(text);
    REQUIRE_FALSE(time);
    CHECK(time.error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("times are written as Kubernetes writes them") {
  const WallTime time(milliseconds(1'795'277'479'123));
  CHECK(FormatRfc3339(time) == "2026-11-21T16:11:19Z");
  CHECK(FormatRfc3339Micro(time) == "2026-11-21T16:11:19.123000Z");
  CHECK(FormatRfc3339(WallTime(milliseconds(-1))) == "1969-12-31T23:59:59Z");
  CHECK(FormatRfc3339Micro(WallTime(milliseconds(-1))) == "1969-12-31T23:59:59.999000Z");
}

TEST_CASE("a written time reads back") {
  for (const long long millis : {0LL, 1'795'277'479'123LL, 951'782'400'001LL, -86'400'000LL}) {
    const WallTime time{milliseconds(millis)};
    CHECK(ParseRfc3339(FormatRfc3339Micro(time)) == time);
  }
}

TEST_CASE("durations are read and written in their shortest form") {
  const std::vector<std::pair<std::string, milliseconds>> rows = {
      {"0", 0ms},     {"250ms", 250ms},    {"15m", 15min}, {"1h30m", 90min}, {"90s", 90s},
      {"720h", 720h}, {"1s500ms", 1500ms}, {"0s", 0ms},    {"1m1m", 2min},
  };
  for (const auto& [text, duration] : rows) {
    INFO(text);
    const auto parsed = ParseDuration(text);
    REQUIRE(parsed);
    CHECK(*parsed == duration);
    CHECK(ParseDuration(FormatDuration(duration)) == duration);
  }
  CHECK(FormatDuration(90s) == "1m30s");
  CHECK(FormatDuration(90min) == "1h30m");
  CHECK(FormatDuration(1500ms) == "1s500ms");
  CHECK(FormatDuration(0ms) == "0");
  CHECK(FormatDuration(720h) == "720h");
}

TEST_CASE("what is no duration is refused with the reason") {
  const std::string head = " is not a duration such as 15m, 1h30m or 250ms: ";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "it is empty"},
      {"15", "the unit must be ms, s, m or h"},
      {"15 m", "the unit must be ms, s, m or h"},
      {"m", "a number is missing"},
      {"-5m", "a number is missing"},
      {"1.5h", "the unit must be ms, s, m or h"},
      {"1d", "the unit must be ms, s, m or h"},
      {"5us", "the unit must be ms, s, m or h"},
      {"1hm", "a number is missing"},
      {"99999999999999999999s", "the number is too large"},
      {"9999999999999999h", "it is too large"},
  };
  for (const auto& [text, why] : rows) {
    INFO(text);
    const auto parsed = ParseDuration(text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().message == "\"" + text + "\"" + head + why);
  }
}

TEST_CASE("ages look like kubectl's") {
  const std::vector<std::pair<milliseconds, std::string>> rows = {
      {-5s, "0s"},         {0s, "0s"},     {1999ms, "1s"},   {119s, "119s"}, {120s, "2m"},
      {250s, "4m10s"},     {10min, "10m"}, {179min, "179m"}, {3h, "3h"},     {3h + 12min, "3h12m"},
      {8h, "8h"},          {47h, "47h"},   {48h, "2d"},      {76h, "3d4h"},  {24h * 8, "8d"},
      {24h * 210, "210d"},
  };
  for (const auto& [age, text] : rows) CHECK(FormatAge(age) == text);
}

}  // namespace
}  // namespace fedra::time_test
