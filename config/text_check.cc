#include "config/text_check.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace fedra::config {
namespace {

bool IsForbiddenControl(unsigned char c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

}  // namespace

std::optional<BadText> CheckText(std::string_view text) {
  Mark mark{1, 1};
  for (size_t pos = 0; pos < text.size();) {
    const auto c = static_cast<unsigned char>(text[pos]);
    if (IsForbiddenControl(c)) return BadText{mark, fmt::format("control character 0x{:02x}", c)};
    const Utf8Character character = FirstCharacter(text.substr(pos));
    if (!character.valid) return BadText{mark, "not valid UTF-8"};
    pos += character.size;
    if (c == '\n') {
      ++mark.line;
      mark.column = 1;
    } else {
      ++mark.column;
    }
  }
  return std::nullopt;
}

}  // namespace fedra::config
