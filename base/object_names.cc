#include "base/object_names.h"

#include <algorithm>

#include "base/ascii.h"

namespace fedra {

bool IsDnsPart(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

bool IsDottedDnsParts(std::string_view text) {
  while (true) {
    const size_t dot = text.find('.');
    if (!IsDnsPart(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsDnsLabel(std::string_view text) { return text.size() <= kMaxDnsLabel && IsDnsPart(text); }

bool IsDnsSubdomain(std::string_view text) {
  return text.size() <= kMaxDnsSubdomain && IsDottedDnsParts(text);
}

bool IsLabelPart(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsLabelValue(std::string_view text) {
  return text.empty() || (text.size() <= kMaxDnsLabel && IsLabelPart(text));
}

bool IsQualifiedName(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return !text.empty() && IsLabelValue(text);
  const std::string_view name = text.substr(slash + 1);
  return IsDnsSubdomain(text.substr(0, slash)) && !name.empty() && IsLabelValue(name);
}

}  // namespace fedra
