#pragma once
//
// What a pod template asks for, wherever it stands: in a Workload's pod set or in a job.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dra/requirement.h"

namespace fedra::tracking {

// `pod_spec` is a core/v1 PodSpec; a negative count reads as none.
dra::PodSet ReadPodSet(std::string name, int count, const nlohmann::json& pod_spec);

}  // namespace fedra::tracking
