#include "cel/display.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/quantity.h"
#include "base/semver.h"
#include "cel/lib/format.h"
#include "cel/lib/network.h"
#include "cel/lib/time.h"
#include "cel/lib/url.h"

namespace fedra::cel {
namespace {

// Where long texts of lists and maps are cut.
constexpr size_t kLongestContainerText = size_t{1} << 20;

std::string ToChars(double value, std::chars_format format) {
  std::array<char, 400> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  return {buffer.data(), result.ptr};
}

std::string Number(const Value& value) {
  if (value.is(Kind::kInt)) return std::to_string(value.AsInt());
  if (value.is(Kind::kUint)) return std::to_string(value.AsUint());
  return FormatDouble(value.AsDouble());
}

// A list or map whose parts are shown by `append`.
template <class Append>
void AppendContainer(const Value& value, BoundedText& out, Append append) {
  const char* separator = "";
  if (value.is(Kind::kList)) {
    out.Append("[");
    for (const Value& item : value.AsList()) {
      if (out.full()) return;
      out.Append(std::exchange(separator, ", "));
      append(item, out);
    }
    return out.Append("]");
  }
  out.Append("{");
  for (const MapEntry& entry : value.AsMap().entries) {
    if (out.full()) return;
    out.Append(std::exchange(separator, ", "));
    append(entry.key, out);
    out.Append(": ");
    append(entry.value, out);
  }
  out.Append("}");
}

std::string OctalBytes(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += '\\';
    text += static_cast<char>('0' + (byte >> 6));
    text += static_cast<char>('0' + ((byte >> 3) & 7));
    text += static_cast<char>('0' + (byte & 7));
  }
  return text;
}

}  // namespace

std::string FormatDouble(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  const std::string scientific = ToChars(value, std::chars_format::scientific);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  return exponent < -4 || exponent >= 6 ? scientific : ToChars(value, std::chars_format::fixed);
}

std::string FormatDuration(int64_t nanoseconds) {
  const int64_t whole = nanoseconds / 1'000'000'000;
  const int64_t rest = nanoseconds % 1'000'000'000;
  const double seconds = static_cast<double>(whole) + static_cast<double>(rest) / 1e9;
  return ToChars(seconds, std::chars_format::fixed) + "s";
}

std::string FormatTimestamp(const Value& timestamp) {
  const CivilTime time = ToCivil(timestamp.seconds() + int64_t{timestamp.zone_minutes()} * 60);
  std::array<char, 64> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02d",
                static_cast<int>(time.year), time.month, time.day, time.hour, time.minute,
                time.second);
  std::string text = buffer.data();
  if (timestamp.nanoseconds() != 0) {
    std::snprintf(buffer.data(), buffer.size(), ".%09u", timestamp.nanoseconds());
    text += buffer.data();
    text.erase(text.find_last_not_of('0') + 1);
  }
  const int zone = timestamp.zone_minutes();
  if (zone == 0) return text + "Z";
  std::snprintf(buffer.data(), buffer.size(), "%c%02d:%02d", zone < 0 ? '-' : '+',
                std::abs(zone) / 60, std::abs(zone) % 60);
  return text + buffer.data();
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '\a':
        quoted += "\\a";
        break;
      case '\b':
        quoted += "\\b";
        break;
      case '\f':
        quoted += "\\f";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      case '\v':
        quoted += "\\v";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '"':
        quoted += "\\\"";
        break;
      default:
        quoted += c;
    }
  }
  return quoted + "\"";
}

namespace {

// Everything but lists, maps and optional values.
std::string ScalarText(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return value.AsBool() ? "true" : "false";
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
      return Number(value);
    case Kind::kDuration:
      return FormatDuration(value.AsInt());
    case Kind::kTimestamp:
      return FormatTimestamp(value);
    case Kind::kQuantity:
      return value.AsQuantity().ToString();
    case Kind::kSemver:
      return value.AsSemver().ToString();
    case Kind::kIp:
      return ToString(value.AsIp());
    case Kind::kCidr:
      return ToString(value.AsCidr());
    case Kind::kUrl:
      return std::string(value.AsUrl().text);
    case Kind::kFormat:
      return std::string(value.AsFormat().name);
    default:
      return std::string(value.AsText());
  }
}

std::string ScalarSourceText(const Value& value) {
  switch (value.kind()) {
    case Kind::kUint:
      return Number(value) + "u";
    case Kind::kDouble: {
      const std::string text = Number(value);
      return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
    }
    case Kind::kString:
      return Quoted(value.AsText());
    case Kind::kBytes:
      return "b\"" + OctalBytes(value.AsText()) + "\"";
    case Kind::kDuration:
    case Kind::kTimestamp:
    case Kind::kQuantity:
    case Kind::kSemver:
    case Kind::kIp:
    case Kind::kCidr:
    case Kind::kUrl: {
      std::string function(TypeName(value.kind()));
      function.erase(0, function.rfind('.') + 1);
      for (char& c : function) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      return function + "(\"" + ScalarText(value) + "\")";
    }
    default:
      return ScalarText(value);
  }
}

void AppendSourceText(const Value& value, BoundedText& out) {
  if (value.is(Kind::kList) || value.is(Kind::kMap))
    return AppendContainer(value, out, AppendSourceText);
  if (!value.is(Kind::kOptional)) return out.Append(ScalarSourceText(value));
  if (value.AsOptional() == nullptr) return out.Append("optional.none()");
  out.Append("optional.of(");
  AppendSourceText(*value.AsOptional(), out);
  out.Append(")");
}

}  // namespace

void AppendDisplayText(const Value& value, BoundedText& out) {
  if (value.is(Kind::kList) || value.is(Kind::kMap))
    return AppendContainer(value, out, AppendDisplayText);
  if (!value.is(Kind::kOptional)) return out.Append(ScalarText(value));
  if (value.AsOptional() == nullptr) return out.Append("optional.none()");
  out.Append("optional(");
  AppendDisplayText(*value.AsOptional(), out);
  out.Append(")");
}

std::string DisplayText(const Value& value) {
  BoundedText text(kLongestContainerText);
  if (value.is(Kind::kList) || value.is(Kind::kMap) || value.is(Kind::kOptional)) {
    AppendDisplayText(value, text);
    return std::move(text).Take();
  }
  return ScalarText(value);
}

std::string SourceText(const Value& value) {
  BoundedText text(kLongestContainerText);
  AppendSourceText(value, text);
  return std::move(text).Take();
}

}  // namespace fedra::cel
