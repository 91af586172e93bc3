#pragma once
//
// Where a command writes, and what can be shown there.
//
// Thread rules: a plain value; StandardTerminal reads the environment and sets the character
// locale, once, at start.

#include <cstddef>
#include <iosfwd>
#include <string>

#include "manager/text/output.h"

namespace fedra::cli {

struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool out_is_tty = false;
  bool color = false;        // decided from --color, NO_COLOR and whether `out` is a terminal
  bool utf8 = true;          // what the locale can show; files get UTF-8
  size_t width = 0;          // of a line in columns: $COLUMNS, the terminal's, or 120; 0: no limit
  size_t height = 0;         // lines of a terminal; 0: not known, or none
  bool moves_cursor = true;  // false: $TERM is dumb, or there is none
};

// Standard output and error. `color`: "auto", "always" or "never".
Terminal StandardTerminal(const std::string& color);

text::Style StyleOf(const Terminal& terminal, bool headers = true);

}  // namespace fedra::cli
