#include "manager/text/display_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/utf8.h"

namespace fedra::text {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

template <size_t N>
bool IsIn(const Range (&ranges)[N], char32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

// Would make a line look like another one: marks, embeddings and overrides of the writing
// direction.
constexpr Range kDirection[] = {
    {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};

bool IsControl(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

// What begins the lines below an error of the CEL compiler, as cel-go prints them.
constexpr std::string_view kArt = " | ";

// " | ......^"
bool IsCaretLine(std::string_view line) {
  return line.starts_with(kArt) && line.ends_with('^') &&
         line.find_first_not_of('.', kArt.size()) == line.size() - 1;
}

// Cuts both lines to the width, so that what the caret points at stays.
void CropAround(std::string& source, std::string& caret, size_t width) {
  constexpr std::string_view kDots = "...";
  const bool ascii = std::all_of(source.begin(), source.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii || width <= kArt.size() + 2 * kDots.size() || source.size() <= width) return;
  const size_t room = width - kArt.size();
  const size_t place = caret.size() - kArt.size() - 1;
  const size_t begin = place < room * 2 / 3 ? 0 : place - room * 2 / 3;
  std::string shown = source.substr(kArt.size()).substr(begin, room);
  if (begin > 0) shown.replace(0, kDots.size(), kDots);
  if (kArt.size() + begin + room < source.size())
    shown.replace(shown.size() - kDots.size(), kDots.size(), kDots);
  source = std::string(kArt) + shown;
  caret = std::string(kArt) + std::string(place - begin, '.') + "^";
}

}  // namespace

std::string Printable(std::string_view text, bool utf8) {
  constexpr char32_t kMiddleDot = 0xB7;
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    const auto [code, size, valid] = FirstCharacter(text);
    const std::string_view bytes = text.substr(0, size);
    text.remove_prefix(size);
    if (!valid) {
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
    const Utf8Character character = FirstCharacter(printable);
    width += character.valid ? static_cast<size_t>(std::max(0, Columns(character.code))) : 1;
    printable.remove_prefix(character.size);
  }
  return width;
}

std::string Shortened(const std::string& printable, size_t width) {
  if (DisplayWidth(printable) <= width) return printable;
  constexpr std::string_view kDots = "...";
  std::string_view rest = printable;
  size_t used = kDots.size();
  while (!rest.empty()) {
    const std::string_view character = rest.substr(0, FirstCharacter(rest).size);
    used += DisplayWidth(character);
    if (used > width) break;
    rest.remove_prefix(character.size());
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
      const std::string_view character = rest.substr(0, FirstCharacter(rest).size);
      if (character == " ") space = printable.size() - rest.size();
      used += DisplayWidth(character);
      if (used > width && rest.size() < printable.size()) break;
      rest.remove_prefix(character.size());
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

std::vector<std::string> Lines(std::string_view text, size_t width, bool utf8) {
  std::vector<std::string> parts;
  // In other texts a line end is an accident.
  if (text.find("\n" + std::string(kArt)) == std::string_view::npos) {
    std::string line = Printable(text, utf8);
    return width == 0 ? std::vector{std::move(line)} : Wrapped(line, width);
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    parts.push_back(Printable(text.substr(begin, end - begin), utf8));
    begin = end + 1;
  }
  std::vector<std::string> lines;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].starts_with(kArt)) {
      if (width == 0) {
        lines.push_back(parts[i]);
      } else {
        const std::vector<std::string> wrapped = Wrapped(parts[i], width);
        lines.insert(lines.end(), wrapped.begin(), wrapped.end());
      }
      continue;
    }
    if (i + 1 < parts.size() && IsCaretLine(parts[i + 1]))
      CropAround(parts[i], parts[i + 1], width);
    lines.push_back(parts[i]);
  }
  return lines;
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace fedra::text
