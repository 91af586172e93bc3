#pragma once
//
// What there is room for: which lines a screen of some height has, and which rows a filter leaves.
// Both who draws and who moves the selection need to know. Pure.

#include <cstddef>
#include <string>
#include <vector>

#include "manager/cli/screen/model.h"

namespace fedra::cli::screen {

// From top to bottom. What is left out first on a low screen: warnings, titles of columns, the bar,
// what the keys do.
struct Layout {
  size_t bar = 0;       // what is shown, and how old it is
  size_t warnings = 0;  // a problem, and the document's
  size_t titles = 0;    // of columns
  size_t body = 1;      // rows, or lines
  size_t keys = 0;      // what can be pressed, or what is being typed
};
Layout LayoutOf(const View& view, const Size& size);

// The rows, or lines, of the view's document that its filter leaves, by index.
std::vector<size_t> Shown(const View& view);
// The key of a row: of its index in the document; empty: there is none.
std::string KeyAt(const View& view, size_t index);

// After a change: the selected row stays selected while it is there, else the one in its place is;
// and it is seen.
void KeepInView(View& view, const Size& size);

}  // namespace fedra::cli::screen
