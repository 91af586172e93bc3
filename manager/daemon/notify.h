#pragma once
//
// Tells systemd how the daemon is doing (sd_notify(3)). Does nothing outside of a Type=notify unit.
//
// Thread rules: any thread.

#include <string_view>

namespace fedra {

// For example "READY=1", "STOPPING=1", "STATUS=3 workers connected".
void NotifySystemd(std::string_view state);

}  // namespace fedra
