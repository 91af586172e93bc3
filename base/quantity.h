#pragma once
//
// Quantity: the exact decimal numbers of Kubernetes ("80Gi", "500m", "1.5e3").
//
// Parsing follows k8s.io/apimachinery pkg/api/resource 1.36: suffixes n u m (none) k M G T P E, Ki
// Mi Gi Ti Pi Ei, decimal exponents; digits below nano are rounded away from zero; a binary number
// that does not fit 64 bits is capped at 2^63-1. Numbers are never floating point. One deliberate
// limit: apimachinery's numbers grow without bound, ours have at most 38 digits and say so.
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

  constexpr Quantity() = default;  // zero
  explicit constexpr Quantity(int64_t value) : unscaled_(value) {}

  static Result<Quantity> Parse(std::string_view text);

  // Exact comparison by value: "1Gi" equals "1024Mi" equals "1073741824".
  std::strong_ordering operator<=>(const Quantity& other) const {
    return scale_ == other.scale_ ? unscaled_ <=> other.unscaled_ : CompareScaled(other);
  }
  bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

  // -1, 0, 1.
  int Sign() const { return unscaled_ < 0 ? -1 : unscaled_ > 0 ? 1 : 0; }
  // apimachinery's AsInt64(), which also decides CEL's isInteger(): nothing for a number that was
  // written with a fraction ("1.5Gi", "1000m"), whatever its value, and for what does not fit 64
  // bits.
  std::optional<int64_t> AsInt64() const;
  // The next integer away from zero, saturated at 64 bits (apimachinery's Value()).
  int64_t Value() const { return ScaledValue(0); }
  // The same in thousandths (apimachinery's MilliValue()).
  int64_t MilliValue() const { return ScaledValue(-3); }
  double AsApproximateDouble() const;

  // Exact sum and difference; nothing if it needs more than 38 digits. The format is the left
  // one's, or the right one's if the left is zero.
  std::optional<Quantity> Add(const Quantity& other) const;
  // The exact sum where Add() has one; else a number that is not below it. For sums of what is
  // wanted or taken: one that cannot be written must not look small.
  Quantity AddUp(const Quantity& other) const;
  std::optional<Quantity> Sub(const Quantity& other) const;
  // Product; digits below nano are rounded away from zero. Nothing if it needs more than 38 digits.
  // The format is the left one's.
  std::optional<Quantity> Mul(const Quantity& other) const;

  // Canonical form: "1536Mi", "1500m", "12e6".
  std::string ToString() const;
  Format format() const { return format_; }

 private:
  __extension__ using Int128 = __int128;

  constexpr Quantity(Int128 unscaled, int32_t scale, Format format, bool big)
      : unscaled_(unscaled), scale_(scale), format_(format), big_(big) {}

  friend class QuantityParser;
  std::strong_ordering CompareScaled(const Quantity& other) const;
  int64_t ScaledValue(int32_t scale) const;
  std::string BinaryString() const;
  std::string DecimalString(Format format) const;

  // The number is unscaled_ * 10^scale_, |unscaled_| < 10^38.
  Int128 unscaled_ = 0;
  int32_t scale_ = 0;
  Format format_ = Format::kDecimalSI;
  // Whether apimachinery would hold this number as inf.Dec instead of as an int64 with a scale. It
  // shows in AsInt64() only.
  bool big_ = false;
};

}  // namespace fedra
