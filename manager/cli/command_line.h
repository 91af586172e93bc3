#pragma once
//
// The command line: which subcommand with which options. The only room of CLI11 is command_line.cc.

namespace fedra::cli {

// Returns the process' exit code.
int Main(int argc, char** argv);

}  // namespace fedra::cli
