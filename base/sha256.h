#pragma once
//
// SHA-256: where two texts must never be taken for each other, even if an attacker chose them.
//
// Thread rules: pure function.

#include <string>
#include <string_view>

namespace fedra {

// 32 bytes.
std::string Sha256(std::string_view bytes);

}  // namespace fedra
