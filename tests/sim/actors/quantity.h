#pragma once
//
// Kubernetes quantities, as far as quota needs them: thousandths as integers.
//
// Thread rules: free functions on values.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tests/sim/api/json.h"

namespace fedra::sim {

// Amounts by resource name, in thousandths.
using Amounts = std::map<std::string, int64_t, std::less<>>;

// "500m", "2", "4Gi", or a JSON number. Nothing that can be read: 0.
int64_t ParseMilli(const Json& quantity);
// "2" or "1500m".
std::string FormatMilli(int64_t milli);

// What one pod of this spec asks for: the sum of its containers, or its largest init container.
Amounts PodRequests(const Json& pod_spec);

}  // namespace fedra::sim
