#pragma once
//
// The metadata of an object that is copied to a worker. Internal to tracking/. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/types.h"
#include "manager/tracking/ownership.h"

namespace fedra::tracking {

// The labels and annotations of `source`, an object of the manager, under `key`, and with what
// tells whose copy it is: our marks, and the UID of the manager's Workload. Marks of `source` are
// left out.
nlohmann::json CopyMetadata(const nlohmann::json& source, const ObjectKey& key,
                            const std::string& workload_uid, const Identity& us);

}  // namespace fedra::tracking
