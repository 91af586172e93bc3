#pragma once
//
// What to tell people about a selector that cannot be compiled or evaluated, as far as only the
// whole cluster shows it. Pure.

#include <string>

#include "dra/allocator/match.h"
#include "dra/model/snapshot.h"

namespace fedra::dra {

// With what separates it from the error before it: "; guard the use: ...", or, where no device of
// the cluster has the value, "; no device has attribute `model`; published are: ...". Empty: no
// advice.
std::string AdviceBehind(const SelectorFailure& failure, const Snapshot& snapshot);

}  // namespace fedra::dra
