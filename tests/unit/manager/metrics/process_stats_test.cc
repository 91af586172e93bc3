// What a process uses, as /proc tells it.

#include "manager/metrics/process_stats.h"
#include "tests/support/catch.h"

namespace fedra::metrics::process_stats_test {

namespace {

constexpr char kStat[] =
    "4711 (fedra) (x y) S 1 4711 4711 0 -1 4194560 9000 0 3 0 250 50 0 0 20 0 12 0 123456 "
    "900000000 2048 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0\n";

}  // namespace

TEST_CASE("a process's stat: the program's name may hold blanks and parentheses") {
  const auto stats = ParseProcessStat(kStat, 100, 4096);
  REQUIRE(stats);
  CHECK(stats->cpu_seconds == 3.0);
  CHECK(stats->resident_bytes == 2048U * 4096U);
}

TEST_CASE("a process's stat that is cut off, or no stat at all, is nothing") {
  CHECK(!ParseProcessStat("", 100, 4096));
  CHECK(!ParseProcessStat("4711 (fedra) S 1 2 3", 100, 4096));
  CHECK(!ParseProcessStat("4711 (f) S 1 1 1 0 -1 0 0 0 0 0 x 50 0 0 20 0 1 0 1 1 1", 100, 4096));
}

TEST_CASE("this process uses memory and files") {
  const auto stats = ReadProcessStats();
  REQUIRE(stats);
  CHECK(stats->resident_bytes > 1'000'000);
  CHECK(stats->open_files >= 3);
  CHECK(stats->most_files > static_cast<uint64_t>(stats->open_files));
}

}  // namespace fedra::metrics::process_stats_test
