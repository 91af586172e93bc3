#pragma once
//
// Quantity: the exact decimal numbers of Kubernetes ("80Gi", "500m", "1.5e3").
//
// Parsing follows k8s.io/apimachinery pkg/api/resource 1.36: suffixes n u m (none) k M G T P E, Ki
// Mi Gi Ti Pi Ei, decimal exponents; digits below nano are rounded away from zero; values that
// apimachinery would keep in its big form are capped at 2^63-1. Numbers are never floating point.
//
// Thread rules: a plain value.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fedra {

class Quantity final {
 public:
  // How ToString() writes the number: apimachinery keeps the notation of the input.
  enum class Format : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  Quantity() = default;  // zero
  explicit Quantity(int64_t value) : unscaled_(value) {}

  static Result<Quantity> Parse(std::string_view text);

  // Exact comparison by value: "1Gi" equals "1024Mi" equals "1073741824".
  std::strong_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

  // -1, 0, 1.
  int Sign() const { return unscaled_ < 0 ? -1 : unscaled_ > 0 ? 1 : 0; }
  // The number if it is an integer of 64 bits.
  std::optional<int64_t> AsInt64() const;
  // apimachinery's Value(): rounded up (away from zero) to an integer, saturated at 64 bits.
  int64_t Value() const { return ScaledValue(0); }
  // apimachinery's MilliValue(): the same in thousandths.
  int64_t MilliValue() const { return ScaledValue(-3); }
  double AsApproximateDouble() const;

  // Exact sum and difference; nothing if it needs more than 38 digits. The format is the left
  // one's, or the right one's if the left is zero.
  std::optional<Quantity> Add(const Quantity& other) const;
  std::optional<Quantity> Sub(const Quantity& other) const;

  // Canonical form: "1536Mi", "1500m", "12e6".
  std::string ToString() const;
  Format format() const { return format_; }

 private:
  __extension__ using Int128 = __int128;

  Quantity(Int128 unscaled, int32_t scale, Format format);
  int64_t ScaledValue(int32_t scale) const;

  // The number is unscaled_ * 10^scale_.
  Int128 unscaled_ = 0;
  int32_t scale_ = 0;
  Format format_ = Format::kDecimalSI;
};

}  // namespace fedra
