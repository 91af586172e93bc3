#pragma once
//
// Reasons as JSON, the same in the store, in `why` and in `check`: code, object and message, and
// what the message counts. Pure.

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "dra/reason.h"

namespace fedra::verify {

// {"wish": ..., "devices": 24, "parts": [{"devices": 8, "what": "other driver"}, ...]}
nlohmann::ordered_json CountsJson(const dra::DeviceCounts& counts);
// The reverse; nothing when the value is not like that.
std::optional<dra::DeviceCounts> ParseCounts(const nlohmann::ordered_json& value);

// {"code": ..., "object": ..., "message": ...} and "counts" where there are some.
nlohmann::ordered_json ReasonJson(const dra::Reason& reason);

}  // namespace fedra::verify
