#include "cluster-clients/kube/url.h"

#include "base/ascii.h"

namespace fedra::kube {
namespace {

bool IsUnreserved(char c) {
  return IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string PercentEncode(std::string_view segment) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const bool dots = segment == "." || segment == "..";
  std::string text;
  text.reserve(segment.size());
  for (const char c : segment) {
    if (IsUnreserved(c) && !dots) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '%';
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

Query& Query::Add(std::string_view key, std::string_view value) {
  if (value.empty()) return *this;
  text_ += text_.empty() ? '?' : '&';
  text_ += PercentEncode(key);
  text_ += '=';
  text_ += PercentEncode(value);
  return *this;
}

}  // namespace fedra::kube
