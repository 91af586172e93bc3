#pragma once
//
// What leads to the next page of a list: words of ours that a client hands back, in the letters
// that URLs take (base64 of RFC 4648, section 5, without padding). Pure.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/base64.h"

namespace fedra::report {

inline std::string PageToken(std::string_view text) {
  std::string token = Base64Encode(text);
  std::ranges::replace(token, '+', '-');
  std::ranges::replace(token, '/', '_');
  token.erase(std::ranges::find(token, '='), token.end());
  return token;
}

// Nothing for what PageToken never made.
inline std::optional<std::string> TextOfPageToken(std::string token) {
  // Far more than three names of 253 bytes make.
  constexpr size_t kMost = 4096;
  if (token.size() > kMost) return std::nullopt;
  std::ranges::replace(token, '-', '+');
  std::ranges::replace(token, '_', '/');
  token.append((4 - token.size() % 4) % 4, '=');
  return Base64Decode(token);
}

}  // namespace fedra::report
