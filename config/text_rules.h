#pragma once
//
// Checks of single strings of the configuration. Private to this folder.
// Thread rules: pure functions.

#include <optional>
#include <string>
#include <string_view>

#include "config/schema.h"

namespace fedra::config {

struct BadValue {
  std::string problem;
  std::string hint;
};

// What is wrong with `text` under `rule`; nullopt when nothing is.
std::optional<BadValue> CheckTextRule(std::string_view text, TextRule rule);

// `path`, made absolute from the folder of `file` when it is relative, without "." and "..".
std::string ResolvePath(const std::string& path, const std::string& file);

}  // namespace fedra::config
