#pragma once
//
// What a cache's silence about an object means.
//
// Pure functions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "cluster-clients/watch/object_cache.h"
#include "verdict/reason.h"

namespace fedra::verify {

// What keeps a cache from being in step, "pods cannot be watched: ..."; empty when nothing does.
std::string Problem(const watch::CacheHealth& health, std::string_view what);

// A cache and what it is of, for those who report on several.
struct NamedHealth {
  std::string what;  // "resourceslices.resource.k8s.io"
  watch::CacheHealth health;
};
// All their problems in one line, with how long lists have been arriving. What is not served is
// none here: for verdicts that is an answer.
std::string Problems(std::vector<NamedHealth> caches, SteadyTime now);

// What keeps it from being in step; nothing when nothing does.
std::optional<verdict::Unreadable> UnreadableFrom(const watch::CacheHealth& health,
                                                  std::string_view what);

// Why a missing entry does not prove absence; nullopt if the cache is authoritative. `what`:
// "resourceslices.resource.k8s.io". kApiMissing is a No, the other codes are Unknown.
std::optional<verdict::Reason> WhySilent(const watch::CacheHealth& health, std::string_view what);

// Whether the lists are arriving from a cluster that is connected: it is being listed, or the
// stream was cut, which either mends itself or turns out to be the end of the connection.
bool IsSyncing(const watch::CacheHealth& health);

// What pods name, PodGroup ml/training, is not there.
verdict::Reason MissingDependency(const std::string& kind, const ObjectKey& key);

}  // namespace fedra::verify
