#pragma once
//
// What of a changed configuration the running daemon takes over. Pure.

#include <string>

#include "config/configuration.h"

namespace fedra {

// The configuration in use with what of a fresh one can be taken over at once.
config::Configuration TakeOver(const config::Configuration& used,
                               const config::Configuration& fresh);

// The keys, with their sections, in which two views (YAML) differ: "dispatch.policy, store.path".
std::string ChangedKeys(const std::string& before, const std::string& after);

}  // namespace fedra
