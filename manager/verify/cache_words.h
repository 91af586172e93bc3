#pragma once
//
// What a cache's silence about an object means, in words.
//
// Pure functions.

#include <optional>
#include <string>
#include <string_view>

#include "cluster-clients/watch/object_cache.h"
#include "dra/reason.h"

namespace fedra::verify {

// Why it does not mean that the object is not there; nothing when the cache can tell. `what`:
// "resourceslices.resource.k8s.io". kApiMissing is a No, the other codes are Unknown.
std::optional<dra::Reason> WhySilent(const watch::CacheHealth& health, std::string_view what);

// Whether the answer is on its way on a cluster that is connected: it is being listed, or the
// stream was cut, which either mends itself or turns out to be the end of the connection.
bool IsOnItsWay(const watch::CacheHealth& health);

// What pods name, "PodGroup ml/training", is not there.
dra::Reason MissingDependency(std::string object);

}  // namespace fedra::verify
