#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/utf8.h"
#include "cel/display.h"
#include "cel/lib/time.h"
#include "cel/library.h"

namespace fedra::cel {
namespace {

Value CannotConvert(Evaluation& evaluation, const Value& value, std::string_view to) {
  return evaluation.Error("type conversion error from '" + std::string(TypeName(value.kind())) +
                          "' to '" + std::string(to) + "'");
}

Value Identity(Evaluation&, const Value* args) { return args[0]; }

// Go's ParseInt and ParseUint: a sign for signed numbers only, digits, nothing else.
template <class Number>
std::optional<Number> ParseInteger(std::string_view text) {
  if (std::numeric_limits<Number>::is_signed && !text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return std::nullopt;
  }
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool EqualIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c =
        text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

// Whether every underscore stands between digits, the 0 of a base prefix counting as one (Go's
// strconv.underscoreOK).
bool UnderscoresSeparateDigits(std::string_view number) {
  if (!number.empty() && (number[0] == '-' || number[0] == '+')) number.remove_prefix(1);
  const bool hex = number.size() > 1 && number[0] == '0' && (number[1] | 0x20) == 'x';
  bool after_digit = hex;
  bool after_underscore = false;
  for (const char c : number.substr(hex ? 2 : 0)) {
    const bool digit = (c >= '0' && c <= '9') || (hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f');
    if ((c == '_' && !after_digit) || (after_underscore && !digit)) return false;
    after_digit = digit;
    after_underscore = c == '_';
  }
  return !after_underscore;
}

// Decimal and hexadecimal floating point, inf and nan in any case; too large is not a number.
std::optional<double> ParseDouble(std::string_view text) {
  if (text.find('_') != std::string_view::npos) {
    if (!UnderscoresSeparateDigits(text)) return std::nullopt;
    std::string plain(text);
    std::erase(plain, '_');
    return ParseDouble(plain);
  }
  std::string_view digits = text;
  const bool negative = !digits.empty() && digits[0] == '-';
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  if (EqualIgnoringCase(digits, "inf") || EqualIgnoringCase(digits, "infinity"))
    return negative ? -HUGE_VAL : HUGE_VAL;
  if (EqualIgnoringCase(text, "nan")) return std::nan("");
  const bool hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  if (hex) digits.remove_prefix(2);
  // from_chars takes one more minus and its own names of infinity, Go does not.
  if (digits.empty() || digits[0] == '-' || digits[0] == 'i' || digits[0] == 'n' ||
      digits[0] == 'I' || digits[0] == 'N') {
    return std::nullopt;
  }
  if (hex && digits.find_first_of("pP") == std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, format);
  if (end != digits.data() + digits.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(hex ? "0x" : "").append(digits).c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

Value DoubleToInt(Evaluation&, const Value* args) {
  const double value = args[0].AsDouble();
  if (!(value > -kTwoTo63 && value < kTwoTo63)) return kIntOverflow;
  return Value::Int(static_cast<int64_t>(value));
}
Value UintToInt(Evaluation&, const Value* args) {
  if (args[0].AsUint() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return kIntOverflow;
  return Value::Int(static_cast<int64_t>(args[0].AsUint()));
}
Value DurationToInt(Evaluation&, const Value* args) { return Value::Int(args[0].AsInt()); }
Value TimestampToInt(Evaluation&, const Value* args) { return Value::Int(args[0].seconds()); }
Value TextToInt(Evaluation& evaluation, const Value* args) {
  const auto value = ParseInteger<int64_t>(args[0].AsText());
  return value ? Value::Int(*value) : CannotConvert(evaluation, args[0], "int");
}

Value DoubleToUint(Evaluation&, const Value* args) {
  const double value = args[0].AsDouble();
  if (!(value >= 0 && value < kTwoTo64)) return kUintOverflow;
  return Value::Uint(static_cast<uint64_t>(value));
}
Value IntToUint(Evaluation&, const Value* args) {
  return args[0].AsInt() < 0 ? kUintOverflow : Value::Uint(static_cast<uint64_t>(args[0].AsInt()));
}
Value TextToUint(Evaluation& evaluation, const Value* args) {
  const auto value = ParseInteger<uint64_t>(args[0].AsText());
  return value ? Value::Uint(*value) : CannotConvert(evaluation, args[0], "uint");
}

Value IntToDouble(Evaluation&, const Value* args) {
  return Value::Double(static_cast<double>(args[0].AsInt()));
}
Value UintToDouble(Evaluation&, const Value* args) {
  return Value::Double(static_cast<double>(args[0].AsUint()));
}
Value TextToDouble(Evaluation& evaluation, const Value* args) {
  const auto value = ParseDouble(args[0].AsText());
  return value ? Value::Double(*value) : CannotConvert(evaluation, args[0], "double");
}

Value TextToBool(Evaluation& evaluation, const Value* args) {
  const std::string_view text = args[0].AsText();
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return Value::Bool(true);
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return Value::Bool(false);
  }
  return CannotConvert(evaluation, args[0], "bool");
}

Value TextToBytes(Evaluation&, const Value* args) { return Value::Bytes(args[0].AsText()); }
Value BytesToText(Evaluation&, const Value* args) {
  if (!IsUtf8(args[0].AsText()))
    return Value::Error("invalid UTF-8 in bytes, cannot convert to string");
  return Value::String(args[0].AsText());
}
Value ToText(Evaluation& evaluation, const Value* args) {
  return evaluation.String(DisplayText(args[0]));
}

Value TextToDuration(Evaluation& evaluation, const Value* args) {
  const auto value = ParseDuration(args[0].AsText());
  return value ? Value::Duration(*value)
               : CannotConvert(evaluation, args[0], "google.protobuf.Duration");
}
Value IntToDuration(Evaluation& evaluation, const Value* args) {
  return CannotConvert(evaluation, args[0], "google.protobuf.Duration");
}
Value TextToTimestamp(Evaluation& evaluation, const Value* args) {
  const auto value = ParseTimestamp(args[0].AsText());
  return value ? *value : CannotConvert(evaluation, args[0], "google.protobuf.Timestamp");
}
Value IntToTimestamp(Evaluation&, const Value* args) {
  return TimestampFromSeconds(args[0].AsInt());
}

Value TypeOf(Evaluation&, const Value* args) { return Value::Type(TypeName(args[0].kind())); }

constexpr Overload kConversionOverloads[] = {
    Global("type", "type", {&kParamA}, kTypeOfA, TypeOf),
    Global("dyn", "to_dyn", {&kParamA}, kDynType, Identity),
    Global("bool", "bool_to_bool", {&kBoolType}, kBoolType, Identity),
    Global("bool", "string_to_bool", {&kStringType}, kBoolType, TextToBool),
    Global("bytes", "bytes_to_bytes", {&kBytesType}, kBytesType, Identity),
    Global("bytes", "string_to_bytes", {&kStringType}, kBytesType, TextToBytes, Price::kTraverse),
    Global("double", "double_to_double", {&kDoubleType}, kDoubleType, Identity),
    Global("double", "int64_to_double", {&kIntType}, kDoubleType, IntToDouble),
    Global("double", "string_to_double", {&kStringType}, kDoubleType, TextToDouble),
    Global("double", "uint64_to_double", {&kUintType}, kDoubleType, UintToDouble),
    Global("duration", "duration_to_duration", {&kDurationType}, kDurationType, Identity),
    Global("duration", "int64_to_duration", {&kIntType}, kDurationType, IntToDuration),
    Global("duration", "string_to_duration", {&kStringType}, kDurationType, TextToDuration),
    Global("int", "int64_to_int64", {&kIntType}, kIntType, Identity),
    Global("int", "double_to_int64", {&kDoubleType}, kIntType, DoubleToInt),
    Global("int", "duration_to_int64", {&kDurationType}, kIntType, DurationToInt),
    Global("int", "string_to_int64", {&kStringType}, kIntType, TextToInt),
    Global("int", "timestamp_to_int64", {&kTimestampType}, kIntType, TimestampToInt),
    Global("int", "uint64_to_int64", {&kUintType}, kIntType, UintToInt),
    Global("string", "string_to_string", {&kStringType}, kStringType, Identity),
    Global("string", "bool_to_string", {&kBoolType}, kStringType, ToText),
    Global("string", "bytes_to_string", {&kBytesType}, kStringType, BytesToText, Price::kTraverse),
    Global("string", "double_to_string", {&kDoubleType}, kStringType, ToText),
    Global("string", "duration_to_string", {&kDurationType}, kStringType, ToText),
    Global("string", "int64_to_string", {&kIntType}, kStringType, ToText),
    Global("string", "timestamp_to_string", {&kTimestampType}, kStringType, ToText),
    Global("string", "uint64_to_string", {&kUintType}, kStringType, ToText),
    Global("timestamp", "timestamp_to_timestamp", {&kTimestampType}, kTimestampType, Identity),
    Global("timestamp", "int64_to_timestamp", {&kIntType}, kTimestampType, IntToTimestamp),
    Global("timestamp", "string_to_timestamp", {&kStringType}, kTimestampType, TextToTimestamp),
    Global("uint", "uint64_to_uint64", {&kUintType}, kUintType, Identity),
    Global("uint", "double_to_uint64", {&kDoubleType}, kUintType, DoubleToUint),
    Global("uint", "int64_to_uint64", {&kIntType}, kUintType, IntToUint),
    Global("uint", "string_to_uint64", {&kStringType}, kUintType, TextToUint),
};

}  // namespace

std::span<const Overload> ConversionLibrary() { return kConversionOverloads; }

}  // namespace fedra::cel
