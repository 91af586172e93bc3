#pragma once
//
// The documents in which an API server says what it serves: /version, /api, /apis and below.
//
// Thread rules: free functions on constant data.

#include <optional>
#include <set>
#include <string>

#include "tests/sim/api/resource_types.h"
#include "tests/sim/api/status.h"
#include "tests/sim/api/url.h"

namespace fedra::sim {

// Nothing when the path is none of discovery. `hidden` are group versions such as
// "resource.k8s.io/v1" that do not appear.
std::optional<Json> Discover(const Registry& registry, const std::string& git_version,
                             const std::set<std::string>& hidden, const Url& url);

}  // namespace fedra::sim
