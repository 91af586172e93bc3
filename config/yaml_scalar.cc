#include "config/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/ascii.h"

namespace fedra::config {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

template <size_t N>
bool IsOneOf(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool IsTrue(std::string_view text) {
  return IsOneOf<11>(text,
                     {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"});
}
bool IsFalse(std::string_view text) {
  return IsOneOf<11>(text,
                     {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"});
}
bool IsNullWord(std::string_view text) {
  return IsOneOf<5>(text, {"", "~", "null", "Null", "NULL"});
}

std::optional<double> SpecialFloat(std::string_view text) {
  if (IsOneOf<3>(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
  const bool negative = text.starts_with('-');
  if (text.starts_with('+') || negative) text.remove_prefix(1);
  if (!IsOneOf<3>(text, {".inf", ".Inf", ".INF"})) return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return negative ? -infinity : infinity;
}

// Go's strconv.ParseUint with base 0: the prefix decides, and a leading zero means octal.
std::optional<uint64_t> ParseUnsigned(std::string_view digits) {
  int base = 10;
  const auto has_prefix = [&](char lower) {
    return digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == lower;
  };
  if (has_prefix('x')) base = 16;
  if (has_prefix('o')) base = 8;
  if (has_prefix('b')) base = 2;
  if (base != 10) {
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
  }
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return value;
}

std::optional<ScalarValue> ParseInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto magnitude = ParseUnsigned(text);
  if (!magnitude) return std::nullopt;
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  if (negative) {
    if (*magnitude > kMax + 1) return std::nullopt;
    return static_cast<int64_t>(0 - *magnitude);
  }
  if (*magnitude <= kMax) return static_cast<int64_t>(*magnitude);
  return *magnitude;
}

size_t CountDigits(std::string_view text, size_t& pos) {
  const size_t start = pos;
  while (pos < text.size() && IsDigit(text[pos])) ++pos;
  return pos - start;
}

// ^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$
bool LooksLikeFloat(std::string_view text) {
  size_t pos = 0;
  const auto skip = [&](std::string_view set) {
    const bool found = pos < text.size() && set.find(text[pos]) != std::string_view::npos;
    pos += found ? 1 : 0;
    return found;
  };
  skip("-+");
  const size_t whole = CountDigits(text, pos);
  const size_t fraction = skip(".") ? CountDigits(text, pos) : 0;
  if (whole == 0 && fraction == 0) return false;
  if (skip("eE")) {
    skip("-+");
    if (CountDigits(text, pos) == 0) return false;
  }
  return pos == text.size();
}

std::optional<double> ParseFloat(std::string_view text) {
  if (!LooksLikeFloat(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<ScalarValue> ParseNumber(std::string_view text) {
  const char first = text.empty() ? ' ' : text[0];
  if (const auto special = SpecialFloat(text)) return *special;
  if (first == '.') {
    if (const auto number = ParseFloat(text)) return *number;
    return std::nullopt;
  }
  if (first != '+' && first != '-' && !IsDigit(first)) {
    return std::nullopt;
  }
  std::string digits(text);
  std::erase(digits, '_');
  if (auto integer = ParseInteger(digits)) return integer;
  if (const auto number = ParseFloat(digits)) return *number;
  return std::nullopt;
}

bool FitsTag(const ScalarValue& value, std::string_view tag) {
  if (tag == "bool") return std::holds_alternative<bool>(value);
  if (tag == "null") return std::holds_alternative<std::monostate>(value);
  if (tag == "float") return std::holds_alternative<double>(value);
  return std::holds_alternative<int64_t>(value) || std::holds_alternative<uint64_t>(value);
}

}  // namespace

ScalarValue ResolvePlain(std::string_view text) {
  if (IsTrue(text)) return true;
  if (IsFalse(text)) return false;
  if (IsNullWord(text)) return std::monostate();
  if (auto number = ParseNumber(text)) return *std::move(number);
  return std::string(text);
}

std::optional<ScalarValue> ResolveScalar(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kNull) return std::monostate();
  if (node.plain) return ResolvePlain(node.scalar);
  const std::string_view tag = node.tag;
  const std::string_view name = tag.starts_with(kTagPrefix) ? tag.substr(kTagPrefix.size()) : "";
  if (name == "binary") return std::nullopt;  // bytes that JSON has no type for
  if (!IsOneOf<4>(name, {"bool", "null", "int", "float"})) return node.scalar;
  ScalarValue value = ResolvePlain(node.scalar);
  if (name == "float" && std::holds_alternative<int64_t>(value)) {
    value = static_cast<double>(std::get<int64_t>(value));
  }
  if (!FitsTag(value, name)) return std::nullopt;
  return value;
}

std::string_view KindName(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kList) return "a list";
  if (node.kind == YamlNode::Kind::kMap) return "a map";
  const auto value = ResolveScalar(node);
  if (!value) return "a string";
  constexpr std::string_view kNames[] = {"null",     "a boolean", "a number",
                                         "a number", "a number",  "a string"};
  return kNames[value->index()];
}

}  // namespace fedra::config
