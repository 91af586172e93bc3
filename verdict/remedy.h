#pragma once
//
// What can be done about one reason: the catalogue's remedy (reason_code.h), without what its facts
// rule out. Pure.

#include <string_view>

#include "verdict/reason.h"

namespace fedra::verdict {

// The catalogue's; empty: the code is none of it.
std::string_view RemedyOf(ReasonCode code);
// Empty: nothing is to be done.
std::string_view RemedyOf(const Reason& reason);

}  // namespace fedra::verdict
