#pragma once
//
// Whether what the store says is of now. Pure functions.

#include <optional>
#include <string>

#include "base/clock.h"
#include "manager/report/status_model.h"

namespace fedra::report {

// By its lock; where that cannot be seen, by the age of its heartbeat.
bool IsRunning(const Daemon& daemon, WallTime now);
// Whether its last heartbeat is of the last seconds.
bool IsFresh(const Daemon& daemon, WallTime now);

// Whether another daemon decides, or did when this one wrote last: what is stored of jobs is as of
// HeartbeatRow::decided_at.
bool IsStandby(const Daemon& daemon);

// Until when what is said of jobs was kept current; null: it never was, or no daemon has written
// yet.
std::optional<WallTime> JobsAsOf(const Daemon& daemon);
// False of a standby that has never led: none is known to it, whatever there is. Nor is any to a
// reader who may see none.
bool KnowsJobs(const StatusData& data);

// Of a standby: "jobs are as of 3h ago, by a standby (replica fedra-1_5e); the leader is
// fedra-0_2a", or "was" of one that has ended.
std::string StandbyText(const Daemon& daemon, WallTime now);

// "the daemon is not running, and what it knew is as of 2026-11-21T16:11:19Z, 12m ago": why what is
// shown may be wrong by now; empty when a daemon keeps it current.
std::string StaleText(const Daemon& daemon, WallTime now);

}  // namespace fedra::report
