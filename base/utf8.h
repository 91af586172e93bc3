#pragma once
//
// Characters of UTF-8 text: which bytes are one, where text may be cut, how wide it is on a
// terminal. Decoding and widths are libutf8proc's (Unicode 15).
//
// Thread rules: pure functions.

#include <cstddef>
#include <string_view>

namespace fedra {

struct Utf8Character {
  char32_t code = 0;
  size_t size = 1;     // bytes
  bool valid = false;  // false: a byte that begins no character; overlong forms and surrogates too
};

// The character at the front of `text`, which is not empty.
Utf8Character FirstCharacter(std::string_view text);

bool IsUtf8(std::string_view text);

// Whether it stands behind the first byte of a character.
constexpr bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The most bytes, `limit` or fewer, that `text` can be cut to without parting a character.
size_t CharacterBoundary(std::string_view text, size_t limit);

// Columns on a terminal: 0 for combining marks, 2 for East Asian wide characters and emoji.
int Columns(char32_t code);

}  // namespace fedra
