#include "cel/macros.h"

namespace fedra::cel {
namespace {

// One receiver-style macro form: variables come first, then expressions.
struct Form {
  std::string_view name;
  Macro macro;
  size_t variables;
  size_t expressions;
  bool is_optional_syntax = false;
};

constexpr Form kForms[] = {
    {"all", Macro::kAll, 1, 1},
    {"exists", Macro::kExists, 1, 1},
    {"exists_one", Macro::kExistsOne, 1, 1},
    {"map", Macro::kMap, 1, 1},
    {"map", Macro::kMap, 1, 2},
    {"filter", Macro::kFilter, 1, 1},
    {"all", Macro::kAll, 2, 1},
    {"exists", Macro::kExists, 2, 1},
    {"existsOne", Macro::kExistsOne, 2, 1},
    {"exists_one", Macro::kExistsOne, 2, 1},
    {"transformList", Macro::kTransformList, 2, 1},
    {"transformList", Macro::kTransformList, 2, 2},
    {"transformMap", Macro::kTransformMap, 2, 1},
    {"transformMap", Macro::kTransformMap, 2, 2},
    {"transformMapEntry", Macro::kTransformMapEntry, 2, 1},
    {"transformMapEntry", Macro::kTransformMapEntry, 2, 2},
    {"optMap", Macro::kOptMap, 1, 1, true},
    {"optFlatMap", Macro::kOptFlatMap, 1, 1, true},
    {"sortBy", Macro::kSortBy, 1, 1},
};

const Form* FindForm(std::string_view name, size_t args, const ParserOptions& options) {
  for (const Form& form : kForms) {
    if (form.name == name && form.variables + form.expressions == args &&
        (options.optional_syntax || !form.is_optional_syntax)) {
      return &form;
    }
  }
  return nullptr;
}

std::string_view NotAVariable(Macro macro) {
  switch (macro) {
    case Macro::kMap:
    case Macro::kFilter:
      return "argument is not an identifier";
    case Macro::kOptMap:
      return "optMap() variable name must be a simple identifier";
    case Macro::kOptFlatMap:
      return "optFlatMap() variable name must be a simple identifier";
    case Macro::kBind:
      return "cel.bind() variable names must be simple identifiers";
    default:
      return "argument must be a simple name";
  }
}

std::string VariableName(const Expr& arg, Macro macro, IssueList& issues) {
  if (arg.kind != ExprKind::kIdent) {
    issues.Add(arg.offset, std::string(NotAVariable(macro)));
  } else if (arg.name == "__result__") {
    issues.Add(arg.offset, "iteration variable overwrites accumulator variable");
  }
  return arg.name;
}

Expr* ExpandHas(const std::vector<Expr*>& args, IssueList& issues) {
  Expr* select = args[0];
  if (select->kind != ExprKind::kSelect || select->optional || select->test_only) {
    issues.Add(select->offset, "invalid argument to has() macro");
    return select;
  }
  select->test_only = true;
  return select;
}

Expr* NewComprehension(Macro macro, Expr* range, uint32_t offset, Ast& ast) {
  Expr* expr = ast.New(ExprKind::kComprehension, offset);
  expr->macro = macro;
  expr->args.push_back(range);
  return expr;
}

}  // namespace

Expr* ExpandMacro(std::string_view function, Expr* target, const std::vector<Expr*>& args,
                  uint32_t offset, const ParserOptions& options, Ast& ast, IssueList& issues) {
  if (!options.macros) return nullptr;
  if (target == nullptr) {
    return function == "has" && args.size() == 1 ? ExpandHas(args, issues) : nullptr;
  }
  if (options.bind && function == "bind" && args.size() == 3 && target->kind == ExprKind::kIdent &&
      target->name == "cel") {
    Expr* bind = NewComprehension(Macro::kBind, args[1], offset, ast);
    bind->var1 = VariableName(*args[0], Macro::kBind, issues);
    bind->args.push_back(args[2]);
    return bind;
  }
  const Form* form = FindForm(function, args.size(), options);
  if (form == nullptr) return nullptr;
  Expr* expr = NewComprehension(form->macro, target, offset, ast);
  expr->var1 = VariableName(*args[0], form->macro, issues);
  if (form->variables == 2) {
    expr->var2 = VariableName(*args[1], form->macro, issues);
    if (expr->var1 == expr->var2)
      issues.Add(args[1]->offset, "duplicate variable name: " + expr->var1);
  }
  expr->args.insert(expr->args.end(), args.begin() + static_cast<ptrdiff_t>(form->variables),
                    args.end());
  return expr;
}

}  // namespace fedra::cel
