#pragma once
//
// Reasons as JSON, the same in the store, in `why` and in `check`: code, object and message, and
// what the message counts. Pure.

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "verdict/reason.h"

namespace fedra::verify {

// {"wish": ..., "devices": 24, "parts": [{"devices": 8, "what": "other driver"}, ...]}
nlohmann::ordered_json CountsJson(const verdict::DeviceCounts& counts);
// The reverse; nothing when the value is not like that.
std::optional<verdict::DeviceCounts> ParseCounts(const nlohmann::ordered_json& value);

// [{"resource": "cpu", "asked": "4", "free": "3", "largest": "64", "nodes": 2}, ...]
nlohmann::ordered_json ResourcesJson(const std::vector<verdict::ResourceShortage>& resources);
// The reverse, without what is not like that.
std::vector<verdict::ResourceShortage> ParseResources(const nlohmann::ordered_json& value);

// {"code": ..., "object": ..., "message": ...}, and "counts" and "resources" where there are some.
nlohmann::ordered_json ReasonJson(const verdict::Reason& reason);

}  // namespace fedra::verify
