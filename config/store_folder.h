#pragma once
//
// Whether the store's file can be made, or used, where the configuration says. Looks as the user of
// this process; writes nothing.
//
// Source: deploy/systemd/fedra.service, whose StateDirectory= makes the default's folder.
// Thread rules: free function; any thread.

#include <optional>

#include "config/configuration.h"
#include "config/problem.h"

namespace fedra::config {

struct StoreFinding {
  Problem problem;
  bool fatal = true;  // false: it may be right for the daemon, which has another user
};

// Nullopt: nothing is wrong. `filename` is the configuration file's.
std::optional<StoreFinding> CheckStoreFolder(const StoreSettings& store,
                                             const std::string& filename);

}  // namespace fedra::config
