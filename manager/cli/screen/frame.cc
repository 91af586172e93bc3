#include "manager/cli/screen/frame.h"

#include <utility>

#include <fmt/format.h>

#include "manager/text/display_text.h"

namespace fedra::cli::screen {
namespace {

// Between these a terminal that knows them shows nothing half-drawn; the others ignore them
// (https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036, "synchronized
// output").
constexpr std::string_view kBeginUpdate = "\033[?2026h";
constexpr std::string_view kEndUpdate = "\033[?2026l";
constexpr std::string_view kPlainAgain = "\033[0m";
constexpr std::string_view kEraseRest = "\033[K";

std::string_view SequenceOf(Weight weight) {
  switch (weight) {
    case Weight::kBold:
      return "\033[1m";
    case Weight::kInverse:
      return "\033[7m";
    case Weight::kNormal:
      break;
  }
  return "";
}

// A line as the terminal wants it, whatever stood there before. Nothing is erased behind the last
// column: there some terminals would erase what was just written.
std::string Drawn(const Line& line, size_t width, bool color) {
  const text::Style style{.color = color};
  std::string drawn;
  size_t used = 0;
  for (const text::Cell& cell : line.cells) {
    drawn += SequenceOf(line.weight);
    drawn += text::Toned(cell.text, cell.tone, style);
    used += text::DisplayWidth(cell.text);
  }
  if (line.weight == Weight::kInverse) {
    drawn += SequenceOf(line.weight);
    if (used < width) drawn.append(width - used, ' ');
  }
  drawn += kPlainAgain;
  if (line.weight != Weight::kInverse && used < width) drawn += kEraseRest;
  return drawn;
}

}  // namespace

Line LineOf(std::string text, text::Tone tone, Weight weight) {
  return {{text::Cell(std::move(text), tone)}, weight};
}

std::string Cut(const std::string& printable, size_t width) {
  if (text::DisplayWidth(printable) <= width) return printable;
  constexpr size_t kDots = 3;
  return width <= kDots ? std::string(width, '.') : text::Shortened(printable, width);
}

Line Fitted(Line line, size_t width, bool utf8) {
  Line fitted{{}, line.weight};
  size_t used = 0;
  for (text::Cell& cell : line.cells) {
    std::string printable = text::Printable(cell.text, utf8);
    const size_t columns = text::DisplayWidth(printable);
    fitted.cells.emplace_back(Cut(printable, width - used), cell.tone);
    if (used + columns >= width) break;
    used += columns;
  }
  return fitted;
}

std::string TextOf(const Line& line) {
  std::string text;
  for (const text::Cell& cell : line.cells) text += cell.text;
  return text;
}

std::string Changes(const Frame& shown, const Frame& next, size_t width, bool color) {
  std::string changes;
  for (size_t i = 0; i < next.size(); ++i) {
    if (i < shown.size() && shown[i] == next[i]) continue;
    changes += fmt::format("\033[{};1H{}", i + 1, Drawn(next[i], width, color));
  }
  return changes.empty() ? changes : fmt::format("{}{}{}", kBeginUpdate, changes, kEndUpdate);
}

}  // namespace fedra::cli::screen
