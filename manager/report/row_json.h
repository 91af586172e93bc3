#pragma once
//
// Rows of the store for programs, and how every report on the store begins. Pure functions.

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "manager/report/status_model.h"
#include "store/rows.h"

namespace fedra::report {

// A document with "asOf", "daemon" and "manager". All but a WorkerReport are about jobs, and as of
// when those were current: on a standby that is older than its workers.
nlohmann::ordered_json Document(std::string_view kind, const Daemon& daemon,
                                const std::optional<store::ClusterRow>& manager, WallTime now);

// Of a daemon that has replicas.
nlohmann::ordered_json ReplicaJson(const store::HeartbeatRow& row);
nlohmann::ordered_json ToJson(const store::WorkloadRow& row);
nlohmann::ordered_json ToJson(const store::VerdictRow& row);
nlohmann::ordered_json ToJson(const store::AttemptRow& row);
nlohmann::ordered_json ToJson(const store::EventRow& row);

// A report (JSON) without what is different at every look although nothing happened.
std::string WithoutAges(const std::string& report);

}  // namespace fedra::report
