#pragma once
//
// Where the texts of a support bundle come from, as they are before anything is taken out of them:
// what a command prints, a page of the daemon, the end of a log, the system.
//
// Thread rules: none of their own; they block.

#include <functional>
#include <string>

#include "base/result.h"
#include "manager/cli/terminal/terminal.h"

namespace fedra::cli {

// What one command printed.
struct Captured {
  int code = 0;
  std::string out;
  std::string err;
};

Captured Capture(const std::function<int(Terminal&)>& command);

// Kernel, machine and distribution.
std::string SystemText();
// `address`: as http.address has it. Ten seconds at most.
Result<std::string> FetchPage(const std::string& address, const std::string& path);
// Its last 20 MiB, from the beginning of a line; "-" is the standard input.
Result<std::string> LogEnd(const std::string& path);

}  // namespace fedra::cli
