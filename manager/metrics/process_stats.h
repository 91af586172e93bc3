#pragma once
//
// What this process uses, for the metrics that every Prometheus client has under these names:
// prometheus-cpp has no collector for them.
//
// Thread rules: any thread.

#include <cstdint>
#include <optional>
#include <string_view>

namespace fedra::metrics {

struct ProcessStats {
  double cpu_seconds = 0;       // user and system, of all threads
  uint64_t resident_bytes = 0;  // physical memory
  int open_files = 0;           // descriptors
  uint64_t most_files = 0;      // so many it may open (RLIMIT_NOFILE); 0: not known
};

// /proc/PID/stat (proc_pid_stat(5)), without the files. The second field is the program's name
// in parentheses, and may hold blanks and parentheses itself. Nothing: it is not of that form.
std::optional<ProcessStats> ParseProcessStat(std::string_view text, long ticks_per_second,
                                             long page_bytes);

// Of this process, from /proc/self. Nothing where it cannot be read.
std::optional<ProcessStats> ReadProcessStats();

}  // namespace fedra::metrics
