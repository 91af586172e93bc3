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
constexpr size_t kLeastOfLast = 12;
constexpr size_t kLeastOfFirst = 8;

std::string CellText(const Value& value, WallTime now) {
  return value.since ? value.before + FormatAge(now - *value.since) + value.text : value.text;
}

}  // namespace

Columns::Columns(const Document& document, const std::vector<size_t>& rows, WallTime now,
                 size_t width, bool utf8)
    : document_(document), now_(now), utf8_(utf8) {
  const size_t room = width - std::min(kMark, width);
  std::vector<Shown> all;
  for (size_t i = 0; i < document.columns.size(); ++i) all.push_back({i, Widest(i, rows)});
  if (all.empty()) return;
  // A long name is cut before anything is left out.
  all.front().width = std::min(all.front().width, std::max(room / 2, kLeastOfFirst));
  all.back().width = std::min(all.back().width, kLeastOfLast);
  const auto rank = [&](const Shown& each) { return document_.columns[each.index].rank; };
  std::ranges::sort(all, {}, [&](const Shown& each) { return std::pair(rank(each), each.index); });
  for (const Shown& each : all) {
    const size_t gap = shown_.empty() ? 0 : kGapWidth;
    if (rank(each) == 0 || Width() + gap + each.width <= room) shown_.push_back(each);
  }
  std::ranges::sort(shown_, {}, &Shown::index);
}

size_t Columns::Widest(size_t column, const std::vector<size_t>& rows) const {
  size_t widest = text::DisplayWidth(document_.columns[column].title);
  for (const size_t row : rows) {
    const std::string text = CellText(document_.rows[row].values[column], now_);
    widest = std::max(widest, text::DisplayWidth(text::Printable(text, utf8_)));
  }
  return widest;
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
  std::vector<text::Cell> cells = Cells(row);
  if (!is_selected) return LineFrom(std::move(cells), Weight::kNormal, "  ");
  // One colour over the whole row is easier to read.
  for (text::Cell& cell : cells) cell.tone = text::Tone::kPlain;
  return LineFrom(std::move(cells), Weight::kInverse, "> ");
}

}  // namespace fedra::cli::screen
