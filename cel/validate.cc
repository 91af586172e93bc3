#include "cel/checker.h"
#include "cel/lib/format_string.h"
#include "cel/lib/regex.h"
#include "cel/lib/time.h"

namespace fedra::cel {
namespace {

class Validator final {
 public:
  Validator(const Environment& environment, TypePool& types, IssueList& issues)
      : environment_(environment), types_(types), issues_(issues) {}

  void Visit(const Expr& expr, bool inside_format) {
    if (expr.kind == ExprKind::kCall) VisitCall(expr);
    inside_format = inside_format || (expr.kind == ExprKind::kCall && expr.name == "format");
    if (environment_.homogeneous_literals && !inside_format) {
      if (expr.kind == ExprKind::kList) CheckSameTypes(expr, 0, 1);
      if (expr.kind == ExprKind::kMap) {
        CheckSameTypes(expr, 0, 2);
        CheckSameTypes(expr, 1, 2);
      }
    }
    for (const Expr* arg : expr.args) Visit(*arg, inside_format);
  }

  size_t bad_constants() const { return bad_constants_; }

 private:
  static const std::string_view* TextLiteral(const Expr& expr, std::string_view& storage) {
    if (expr.kind != ExprKind::kLiteral || !expr.literal.is(Kind::kString)) return nullptr;
    storage = expr.literal.AsText();
    return &storage;
  }

  void VisitCall(const Expr& call) {
    if (call.name == "format" && call.member) return CheckFormat(call);
    // cel-go looks at the first argument behind the receiver, also where that is not the pattern.
    const size_t first = call.member ? 1 : 0;
    std::string_view text;
    if (call.args.size() <= first || TextLiteral(*call.args[first], text) == nullptr) return;
    const bool bad = (call.name == "matches" && !IsValidRegex(text)) ||
                     (call.name == "duration" && !ParseDuration(text)) ||
                     (call.name == "timestamp" && !IsTimestamp(text));
    if (!bad) return;
    issues_.Add(call.args[first]->offset, "invalid " + call.name + " argument");
    ++bad_constants_;
  }

  static bool IsTimestamp(std::string_view text) {
    const auto timestamp = ParseTimestamp(text);
    return timestamp && !timestamp->is_error();
  }

  // Elements [start], [start + stride], ... must have one type. `format` calls are exempt in
  // cel-go, but their lists have been refused by the type checker already.
  void CheckSameTypes(const Expr& literal, size_t start, size_t stride) {
    const Type* expected = nullptr;
    for (size_t i = start; i < literal.args.size(); i += stride) {
      const bool optional = literal.optional_args[i / stride] && start + 1 == stride;
      const Type* type = literal.args[i]->type;
      if (optional && IsOptional(*type)) type = type->first;
      if (expected == nullptr) expected = type;
      if (SameType(*expected, *type, types_.steps())) continue;
      issues_.Add(literal.args[i]->offset, "expected type '" + FormatType(*expected) +
                                               "' but found '" + FormatType(*type) + "'");
      if (stride == 1) break;
    }
  }

  void CheckFormat(const Expr& call) {
    std::string_view format;
    if (call.args.size() != 2 || TextLiteral(*call.args[0], format) == nullptr) return;
    const Expr& list = *call.args[1];
    if (list.kind != ExprKind::kList) return;
    const auto pieces = ParseFormatString(format);
    if (!pieces) return issues_.Add(call.offset, pieces.error().message);
    size_t used = 0;
    for (const FormatPiece& piece : *pieces) {
      if (piece.verb == '\0') continue;
      if (used >= list.args.size()) {
        return issues_.Add(call.offset, "index " + std::to_string(used) + " out of range");
      }
      if (!CheckFormatArgument(piece.verb, *list.args[used])) return;
      ++used;
    }
    if (list.args.size() > used) {
      issues_.Add(call.offset, "too many arguments supplied to string.format (expected " +
                                   std::to_string(used) + ", got " +
                                   std::to_string(list.args.size()) + ")");
    }
  }

  bool CheckFormatArgument(char verb, const Expr& argument) {
    if (const auto problem = FormatTypeProblem(verb, *argument.type)) {
      issues_.Add(argument.offset, *problem);
      return false;
    }
    if (verb != 's' || (argument.kind != ExprKind::kList && argument.kind != ExprKind::kMap))
      return true;
    for (const Expr* element : argument.args) {
      if (!CheckFormatArgument(verb, *element)) return false;
    }
    return true;
  }

  const Environment& environment_;
  TypePool& types_;
  IssueList& issues_;
  size_t bad_constants_ = 0;
};

}  // namespace

bool Validate(const Environment& environment, Ast& ast, IssueList& issues) {
  Validator validator(environment, ast.types(), issues);
  validator.Visit(*ast.root, false);
  if (ast.types().steps().exhausted()) issues.AddGlobal(std::string(kTypesTooLarge));
  return issues.size() == validator.bad_constants();
}

}  // namespace fedra::cel
