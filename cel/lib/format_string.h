#pragma once
//
// "%s has %d".format([...]): the format string, for the checker and for the evaluator.
//
// Thread rules: pure functions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/bounded_text.h"
#include "cel/type.h"
#include "cel/value.h"

namespace fedra::cel {

// Either literal text or one clause (%s %d %f %e %b %x %X %o).
struct FormatPiece {
  std::string text;
  char verb = '\0';              // '\0': literal text
  std::optional<int> precision;  // "%.3f"
};

Result<std::vector<FormatPiece>> ParseFormatString(std::string_view format);

// The longest text that "".format() makes; cel-go has no limit but that of its memory.
inline constexpr size_t kLongestFormattedText = size_t{4} << 20;

// Appends the text of one argument. Takes a step for each part of a list or map. When the steps are
// exhausted or `out` is full, the text is incomplete and the evaluation must be aborted.
Result<void> FormatArgument(const FormatPiece& piece, const Value& argument, Steps& steps,
                            BoundedText& out);

// Why an argument of this static type cannot be formatted by the clause; nothing if it can, or may.
std::optional<std::string> FormatTypeProblem(char verb, const Type& type);

}  // namespace fedra::cel
