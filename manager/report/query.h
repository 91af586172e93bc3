#pragma once
//
// What a report is asked for, apart from how it is printed. Plain values.

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "manager/report/job_filter.h"

namespace fedra::report {

struct Query {
  WallTime now{};
  // Only workloads of this namespace; empty: of all.
  std::string ns = {};
  // Which jobs `status` lists.
  JobFilter jobs = {};
  // When the jobs of a lost worker move; null: not known here, then nothing is said about it.
  std::optional<std::chrono::milliseconds> worker_lost_timeout = std::nullopt;
  // How long a worker has to admit a job before another one is tried; null: not known here.
  std::optional<std::chrono::milliseconds> admission_timeout = std::nullopt;
  // Whether dispatch.policy is race; false, too, when that is not known here.
  bool race = false;
};

}  // namespace fedra::report
