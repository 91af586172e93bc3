#pragma once
//
// Taking a finalizer off an object. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace fedra::tracking {

// The merge patch that leaves an object the finalizers `all` but for `taken`; bound to its UID and
// to the version that has `all`: the list is written as a whole.
std::string WithoutFinalizer(const std::string& uid, const std::vector<std::string>& all,
                             std::string_view taken, const ResourceVersion& version);

}  // namespace fedra::tracking
