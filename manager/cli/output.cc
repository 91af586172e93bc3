#include "manager/cli/output.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "manager/cli/display_text.h"
#include "manager/cli/yaml_text.h"

namespace fedra::cli {
namespace {

constexpr std::string_view kGap = "  ";

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
  return fmt::format("{}{}\x1b[0m", ColorOf(tone), printable);
}

Table::Table(std::vector<std::string> titles) : titles_(std::move(titles)) {}

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

std::string Table::Render(const Style& style) const {
  const std::vector<size_t> widths = Widths(style);
  std::string text;
  const auto add_line = [&](const auto& cells, const auto& plain, const auto& shown) {
    // Spaces are owed until another cell comes, so that none are at the end of a line.
    size_t owed = 0;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = plain(cells[i]);
      if (!cell.empty()) {
        text.append(owed, ' ');
        text += shown(cells[i]);
        owed = 0;
      }
      owed += widths[i] - DisplayWidth(cell) + kGap.size();
    }
    text += '\n';
  };
  const auto title = [](const std::string& name) { return name; };
  if (style.headers) add_line(titles_, title, title);
  for (const std::vector<Cell>& row : rows_) {
    add_line(
        row, [&](const Cell& cell) { return Printable(cell.text, style.utf8); },
        [&](const Cell& cell) { return Toned(cell.text, cell.tone, style); });
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

nlohmann::ordered_json Document(std::string_view kind) {
  return {{"apiVersion", "fedra.dev/v1alpha1"}, {"kind", kind}};
}

std::string ToText(const nlohmann::ordered_json& document, Format format) {
  if (format == Format::kYaml) return ToYaml(document);
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace fedra::cli
