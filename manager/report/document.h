#pragma once
//
// How every document for programs begins, and what they have in common. Pure functions.

#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"

namespace fedra::report {

// A document of machine output: {"apiVersion": "fedra.dev/v1alpha1", "kind": kind}. Versioned and
// stable, unlike tables (kubectl's own rule).
nlohmann::ordered_json Document(std::string_view kind);

// Sets `key` to an RFC 3339 time; leaves it out when there is none.
void PutTime(nlohmann::ordered_json& object, std::string_view key,
             const std::optional<WallTime>& time);

}  // namespace fedra::report
