#include "cel/literal.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace fedra::cel {
namespace {

tl::unexpected<Error> Malformed(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::string WithUnixNewlines(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      result += text[i];
    } else {
      result += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    }
  }
  return result;
}

char SimpleEscape(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '\\':
    case '\'':
    case '"':
    case '`':
    case '?':
      return c;
    default:
      return '\0';
  }
}

bool IsUnicodeScalar(uint32_t value) {
  return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

// A numeric escape: what comes after the backslash, and its base.
struct NumericEscape {
  size_t digits_at;
  size_t digits;
  int base;
};

std::optional<NumericEscape> FindNumericEscape(std::string_view rest) {
  switch (rest[0]) {
    case 'x':
    case 'X':
      return NumericEscape{1, 2, 16};
    case 'u':
      return NumericEscape{1, 4, 16};
    case 'U':
      return NumericEscape{1, 8, 16};
    case '0':
    case '1':
    case '2':
    case '3':
      return NumericEscape{0, 3, 8};
    default:
      return std::nullopt;
  }
}

// Decodes what follows a backslash; returns how many bytes that was.
Result<size_t> AppendEscape(std::string_view rest, bool bytes, std::string& out) {
  if (rest.empty()) return Malformed("unable to unescape string, found '\\' as last character");
  if (const char simple = SimpleEscape(rest[0]); simple != '\0') {
    out += simple;
    return size_t{1};
  }
  const auto escape = FindNumericEscape(rest);
  if (!escape || rest.size() < escape->digits_at + escape->digits) {
    return Malformed("unable to unescape string");
  }
  if (bytes && (rest[0] == 'u' || rest[0] == 'U')) return Malformed("unable to unescape string");
  const char* first = rest.data() + escape->digits_at;
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(first, first + escape->digits, value, escape->base);
  if (error != std::errc() || end != first + escape->digits)
    return Malformed("unable to unescape string");
  if (bytes) {
    out += static_cast<char>(value);
  } else if (IsUnicodeScalar(value)) {
    AppendUtf8(out, value);
  } else {
    return Malformed("invalid unicode code point");
  }
  return escape->digits_at + escape->digits;
}

}  // namespace

void AppendUtf8(std::string& text, uint32_t c) {
  const auto byte = [&](uint32_t value) { text += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | (c >> 6));
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | (c >> 12));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | (c >> 18));
    byte(0x80 | ((c >> 12) & 0x3F));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

Result<std::string> Unquote(std::string_view token, bool bytes) {
  if (bytes) token.remove_prefix(1);
  const bool raw = token[0] == 'r' || token[0] == 'R';
  if (raw) token.remove_prefix(1);
  const size_t quotes = token.size() >= 6 && token[1] == token[0] && token[2] == token[0] ? 3 : 1;
  std::string text = WithUnixNewlines(token.substr(quotes, token.size() - 2 * quotes));
  if (raw || text.find('\\') == std::string::npos) return text;
  std::string result;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      result += text[i++];
      continue;
    }
    FEDRA_ASSIGN_OR_RETURN(const size_t length,
                           AppendEscape(std::string_view(text).substr(i + 1), bytes, result));
    i += 1 + length;
  }
  return result;
}

std::optional<int64_t> ParseIntLiteral(std::string_view digits, bool negative) {
  const bool hex = digits.substr(0, 2) == "0x";
  if (hex) digits.remove_prefix(2);
  const std::string text = (negative ? "-" : "") + std::string(digits);
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> ParseUintLiteral(std::string_view token) {
  token.remove_suffix(1);
  const bool hex = token.substr(0, 2) == "0x";
  if (hex) token.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(token.data(), token.data() + token.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return value;
}

std::optional<double> ParseDoubleLiteral(std::string_view token) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size() || error == std::errc::invalid_argument)
    return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small is 0 (as in Go); too large is an error.
    value = std::strtod(std::string(token).c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
  }
  return value;
}

}  // namespace fedra::cel
