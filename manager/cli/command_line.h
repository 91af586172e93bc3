#pragma once
//
// The command line: which subcommand with which options. The only rooms of CLI11 are
// command_line.cc and command_options.cc.

#include <string>

namespace fedra::cli {

// Returns the process' exit code.
int Main(int argc, char** argv);

// docs/commands.md.
std::string CommandsPage();

}  // namespace fedra::cli
