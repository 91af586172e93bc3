#pragma once
//
// Small things about text.

#include <string>
#include <string_view>
#include <vector>

namespace fedra {

// At most `limit` bytes of it, with "..." behind when something was cut; never inside a UTF-8
// character.
std::string Cut(std::string_view text, size_t limit);

bool Contains(const std::vector<std::string>& texts, std::string_view text);

}  // namespace fedra
