#pragma once
//
// The values of literal tokens. Thread rules: pure functions.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fedra::cel {

// The content of a quoted token, prefixes r/R, b/B and either quotes included. Newlines become
// "\n".
Result<std::string> Unquote(std::string_view token, bool bytes);

// Decimal or 0x. Nothing if it does not fit.
std::optional<int64_t> ParseIntLiteral(std::string_view digits, bool negative);
// With the trailing u or U.
std::optional<uint64_t> ParseUintLiteral(std::string_view token);
std::optional<double> ParseDoubleLiteral(std::string_view token);

// Appends a code point as UTF-8.
void AppendUtf8(std::string& text, uint32_t code_point);

}  // namespace fedra::cel
