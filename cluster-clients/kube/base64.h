#pragma once
//
// Base64 as in RFC 4648, with padding, without line breaks.

#include <string>
#include <string_view>

namespace fedra::kube {

std::string Base64Encode(std::string_view bytes);

}  // namespace fedra::kube
