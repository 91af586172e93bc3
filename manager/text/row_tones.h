#pragma once
//
// The colours of the states in the store's rows. Pure.

#include <string_view>

#include "manager/text/output.h"
#include "store/rows.h"

namespace fedra::text {

// kPlain for a word of another version of fedra.
Tone ToneOf(const store::WorkloadRow& row);
Tone ToneOf(const store::ClusterRow& row);
Tone ToneOfOutcome(std::string_view verdict_outcome);

}  // namespace fedra::text
