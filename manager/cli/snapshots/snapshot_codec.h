#pragma once
//
// The closed lists of a snapshot file: how states are written there. Pure functions.

#include <optional>
#include <string_view>

#include "cluster-clients/connection_state.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/verify/existence.h"

namespace fedra::cli {

// "Synced", "Listing", "Forbidden", "NotServed", "Failing".
std::string_view WordOf(watch::CacheState state);
std::optional<watch::CacheState> ParseCacheState(std::string_view word);

// As the configuration writes them: "Ignore", "Warn", "Require".
std::string_view WordOf(verify::Drift drift);
std::optional<verify::Drift> ParseDrift(std::string_view word);

// As ToString() writes them.
std::optional<ConnectionPhase> ParsePhase(std::string_view word);
// kInternal for a word that this version does not know.
ErrorCode ParseErrorCode(std::string_view word);

}  // namespace fedra::cli
