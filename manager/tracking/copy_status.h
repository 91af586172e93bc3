#pragma once
//
// What a copy's status says of the controllers on its worker, whatever its kind. Pure.

#include "manager/tracking/job.h"

namespace fedra::tracking {

// Whether it is empty, so that no controller has looked at the copy. False where the status is not
// known: of a job that is no copy of ours, and of a group.
bool HasNoStatus(const Job& copy);

}  // namespace fedra::tracking
