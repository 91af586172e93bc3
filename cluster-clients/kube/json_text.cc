#include "cluster-clients/kube/json_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/utf8.h"

namespace fedra::kube {
namespace {

size_t SkipSpace(std::string_view text, size_t pos) {
  while (pos < text.size() && IsJsonSpace(text[pos])) ++pos;
  return pos;
}

bool EndsScalar(char c) { return c == ',' || c == '}' || c == ']' || IsJsonSpace(c); }

// A member's value that begins at `pos`; nothing when it is cut, or nested too deeply.
std::optional<std::string_view> ValueAt(std::string_view text, size_t pos) {
  ValueScanner scanner(kMaxDepth - 1);
  const size_t end = scanner.Scan(text, pos);
  if (!scanner.done() || scanner.too_deep()) return std::nullopt;
  return text.substr(pos, end - pos);
}

// Calls visit(name, value) for each member of the object that the text begins with, until it
// returns false. Returns the position behind the object, or behind the last value visited; nothing
// where the object is cut, is none or is nested too deeply.
template <class Visit>
std::optional<size_t> WalkMembers(std::string_view text, Visit visit) {
  size_t pos = SkipSpace(text, 0);
  if (pos == text.size() || text[pos] != '{') return std::nullopt;
  pos = SkipSpace(text, pos + 1);
  if (pos < text.size() && text[pos] == '}') return pos + 1;
  while (pos < text.size() && text[pos] == '"') {
    const auto name = ValueAt(text, pos);
    if (!name) return std::nullopt;
    pos = SkipSpace(text, pos + name->size());
    if (pos >= text.size() || text[pos] != ':') return std::nullopt;
    pos = SkipSpace(text, pos + 1);
    const auto value = ValueAt(text, pos);
    if (!value) return std::nullopt;
    pos += value->size();
    if (!visit(name->substr(1, name->size() - 2), *value)) return pos;
    pos = SkipSpace(text, pos);
    if (pos >= text.size()) return std::nullopt;
    if (text[pos] == '}') return pos + 1;
    if (text[pos] != ',') return std::nullopt;
    pos = SkipSpace(text, pos + 1);
  }
  return std::nullopt;
}

}  // namespace

size_t ValueScanner::Scan(std::string_view text, size_t pos) {
  if (pos < text.size() && !begun_) {
    begun_ = true;
    const char c = text[pos];
    scalar_ = c != '{' && c != '[' && c != '"';
  }
  while (pos < text.size() && !done_) {
    if (in_string_) {
      pos = ScanString(text, pos);
      continue;
    }
    const char c = text[pos];
    if (scalar_ && EndsScalar(c)) {
      done_ = true;
      return pos;
    }
    ++pos;
    if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      too_deep_ = ++depth_ > max_depth_ || too_deep_;
    } else if (c == '}' || c == ']') {
      done_ = --depth_ == 0;
    }
  }
  return pos;
}

size_t ValueScanner::ScanString(std::string_view text, size_t pos) {
  if (escaped_) {
    escaped_ = false;
    return pos + 1;
  }
  // Most strings are short: a look at each character is quicker than two searches that begin anew.
  constexpr size_t kShort = 32;
  for (const size_t end = std::min(text.size(), pos + kShort); pos < end; ++pos) {
    if (text[pos] == '"') {
      in_string_ = false;
      done_ = depth_ == 0;
      return pos + 1;
    }
    if (text[pos] == '\\') {
      escaped_ = true;
      return pos + 1;
    }
  }
  // Piece by piece: one that is full of escapes is not looked through to its end for each of them.
  constexpr size_t kPiece = 64;
  while (pos < text.size()) {
    const std::string_view piece = text.substr(pos, kPiece);
    const size_t quote = piece.find('"');
    if (const size_t escape = piece.substr(0, quote).find('\\'); escape != std::string_view::npos) {
      escaped_ = true;
      return pos + escape + 1;
    }
    if (quote != std::string_view::npos) {
      in_string_ = false;
      done_ = depth_ == 0;
      return pos + quote + 1;
    }
    pos += piece.size();
  }
  return pos;
}

bool IsCompleteObject(std::string_view text) {
  const size_t begin = SkipSpace(text, 0);
  if (begin == text.size() || text[begin] != '{') return false;
  ValueScanner scanner;
  const size_t end = scanner.Scan(text, begin);
  return scanner.done() && !scanner.too_deep() && SkipSpace(text, end) == text.size();
}

std::optional<std::vector<std::string_view>> ReadMembers(
    std::string_view text, std::initializer_list<std::string_view> keys) {
  std::vector<std::string_view> values(keys.size());
  const auto end = WalkMembers(text, [&](std::string_view name, std::string_view value) {
    const auto at = static_cast<size_t>(std::find(keys.begin(), keys.end(), name) - keys.begin());
    if (at < values.size() && values[at].empty()) values[at] = value;
    return true;
  });
  if (!end || SkipSpace(text, *end) != text.size()) return std::nullopt;
  return values;
}

std::optional<std::string_view> FindMember(std::string_view object, std::string_view key) {
  std::optional<std::string_view> found;
  WalkMembers(object, [&](std::string_view name, std::string_view value) {
    if (name == key) found = value;
    return !found;
  });
  return found;
}

std::optional<std::string> Unquote(std::string_view value) {
  if (value.size() < 2 || value.front() != '"') return std::nullopt;
  const std::string_view inside = value.substr(1, value.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return std::string(inside);
  const auto parsed = nlohmann::json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_string()) return std::nullopt;
  return parsed.get<std::string>();
}

std::optional<std::string> FindString(std::string_view object, std::string_view key) {
  const auto value = FindMember(object, key);
  return value ? Unquote(*value) : std::nullopt;
}

std::string OneLine(std::string_view text, size_t max_bytes) {
  std::string line(text.substr(0, CharacterBoundary(text, max_bytes)));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  if (line.size() < text.size()) line += "...";
  return line;
}

}  // namespace fedra::kube
