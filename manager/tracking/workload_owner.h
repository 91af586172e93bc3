#pragma once
//
// Who owns a Workload: one job as a rule; of a group of pods all of them. Internal to tracking/.
// Pure.
//
// Sources: NewGroupWorkload in pkg/controller/jobs/pod, pkg/controller/jobs/statefulset and
// leaderworkerset of Kueue 0.19.2.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/workload.h"

namespace fedra::tracking {

// By the metadata of a Workload of this name.
Owner ReadOwner(const nlohmann::json& metadata, const std::string& name);
// Whether it is such a group.
bool IsGroupOfPods(const Owner& owner);
// Of all that own it, ascending.
std::vector<std::string> ReadOwnerUids(const nlohmann::json& metadata);

}  // namespace fedra::tracking
