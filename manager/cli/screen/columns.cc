#include "manager/cli/screen/columns.h"

#include <algorithm>
#include <utility>

#include "base/time.h"
#include "manager/text/display_text.h"

namespace fedra::cli::screen {
namespace {

constexpr size_t kMark = 2;  // columns before each row
constexpr size_t kGapWidth = 2;
// What a last column needs to say anything, where others are before it.
constexpr size_t kLeastOfLast = 16;

std::string CellText(const Value& value, WallTime now) {
  return value.since ? FormatAge(now - *value.since) : value.text;
}

}  // namespace

Columns::Columns(const Document& document, const std::vector<size_t>& rows, WallTime now,
                 size_t width, bool utf8)
    : document_(document), now_(now), utf8_(utf8) {
  for (size_t i = 0; i < document.columns.size(); ++i) {
    size_t widest = text::DisplayWidth(document.columns[i].title);
    for (const size_t row : rows)
      widest = std::max(widest, text::DisplayWidth(text::Printable(
                                    CellText(document.rows[row].values[i], now), utf8)));
    const bool is_last = i + 1 == document.columns.size();
    shown_.push_back({i, is_last ? std::min(widest, kLeastOfLast) : widest});
  }
  // A long name is cut before anything is left out.
  const size_t room = width - std::min(kMark, width);
  if (!shown_.empty())
    shown_.front().width = std::min(shown_.front().width, std::max<size_t>(room / 2, 8));
  while (Width() > room && shown_.size() > 1) {
    const auto least = std::ranges::max_element(
        shown_, {}, [&](const Shown& each) { return document_.columns[each.index].rank; });
    if (document_.columns[least->index].rank == 0) break;
    shown_.erase(least);
  }
}

size_t Columns::Width() const {
  size_t width = 0;
  for (const Shown& each : shown_) width += (width > 0 ? kGapWidth : 0) + each.width;
  return width;
}

std::vector<text::Cell> Columns::Cells(const Row& row) const {
  std::vector<text::Cell> cells;
  for (const Shown& each : shown_) {
    const Value& value = row.values[each.index];
    cells.emplace_back(text::Printable(CellText(value, now_), utf8_), value.tone);
  }
  return cells;
}

// The last cell is as wide as it is: who fits the line cuts it.
Line Columns::LineFrom(std::vector<text::Cell> cells, Weight weight, std::string begin) const {
  Line line{{text::Cell(std::move(begin))}, weight};
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool is_last = i + 1 == cells.size();
    if (is_last) {
      line.cells.push_back(std::move(cells[i]));
      break;
    }
    std::string shown = Cut(cells[i].text, shown_[i].width);
    const size_t owed = shown_[i].width - text::DisplayWidth(shown) + kGapWidth;
    line.cells.emplace_back(std::move(shown), cells[i].tone);
    line.cells.emplace_back(std::string(owed, ' '));
  }
  return line;
}

Line Columns::Titles() const {
  std::vector<text::Cell> titles;
  for (const Shown& each : shown_) titles.emplace_back(document_.columns[each.index].title);
  return LineFrom(std::move(titles), Weight::kBold, std::string(kMark, ' '));
}

Line Columns::Of(const Row& row, bool is_selected) const {
  return LineFrom(Cells(row), is_selected ? Weight::kInverse : Weight::kNormal,
                  is_selected ? "> " : "  ");
}

}  // namespace fedra::cli::screen
