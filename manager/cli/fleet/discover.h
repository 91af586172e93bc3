#pragma once
//
// The workers that objects of the manager make, for commands: the same that the daemon
// finds (manager/discovery/discovered_access.h), asked for once.
//
// Thread rules: blocks; the main thread of a command.

#include <chrono>
#include <string>

#include "config/load.h"

namespace fedra::cli {

// Appends them to `loaded`, where workersFrom asks for it. Why they are not known, in one line;
// empty: they are, or need not be. What is wrong with one of them is in its own access.
std::string DiscoverWorkers(config::Loaded& loaded, std::chrono::milliseconds timeout);

}  // namespace fedra::cli
