#pragma once
//
// Hashes of reasons, by their facts: another wording of the same facts has the same hash. Stable
// over processes, so they may be stored. Pure.

#include <cstdint>

#include "verdict/reason.h"

namespace fedra::verdict {

// Everything that the reason says. `seed`: a hash of what came before.
uint64_t HashOf(const Reason& reason, uint64_t seed);
// Without the names of those who hold devices: they come and go, and the same stands against the
// worker.
uint64_t HashWithoutHolders(const Reason& reason, uint64_t seed);

}  // namespace fedra::verdict
