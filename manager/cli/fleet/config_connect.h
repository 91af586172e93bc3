#pragma once
//
// Does every configured cluster answer, and may fedra do there what it must? Asks the clusters'
// access reviews; changes nothing.
//
// Thread rules: blocks; the main thread of a command.

#include <chrono>

#include "config/load.h"
#include "manager/cli/text/terminal.h"

namespace fedra::cli {

// One line for each cluster: on `out` when all is well, on `err` with what is wrong. False when
// something is. `loaded` is free of access problems.
bool ConnectAndReport(const config::Loaded& loaded, std::chrono::milliseconds timeout,
                      Terminal& terminal);

}  // namespace fedra::cli
