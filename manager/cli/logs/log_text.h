#pragma once
//
// The lines that a container has printed, as they are shown. Pure.

#include <string>
#include <string_view>

namespace fedra::cli {

struct LogLook {
  std::string prefix;    // of each line, with what stands behind it; empty: none
  bool terminal = true;  // only text, and no more of a line than its last state is shown
  bool utf8 = true;      // what a terminal can show
};

// Whole lines, each with an end of its own. For a terminal, which must obey nothing of it: of a
// line that overwrites itself (a progress bar) what stands last, tabs as blanks, and no other
// control character. For a file: as it came.
std::string LogText(std::string_view log, const LogLook& look);

}  // namespace fedra::cli
