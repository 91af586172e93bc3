#include "cel/diagnosis.h"

#include <algorithm>

#include "base/quantity.h"
#include "cel/display.h"
#include "cel/lexer.h"
#include "cel/library.h"
#include "cel/selector_patterns.h"

namespace fedra::cel {
namespace {

// `quantity("40Gi")` for an operand that is meant as one.
std::string AsQuantityText(const Expr& operand, std::string_view expression) {
  if (IsTextLiteral(operand)) return "quantity(" + Quoted(operand.literal.AsText()) + ")";
  if (IsNumberLiteral(operand)) return "quantity(\"" + TextOf(operand, expression) + "\")";
  return TextOf(operand, expression);
}

bool IsQuantity(const Expr& expr) {
  if (expr.type != nullptr && SameSimpleType(*expr.type, kQuantityType)) return true;
  const auto path = PathOf(expr);
  return IsCallOf(expr, "quantity") || (path && path->table == "capacity" && !path->name.empty());
}
bool IsSemver(const Expr& expr) {
  return IsCallOf(expr, "semver") ||
         (expr.type != nullptr && SameSimpleType(*expr.type, kSemverType));
}

// a >= b with a quantity or version on one side, as a call of compareTo.
std::string CompareToAdvice(const Expr& relation, std::string_view expression) {
  std::string_view sign = RelationSign(relation);
  if (sign.empty()) return "";
  const Expr* left = relation.args[0];
  const Expr* right = relation.args[1];
  const bool semver = IsSemver(*left) || IsSemver(*right);
  if (!semver && !IsQuantity(*left) && !IsQuantity(*right)) return "";
  // The receiver is the side that is a path; a literal goes into the argument.
  const bool swap = semver ? IsSemver(*left) && PathOf(*right)
                           : !IsQuantity(*left) || (PathOf(*right) && !PathOf(*left));
  if (swap) {
    std::swap(left, right);
    sign = Mirrored(sign);
  }
  std::string argument = semver ? TextOf(*right, expression) : AsQuantityText(*right, expression);
  if (semver && IsTextLiteral(*right)) argument = "semver(" + Quoted(right->literal.AsText()) + ")";
  const bool equality = sign == "==" || sign == "!=";
  return std::string(semver ? "versions" : "quantities") +
         (equality ? " are never equal to numbers or texts; write "
                   : " cannot be compared with <, <=, >, >=; write ") +
         TextOf(*left, expression) + ".compareTo(" + argument + ") " + std::string(sign) + " 0";
}

// device.attributes["memory"] used as if it were a value.
std::string WholeDomainAdvice(const Expr& relation) {
  if (RelationSign(relation).empty()) return "";
  for (const Expr* side : relation.args) {
    const auto path = PathOf(*side);
    if (!path || !path->name.empty() ||
        (side->type != nullptr && side->type->kind != TypeKind::kMap))
      continue;
    return "device." + path->table + "[" + Quoted(path->domain) + "] is the map of all " +
           path->table + " of the domain " + Quoted(path->domain) +
           ", not a value; name the domain first: " +
           PathText(path->table, "<driver or domain>", path->domain);
  }
  return "";
}

// The quantity that was meant by a number with a unit stuck to it: 80g and 80gb are 80G, 80gib is
// 80Gi.
std::string MeantQuantity(std::string_view number, std::string_view unit) {
  const bool kilo = unit[0] == 'k' || unit[0] == 'K';
  const bool binary = unit.size() > 1 && (unit[1] | 0x20) == 'i';
  std::string text(number);
  text += kilo && !binary ? 'k' : static_cast<char>(unit[0] & ~0x20);
  if (binary) text += 'i';
  return Quantity::Parse(text) ? text : "";
}

// For `>= 80g`, which is a syntax error.
std::string UnitAdvice(std::string_view expression) {
  Lexer lexer(expression);
  Token previous = lexer.Next();
  while (previous.kind != TokenKind::kEnd && previous.kind != TokenKind::kInvalid) {
    const Token token = lexer.Next();
    const bool number = previous.kind == TokenKind::kInt || previous.kind == TokenKind::kDouble;
    if (number && token.kind == TokenKind::kIdentifier &&
        token.offset == previous.offset + previous.text.size()) {
      const std::string quantity = MeantQuantity(previous.text, token.text);
      if (quantity.empty()) return "";
      const std::string call = "quantity(" + Quoted(quantity) + ")";
      return "numbers have no units in CEL; " + std::string(previous.text) +
             std::string(token.text) + " is " + call +
             ", which is compared like this: "
             "device.capacity[\"<driver>\"].<name>.compareTo(" +
             call + ") >= 0";
    }
    previous = token;
  }
  return "";
}

// A function that a later release has, or a field that none has.
std::string ReleaseAdvice(const CompileFailure& failure, const SelectorOptions& options) {
  for (const CompileIssue& issue : failure.issues) {
    const std::string& name = issue.subject;
    if (issue.kind == IssueKind::kUndefinedField) {
      return "a selector sees device.driver, device.attributes, device.capacity and "
             "device.allowMultipleAllocations; the name, pool and node of a device are not visible";
    }
    if (issue.kind != IssueKind::kUndeclaredReference) continue;
    for (auto next = static_cast<int>(options.release) + 1;
         next <= static_cast<int>(kNewestRelease); ++next) {
      const auto release = static_cast<KubernetesRelease>(next);
      if (FunctionsOf(release).Find(name) != nullptr) {
        return "'" + name + "' exists from Kubernetes " + std::string(cel::ToString(release)) +
               " on, this is " + std::string(cel::ToString(options.release));
      }
    }
    if (name == "existsOne") return "with one variable the macro is called exists_one";
  }
  return "";
}

bool HasIssue(const CompileFailure& failure, IssueKind kind) {
  return std::ranges::find(failure.issues, kind, &CompileIssue::kind) != failure.issues.end();
}

std::string MacroRangeAdvice(const CompileFailure& failure) {
  if (!HasIssue(failure, IssueKind::kNotIterable)) return "";
  return "attributes are single values; macros work on attribute lists only where the gate "
         "DRAListTypeAttributes is on. Test one value with == or with in [...]";
}

// "=>" and "=<" are comparisons the wrong way round; a lone "=" is an assignment elsewhere.
std::string EqualSignAdvice(const CompileIssue& issue) {
  constexpr std::string_view kMargin = " | ";  // before the source in the snippet
  const size_t place = kMargin.size() + static_cast<size_t>(std::max(1, issue.column)) - 1;
  if (issue.snippet.starts_with(kMargin) && place < issue.snippet.size()) {
    const std::string_view rest = std::string_view(issue.snippet).substr(place);
    if (rest.starts_with("=>")) return "at least is written >=";
    if (rest.starts_with("=<")) return "at most is written <=";
  }
  return "values are compared with ==";
}

// Operators of other languages.
std::string OperatorAdvice(const CompileFailure& failure) {
  for (const CompileIssue& issue : failure.issues) {
    if (issue.kind == IssueKind::kStrayCharacter && issue.subject == "'='")
      return EqualSignAdvice(issue);
    if (issue.kind != IssueKind::kUnexpectedToken) continue;
    if (issue.subject == "'and'") return "conditions are joined with &&";
    if (issue.subject == "'or'") return "alternatives are joined with ||";
  }
  return "";
}

}  // namespace

std::vector<std::string> OperandTexts(const Ast& ast, std::string_view expression) {
  const Expr& root = *ast.root;
  if (root.kind != ExprKind::kCall || root.name != op::kAnd) return {std::string(expression)};
  std::vector<std::string> texts;
  for (const Expr* operand : root.args) texts.push_back(TextOf(*operand, expression));
  return texts;
}

std::string AdviseOnCompilation(std::string_view expression, const SelectorOptions& options,
                                const CompileFailure& failure) {
  if (std::string advice = ReleaseAdvice(failure, options); !advice.empty()) return advice;
  if (std::string advice = MacroRangeAdvice(failure); !advice.empty()) return advice;
  if (HasIssue(failure, IssueKind::kSyntax) || HasIssue(failure, IssueKind::kStrayCharacter) ||
      HasIssue(failure, IssueKind::kUnexpectedToken)) {
    std::string advice = OperatorAdvice(failure);
    return advice.empty() ? UnitAdvice(expression) : advice;
  }
  if (!HasIssue(failure, IssueKind::kNoOverload)) return "";
  const auto ast = ParseForAdvice(expression, options);
  if (ast->root == nullptr) return "";
  return FirstAdvice(*ast->root, [&](const Expr& expr) {
    if (expr.type == nullptr || expr.type->kind != TypeKind::kError) return std::string();
    const std::string advice = CompareToAdvice(expr, expression);
    return advice.empty() ? WholeDomainAdvice(expr) : advice;
  });
}

}  // namespace fedra::cel
