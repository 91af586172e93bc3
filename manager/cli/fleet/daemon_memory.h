#pragma once
//
// What the daemon remembers of a job that is to be checked: that it has been submitted already, and
// which workers did not keep it. Read from the store, whether or not the daemon runs.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "manager/report/job_report.h"
#include "manager/text/output.h"
#include "manager/text/verdict_view.h"
#include "store/reader.h"

namespace fedra::cli {

// What the store says; null where none can be read: then nothing is said, for `check` needs no
// daemon.
std::unique_ptr<store::Reader> OpenMemory(const std::string& store);

// How old what the store says of jobs and lines is.
struct MemoryAge {
  std::optional<WallTime> as_of;  // nothing: no daemon has written anything
  std::string why_stale;          // empty: a daemon keeps it current

  bool is_current() const { return as_of && why_stale.empty(); }
};
MemoryAge AgeOf(store::Reader& memory, WallTime now);

// "DAEMON  not running: ...", with line end: how old what the store says of jobs and lines is.
// Empty where a daemon keeps it current, and where none has written anything. `of_workers`: what
// else is to be said, "; workers were asked just now".
std::string MemoryAgeLine(const MemoryAge& age, std::string_view of_workers,
                          const text::Style& style);

// Adds to the report that a living job has its name, and RecentlyFailed to the verdict of each
// worker that refused that one, did not admit it in time or evicted it: No as long as the worker is
// not asked again. What cannot be read is left out.
void AddMemory(store::Reader& memory, WallTime now, report::JobReport& report);

}  // namespace fedra::cli
