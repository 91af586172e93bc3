#pragma once
//
// How old a report is and whom it could not ask, for people. Pure.

#include <span>
#include <string>

#include "manager/report/as_of.h"
#include "manager/text/output.h"

namespace fedra::text {

// "gpu-east: not reached: ...", a line each, without the last line end.
std::string UnreadText(std::span<const report::UnreadWorker> workers, const Style& style);

// "SNAPSHOT  taken at 2026-11-21T16:11:19Z, 12m ago: fleet.json", with line end: the first line of
// what is said of a snapshot. Empty when the clusters were read.
std::string SnapshotLine(const report::AsOf& as_of, WallTime now, const Style& style);

// "REPLICA  as of now, by a standby (replica fedra-1_5e); the leader is fedra-0_2a", with line end:
// of what a standby sees as the leader does. Empty where no standby answers.
std::string StandbyLine(const report::AsOf& as_of, const Style& style);

}  // namespace fedra::text
