#pragma once
//
// URLs as Go's net/url parses them (ParseRequestURI, then Parse for the parts).
//
// Thread rules: plain values and pure functions.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace fedra::cel {

struct UrlParts {
  std::string text;      // normalised, for comparison
  std::string scheme;    // lower case
  std::string host;      // with the port and, for IPv6, the brackets
  std::string hostname;  // without
  std::string port;
  std::string escaped_path;
  std::vector<std::pair<std::string, std::vector<std::string>>>
      query;  // decoded, in order of appearance
};

// Absolute URLs and absolute paths only.
Result<UrlParts> ParseUrl(std::string_view text);

}  // namespace fedra::cel
