#pragma once
//
// Named formats of Kubernetes (format.dns1123Label() and friends): validators of names.
//
// Thread rules: constants and pure functions.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fedra::cel {

struct NamedFormat {
  std::string_view function;  // "dns1123Label"
  std::string_view name;      // "DNS1123Label"
  uint64_t pattern_size;      // for the price only
  // What is wrong with the text; empty if it is valid.
  std::vector<std::string> (*validate)(std::string_view text);
};

}  // namespace fedra::cel
