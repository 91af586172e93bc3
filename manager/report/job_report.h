#pragma once
//
// What `check` says about one job, as values and for programs. Pure functions.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/report/job_verdict.h"
#include "manager/report/withheld.h"

namespace fedra::report {

struct JobReport {
  std::string kind;
  ObjectKey job;
  std::vector<JobVerdict> verdicts;  // in the order of the workers
  bool judged = true;                // false: it has mistakes, and no worker was asked
  std::string note = {};             // what else is known of a job of this name; may be empty
  std::optional<WallTime> now = {};  // when the daemon's memory was asked; absent: it was not
  Withheld withheld = {};
};

// The workers that can run it, in the order in which policy `best` would try them.
std::vector<ClusterName> PreferredWorkers(const JobReport& report);

// Over all workers: kYes is the best, kNo the worst; kNo without verdicts.
verdict::Outcome BestOutcome(const JobReport& report);

// Everything that the text says, and the counts behind it.
nlohmann::ordered_json ToJson(const JobReport& report);

}  // namespace fedra::report
