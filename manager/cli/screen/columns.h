#pragma once
//
// Rows as lines of columns, for a screen of any width. Pure.

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "manager/cli/screen/document.h"
#include "manager/cli/screen/frame.h"

namespace fedra::cli::screen {

class Columns final {
 public:
  // Of these rows of the document: as wide as their widest cell, but for the first one, which
  // leaves room for others, and the last one, which gets what is left. Where there is not room for
  // all, those of the lowest ranks that fit are shown. The document must outlive this.
  Columns(const Document& document, const std::vector<size_t>& rows, WallTime now, size_t width,
          bool utf8);

  Line Titles() const;
  // "> " stands before the selected one, so that it needs no colours to be seen.
  Line Of(const Row& row, bool is_selected) const;

 private:
  struct Shown {
    size_t index;  // in the document
    size_t width;
  };
  size_t Widest(size_t column, const std::vector<size_t>& rows) const;
  size_t Width() const;
  std::vector<text::Cell> Cells(const Row& row) const;
  Line LineFrom(std::vector<text::Cell> cells, Weight weight, std::string begin) const;

  const Document& document_;
  const WallTime now_;
  const bool utf8_;
  std::vector<Shown> shown_;
};

}  // namespace fedra::cli::screen
