#pragma once
//
// The command line: which subcommand with which options. The only rooms of CLI11 are
// command_line.cc and *_options.cc.

#include <string>

namespace fedra::cli {

// Returns the process' exit code.
int Main(int argc, const char* const* argv);

// docs/commands.md.
std::string CommandsPage();

}  // namespace fedra::cli
