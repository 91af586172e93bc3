#pragma once
//
// Text from outside on a terminal: what it may contain, and how wide it is.
//
// Messages come from API servers and from users' objects: none of them may move the cursor, set a
// title or break a line. Pure functions on UTF-8.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fedra::text {

// The text on one line: control characters become spaces, invisible direction marks go, bytes that
// are no UTF-8 become '?'. Without `utf8` everything beyond ASCII does too, but for "·", which
// becomes "-".
std::string Printable(std::string_view text, bool utf8 = true);

// Columns on a terminal: combining marks take none, East Asian wide characters and emoji two.
size_t DisplayWidth(std::string_view printable);

// At most `width` columns; what is longer ends in "...".
std::string Shortened(const std::string& printable, size_t width);

// Lines of at most `width` columns, broken at spaces where there are some; never empty.
std::vector<std::string> Wrapped(std::string_view printable, size_t width);

// A text made printable, as lines of at most `width` columns (0: of any width). Its own line ends
// count where lines begin with " | ", which show a place in an expression: those are not broken,
// and of long ones the part around the caret below is kept.
std::vector<std::string> Lines(std::string_view text, size_t width, bool utf8);

// "-" for nothing, as kubectl prints it.
std::string OrDash(const std::string& text);

}  // namespace fedra::text
