#include "cel/diagnosis.h"
#include "cel/display.h"

namespace fedra::cel {
namespace {

std::string_view MacroName(Macro macro) {
  switch (macro) {
    case Macro::kAll:
      return "all";
    case Macro::kExists:
      return "exists";
    case Macro::kExistsOne:
      return "exists_one";
    case Macro::kMap:
      return "map";
    case Macro::kFilter:
      return "filter";
    case Macro::kTransformList:
      return "transformList";
    case Macro::kTransformMap:
      return "transformMap";
    case Macro::kTransformMapEntry:
      return "transformMapEntry";
    case Macro::kBind:
      return "cel.bind";
    case Macro::kOptMap:
      return "optMap";
    case Macro::kOptFlatMap:
      return "optFlatMap";
    case Macro::kSortBy:
      return "sortBy";
    case Macro::kNone:
      break;
  }
  return "";
}

std::string Label(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return SourceText(expr.literal);
    case ExprKind::kIdent:
      return expr.name;
    case ExprKind::kSelect:
      return (expr.test_only ? "has ." : expr.optional ? ".?" : ".") + expr.name;
    case ExprKind::kCall:
      return expr.member ? "." + expr.name + "()" : expr.name;
    case ExprKind::kList:
      return "[...]";
    case ExprKind::kMap:
      return "{...}";
    case ExprKind::kStruct:
      return expr.name + "{...}";
    case ExprKind::kComprehension:
      return "macro " + std::string(MacroName(expr.macro)) + " over " + expr.var1 +
             (expr.var2.empty() ? "" : ", " + expr.var2);
  }
  return "";
}

void Append(const Expr& expr, size_t depth, std::string& text) {
  text += std::string(depth * 2, ' ') + Label(expr);
  if (expr.type != nullptr) text += " : " + FormatType(*expr.type);
  text += "\n";
  for (const Expr* arg : expr.args) Append(*arg, depth + 1, text);
}

}  // namespace

std::string TypedTree(const Ast& ast) {
  std::string text;
  Append(*ast.root, 0, text);
  return text;
}

}  // namespace fedra::cel
