// Quantities: any two texts. What parses must print as something equal, compare consistently and
// add up.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t cut = text.find(' ');
  const auto left = fedra::Quantity::Parse(text.substr(0, cut));
  const auto right =
      fedra::Quantity::Parse(cut == std::string_view::npos ? "1" : text.substr(cut + 1));
  if (!left || !right) return 0;
  const auto again = fedra::Quantity::Parse(left->ToString());
  if (!again || *again != *left) __builtin_trap();
  if ((*left < *right) != (*right > *left) || (*left == *right) != (*right == *left))
    __builtin_trap();
  if (left->Value() < 0 && left->Sign() > 0) __builtin_trap();
  (void)left->MilliValue();
  (void)left->AsInt64();
  (void)left->AsApproximateDouble();
  if (const auto sum = left->Add(*right)) {
    const auto back = sum->Sub(*right);
    if (back && *back != *left) __builtin_trap();
  }
  return 0;
}
