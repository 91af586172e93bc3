#pragma once
//
// How history ends: by age and by the size of the file. Living workloads, placements, intents and
// residues are never touched.
//
//
// Thread rules: those of the connection.

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/result.h"
#include "store/connection.h"

namespace fedra::store {

struct RetentionLimits {
  std::chrono::milliseconds age{0};  // of events, ended attempts and removed workloads
  uint64_t bytes = 0;                // of the file
};

// One bounded piece of the work, so that no caller waits long for the writer. True: there is more
// to do.
Result<bool> TrimHistory(Connection& db, const RetentionLimits& limits, WallTime now);

// Verdicts of workloads that no longer live: a crash may leave some. For the start, before anything
// is written.
Result<void> RemoveStrayVerdicts(Connection& db);

}  // namespace fedra::store
