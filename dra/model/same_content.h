#pragma once
//
// Whether two readings of an object say the same about allocations: API servers send objects again
// when only their resourceVersion, their managedFields or a heartbeat has changed.
//
// Serials are left out, and what is shared is compared by content. Pure functions.

#include "dra/model/model.h"

namespace fedra::dra {

bool SameContent(const Slice& a, const Slice& b);
bool SameContent(const DeviceClass& a, const DeviceClass& b);
bool SameContent(const Claim& a, const Claim& b);
bool SameContent(const ClaimTemplate& a, const ClaimTemplate& b);
bool SameContent(const TaintRule& a, const TaintRule& b);
bool SameContent(const Node& a, const Node& b);

}  // namespace fedra::dra
