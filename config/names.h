#pragma once
//
// Which known name a mistyped one probably means.
// Thread rules: pure functions.

#include <string>
#include <string_view>
#include <vector>

namespace fedra::config {

// The candidate that differs from `text` in the fewest letters, when these are few; else empty.
std::string ClosestName(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace fedra::config
