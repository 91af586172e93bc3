#include "cel/lib/regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "base/utf8.h"
#include "cel/library.h"

namespace fedra::cel {
namespace {

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

// Rewrites what this RE2 reads otherwise than Go does, and finds what it accepts and Go refuses.
class PatternReader final {
 public:
  explicit PatternReader(std::string_view pattern) : rest_(pattern) {}

  // The pattern for RE2; problem() is set if Go refuses the pattern.
  std::string Adapted() {
    while (!rest_.empty()) {
      switch (rest_[0]) {
        case '\\':
          TakeEscape();
          break;
        case '[':
          TakeClass();
          break;
        case '{':
          CheckRepeat();
          Take(1);
          break;
        case '(':
          TakeGroupStart();
          break;
        default:
          Take(1);
      }
    }
    return std::move(adapted_);
  }
  const std::string& problem() const { return problem_; }

 private:
  void Take(size_t count) {
    count = std::min(count, rest_.size());
    adapted_ += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }

  void TakeEscape() {
    if (rest_.starts_with("\\Q")) return Take(rest_.find("\\E"));  // literal up to \E
    if (rest_.starts_with("\\C")) problem_ = "invalid escape sequence: \\C";
    const bool braces = rest_.size() > 2 && rest_[2] == '{' &&
                        std::string_view("pPx").find(rest_[1]) != std::string_view::npos;
    Take(braces ? std::min(rest_.find('}'), rest_.size() - 1) + 1 : 2);
  }

  // [...]: a ] at the beginning and the ] of [:alpha:] do not end it.
  void TakeClass() {
    Take(rest_.starts_with("[^") ? 2 : 1);
    if (rest_.starts_with("]")) Take(1);
    while (!rest_.empty() && rest_[0] != ']') {
      const size_t name_end = rest_.starts_with("[:") ? rest_.find(":]", 2) : rest_.npos;
      if (name_end != rest_.npos) {
        Take(name_end + 2);
      } else if (rest_[0] == '\\') {
        TakeEscape();
      } else {
        Take(1);
      }
    }
    Take(1);
  }

  // (?<name>...), which this RE2 does not know.
  void TakeGroupStart() {
    if (!rest_.starts_with("(?<") || rest_.size() < 4 || rest_[3] == '=' || rest_[3] == '!')
      return Take(1);
    adapted_ += "(?P<";
    rest_.remove_prefix(3);
  }

  // One number of {n,m}. Go takes none with a leading zero; from a hundred million on it is an
  // error, where RE2 makes a literal of the whole. False if this is no number.
  static bool TakeCount(std::string_view& text, bool& too_large) {
    const size_t length = std::min(
        static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin()),
        text.size());
    if (length == 0 || (length > 1 && text[0] == '0')) return false;
    too_large = too_large || length > 8;
    text.remove_prefix(length);
    return true;
  }

  void CheckRepeat() {
    std::string_view text = rest_.substr(1);
    bool too_large = false;
    if (!TakeCount(text, too_large)) return;
    if (text.starts_with(",")) {
      text.remove_prefix(1);
      if (!text.starts_with("}") && !TakeCount(text, too_large)) return;
    }
    if (!text.starts_with("}") || !too_large) return;
    problem_ =
        "invalid repeat count: " + std::string(rest_.substr(0, rest_.size() - text.size() + 1));
  }

  std::string_view rest_;
  std::string adapted_;
  std::string problem_;
};

// Compiling takes far longer than matching, which is all that cel-go charges for.
constexpr uint64_t kStepsPerInstruction = 8;
constexpr uint64_t kStepsOfRefusal = 10'000;

// A pattern that is known at run time only.
Result<std::unique_ptr<re2::RE2>> CompiledNow(Evaluation& evaluation, const Value& pattern) {
  auto regex = CompileRegex(pattern.AsText());
  evaluation.steps().Take(regex ? static_cast<uint64_t>((*regex)->ProgramSize()) *
                                      kStepsPerInstruction
                                : kStepsOfRefusal);
  return regex;
}

Value CompilePattern(Evaluation& evaluation, const Value& pattern,
                     std::unique_ptr<re2::RE2>& regex) {
  auto compiled = CompiledNow(evaluation, pattern);
  if (!compiled) return evaluation.Error("Illegal regex: " + compiled.error().message);
  regex = std::move(*compiled);
  return Value::Null();
}

Value Matches(Evaluation& evaluation, const Value* args) {
  const auto regex = CompiledNow(evaluation, args[1]);
  if (!regex) return evaluation.Error(regex.error().message);
  return Value::Bool(RegexMatches(**regex, args[0].AsText()));
}

Value FindFirst(Evaluation& evaluation, const Value* args) {
  std::unique_ptr<re2::RE2> regex;
  const Value error = CompilePattern(evaluation, args[1], regex);
  return error.is_error() ? error : RegexFind(*regex, args[0].AsText());
}

Value FindUpTo(Evaluation& evaluation, const Value* args, int64_t limit) {
  std::unique_ptr<re2::RE2> regex;
  const Value error = CompilePattern(evaluation, args[1], regex);
  return error.is_error() ? error : RegexFindAll(evaluation, *regex, args[0].AsText(), limit);
}

Value FindEvery(Evaluation& evaluation, const Value* args) {
  return FindUpTo(evaluation, args, -1);
}
Value FindSome(Evaluation& evaluation, const Value* args) {
  return FindUpTo(evaluation, args, args[2].AsInt());
}

constexpr std::array<const Type*, 4> kTextsAndLimit = {&kStringType, &kStringType, &kIntType};

constexpr Overload kRegexOverloads[] = {
    Global("matches", "matches", kTwoStrings, kBoolType, Matches),
    Member("matches", "matches_string", kTwoStrings, kBoolType, Matches, Price::kRegex),
    Member("find", "string_find_string", kTwoStrings, kStringType, FindFirst, Price::kRegex),
    Member("findAll", "string_find_all_string", kTwoStrings, kListOfString, FindEvery,
           Price::kRegex),
    Member("findAll", "string_find_all_string_int", kTextsAndLimit, kListOfString, FindSome,
           Price::kRegex),
};

}  // namespace

Result<std::unique_ptr<re2::RE2>> CompileRegex(std::string_view pattern) {
  PatternReader reader(pattern);
  const std::string adapted = reader.Adapted();
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_unique<re2::RE2>(Piece(adapted), options);
  if (!reader.problem().empty() || !regex->ok()) {
    const std::string& why = reader.problem().empty() ? regex->error() : reader.problem();
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
      while (position < text.size() && IsContinuationByte(text[position])) ++position;
    }
  }
  return matches.Finish();
}

std::span<const Overload> RegexLibrary() { return kRegexOverloads; }

}  // namespace fedra::cel
