#pragma once
//
// `fedra status --watch` as a full screen: what it asks, asked of the store or of a daemon.
//
// Thread rules: one thread; the store and the daemon are asked on another one.

#include <string>

#include "manager/api/view.h"
#include "manager/cli/commands.h"
#include "manager/cli/screen/document.h"
#include "manager/cli/terminal/terminal.h"

namespace fedra::cli {

// Whether --watch is a full screen here: tables are asked for, and there is a terminal that moves
// its cursor and from which keys can be read.
bool HasScreen(const ViewOptions& options, const Terminal& terminal);

// Begins with `view`, or of kStatus with the jobs by state; `job` as of api::RenderView. Exit
// codes: 0, or 1 for options that make no sense.
int StatusScreen(api::View view, const std::string& job, const ViewOptions& options,
                 Terminal& terminal);

// The command line's options as far as they go for the question, and what it adds. Pure.
ViewOptions OptionsFor(const screen::Question& question, ViewOptions options);

}  // namespace fedra::cli
