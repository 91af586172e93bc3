#pragma once
//
// What Kubernetes accepts as names, label keys and label values.
// Source: apimachinery/pkg/util/validation/validation.go of Kubernetes 1.36.
// Thread rules: pure functions.

#include <cstddef>
#include <string_view>

namespace fedra {

inline constexpr size_t kMaxDnsLabel = 63;  // also of a label's name and value
inline constexpr size_t kMaxDnsSubdomain = 253;

// [a-z0-9]([-a-z0-9]*[a-z0-9])?, of any length.
bool IsDnsPart(std::string_view text);
// Parts joined by dots, of any length.
bool IsDottedDnsParts(std::string_view text);
// RFC 1123: a part of at most 63 characters.
bool IsDnsLabel(std::string_view text);
// Parts, of any length, joined by dots; at most 253 characters.
bool IsDnsSubdomain(std::string_view text);

// [A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?, of any length.
bool IsLabelPart(std::string_view text);
// Empty, or a part of at most 63 characters.
bool IsLabelValue(std::string_view text);
// "name" or "dns.subdomain/name": the syntax of label keys and resource names.
bool IsQualifiedName(std::string_view text);

}  // namespace fedra
