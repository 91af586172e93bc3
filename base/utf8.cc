#include "base/utf8.h"

#include <algorithm>

#include <utf8proc.h>

namespace fedra {

Utf8Character FirstCharacter(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  if (bytes[0] < 0x80) return {bytes[0], 1, true};
  constexpr size_t kLongest = 4;
  utf8proc_int32_t code = 0;
  const utf8proc_ssize_t size = utf8proc_iterate(
      bytes, static_cast<utf8proc_ssize_t>(std::min(text.size(), kLongest)), &code);
  if (size <= 0) return {};
  return {static_cast<char32_t>(code), static_cast<size_t>(size), true};
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character next = FirstCharacter(text);
    if (!next.valid) return false;
    text.remove_prefix(next.size);
  }
  return true;
}

size_t CharacterBoundary(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text.size();
  while (limit > 0 && IsContinuationByte(text[limit])) --limit;
  return limit;
}

int Columns(char32_t code) { return utf8proc_charwidth(static_cast<utf8proc_int32_t>(code)); }

}  // namespace fedra
