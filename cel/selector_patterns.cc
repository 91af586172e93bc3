#include "cel/selector_patterns.h"

#include <algorithm>

#include "base/ascii.h"
#include "cel/checker.h"
#include "cel/display.h"
#include "cel/library.h"
#include "cel/parser.h"

namespace fedra::cel {

std::string TextOf(const Expr& expr, std::string_view expression) {
  if (expr.end <= expr.begin || expr.end > expression.size()) return "";
  return std::string(expression.substr(expr.begin, expr.end - expr.begin));
}

bool IsTextLiteral(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral && expr.literal.is(Kind::kString);
}
bool IsNumberLiteral(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral &&
         (expr.literal.is(Kind::kInt) || expr.literal.is(Kind::kUint) ||
          expr.literal.is(Kind::kDouble));
}
bool IsCallOf(const Expr& expr, std::string_view function) {
  return expr.kind == ExprKind::kCall && expr.name == function;
}

std::string_view RelationSign(const Expr& expr) {
  static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {op::kLess, "<"},           {op::kLessEquals, "<="}, {op::kGreater, ">"},
      {op::kGreaterEquals, ">="}, {op::kEquals, "=="},     {op::kNotEquals, "!="}};
  if (expr.kind != ExprKind::kCall) return "";
  for (const auto& [function, sign] : kSigns) {
    if (expr.name == function) return sign;
  }
  return "";
}

std::string_view Mirrored(std::string_view sign) {
  if (sign == "<") return ">";
  if (sign == "<=") return ">=";
  if (sign == ">") return "<";
  if (sign == ">=") return "<=";
  return sign;
}

namespace {

std::optional<std::string> ConstantKey(const Expr& expr) {
  if (expr.kind == ExprKind::kSelect) return expr.name;
  if (IsCallOf(expr, op::kIndex) && IsTextLiteral(*expr.args[1]))
    return std::string(expr.args[1]->literal.AsText());
  return std::nullopt;
}

bool IsTable(const Expr& expr) {
  return expr.kind == ExprKind::kSelect && (expr.name == "attributes" || expr.name == "capacity") &&
         expr.args[0]->kind == ExprKind::kIdent && expr.args[0]->name == "device";
}

}  // namespace

std::optional<Path> PathOf(const Expr& expr) {
  const auto key = ConstantKey(expr);
  if (!key || expr.args.empty()) return std::nullopt;
  const Expr& inner = *expr.args[0];
  if (IsTable(inner)) return Path{inner.name, *key, ""};
  const auto domain = ConstantKey(inner);
  if (!domain || inner.args.empty() || !IsTable(*inner.args[0])) return std::nullopt;
  return Path{inner.args[0]->name, *domain, *key};
}

bool IsIdentifier(std::string_view name) {
  if (name.empty() || IsDigit(name[0])) return false;
  if (name == "in" || name == "true" || name == "false" || name == "null") return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '_'; });
}

std::string PathText(std::string_view table, std::string_view domain, std::string_view name) {
  std::string text = "device." + std::string(table) + "[" + Quoted(domain) + "]";
  return text + (IsIdentifier(name) ? "." + std::string(name) : "[" + Quoted(name) + "]");
}

void ForEachNode(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  visit(expr);
  for (const Expr* arg : expr.args) ForEachNode(*arg, visit);
}

std::string FirstAdvice(const Expr& root, const std::function<std::string(const Expr&)>& advise) {
  std::string advice;
  ForEachNode(root, [&](const Expr& expr) {
    if (advice.empty()) advice = advise(expr);
  });
  return advice;
}

std::unique_ptr<Ast> ParseForAdvice(std::string_view expression, const SelectorOptions& options) {
  auto ast = std::make_unique<Ast>();
  IssueList issues(expression);
  const Environment environment = DeviceEnvironment(options.release, options.list_attributes);
  Parse(expression, environment.parser, *ast, issues);
  if (!issues.empty()) {
    ast->root = nullptr;
    return ast;
  }
  Check(environment, *ast, issues);
  return ast;
}

}  // namespace fedra::cel
