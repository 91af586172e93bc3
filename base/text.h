#pragma once
//
// Small things about text.

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fedra {

// At most `limit` bytes of it, with "..." behind when something was cut; never inside a UTF-8
// character.
std::string Cut(std::string_view text, size_t limit);

// "1 pod", "2 pods".
template <std::integral Integer>
std::string Counted(Integer count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

bool Contains(const std::vector<std::string>& texts, std::string_view text);

}  // namespace fedra
