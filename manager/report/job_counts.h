#pragma once
//
// How many jobs there are of each state, reason, worker, queue or namespace: what a list of any
// length is about, in a few lines. Pure.

#include <nlohmann/json_fwd.hpp>

#include "manager/report/query.h"
#include "manager/report/status_model.h"

namespace fedra::report {

// JobCounts. A group by reason has its remedy.
nlohmann::ordered_json JobCountsDocument(const StatusData& data, const Query& query);

}  // namespace fedra::report
