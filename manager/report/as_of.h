#pragma once
//
// When what a report says was so, where it was read, and what could not be read: a snapshot of last
// year must not pass for the workers of today. Plain values.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "store/rows.h"

namespace fedra::report {

struct AsOf {
  WallTime at{};         // when the snapshot was taken, or the clusters were read
  std::string snapshot;  // the file's name; empty: the clusters were read
  // Of a daemon with replicas: which one answers, as its heartbeat has it.
  std::optional<store::HeartbeatRow> replica = std::nullopt;
};

// A worker that a report says nothing about, and why.
struct UnreadWorker {
  std::string worker;
  std::string problem;
};
// "unreadWorkers": [{"worker": "gpu-east", "problem": "not reached: ..."}], in every report on
// workers.
void PutUnread(nlohmann::ordered_json& document, std::span<const UnreadWorker> workers);

// A document with "asOf" and "source": "Clusters", or "Snapshot" with its "file"; and "replica".
nlohmann::ordered_json Document(std::string_view kind, const AsOf& as_of);

}  // namespace fedra::report
