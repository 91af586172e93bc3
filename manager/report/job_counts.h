#pragma once
//
// How many jobs there are of each state, reason, worker, queue or namespace: what a list of any
// length is about, in a few lines. Pure functions.

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/types.h"
#include "manager/report/query.h"
#include "manager/report/status_model.h"

namespace fedra::report {

struct JobGroup {
  std::string name;   // "Blocked", "TemplateMissing", "ml/gpu"; empty: jobs without a worker
  size_t jobs = 0;    // by reason: with it against any worker, so that a job may count twice
  WallTime since{};   // of the job that has been longest in its state
  ObjectKey longest;  // that job
};

// Of the jobs that the query would list without a limit, the largest group first.
std::vector<JobGroup> GroupsOf(const StatusData& data, const Query& query);

// JobCounts. A group by reason has its remedy.
nlohmann::ordered_json JobCountsDocument(const StatusData& data, const Query& query);

}  // namespace fedra::report
