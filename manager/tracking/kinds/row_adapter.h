#pragma once
//
// Runs any row of the table through the seam of JobAdapter.

#include <memory>

#include "manager/tracking/job.h"
#include "manager/tracking/kinds/kind_row.h"

namespace fedra::tracking {

std::unique_ptr<const JobAdapter> MakeRowAdapter(KindRow row);

}  // namespace fedra::tracking
