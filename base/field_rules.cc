#include "base/field_rules.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace fedra {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> Split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  for (size_t at = text.find(by); at != std::string_view::npos; at = text.find(by)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + by.size());
  }
  parts.push_back(text);
  return parts;
}

std::optional<int> Number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<FieldPath> PathOf(std::string_view text) {
  FEDRA_ASSIGN_OR_RETURN(FieldPath path, FieldPath::Parse(Trim(text)));
  if (path.empty() || path.steps().back().kind == FieldPath::Step::Kind::kWhere)
    return Fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" names no field", Trim(text)));
  return path;
}

// Where the path ends: at the first of = ! > outside of brackets.
size_t OperatorOf(std::string_view test) {
  bool inside = false;
  for (size_t i = 0; i < test.size(); ++i) {
    if (test[i] == '[') inside = true;
    if (test[i] == ']') inside = false;
    if (!inside && (test[i] == '=' || test[i] == '!' || test[i] == '>')) return i;
  }
  return std::string_view::npos;
}

Result<FieldTest> ParseTest(std::string_view text) {
  const size_t at = OperatorOf(text);
  const auto wrong = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is no test: path=value, path!=value or path>number is expected",
                            Trim(text)));
  };
  if (at == std::string_view::npos) return wrong();
  FieldTest test;
  FEDRA_ASSIGN_OR_RETURN(test.path, PathOf(text.substr(0, at)));
  std::string_view rest = text.substr(at + 1);
  if (text[at] == '>') {
    test.above = Number(Trim(rest));
    if (!test.above) return wrong();
    return test;
  }
  test.is_none_of = text[at] == '!';
  if (test.is_none_of) {
    if (!rest.starts_with('=')) return wrong();
    rest.remove_prefix(1);
  }
  for (const std::string_view value : Split(rest, "|")) test.values.emplace_back(Trim(value));
  return test;
}

Result<CountTerm> ParseTerm(std::string_view text) {
  CountTerm term;
  const size_t mark = text.find('?');
  FEDRA_ASSIGN_OR_RETURN(term.path, PathOf(text.substr(0, mark)));
  if (mark == std::string_view::npos) return term;
  const std::string_view absent = Trim(text.substr(mark + 1));
  term.absent = Number(absent);
  if ((!absent.empty() && !term.absent.has_value()) || term.absent.value_or(0) < 0)
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("\"{}\": after \"?\" comes a whole number from 0 on, or nothing", Trim(text)));
  return term;
}

Result<CountFactor> ParseFactor(std::string_view text) {
  constexpr std::string_view kLeast = "min(";
  text = Trim(text);
  const bool is_least = text.starts_with(kLeast) && text.ends_with(')');
  if (is_least) text = text.substr(kLeast.size(), text.size() - kLeast.size() - 1);
  CountFactor factor;
  if (text.find_first_of(is_least ? "()" : "(),") != std::string_view::npos)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\": several fields stand in min(a, b)", text));
  for (const std::string_view part : Split(text, ",")) {
    FEDRA_ASSIGN_OR_RETURN(CountTerm term, ParseTerm(part));
    factor.push_back(std::move(term));
  }
  return factor;
}

std::string ToString(const CountTerm& term) {
  if (!term.absent) return term.path.text() + "?";
  return *term.absent == 1 ? term.path.text()
                           : fmt::format("{}?{}", term.path.text(), *term.absent);
}

}  // namespace

Result<AllOf> ParseTests(std::string_view text) {
  AllOf tests;
  for (const std::string_view part : Split(text, " and ")) {
    FEDRA_ASSIGN_OR_RETURN(FieldTest test, ParseTest(part));
    tests.push_back(std::move(test));
  }
  return tests;
}

Result<std::vector<CountFactor>> ParseCount(std::string_view text) {
  std::vector<CountFactor> count;
  for (const std::string_view part : Split(text, " x ")) {
    FEDRA_ASSIGN_OR_RETURN(CountFactor factor, ParseFactor(part));
    count.push_back(std::move(factor));
  }
  return count;
}

std::string ToString(const std::vector<CountFactor>& count) {
  std::string text;
  for (const CountFactor& factor : count) {
    std::string least;
    for (const CountTerm& term : factor) least += (least.empty() ? "" : ", ") + ToString(term);
    text += (text.empty() ? "" : " x ") + (factor.size() > 1 ? "min(" + least + ")" : least);
  }
  return text.empty() ? "1" : text;
}

}  // namespace fedra
