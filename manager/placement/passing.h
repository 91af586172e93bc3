#pragma once
//
// Internal to placement/: whether what stands against the workers now may pass by itself at once,
// and when to look again. Otherwise a worker that flaps, or one device that becomes free, would
// cost a write, an event and a line in the log for each of hundreds of jobs, for which nothing has
// changed. Pure.

#include <optional>

#include "manager/placement/context.h"
#include "manager/placement/select_workers.h"

namespace fedra::placement {

// When to look again for the choice; a resync ends by time, without an event.
std::optional<WallTime> WakeAt(const Context& context, const Choice& choice);
// Until when workers that have just lost contact may be back; nothing: there is none.
std::optional<WallTime> FlapEnd(const Context& context);
// Whether a worker has just come back and is about to answer, one has just gone and may be back at
// once, or a line that moves is about to stand.
bool MayPass(const Context& context);

}  // namespace fedra::placement
