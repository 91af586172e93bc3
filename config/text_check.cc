#include "config/text_check.h"

#include <cstdint>

#include <fmt/format.h>

namespace fedra::config {
namespace {

// Bytes that a sequence needs in all, from its first byte; 0 for a byte that cannot start one.
size_t SequenceLength(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

// The length of the valid sequence at `pos`, 0 when there is none (overlong forms and surrogates
// too).
size_t ValidSequence(std::string_view text, size_t pos) {
  const auto first = static_cast<unsigned char>(text[pos]);
  const size_t length = SequenceLength(first);
  if (length == 0 || pos + length > text.size()) return 0;
  uint32_t code = length == 1 ? first : first & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[pos + i]);
    if ((next & 0xc0U) != 0x80U) return 0;
    code = code << 6U | (next & 0x3fU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

bool IsForbiddenControl(unsigned char c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

}  // namespace

std::optional<BadText> CheckText(std::string_view text) {
  Mark mark{1, 1};
  for (size_t pos = 0; pos < text.size();) {
    const auto c = static_cast<unsigned char>(text[pos]);
    if (IsForbiddenControl(c)) return BadText{mark, fmt::format("control character 0x{:02x}", c)};
    const size_t length = ValidSequence(text, pos);
    if (length == 0) return BadText{mark, "not valid UTF-8"};
    pos += length;
    if (c == '\n') {
      ++mark.line;
      mark.column = 1;
    } else {
      ++mark.column;
    }
  }
  return std::nullopt;
}

bool IsUtf8(std::string_view text) {
  for (size_t pos = 0; pos < text.size();) {
    const size_t length = ValidSequence(text, pos);
    if (length == 0) return false;
    pos += length;
  }
  return true;
}

}  // namespace fedra::config
