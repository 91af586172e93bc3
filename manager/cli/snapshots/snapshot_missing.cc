#include "manager/cli/snapshots/snapshot_missing.h"

#include <fmt/format.h>

#include "manager/cli/judged/connect_error.h"
#include "verdict/reason_text.h"

namespace fedra::cli {

std::vector<std::string> WhatIsMissing(const SnapshotFile& file) {
  std::vector<std::string> missing;
  for (const RecordedWorker& worker : file.workers) {
    const std::string& name = worker.settings.name.value;
    if (worker.connection.phase != ConnectionPhase::kConnected) {
      const auto reason = NotReached(worker.connection, std::nullopt);
      missing.push_back(fmt::format("{}: {}", name, verdict::MessageOf(reason)));
    }
    for (const RecordedResource& resource : worker.resources) {
      // What a cluster does not serve it does not have: that is complete.
      if (resource.health.IsCurrent()) continue;
      missing.push_back(fmt::format(
          "{}: {} could not be read completely: {}", name, resource.name,
          resource.health.error ? resource.health.error->message : "still being listed"));
    }
  }
  return missing;
}

}  // namespace fedra::cli
