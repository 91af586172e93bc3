#pragma once
//
// A workload's place in line, for people. Pure.

#include <span>
#include <string>

#include "store/rows.h"

namespace fedra::cli {

// "3rd in line on gpu-east and gpu-west, 5th on gpu-south; passed twice; gpu-east is kept for it".
// Empty: it stands in no line. `places`: of one workload, the first place first.
std::string LineText(std::span<const store::PlaceRow> places);

// "1st on gpu-west, 4th on gpu-east": for a table; "-": it stands in no line.
std::string PlacesText(std::span<const store::PlaceRow> places);

}  // namespace fedra::cli
