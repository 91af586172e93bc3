#pragma once
//
// The daemon: wiring, start and stop order, signals; nothing else.

#include <string>

#include "manager/daemon/api_sources.h"

namespace fedra {

// Runs until SIGTERM or SIGINT; drains within five seconds. The process' exit code: 0 after a
// signal, 1 when it could not start (the reason is on stderr). Ends the process with
// kExitLostLease when it led and does not any more. Call from the main thread, before
// any other thread exists. `make_check`: what answers `check` for others.
int RunDaemon(const std::string& config_path, const MakeCheck& make_check);

}  // namespace fedra
