#pragma once
//
// Which types of facts come with which code: for docs/reasons.md, and for programs that want to
// know what they may find beside a code.
//
// Pure; the names are those of kFactTypes.

#include <string_view>
#include <vector>

#include "verdict/reason.h"

namespace fedra::verdict {

// "Missing", ...; never empty. A Sentence, which rows of an earlier release have, may come with
// every code and is not named.
std::vector<std::string_view> FactTypesOf(ReasonCode code);
// Whether these facts may come with the code.
bool AreOf(const Facts& facts, ReasonCode code);
// "Missing"
std::string_view TypeOf(const Facts& facts);

}  // namespace fedra::verdict
