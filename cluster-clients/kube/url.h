#pragma once
//
// Percent-encoding of path segments and queries (RFC 3986).

#include <string>
#include <string_view>

namespace fedra::kube {

// Everything but letters, digits and "-._~" is encoded; the segments "." and ".." entirely, because
// servers and libcurl resolve them.
std::string PercentEncode(std::string_view segment);

// Builds "?a=1&b=2". Empty values are left out.
class Query final {
 public:
  Query& Add(std::string_view key, std::string_view value);
  // Empty when nothing was added.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace fedra::kube
