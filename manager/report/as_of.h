#pragma once
//
// When what a report says was so, where it was read, and what could not be read: a snapshot of last
// year must not pass for the workers of today. Plain values.

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "manager/cli/text/output.h"

namespace fedra::cli {

struct AsOf {
  WallTime at{};         // when the snapshot was taken, or the clusters were read
  std::string snapshot;  // the file's name; empty: the clusters were read
};

// A worker that a report says nothing about, and why.
struct UnreadWorker {
  std::string worker;
  std::string problem;
};
// "unreadWorkers": [{"worker": "gpu-east", "problem": "not reached: ..."}], in every report on
// workers.
void PutUnread(nlohmann::ordered_json& document, std::span<const UnreadWorker> workers);
// "gpu-east: not reached: ...", a line each, without the last line end.
std::string UnreadText(std::span<const UnreadWorker> workers, const Style& style);

// A document with "asOf" and "source": "Clusters", or "Snapshot" with its "file".
nlohmann::ordered_json Document(std::string_view kind, const AsOf& as_of);

// "SNAPSHOT  taken at 2026-11-21T16:11:19Z, 12m ago: fleet.json", with line end: the first line of
// what is said of a snapshot. Empty when the clusters were read.
std::string SnapshotLine(const AsOf& as_of, WallTime now, const Style& style);

}  // namespace fedra::cli
