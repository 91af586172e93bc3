#pragma once
//
// One name's jobs for programs: what `why`, `history` and `status NAMESPACE/NAME` print as JSON.
// Pure functions.

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "manager/report/query.h"
#include "manager/report/status_model.h"

namespace fedra::report {

// WhyReport: for each worker why it can or cannot run the job, and what comes next.
nlohmann::ordered_json WhyDocument(const WorkloadData& data, const Query& query);
// Of several jobs, in their order; the daemon and the manager are those of `fleet`.
nlohmann::ordered_json WhyDocument(const StatusData& fleet, std::span<const WorkloadData> jobs,
                                   const Query& query);
// HistoryReport: attempts and events of every incarnation, the oldest first.
nlohmann::ordered_json HistoryDocument(const WorkloadData& data, const Query& query);
// JobReport: where the job is and where it has been.
nlohmann::ordered_json JobDocument(const WorkloadData& data, const Query& query);

}  // namespace fedra::report
