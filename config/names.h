#pragma once
//
// Name rules of Kubernetes, and which known name a mistyped one probably means.
// Thread rules: pure functions.

#include <string>
#include <string_view>
#include <vector>

namespace fedra::config {

// RFC 1123: lower-case letters, digits and "-", starting and ending with a letter or digit; at
// most 63.
bool IsDnsLabel(std::string_view text);
// Parts like labels, but of any length, joined by dots; at most 253. (IsDNS1123Subdomain of
// Kubernetes 1.36.)
bool IsDnsSubdomain(std::string_view text);
// At most 63 letters, digits, "-", "_" and ".", starting and ending with a letter or digit; may be
// empty.
bool IsLabelValue(std::string_view text);
// "name" or "dns.subdomain/name": the syntax of label keys and resource names.
bool IsQualifiedName(std::string_view text);

// The candidate that differs from `text` in the fewest letters, when these are few; else empty.
std::string ClosestName(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace fedra::config
