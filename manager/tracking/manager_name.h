#pragma once

#include <string_view>

namespace fedra::tracking {

// What the management cluster is called where workers have names: in the store, in metrics and
// logs. The configuration refuses it as the name of a worker.
inline constexpr std::string_view kManagerName = "manager";

}  // namespace fedra::tracking
