#pragma once
//
// A reason of every type of facts in which no field is empty, so that every field is written.

#include <vector>

#include "verdict/reason.h"

namespace fedra::testing {

std::vector<verdict::Reason> FullReasons();

}  // namespace fedra::testing
