#pragma once
//
// Internal to the command line: where a command learns of a job, from the store or from a daemon.
//
// Thread rules: one thread, at start.

#include <functional>

#include "manager/cli/command_options.h"

namespace fedra::cli {

// The job that a command is about.
void AddJob(CLI::App& app, Parsed& parsed);

// Where a view comes from, and of which namespace. `config`: as of AddConfig.
void AddSource(CLI::App& app, Parsed& parsed, const char* config = "-c,--config");

// Runs it with the store, or the daemon, that `parsed.view` names then. The exit code.
int WithStoreOrDaemon(Parsed& parsed, Terminal& terminal, const std::function<int()>& run);

}  // namespace fedra::cli
