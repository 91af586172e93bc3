#pragma once
//
// What of a changed configuration the running daemon takes over. Pure.

#include "config/configuration.h"

namespace fedra {

// The configuration in use with what of a fresh one can be taken over at once.
config::Configuration TakeOver(const config::Configuration& used,
                               const config::Configuration& fresh);

}  // namespace fedra
