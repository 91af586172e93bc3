#pragma once
//
// Takes back what `fedra move` asked for (job_requests.h). Pure.

#include <string>

namespace fedra::tracking {

// The merge patch that does so, bound to the Workload of this UID.
std::string CancelMovePatch(const std::string& uid);

}  // namespace fedra::tracking
