#include "manager/metrics/process_stats.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace fedra::metrics {

std::optional<ProcessStats> ParseProcessStat(std::string_view text, long ticks_per_second,
                                             long page_bytes) {
  constexpr int kUserTime = 14;  // counted from 1, as in the manual page
  constexpr int kSystemTime = 15;
  constexpr int kResidentPages = 24;
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || ticks_per_second <= 0) return std::nullopt;
  std::istringstream fields(std::string(text.substr(name_end + 1)));
  uint64_t ticks = 0;
  std::string field;
  for (int number = 3; fields >> field; ++number) {
    if (number != kUserTime && number != kSystemTime && number != kResidentPages) continue;
    uint64_t value = 0;
    if (!(std::istringstream(field) >> value)) return std::nullopt;
    if (number != kResidentPages) {
      ticks += value;
      continue;
    }
    return ProcessStats{
        .cpu_seconds = static_cast<double>(ticks) / static_cast<double>(ticks_per_second),
        .resident_bytes = value * static_cast<uint64_t>(page_bytes)};
  }
  return std::nullopt;
}

std::optional<ProcessStats> ReadProcessStats() {
  std::ifstream file("/proc/self/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  auto stats = ParseProcessStat(text, sysconf(_SC_CLK_TCK), sysconf(_SC_PAGESIZE));
  if (!stats) return std::nullopt;
  std::error_code error;
  for (std::filesystem::directory_iterator each("/proc/self/fd", error), end; !error && each != end;
       each.increment(error))
    ++stats->open_files;
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) stats->most_files = files.rlim_cur;
  return stats;
}

}  // namespace fedra::metrics
