#include "cluster-clients/kube/json_text.h"

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

// The value that begins at `pos`, or nothing when it is cut.
std::optional<std::string_view> ValueAt(std::string_view text, size_t pos) {
  ValueScanner scanner;
  const size_t end = scanner.Scan(text, pos);
  if (!scanner.done()) return std::nullopt;
  return text.substr(pos, end - pos);
}

std::optional<std::string> Unquote(std::string_view value) {
  if (value.size() < 2 || value.front() != '"') return std::nullopt;
  const std::string_view inside = value.substr(1, value.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return std::string(inside);
  const auto parsed = nlohmann::json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_string()) return std::nullopt;
  return parsed.get<std::string>();
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
      too_deep_ = ++depth_ > kMaxDepth || too_deep_;
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
  while (pos < text.size() && text[pos] != '"' && text[pos] != '\\') ++pos;
  if (pos == text.size()) return pos;
  if (text[pos] == '\\') {
    escaped_ = true;
  } else {
    in_string_ = false;
    done_ = depth_ == 0;
  }
  return pos + 1;
}

bool IsCompleteObject(std::string_view text) {
  const size_t begin = SkipSpace(text, 0);
  if (begin == text.size() || text[begin] != '{') return false;
  ValueScanner scanner;
  const size_t end = scanner.Scan(text, begin);
  return scanner.done() && !scanner.too_deep() && SkipSpace(text, end) == text.size();
}

std::optional<std::string_view> FindMember(std::string_view object, std::string_view key) {
  size_t pos = SkipSpace(object, 0);
  if (pos == object.size() || object[pos] != '{') return std::nullopt;
  while (true) {
    pos = SkipSpace(object, pos + 1);  // behind "{" or ","
    if (pos >= object.size() || object[pos] != '"') return std::nullopt;
    const auto name = ValueAt(object, pos);
    if (!name) return std::nullopt;
    pos = SkipSpace(object, pos + name->size());
    if (pos >= object.size() || object[pos] != ':') return std::nullopt;
    pos = SkipSpace(object, pos + 1);
    const auto value = ValueAt(object, pos);
    if (!value) return std::nullopt;
    if (name->substr(1, name->size() - 2) == key) return value;
    pos = SkipSpace(object, pos + value->size());
    if (pos >= object.size() || object[pos] != ',') return std::nullopt;
  }
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
