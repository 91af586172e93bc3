#pragma once
//
// Regular expressions: RE2, the family of Go's regexp package. The only room of re2.h besides
// program.cc.
//
// Known differences to Go (checked in tests): RE2 of Debian 12 does not know (?<name>...), accepts
// \C, and reads a repeat count of nine digits as a literal; these differences are removed here.
// Patterns whose program would exceed RE2's memory budget of 8 MiB are errors, as are the names of
// Unicode classes that Go knows from 1.25 on (docs/cel.md).
//
// Thread rules: compiled expressions may be used from any thread.

#include <memory>
#include <string_view>

#include "base/result.h"
#include "cel/evaluation.h"

namespace re2 {
class RE2;
}

namespace fedra::cel {

Result<std::unique_ptr<re2::RE2>> CompileRegex(std::string_view pattern);

bool IsValidRegex(std::string_view pattern);

// Unanchored search.
bool RegexMatches(const re2::RE2& regex, std::string_view text);
// The leftmost match, a part of `text`; the empty string if there is none.
Value RegexFind(const re2::RE2& regex, std::string_view text);
// All matches that do not overlap, at most `limit` unless it is negative.
Value RegexFindAll(Evaluation& evaluation, const re2::RE2& regex, std::string_view text,
                   int64_t limit);

}  // namespace fedra::cel
