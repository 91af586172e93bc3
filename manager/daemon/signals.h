#pragma once
//
// The signals that end or nudge the daemon: taken by the main thread only, between two ticks.
//
// Thread rules: the main thread; BlockSignals before there is another one, as threads inherit it.

#include <chrono>
#include <csignal>

namespace fedra {

// SIGTERM, SIGINT and SIGHUP wait from now on; SIGPIPE is ignored.
sigset_t BlockSignals();
// The next of them within `limit`, which is less than a second; 0: none came.
int WaitForSignal(const sigset_t& signals, std::chrono::milliseconds limit);
// Whether a signal that ends the daemon waits to be taken.
bool IsToEnd();

}  // namespace fedra
