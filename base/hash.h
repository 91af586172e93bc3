#pragma once
//
// Content hashes. Stable over processes and machines, so they may be stored and compared later.

#include <cstdint>
#include <string>
#include <string_view>

namespace fedra {

// FNV-1a, 64 bit: for "did this change", never for security.
constexpr uint64_t Hash64(std::string_view bytes, uint64_t seed = 0xcbf29ce484222325ULL) {
  for (const char c : bytes) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return seed;
}

// Sixteen lower-case hex digits.
std::string HashHex(std::string_view bytes);

}  // namespace fedra
