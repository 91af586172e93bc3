#pragma once
//
// One copy of what many workloads ask for: of a thousand jobs of one template the demands are the
// same, and so is every verdict on them. What is made of demands may be kept by their address.
//
// Thread rules: any thread. Lifetime: a copy lives as long as one of its holders.

#include <string>

#include "manager/tracking/requirement.h"

namespace fedra::tracking {

// Equal demands of one namespace, whose templates and claims they name; the same pointer for as
// long as any of them lives. `made`: not null.
Demands SharedDemands(const std::string& ns, Demands made);

// How many there are.
size_t CountSharedDemands();

}  // namespace fedra::tracking
