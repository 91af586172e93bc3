#pragma once
//
// Why a cache's silence about an object does not mean that the object is not there, in words.
//
// Pure functions.

#include <optional>
#include <string_view>

#include "cluster-clients/watch/object_cache.h"
#include "dra/reason.h"

namespace fedra::verify {

// Nothing when the cache can tell. `what`: "resourceslices.resource.k8s.io". kApiMissing is a No,
// the other codes are Unknown.
std::optional<dra::Reason> WhySilent(const watch::CacheHealth& health, std::string_view what);

}  // namespace fedra::verify
