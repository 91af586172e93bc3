#pragma once
//
// Values as text: for error messages, conversions to string and the --explain tree.
//
// Thread rules: pure functions.

#include <string>
#include <string_view>

#include "cel/bounded_text.h"
#include "cel/value.h"

namespace fedra::cel {

// Go's %g: "1", "0.5", "1e+06", "NaN", "+Inf".
std::string FormatDouble(double value);
// Seconds with as many digits as needed: "1.5s".
std::string FormatDuration(int64_t nanoseconds);
// RFC 3339 with the offset the timestamp was written with.
std::string FormatTimestamp(const Value& timestamp);

// As error messages show a value: texts without quotes.
void AppendDisplayText(const Value& value, BoundedText& out);
// The same; lists and maps are cut after a megabyte.
std::string DisplayText(const Value& value);
// As CEL source: texts in quotes. Cut after a megabyte.
std::string SourceText(const Value& value);
// Double quotes and backslashes escaped, control characters as CEL escapes (strings.quote).
std::string Quoted(std::string_view text);

}  // namespace fedra::cel
