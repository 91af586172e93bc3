#pragma once
//
// What the screen shows: lines of cells, and what has to be written to a terminal to turn one frame
// into another.
//
// Fitted() makes every text printable (text::Printable), others' too: no line that went through it
// can move the cursor, set a title or break. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "manager/text/output.h"

namespace fedra::cli::screen {

struct Size {
  size_t width = 80;
  size_t height = 24;
  bool operator==(const Size&) const = default;
};

enum class Weight {
  kNormal,
  kBold,     // titles of columns
  kInverse,  // bars, and the selected row: as wide as the screen
};

struct Line {
  std::vector<text::Cell> cells;
  Weight weight = Weight::kNormal;
  bool operator==(const Line&) const = default;
};

// As many lines as the terminal has, each fitted to its width.
using Frame = std::vector<Line>;

// One cell.
Line LineOf(std::string text, text::Tone tone = text::Tone::kPlain,
            Weight weight = Weight::kNormal);
// Made printable, and cut to `width` columns.
Line Fitted(Line line, size_t width, bool utf8);
// At most `width` columns of a printable text: it ends in dots where it was longer.
std::string Cut(const std::string& printable, size_t width);
// Without tones.
std::string TextOf(const Line& line);

// What to write when `shown` is on the terminal: the lines that differ, and nothing else. Empty:
// nothing to do. An empty `shown` is a cleared screen.
std::string Changes(const Frame& shown, const Frame& next, size_t width, bool color);

}  // namespace fedra::cli::screen
