#pragma once
//
// A view of the store, rendered here or by the daemon, as often as it is asked for.
//
// Thread rules: one thread.

#include <functional>
#include <string>

#include "base/result.h"
#include "manager/api/view.h"
#include "manager/cli/commands.h"
#include "manager/text/output.h"
#include "manager/text/view_settings.h"

namespace fedra::cli {

using Render = std::function<Result<text::Output>(const text::ViewSettings& settings)>;

// Of `options.store`, or by `options.daemon`.
Render RenderBy(api::View view, const ViewOptions& options, const std::string& job = {});

// How it is asked, as of now; the width is the terminal's. kInvalidArgument for options that make
// no sense.
Result<text::ViewSettings> SettingsOf(const ViewOptions& options, const Terminal& terminal);

// How long to wait before looking again: at a daemon elsewhere less often.
int LookAgainMilliseconds(const ViewOptions& options);

// As of now. kInvalidArgument for options that make no sense; else as of `render`.
Result<text::Output> RenderOnce(const ViewOptions& options, const Terminal& terminal,
                                const Render& render);

}  // namespace fedra::cli
