#pragma once
//
// In which keys two configurations differ. Pure.

#include <string>
#include <vector>

#include "config/configuration.h"

namespace fedra::config {

// The keys with their sections, by name: {"dispatch.policy", "store.path"}. A list that differs
// anywhere is one key: "workers".
std::vector<std::string> ChangedKeys(const Configuration& before, const Configuration& after);

}  // namespace fedra::config
