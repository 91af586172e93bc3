// Versions: what parses prints as it was, and both spellings of the order agree.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/semver.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t cut = text.find(' ');
  const auto left = fedra::Semver::Parse(text.substr(0, cut));
  const auto right =
      fedra::Semver::ParseNormalized(cut == std::string_view::npos ? text : text.substr(cut + 1));
  if (left && left->ToString() != text.substr(0, cut)) __builtin_trap();
  if (right && !fedra::Semver::Parse(right->ToString())) __builtin_trap();
  if (left && right && (*left < *right) != (*right > *left)) __builtin_trap();
  return 0;
}
