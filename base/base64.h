#pragma once
//
// Standard base64 (RFC 4648 section 4), with padding.
//
// Thread rules: pure functions.

#include <optional>
#include <string>
#include <string_view>

namespace fedra {

// Without line breaks.
std::string Base64Encode(std::string_view bytes);

// Line breaks are ignored. nullopt when it is not base64.
std::optional<std::string> Base64Decode(std::string_view text);

}  // namespace fedra
