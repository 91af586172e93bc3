#pragma once
//
// The part of schema.h that describes one entry of `kinds`. Private to this folder.
//
// Lifetime: as of schema.h.

#include "config/schema.h"

namespace fedra::config {

Fields DescribeKind(KindSettings& kind);

}  // namespace fedra::config
