#pragma once
//
// Device selectors, as far as the scenarios write them: a small part of CEL, read and evaluated in
// one go.
//
// Known: && || ! == != < <= > >= in [..], parentheses, literals, device.driver,
// device.attributes["d"].id, device.capacity["d"].id, quantity(".."), compareTo, isLessThan,
// isGreaterThan, lowerAscii, startsWith, endsWith, contains, and matches for patterns of the form
// ^.*text.*$ only. Errors are absorbed by && and || as CEL does. Deliberately not cel/: the
// simulation must not agree with fedra because both are wrong.
//
// Thread rules: free functions on values.

#include <optional>
#include <string>
#include <string_view>

#include "tests/sim/api/json.h"

namespace fedra::sim {

// A device as selectors see it: {"driver", "attributes": {domain: {id: value}}, "capacity": {..}}.
Json SelectorView(std::string_view driver, const Json& device);

// Nothing: the expression fails, or is beyond what is known here.
std::optional<bool> EvaluateSelector(std::string_view expression, const Json& view);

}  // namespace fedra::sim
