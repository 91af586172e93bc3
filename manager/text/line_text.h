#pragma once
//
// A workload's place in line, for people. Pure.

#include <set>
#include <span>
#include <string>

#include "store/rows.h"

namespace fedra::text {

// "3rd in line for gpu.example.com on gpu-east, gpu-west, 5th on gpu-south; passed twice by other
// jobs; no other job passes it any more: the bound of its order is reached; devices of gpu-east are
// kept for it". Empty: it is in no line. `places`: of one workload; they and their workers are
// named in this order. `classes`: whose devices it waits for, as far as is known.
std::string LineText(std::span<const store::PlaceRow> places,
                     const std::set<std::string>& classes = {});

// "1st on gpu-west, 4th on gpu-east": for a table; "-": it is in no line.
std::string PlacesText(std::span<const store::PlaceRow> places);

}  // namespace fedra::text
