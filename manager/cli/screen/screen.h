#pragma once
//
// The full screen of `fedra status --watch`: the model, the terminal and the fetcher, put together.
//
// Thread rules: one thread, and the fetcher's.

#include <iosfwd>

#include "manager/cli/screen/fetcher.h"
#include "manager/cli/screen/model.h"

namespace fedra::cli::screen {

struct Settings {
  Question first;     // what is seen first
  std::string scope;  // as of Model
  bool color = true;
  bool utf8 = true;
};

// Whether there is a terminal to show it on and to take keys from.
bool IsPossible();

// Until "q", or until the terminal has gone. A signal that ends the process ends it as ever, when
// the terminal is as it was.
void Show(const Settings& settings, Source source, std::ostream& out);

}  // namespace fedra::cli::screen
