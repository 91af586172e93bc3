#include "manager/cli/text/display_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace fedra::cli {
namespace {

constexpr char32_t kBroken = 0xFFFFFFFF;

// One character from the front of `text`, which gets shorter; kBroken for a byte that begins none.
char32_t Next(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xC2 ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  bool whole = length > 0 && length <= text.size();
  char32_t code = length <= 1 ? first : first & (0x7FU >> length);
  for (size_t i = 1; whole && i < length; ++i) {
    whole = (byte(i) & 0xC0) == 0x80;
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  // Longer than needed, a surrogate, or beyond Unicode.
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (whole)
    whole = code >= kSmallest[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  text.remove_prefix(whole ? length : 1);
  return whole ? code : kBroken;
}

struct Range {
  char32_t first;
  char32_t last;
};

template <size_t N>
bool IsIn(const Range (&ranges)[N], char32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

// Take no column: combining marks, joiners, variation selectors.
constexpr Range kZeroWidth[] = {
    {0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
// Take two: Hangul, CJK, full-width forms, emoji.
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                           {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                           {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                           {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
// Would make a line look like another one: marks, embeddings and overrides of the writing
// direction.
constexpr Range kDirection[] = {
    {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};

bool IsControl(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

}  // namespace

std::string Printable(std::string_view text, bool utf8) {
  constexpr char32_t kMiddleDot = 0xB7;
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t code = Next(text);
    const std::string_view bytes = before.substr(0, before.size() - text.size());
    if (code == kBroken) {
      printable += '?';
    } else if (IsControl(code)) {
      printable += ' ';
    } else if (IsIn(kDirection, code)) {
      continue;
    } else if (code < 0x80 || utf8) {
      printable += bytes;
    } else {
      printable += code == kMiddleDot ? '-' : '?';
    }
  }
  return printable;
}

size_t DisplayWidth(std::string_view printable) {
  size_t width = 0;
  while (!printable.empty()) {
    const char32_t code = Next(printable);
    if (code == kBroken || (!IsIn(kZeroWidth, code) && !IsIn(kWide, code))) {
      width += 1;
    } else if (IsIn(kWide, code)) {
      width += 2;
    }
  }
  return width;
}

std::string Shortened(const std::string& printable, size_t width) {
  if (DisplayWidth(printable) <= width) return printable;
  constexpr std::string_view kDots = "...";
  std::string_view rest = printable;
  size_t used = kDots.size();
  while (!rest.empty()) {
    std::string_view after = rest;
    Next(after);
    used += DisplayWidth(rest.substr(0, rest.size() - after.size()));
    if (used > width) break;
    rest = after;
  }
  return printable.substr(0, printable.size() - rest.size()) + std::string(kDots);
}

std::vector<std::string> Wrapped(std::string_view printable, size_t width) {
  std::vector<std::string> lines;
  while (true) {
    size_t used = 0;
    size_t space = 0;  // bytes before the last space that fits
    std::string_view rest = printable;
    while (!rest.empty()) {
      std::string_view after = rest;
      Next(after);
      const std::string_view character = rest.substr(0, rest.size() - after.size());
      if (character == " ") space = printable.size() - rest.size();
      used += DisplayWidth(character);
      if (used > width && rest.size() < printable.size()) break;
      rest = after;
    }
    const size_t fits = printable.size() - rest.size();
    if (rest.empty()) break;
    const size_t end = space > 0 ? space : fits;
    std::string_view line = printable.substr(0, end);
    while (line.ends_with(' ')) line.remove_suffix(1);
    lines.emplace_back(line);
    printable.remove_prefix(end);
    while (printable.starts_with(' ')) printable.remove_prefix(1);
    if (printable.empty()) return lines;
  }
  lines.emplace_back(printable);
  return lines;
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace fedra::cli
