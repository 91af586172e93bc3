#pragma once
//
// What else is against a worker, behind what is counted. Pure.

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"

namespace fedra::verdict {

// " (and QueueFull)", " (and 2 more reasons)", of so many further codes, of which this is one: a
// single one is named where its name is no longer than the hint. Empty: there is none.
inline std::string FurtherText(size_t codes, std::string_view one) {
  if (codes == 0) return {};
  const std::string hint = Counted(codes, "more reason");
  const bool is_named = codes == 1 && one.size() <= hint.size();
  return fmt::format(" (and {})", is_named ? one : std::string_view(hint));
}

}  // namespace fedra::verdict
