#include "cel/lib/format_string.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "base/utf8.h"
#include "cel/display.h"

namespace fedra::cel {
namespace {

constexpr int kDefaultPrecision = 6;
constexpr int kMaxPrecision = 1000;

tl::unexpected<Error> Bad(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::string Unsuitable(char verb, std::string_view type) {
  std::string rule;
  switch (verb) {
    case 's':
      rule =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
          "types, "
          "durations, and timestamps";
      break;
    case 'd':
      rule = "decimal clause can only be used on integers";
      break;
    case 'f':
      rule = "fixed-point clause can only be used on doubles";
      break;
    case 'e':
      rule = "scientific clause can only be used on doubles";
      break;
    case 'b':
      rule = "only integers and bools can be formatted as binary";
      break;
    case 'o':
      rule = "octal clause can only be used on integers";
      break;
    default:
      rule = "only integers, byte buffers, and strings can be formatted as hex";
      break;
  }
  return rule + ", was given " + std::string(type);
}

tl::unexpected<Error> BadArgument(char verb, const Value& argument) {
  return Bad("error during formatting: " + Unsuitable(verb, TypeName(argument.kind())));
}

std::string Fixed(double value, int precision) {
  std::array<char, 1500> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::fixed, precision);
  return {buffer.data(), result.ptr};
}

// 12345.678 -> 12,345.678: cel-go formats in the locale en_US.
std::string WithThousands(std::string text) {
  const size_t first = text[0] == '-' ? 1 : 0;
  const size_t point = std::min(text.find('.'), text.size());
  for (size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string NotANumber(double value, int width) {
  const std::string text = std::isnan(value) ? "NaN" : value > 0 ? "\u221E" : "-\u221E";
  const auto columns = static_cast<int>(CodePointCount(text));
  return std::string(static_cast<size_t>(std::max(width - columns, 0)), ' ') + text;
}

// 1.234568×10⁰⁴. cel-go takes the precision for a width here (formatting.go 0.26).
std::string Scientific(double value) {
  static constexpr std::string_view kSuperscripts[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3",
                                                       "\u2074", "\u2075", "\u2076", "\u2077",
                                                       "\u2078", "\u2079"};
  std::array<char, 64> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::scientific, kDefaultPrecision);
  const std::string_view text(buffer.data(), static_cast<size_t>(result.ptr - buffer.data()));
  const size_t e = text.find('e');
  std::string formatted = std::string(text.substr(0, e)) + "\u00D710";
  for (const char c : text.substr(e + 1)) {
    if (c == '-') formatted += "\u207B";
    if (c >= '0' && c <= '9') formatted += kSuperscripts[static_cast<size_t>(c - '0')];
  }
  return formatted;
}

// The number for %f and %e: a double, or one of the texts that stand for doubles.
std::optional<double> DoubleArgument(const Value& argument) {
  if (argument.is(Kind::kDouble)) return argument.AsDouble();
  if (!argument.is(Kind::kString)) return std::nullopt;
  if (argument.AsText() == "NaN") return std::nan("");
  if (argument.AsText() == "Infinity") return HUGE_VAL;
  if (argument.AsText() == "-Infinity") return -HUGE_VAL;
  return std::nullopt;
}

std::string InBase(const Value& argument, int base, bool upper) {
  std::array<char, 80> buffer;
  char* const end = buffer.data() + buffer.size();
  const auto result = argument.is(Kind::kInt)
                          ? std::to_chars(buffer.data(), end, argument.AsInt(), base)
                          : std::to_chars(buffer.data(), end, argument.AsUint(), base);
  std::string text(buffer.data(), result.ptr);
  for (char& c : text) {
    if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string HexBytes(std::string_view bytes, bool upper) {
  const char* digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

// %s: lists and maps part by part into the output, so that the limits of the output and of the
// evaluation end what would become exponentially long.
class StringClause final {
 public:
  StringClause(Steps& steps, BoundedText& out) : steps_(steps), out_(out) {}

  Result<void> Append(const Value& argument) {
    switch (argument.kind()) {
      case Kind::kList:
        return AppendList(argument.AsList());
      case Kind::kMap:
        return AppendMap(argument.AsMap());
      case Kind::kBytes:
        if (!IsUtf8(argument.AsText())) {
          return Bad("error during formatting: could not convert argument to string");
        }
        out_.Append(argument.AsText());
        return {};
      case Kind::kNull:
      case Kind::kBool:
      case Kind::kInt:
      case Kind::kUint:
      case Kind::kDouble:
      case Kind::kString:
      case Kind::kDuration:
      case Kind::kTimestamp:
      case Kind::kType:
        AppendDisplayText(argument, out_);
        return {};
      default:
        return BadArgument('s', argument);
    }
  }

 private:
  // An element inside a list or map: texts in quotes, doubles with six digits.
  static std::string ScalarElement(const Value& value) {
    switch (value.kind()) {
      case Kind::kString:
        return Quoted(value.AsText());
      case Kind::kBytes:
        return "b" + Quoted(value.AsText());
      case Kind::kDuration:
        return "duration(\"" + FormatDuration(value.AsInt()) + "\")";
      case Kind::kTimestamp:
        return "timestamp(\"" + FormatTimestamp(value) + "\")";
      case Kind::kDouble: {
        const double number = value.AsDouble();
        if (std::isnan(number)) return "\"NaN\"";
        if (std::isinf(number)) return number > 0 ? "\"+Inf\"" : "\"-Inf\"";
        return Fixed(number, kDefaultPrecision);
      }
      default:
        return DisplayText(value);
    }
  }

  // False when a limit is reached: what is appended then will not be used.
  bool MayGoOn() { return steps_.Take() && !out_.full(); }

  Result<void> AppendElement(const Value& value) {
    if (value.is(Kind::kList) || value.is(Kind::kMap)) return Append(value);
    if (value.kind() >= Kind::kQuantity || value.is(Kind::kOptional)) {
      return Bad("error during formatting: no formatting function for " +
                 std::string(TypeName(value.kind())));
    }
    out_.Append(ScalarElement(value));
    return {};
  }

  Result<void> AppendList(std::span<const Value> items) {
    out_.Append("[");
    const char* separator = "";
    for (const Value& item : items) {
      if (!MayGoOn()) return {};
      out_.Append(std::exchange(separator, ", "));
      FEDRA_RETURN_IF_ERROR(AppendElement(item));
    }
    out_.Append("]");
    return {};
  }

  // Sorted by the texts of the keys.
  Result<void> AppendMap(const MapValue& map) {
    std::vector<std::pair<std::string, const Value*>> entries;
    size_t length = 0;
    for (const MapEntry& entry : map.entries) {
      const Kind kind = entry.key.kind();
      if (kind != Kind::kString && kind != Kind::kBool && kind != Kind::kInt &&
          kind != Kind::kUint) {
        return Bad("error during formatting: no formatting function for map key of type " +
                   std::string(TypeName(kind)));
      }
      if (!MayGoOn()) return {};
      entries.emplace_back(ScalarElement(entry.key), &entry.value);
      length += entries.back().first.size();
      if (length > kLongestFormattedText) return out_.Fill(), Result<void>();
    }
    std::sort(entries.begin(), entries.end());  // equal texts (1 and 1u) as they were inserted
    out_.Append("{");
    const char* separator = "";
    for (const auto& [key, value] : entries) {
      if (!MayGoOn()) return {};
      out_.Append(std::exchange(separator, ", "));
      out_.Append(key);
      out_.Append(":");
      FEDRA_RETURN_IF_ERROR(AppendElement(*value));
    }
    out_.Append("}");
    return {};
  }

  Steps& steps_;
  BoundedText& out_;
};

bool IsInteger(const Value& value) { return value.is(Kind::kInt) || value.is(Kind::kUint); }

Result<std::string> DoubleClause(const FormatPiece& piece, const Value& argument) {
  const auto number = DoubleArgument(argument);
  if (!number) return BadArgument(piece.verb, argument);
  const int precision = piece.precision.value_or(kDefaultPrecision);
  if (!std::isfinite(*number)) return NotANumber(*number, piece.verb == 'e' ? precision : 0);
  return piece.verb == 'e' ? Scientific(*number) : WithThousands(Fixed(*number, precision));
}

Result<std::string> HexClause(const FormatPiece& piece, const Value& argument) {
  const bool upper = piece.verb == 'X';
  if (IsInteger(argument)) return InBase(argument, 16, upper);
  if (argument.is(Kind::kString) || argument.is(Kind::kBytes))
    return HexBytes(argument.AsText(), upper);
  return BadArgument(piece.verb, argument);
}

// ".12" in front of a verb.
Result<std::optional<int>> TakePrecision(std::string_view& rest) {
  if (rest[0] != '.') return std::optional<int>();
  size_t end = 1;
  while (end < rest.size() && rest[end] >= '0' && rest[end] <= '9') ++end;
  if (end == rest.size()) {
    return Bad(
        "could not parse formatting clause: error while parsing precision: could not find end of "
        "precision specifier");
  }
  int precision = 0;
  const auto [parsed, error] = std::from_chars(rest.data() + 1, rest.data() + end, precision);
  if (error != std::errc() || parsed != rest.data() + end || precision > kMaxPrecision) {
    return Bad(
        "could not parse formatting clause: error while parsing precision: error while converting "
        "precision to integer");
  }
  rest.remove_prefix(end);
  return std::optional<int>(precision);
}

}  // namespace

Result<std::vector<FormatPiece>> ParseFormatString(std::string_view rest) {
  std::vector<FormatPiece> pieces;
  std::string text;
  const auto flush = [&] {
    if (!text.empty()) pieces.push_back({std::move(text), '\0', {}});
    text.clear();
  };
  while (!rest.empty()) {
    const char c = rest[0];
    rest.remove_prefix(1);
    if (c != '%') {
      text += c;
      continue;
    }
    if (rest.empty()) return Bad("unexpected end of string");
    if (rest[0] == '%') {
      text += '%';
      rest.remove_prefix(1);
      continue;
    }
    flush();
    FormatPiece piece;
    FEDRA_ASSIGN_OR_RETURN(piece.precision, TakePrecision(rest));
    piece.verb = rest[0];
    if (std::string_view("sdfebxXo").find(piece.verb) == std::string_view::npos) {
      return Bad("could not parse formatting clause: unrecognized formatting clause \"" +
                 std::string(1, piece.verb) + "\"");
    }
    rest.remove_prefix(1);
    pieces.push_back(std::move(piece));
  }
  flush();
  return pieces;
}

namespace {

// All clauses but %s: one number or text.
Result<std::string> ScalarClause(const FormatPiece& piece, const Value& argument) {
  switch (piece.verb) {
    case 'd':
      return IsInteger(argument) ? Result<std::string>(DisplayText(argument))
                                 : BadArgument('d', argument);
    case 'o':
      return IsInteger(argument) ? Result<std::string>(InBase(argument, 8, false))
                                 : BadArgument('o', argument);
    case 'b':
      if (argument.is(Kind::kBool)) return std::string(argument.AsBool() ? "1" : "0");
      return IsInteger(argument) ? Result<std::string>(InBase(argument, 2, false))
                                 : BadArgument('b', argument);
    case 'f':
    case 'e':
      return DoubleClause(piece, argument);
    default:
      return HexClause(piece, argument);
  }
}

}  // namespace

Result<void> FormatArgument(const FormatPiece& piece, const Value& argument, Steps& steps,
                            BoundedText& out) {
  if (piece.verb == 's') return StringClause(steps, out).Append(argument);
  FEDRA_ASSIGN_OR_RETURN(const std::string text, ScalarClause(piece, argument));
  out.Append(text);
  return {};
}

std::optional<std::string> FormatTypeProblem(char verb, const Type& type) {
  std::vector<TypeKind> allowed;
  using enum TypeKind;
  switch (verb) {
    case 's':
      allowed = {kList,   kMap,       kInt,   kUint,     kDouble, kBool,
                 kString, kTimestamp, kBytes, kDuration, kType,   kNull};
      break;
    case 'd':
    case 'o':
      allowed = {kInt, kUint};
      break;
    case 'f':
    case 'e':
      allowed = {kDouble, kString};
      break;
    case 'b':
      allowed = {kInt, kUint, kBool};
      break;
    default:
      allowed = {kInt, kUint, kString, kBytes};
      break;
  }
  // dyn passes, the any of device attributes does not.
  allowed.push_back(kDyn);
  if (std::find(allowed.begin(), allowed.end(), type.kind) != allowed.end()) return std::nullopt;
  return "error during formatting: " + Unsuitable(verb, type.name);
}

}  // namespace fedra::cel
