#include "base/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/ascii.h"

namespace fedra {
namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

constexpr int kMaxDigits = 38;      // 10^38 < 2^127
constexpr int kMaxFastDigits = 18;  // apimachinery's maxInt64Factors
constexpr int32_t kNano = -9;
constexpr int32_t kMaxScale = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

constexpr std::array<Int128, kMaxDigits + 1> kPowersOfTen = [] {
  std::array<Int128, kMaxDigits + 1> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

Int128 PowerOfTen(int64_t exponent) { return kPowersOfTen[static_cast<size_t>(exponent)]; }
Int128 Magnitude(Int128 value) { return value < 0 ? -value : value; }

int DigitCount(Int128 magnitude) {
  int digits = 0;
  while (digits <= kMaxDigits && magnitude >= kPowersOfTen[static_cast<size_t>(digits)]) ++digits;
  return digits;
}

// value * 10^exponent if that has at most 38 digits.
std::optional<Int128> Scaled(Int128 value, int64_t exponent) {
  if (value == 0 || exponent == 0) return value;
  if (exponent > kMaxDigits || DigitCount(Magnitude(value)) + exponent > kMaxDigits)
    return std::nullopt;
  return value * PowerOfTen(exponent);
}

// value / 10^exponent, rounded away from zero.
Int128 DividedAwayFromZero(Int128 value, int64_t exponent) {
  if (exponent > kMaxDigits) return value > 0 ? 1 : value < 0 ? -1 : 0;
  const Int128 divisor = PowerOfTen(exponent);
  const Int128 quotient = value / divisor;
  if (value % divisor == 0) return quotient;
  return value > 0 ? quotient + 1 : quotient - 1;
}

std::string Digits(Int128 value) {
  if (value == 0) return "0";
  std::string text;
  for (Int128 rest = Magnitude(value); rest > 0; rest /= 10) {
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  if (value < 0) text += '-';
  return {text.rbegin(), text.rend()};
}

struct Suffix {
  int base;          // 10 or 2
  int32_t exponent;  // of the base
  Quantity::Format format;
};

std::optional<Suffix> KnownSuffix(std::string_view text) {
  struct Row {
    std::string_view text;
    Suffix suffix;
  };
  using enum Quantity::Format;
  static constexpr Row kRows[] = {
      {"", {10, 0, kDecimalSI}},   {"n", {10, -9, kDecimalSI}}, {"u", {10, -6, kDecimalSI}},
      {"m", {10, -3, kDecimalSI}}, {"k", {10, 3, kDecimalSI}},  {"M", {10, 6, kDecimalSI}},
      {"G", {10, 9, kDecimalSI}},  {"T", {10, 12, kDecimalSI}}, {"P", {10, 15, kDecimalSI}},
      {"E", {10, 18, kDecimalSI}}, {"Ki", {2, 10, kBinarySI}},  {"Mi", {2, 20, kBinarySI}},
      {"Gi", {2, 30, kBinarySI}},  {"Ti", {2, 40, kBinarySI}},  {"Pi", {2, 50, kBinarySI}},
      {"Ei", {2, 60, kBinarySI}}};
  for (const Row& row : kRows) {
    if (row.text == text) return row.suffix;
  }
  return std::nullopt;
}

// "e3", "E-6". The exponent is read with 64 bits and cut to 32, as apimachinery does.
std::optional<Suffix> ExponentSuffix(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  size_t pos = 1;
  const bool negative = text[pos] == '-';
  if (text[pos] == '-' || text[pos] == '+') ++pos;
  if (pos == text.size()) return std::nullopt;
  Int128 value = 0;
  for (; pos < text.size(); ++pos) {
    if (text[pos] < '0' || text[pos] > '9') return std::nullopt;
    value = value * 10 + (text[pos] - '0');
    if (value > Int128{kMaxInt64} + 1) return std::nullopt;
  }
  if (negative) value = -value;
  if (value > kMaxInt64) return std::nullopt;
  return Suffix{10, static_cast<int32_t>(static_cast<int64_t>(value)),
                Quantity::Format::kDecimalExponent};
}

std::string_view TakeDigits(std::string_view& rest) {
  size_t length = 0;
  while (length < rest.size() && IsDigit(rest[length])) ++length;
  const std::string_view digits = rest.substr(0, length);
  rest.remove_prefix(length);
  return digits;
}

Int128 ToInt128(std::string_view digits) {
  Int128 value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

// Multiplies the decimal fraction 0.d1d2d3... in place; returns the integer part of the product.
Int128 MultiplyFraction(std::string& digits, Int128 factor) {
  Int128 carry = 0;
  for (size_t i = digits.size(); i-- > 0;) {
    const Int128 product = Int128{digits[i] - '0'} * factor + carry;
    digits[i] = static_cast<char>('0' + static_cast<int>(product % 10));
    carry = product / 10;
  }
  return carry;
}

}  // namespace

// The three ways of apimachinery's ParseQuantity: an int64 with a scale, a decimal with rounding to
// nano, and a binary multiple with rounding and a cap.
class QuantityParser final {
 public:
  explicit QuantityParser(std::string_view text) : text_(text) {}

  Result<Quantity> Parse() {
    if (text_.empty()) return Malformed();
    if (!Split()) return Malformed();
    std::optional<Suffix> suffix = KnownSuffix(suffix_);
    if (!suffix) suffix = ExponentSuffix(suffix_);
    if (!suffix) return Fail(ErrorCode::kInvalidArgument, "unable to parse quantity's suffix");
    const size_t digits = whole_.size() + fraction_.size();
    if (suffix->base == 10) {
      const int64_t scale = int64_t{suffix->exponent} - static_cast<int64_t>(fraction_.size());
      if (digits <= kMaxFastDigits && scale >= kNano) return FastDecimal(*suffix, scale);
      return BigDecimal(*suffix, scale);
    }
    if (fraction_.empty()) {
      const int precision = 15 - static_cast<int>(std::min<size_t>(digits, 99)) -
                            static_cast<int>(static_cast<float>(suffix->exponent) * 3 / 10) - 1;
      if (precision >= 0) return FastBinary(*suffix);
    }
    return BigBinary(*suffix);
  }

 private:
  static tl::unexpected<Error> Malformed() {
    return Fail(ErrorCode::kInvalidArgument,
                "quantities must match the regular expression "
                "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  static tl::unexpected<Error> TooLong() {
    return Fail(ErrorCode::kInvalidArgument, "quantities of more than 38 digits are not supported");
  }

  // sign, digits, fraction, suffix. False if the text has another shape.
  bool Split() {
    std::string_view rest = text_;
    if (rest[0] == '-' || rest[0] == '+') {
      negative_ = rest[0] == '-';
      rest.remove_prefix(1);
    }
    while (!rest.empty() && rest[0] == '0') rest.remove_prefix(1);
    if (rest.empty()) {  // "0", "00", and also "" and "-", which apimachinery reads as 0
      whole_ = "0";
      return true;
    }
    whole_ = TakeDigits(rest);
    if (whole_.empty()) whole_ = "0";
    if (!rest.empty() && rest[0] == '.') {
      rest.remove_prefix(1);
      fraction_ = TakeDigits(rest);
    }
    suffix_ = rest;
    while (!rest.empty() &&
           std::string_view("eEinumkKMGTP").find(rest[0]) != std::string_view::npos) {
      rest.remove_prefix(1);
    }
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
    TakeDigits(rest);
    return rest.empty();
  }

  Int128 Signed(Int128 magnitude) const { return negative_ ? -magnitude : magnitude; }

  Quantity FastDecimal(const Suffix& suffix, int64_t scale) const {
    const Int128 value = ToInt128(std::string(whole_).append(fraction_));
    return {Signed(value), static_cast<int32_t>(scale), suffix.format, false};
  }

  Quantity FastBinary(const Suffix& suffix) const {
    const Int128 value = ToInt128(whole_) << suffix.exponent;
    return {Signed(value), 0, suffix.format, false};
  }

  Result<Quantity> BigDecimal(const Suffix& suffix, int64_t scale) const {
    std::string digits = std::string(whole_).append(fraction_);
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.empty()) return Quantity(Int128{0}, kNano, suffix.format, true);
    bool inexact = false;
    if (scale < kNano) {
      const size_t dropped = static_cast<size_t>(std::min<int64_t>(kNano - scale, INT32_MAX));
      const size_t kept = digits.size() - std::min(dropped, digits.size());
      inexact = digits.find_first_not_of('0', kept) != std::string::npos;
      digits.erase(kept);
      scale = kNano;
    }
    // Zeros at the end are no digits to hold: canonical forms have up to two of them.
    while (!inexact && digits.size() > kMaxDigits - 1 && digits.back() == '0' &&
           scale < kMaxScale) {
      digits.pop_back();
      ++scale;
    }
    // Big numbers are held in nano units as long as they fit, like inf.Dec after its rounding.
    if (digits.size() > kMaxDigits - 1) return TooLong();
    Int128 value = ToInt128(digits) + (inexact ? 1 : 0);
    if (const auto nano = Scaled(value, scale - kNano)) {
      value = *nano;
      scale = kNano;
    }
    return Quantity(Signed(value), static_cast<int32_t>(scale), suffix.format, true);
  }

  Quantity BigBinary(const Suffix& suffix) const {
    const Int128 factor = Int128{1} << suffix.exponent;
    std::string fraction(fraction_);
    const Int128 carry = MultiplyFraction(fraction, factor);
    // Twenty digits are above the cap, whatever the suffix.
    const bool over = whole_.size() > 19 || ToInt128(whole_) * factor + carry >= kMaxInt64;
    Int128 nano = 0;
    if (over) {
      nano = Int128{kMaxInt64} * PowerOfTen(-kNano);
    } else {
      const bool inexact =
          fraction.size() > 9 && fraction.find_first_not_of('0', 9) != std::string::npos;
      fraction.resize(9, '0');
      nano = (ToInt128(whole_) * factor + carry) * PowerOfTen(-kNano) + ToInt128(fraction) +
             (inexact ? 1 : 0);
    }
    const bool below_one = nano > 0 && nano < PowerOfTen(-kNano);
    return {Signed(nano), kNano, below_one ? Quantity::Format::kDecimalSI : suffix.format, true};
  }

  const std::string_view text_;
  bool negative_ = false;
  std::string_view whole_;     // digits before the point, without leading zeros, at least "0"
  std::string_view fraction_;  // digits behind the point
  std::string_view suffix_;
};

Result<Quantity> Quantity::Parse(std::string_view text) { return QuantityParser(text).Parse(); }

std::strong_ordering Quantity::CompareScaled(const Quantity& other) const {
  const int sign = Sign();
  if (sign != other.Sign()) return sign <=> other.Sign();
  if (sign == 0) return std::strong_ordering::equal;
  const Int128 left = Magnitude(unscaled_);
  const Int128 right = Magnitude(other.unscaled_);
  // Different numbers of digits before the point decide; equal ones bring both into the range of
  // Scaled().
  const int64_t left_size = int64_t{DigitCount(left)} + scale_;
  const int64_t right_size = int64_t{DigitCount(right)} + other.scale_;
  std::strong_ordering order = left_size <=> right_size;
  if (order == 0) {
    const int64_t shift = int64_t{scale_} - other.scale_;
    const Int128 scaled_left = shift > 0 ? left * PowerOfTen(shift) : left;
    const Int128 scaled_right = shift < 0 ? right * PowerOfTen(-shift) : right;
    order = scaled_left <=> scaled_right;
  }
  return sign > 0 ? order : 0 <=> order;
}

std::optional<int64_t> Quantity::AsInt64() const {
  if (big_ || scale_ < 0) return std::nullopt;
  const std::optional<Int128> value = Scaled(unscaled_, scale_);
  if (!value || Magnitude(*value) > kMaxInt64) return std::nullopt;
  return static_cast<int64_t>(*value);
}

int64_t Quantity::ScaledValue(int32_t scale) const {
  const int64_t shift = int64_t{scale_} - scale;
  const std::optional<Int128> value =
      shift >= 0 ? Scaled(unscaled_, shift) : DividedAwayFromZero(unscaled_, -shift);
  if (!value || Magnitude(*value) > kMaxInt64) return Sign() > 0 ? kMaxInt64 : -kMaxInt64;
  return static_cast<int64_t>(*value);
}

double Quantity::AsApproximateDouble() const {
  const double base = static_cast<double>(unscaled_);
  return scale_ == 0 ? base : base * std::pow(10.0, scale_);
}

std::optional<Quantity> Quantity::Add(const Quantity& other) const {
  const Format format = Sign() == 0 ? other.format_ : format_;
  if (other.unscaled_ == 0) return Quantity(unscaled_, scale_, format, big_ || other.big_);
  if (unscaled_ == 0) return Quantity(other.unscaled_, other.scale_, format, big_ || other.big_);
  const int32_t scale = std::min(scale_, other.scale_);
  const auto left = Scaled(unscaled_, int64_t{scale_} - scale);
  const auto right = Scaled(other.unscaled_, int64_t{other.scale_} - scale);
  if (!left || !right) return std::nullopt;
  Int128 sum = 0;
  if (__builtin_add_overflow(*left, *right, &sum) || sum >= PowerOfTen(kMaxDigits) ||
      sum <= -PowerOfTen(kMaxDigits))
    return std::nullopt;
  const bool fits = Magnitude(*left) <= kMaxInt64 && Magnitude(*right) <= kMaxInt64 &&
                    Magnitude(sum) <= kMaxInt64;
  return Quantity(sum, scale, format, big_ || other.big_ || !fits);
}

Quantity Quantity::AddUp(const Quantity& other) const {
  if (const std::optional<Quantity> sum = Add(other)) return *sum;
  if (Sign() <= 0 || other.Sign() <= 0) return std::max(*this, other);
  return {PowerOfTen(kMaxDigits) - 1, kMaxScale, format_, /*big=*/true};
}

std::optional<Quantity> Quantity::Sub(const Quantity& other) const {
  Quantity negated = other;
  negated.unscaled_ = -negated.unscaled_;
  return Add(negated);
}

std::optional<Quantity> Quantity::Mul(const Quantity& other) const {
  Int128 product = 0;
  if (__builtin_mul_overflow(unscaled_, other.unscaled_, &product) ||
      Magnitude(product) >= PowerOfTen(kMaxDigits))
    return std::nullopt;
  int64_t scale = int64_t{scale_} + other.scale_;
  if (scale > kMaxScale) return std::nullopt;
  if (scale < kNano) {
    product = DividedAwayFromZero(product, kNano - scale);
    scale = kNano;
  }
  return Quantity(product, static_cast<int32_t>(scale), format_, /*big=*/true);
}

std::string Quantity::BinaryString() const {
  static constexpr std::string_view kSuffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  Int128 amount = scale_ >= 0 ? Scaled(unscaled_, scale_).value_or(unscaled_)
                              : DividedAwayFromZero(unscaled_, -int64_t{scale_});
  size_t suffix = 0;
  while (amount % 1024 == 0 && suffix + 1 < std::size(kSuffixes)) {
    amount /= 1024;
    ++suffix;
  }
  return Digits(amount).append(kSuffixes[suffix]);
}

std::string Quantity::DecimalString(Format format) const {
  static constexpr std::string_view kSuffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  Int128 amount = unscaled_;
  int32_t exponent = scale_;
  for (; amount % 10 == 0 && exponent < kMaxScale; amount /= 10) ++exponent;
  std::string digits = Digits(amount);
  for (; exponent % 3 != 0; --exponent) digits += '0';
  if (format == Format::kDecimalExponent) {
    return exponent == 0 ? digits : digits.append("e").append(std::to_string(exponent));
  }
  // apimachinery drops a suffix that it does not know; a number without it would be a wrong one.
  if (exponent > 18) return digits.append("e").append(std::to_string(exponent));
  return digits.append(kSuffixes[static_cast<size_t>(exponent / 3 + 3)]);
}

std::string Quantity::ToString() const {
  if (unscaled_ == 0) return "0";
  if (format_ != Format::kBinarySI) return DecimalString(format_);
  const bool small = *this > Quantity(-1024) && *this < Quantity(1024);
  const bool whole = scale_ >= 0 || (-scale_ <= kMaxDigits && unscaled_ % PowerOfTen(-scale_) == 0);
  return small || !whole ? DecimalString(Format::kDecimalSI) : BinaryString();
}

}  // namespace fedra
