#pragma once
//
// Kueue's Workload as a JSON status: the transitions of pkg/workload, each a function on values.
//
// Thread rules: free functions on values.

#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/actors/conditions.h"
#include "tests/sim/actors/quota.h"
#include "tests/sim/api/ownership.h"
#include "tests/sim/api/store.h"

namespace fedra::sim {

// Empty when there is none yet.
const Json& StatusOf(const Object& workload);
bool QuotaReserved(const Json& status);
bool Admitted(const Json& status);
bool Finished(const Json& status);
bool Evicted(const Json& status);
// spec.active, true by default.
bool Active(const Json& workload);

// The admission of a Workload by `queue`: one flavor per resource.
Json MakeAdmission(const Json& workload, const std::string& queue, const Quota& quota,
                   const std::vector<Amounts>& per_pod_set);

void ReserveQuota(Json& status, Json admission, int64_t generation);
void UnsetQuota(Json& status, const std::string& reason, const std::string& message,
                int64_t generation);
// Follows quota and checks.
void SyncAdmitted(Json& status, int64_t generation);
// Adds missing checks as Pending, drops others, orders by name. Whether anything changed.
bool SyncChecks(Json& status, const std::vector<std::string>& names);
// Evicted, checks reset, nominations dropped where no other manager owns them.
void PrepareEviction(Json& status, const Owners& owners, const std::string& reason,
                     const std::string& message, int64_t generation);
void Finish(Json& status, const std::string& reason, const std::string& message,
            int64_t generation);

// "AdmissionCheck in Retry state: \"name\" (message)", or "" when no check is in that state.
std::string ChecksIn(const Json& status, std::string_view state);

}  // namespace fedra::sim
