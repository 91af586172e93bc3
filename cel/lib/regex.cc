#include "cel/lib/regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <string>

#include "cel/library.h"

namespace fedra::cel {
namespace {

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

// Whether the pattern uses \C (one byte), which Go refuses, and (?<name>), which this RE2 does not
// know.
std::string Adapted(std::string_view pattern, bool& refused) {
  std::string adapted;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      if (pattern.substr(i, 2) == "\\Q") {  // literal up to \E
        const size_t end = std::min(pattern.find("\\E", i), pattern.size());
        adapted += pattern.substr(i, end - i);
        i = end - 1;
        continue;
      }
      refused = refused || pattern[i + 1] == 'C';
      adapted += c;
      adapted += pattern[++i];
      continue;
    }
    if (c == '[') in_class = true;
    if (c == ']') in_class = false;
    adapted += c;
    const bool named = !in_class && c == '(' && pattern.substr(i + 1, 2) == "?<" &&
                       i + 3 < pattern.size() && pattern[i + 3] != '=' && pattern[i + 3] != '!';
    if (named) {
      adapted += "?P";
      ++i;
    }
  }
  return adapted;
}

Value Compiled(Evaluation& evaluation, const Value& pattern, std::unique_ptr<re2::RE2>& regex) {
  auto compiled = CompileRegex(pattern.AsText());
  if (!compiled) return evaluation.Error("Illegal regex: " + compiled.error().message);
  regex = std::move(*compiled);
  return Value::Null();
}

Value Matches(Evaluation& evaluation, const Value* args) {
  const auto regex = CompileRegex(args[1].AsText());
  if (!regex) return evaluation.Error(regex.error().message);
  return Value::Bool(RegexMatches(**regex, args[0].AsText()));
}

Value FindFirst(Evaluation& evaluation, const Value* args) {
  std::unique_ptr<re2::RE2> regex;
  const Value error = Compiled(evaluation, args[1], regex);
  return error.is_error() ? error : RegexFind(*regex, args[0].AsText());
}

Value FindUpTo(Evaluation& evaluation, const Value* args, int64_t limit) {
  std::unique_ptr<re2::RE2> regex;
  const Value error = Compiled(evaluation, args[1], regex);
  return error.is_error() ? error : RegexFindAll(evaluation, *regex, args[0].AsText(), limit);
}

Value FindEvery(Evaluation& evaluation, const Value* args) {
  return FindUpTo(evaluation, args, -1);
}
Value FindSome(Evaluation& evaluation, const Value* args) {
  return FindUpTo(evaluation, args, args[2].AsInt());
}

constexpr std::array<const Type*, 4> kTexts = {&kStringType, &kStringType};
constexpr std::array<const Type*, 4> kTextsAndLimit = {&kStringType, &kStringType, &kIntType};

constexpr Overload kOverloads[] = {
    Global("matches", "matches", kTexts, kBoolType, Matches),
    Member("matches", "matches_string", kTexts, kBoolType, Matches, Price::kRegex),
    Member("find", "string_find_string", kTexts, kStringType, FindFirst, Price::kRegex),
    Member("findAll", "string_find_all_string", kTexts, kListOfString, FindEvery, Price::kRegex),
    Member("findAll", "string_find_all_string_int", kTextsAndLimit, kListOfString, FindSome,
           Price::kRegex),
};

}  // namespace

Result<std::unique_ptr<re2::RE2>> CompileRegex(std::string_view pattern) {
  bool refused = false;
  const std::string adapted = Adapted(pattern, refused);
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_unique<re2::RE2>(Piece(adapted), options);
  if (refused || !regex->ok()) {
    const std::string why = refused ? "invalid escape sequence: \\C" : regex->error();
    return Fail(ErrorCode::kInvalidArgument, "error parsing regexp: " + why);
  }
  return regex;
}

bool IsValidRegex(std::string_view pattern) { return CompileRegex(pattern).has_value(); }

bool RegexMatches(const re2::RE2& regex, std::string_view text) {
  return re2::RE2::PartialMatch(Piece(text), regex);
}

Value RegexFind(const re2::RE2& regex, std::string_view text) {
  re2::StringPiece match;
  if (!regex.Match(Piece(text), 0, text.size(), re2::RE2::UNANCHORED, &match, 1))
    return Value::String("");
  return Value::String({match.data(), match.size()});
}

Value RegexFindAll(Evaluation& evaluation, const re2::RE2& regex, std::string_view text,
                   int64_t limit) {
  ListBuilder matches(evaluation);
  size_t position = 0;
  size_t previous_end = std::string_view::npos;
  for (int64_t count = 0; (limit < 0 || count < limit) && position <= text.size();) {
    re2::StringPiece match;
    if (!regex.Match(Piece(text), position, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const auto start = static_cast<size_t>(match.data() - text.data());
    const size_t end = start + match.size();
    // As Go does: an empty match right behind the previous match does not count.
    if (!match.empty() || start != previous_end) {
      if (!matches.Add(Value::String(text.substr(start, match.size())))) break;
      ++count;
    }
    previous_end = end;
    position = end;
    if (match.empty()) {
      ++position;
      while (position < text.size() && (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80)
        ++position;
    }
  }
  return matches.Finish();
}

std::span<const Overload> RegexLibrary() { return kOverloads; }

}  // namespace fedra::cel
