#pragma once
//
// Hashes of reasons, by their facts: another wording of the same facts has the same hash. Stable
// over processes, so they may be stored. Pure.

#include <cstdint>

#include "verdict/reason.h"

namespace fedra::verdict {

// Everything that the reason says. `seed`: a hash of what came before.
uint64_t HashOf(const Reason& reason, uint64_t seed);
// What of it outlasts a restart: without who holds devices, for holders come and go
// while the reason stays the same; and without times, which a new process counts from its start.
uint64_t LastingHash(const Reason& reason, uint64_t seed);

}  // namespace fedra::verdict
