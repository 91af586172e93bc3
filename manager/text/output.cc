#include "manager/text/output.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "manager/text/display_text.h"
#include "manager/text/yaml_text.h"

namespace fedra::text {
namespace {

constexpr std::string_view kGap = "  ";
// A last column is not made narrower than this, however small the terminal is: one that goes on
// below itself, and one that is cut.
constexpr size_t kNarrowest = 30;
constexpr size_t kNarrowestCut = 10;
// How deep a last column stands that has lines of its own.
constexpr size_t kBelow = 2;

constexpr std::string_view kReset = "\x1b[0m";

std::string_view ColorOf(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kWarning:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kFaint:
      return "\x1b[2m";
  }
  return "";
}

// `line` behind `begin`, wrapped to the style's width; what follows stands `indent` columns deep.
std::string Hanging(std::string begin, size_t indent, std::string_view line, const Style& style) {
  std::vector<std::string> lines = {Printable(line, style.utf8)};
  if (style.width > indent)
    lines = Wrapped(lines.front(), std::max(kNarrowest, style.width - indent));
  std::string text;
  for (const std::string& each : lines) {
    text += begin + each + "\n";
    begin.assign(indent, ' ');
  }
  return text;
}

}  // namespace

Result<Format> ParseFormat(std::string_view text) {
  if (text == "table") return Format::kTable;
  if (text == "wide") return Format::kWide;
  if (text == "json") return Format::kJson;
  if (text == "yaml") return Format::kYaml;
  if (text == "name") return Format::kName;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" is not one of table, wide, json, yaml, name", text));
}

std::string Toned(std::string_view text, Tone tone, const Style& style) {
  std::string printable = Printable(text, style.utf8);
  if (!style.color || tone == Tone::kPlain || printable.empty()) return printable;
  return fmt::format("{}{}{}", ColorOf(tone), printable, kReset);
}

std::vector<Cell> Untoned(std::string_view line) {
  constexpr Tone kColours[] = {Tone::kGood, Tone::kWarning, Tone::kBad, Tone::kFaint};
  std::vector<Cell> cells;
  Tone tone = Tone::kPlain;
  std::string text;
  const auto change = [&](Tone next, size_t size) {
    if (!text.empty()) cells.emplace_back(std::exchange(text, {}), tone);
    tone = next;
    line.remove_prefix(size);
  };
  while (!line.empty()) {
    const auto colour =
        std::ranges::find_if(kColours, [&](Tone each) { return line.starts_with(ColorOf(each)); });
    if (colour != std::end(kColours)) {
      change(*colour, ColorOf(*colour).size());
    } else if (line.starts_with(kReset)) {
      change(Tone::kPlain, kReset.size());
    } else {
      text += line.front();
      line.remove_prefix(1);
    }
  }
  change(Tone::kPlain, 0);
  return cells;
}

Table::Table(std::vector<std::string> titles, Overflow overflow)
    : titles_(std::move(titles)), overflow_(overflow) {}

void Table::Add(std::vector<Cell> row) {
  FEDRA_ASSERT(row.size() == titles_.size(), "a row has a cell for every column");
  rows_.push_back(std::move(row));
}

std::vector<size_t> Table::Widths(const Style& style) const {
  std::vector<size_t> widths;
  for (const std::string& title : titles_)
    widths.push_back(style.headers ? DisplayWidth(title) : 0);
  for (const std::vector<Cell>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(Printable(row[i].text, style.utf8)));
    }
  }
  return widths;
}

std::vector<std::string> Table::LastCell(const std::string& text, size_t begin,
                                         const Style& style) const {
  const size_t least = overflow_ == Overflow::kCut ? kNarrowestCut : kNarrowest;
  const size_t room =
      style.width == 0 ? 0 : std::max(least, style.width > begin ? style.width - begin : 0);
  if (overflow_ == Overflow::kWrap) return Lines(text, room, style.utf8);
  std::string printable = Printable(text, style.utf8);
  if (room == 0 || overflow_ == Overflow::kKeep) return {std::move(printable)};
  return {Shortened(printable, room)};
}

std::string Table::Render(const Style& style) const {
  const std::vector<size_t> widths = Widths(style);
  size_t begin = 0;  // of the last column
  for (size_t i = 0; i + 1 < widths.size(); ++i) begin += widths[i] + kGap.size();
  const bool is_below =
      overflow_ == Overflow::kWrap && style.width > 0 && begin + kNarrowest > style.width;
  if (is_below) begin = kBelow;
  std::string text;
  // Spaces are owed until another cell comes, so that none are at the end of a line.
  size_t owed = 0;
  const auto add = [&](const std::string& cell, const std::string& shown, size_t width) {
    if (!cell.empty()) {
      text.append(std::exchange(owed, 0), ' ');
      text += shown;
    }
    owed += width - std::min(width, DisplayWidth(cell)) + kGap.size();
  };
  const auto end_line = [&] {
    text += '\n';
    owed = 0;
  };
  const auto add_last = [&](const std::vector<std::string>& lines, Tone tone) {
    if (is_below && !text.empty() && text.back() != '\n') end_line();
    if (is_below) owed = begin;
    for (const std::string& line : lines) {
      if (is_below && line.empty()) continue;
      add(line, Toned(line, tone, style), 0);
      end_line();
      owed = begin;
    }
    owed = 0;
  };
  if (style.headers) {
    for (size_t i = 0; i + 1 < titles_.size(); ++i) add(titles_[i], titles_[i], widths[i]);
    add_last({titles_.back()}, Tone::kPlain);
  }
  for (const std::vector<Cell>& row : rows_) {
    for (size_t i = 0; i + 1 < row.size(); ++i)
      add(Printable(row[i].text, style.utf8), Toned(row[i].text, row[i].tone, style), widths[i]);
    add_last(LastCell(row.back().text, begin, style), row.back().tone);
  }
  return text;
}

size_t Table::Width(const Style& style) const {
  Style plain = style;
  plain.color = false;
  const std::string text = Render(plain);
  size_t longest = 0;
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    longest = std::max(longest, DisplayWidth(std::string_view(text).substr(start, end - start)));
    start = end + 1;
  }
  return longest;
}

std::string Paragraph(std::string_view line, size_t indent, const Style& style) {
  return Hanging(std::string(indent, ' '), indent + 2, line, style);
}

std::string LabelledLine(std::string_view label, std::string_view line, const Style& style) {
  constexpr size_t kIndent = 7;
  return Hanging(fmt::format("{:<{}}", label, kIndent), kIndent, line, style);
}

std::string ToText(const nlohmann::ordered_json& document, Format format) {
  if (format == Format::kYaml) return ToYaml(document);
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace fedra::text
