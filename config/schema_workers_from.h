#pragma once
//
// The part of schema.h that describes `workersFrom`. Private to this folder.
//
// Lifetime: as of schema.h.

#include "config/schema.h"

namespace fedra::config {

Fields DescribeWorkersFrom(WorkersFrom& from);

}  // namespace fedra::config
