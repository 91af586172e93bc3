#pragma once
//
// Whether bytes are text that YAML allows at all: UTF-8 without control characters. Private to this
// folder.

#include <optional>
#include <string>
#include <string_view>

#include "config/problem.h"

namespace fedra::config {

struct BadText {
  Mark mark;
  std::string why;
};

// Must hold before yaml-cpp 0.7 sees the text: it takes byte 4 for the end of the file and passes
// broken UTF-8 on.
std::optional<BadText> CheckText(std::string_view text);

}  // namespace fedra::config
