#include "cel/checker.h"

#include "cel/unify.h"

namespace fedra::cel {
namespace {

// a.b.c as one name; empty if the expression is anything else.
std::string QualifiedName(const Expr& expr) {
  if (expr.kind == ExprKind::kIdent) return expr.name[0] == '.' ? expr.name.substr(1) : expr.name;
  if (expr.kind != ExprKind::kSelect || expr.test_only || expr.optional) return "";
  const std::string prefix = QualifiedName(*expr.args[0]);
  return prefix.empty() ? "" : prefix + "." + expr.name;
}

std::string Signature(const std::vector<const Type*>& args, bool member) {
  std::string text = member ? FormatType(*args[0]) + ".(" : "(";
  for (size_t i = member ? 1 : 0; i < args.size(); ++i) {
    if (i > (member ? 1U : 0U)) text += ", ";
    text += FormatType(*args[i]);
  }
  return text + ")";
}

class Checker final {
 public:
  Checker(const Environment& environment, Ast& ast, IssueList& issues)
      : environment_(environment), issues_(issues), pool_(ast.types()), unifier_(ast.types()) {}

  void Check(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        expr.type = LiteralType(expr.literal.kind());
        break;
      case ExprKind::kIdent:
        CheckIdent(expr);
        break;
      case ExprKind::kSelect:
        CheckSelect(expr);
        break;
      case ExprKind::kCall:
        CheckCall(expr);
        break;
      case ExprKind::kList:
        CheckList(expr);
        break;
      case ExprKind::kMap:
        CheckMap(expr);
        break;
      case ExprKind::kStruct:
        CheckStruct(expr);
        break;
      case ExprKind::kComprehension:
        CheckComprehension(expr);
        break;
    }
    checked_.push_back(&expr);
  }

  // Replaces what is left of type variables by dyn.
  void Finish() {
    for (Expr* expr : checked_) expr->type = unifier_.Resolve(expr->type, true);
  }

 private:
  struct Local {
    std::string_view name;
    const Type* type;
  };

  static const Type* LiteralType(Kind kind) {
    switch (kind) {
      case Kind::kBool:
        return &kBoolType;
      case Kind::kInt:
        return &kIntType;
      case Kind::kUint:
        return &kUintType;
      case Kind::kDouble:
        return &kDoubleType;
      case Kind::kString:
        return &kStringType;
      case Kind::kBytes:
        return &kBytesType;
      default:
        return &kNullType;
    }
  }

  // An unchecked expression has no type errors; they show at run time.
  void Report(const Expr& at, std::string message) {
    if (environment_.check) issues_.Add(at.offset, std::move(message));
  }
  void ReportUndeclared(const Expr& at, std::string_view name) {
    Report(at, "undeclared reference to '" + std::string(name) + "' (in container '')");
  }
  void ReportMismatch(const Expr& at, const Type& expected, const Type& found) {
    Report(at,
           "expected type '" + FormatType(expected) + "' but found '" + FormatType(found) + "'");
  }
  const Type* FailedType() const { return environment_.check ? &kErrorType : &kDynType; }

  // Resolves a name of the environment, with or without dots. False if it is not declared.
  bool ResolveGlobal(Expr& expr, const std::string& name) {
    for (size_t i = 0; i < environment_.variables.size(); ++i) {
      if (environment_.variables[i].name != name) continue;
      expr.variable = static_cast<int>(i);
      expr.type = environment_.variables[i].type;
      return true;
    }
    const Type* named = NamedType(name);
    if (named == nullptr) return false;
    expr.named_type = named;
    expr.type = pool_.TypeOf(named);
    return true;
  }

  void CheckIdent(Expr& expr) {
    const std::string name = QualifiedName(expr);
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == name) {
        expr.type = local->type;
        return;
      }
    }
    if (ResolveGlobal(expr, name)) return;
    expr.type = FailedType();
    ReportUndeclared(expr, expr.name);
  }

  void CheckSelect(Expr& expr) {
    if (const std::string name = QualifiedName(expr); !name.empty() && ResolveGlobal(expr, name))
      return;
    Expr& operand = *expr.args[0];
    Check(operand);
    const Type* target = unifier_.Resolve(operand.type, false);
    const bool through_optional = IsOptional(*target);
    if (through_optional) target = target->first;
    const Type* result = FieldType(expr, *target);
    if (through_optional || expr.optional) result = pool_.Optional(result);
    expr.type = expr.test_only ? &kBoolType : unifier_.Resolve(result, false);
  }

  const Type* FieldType(const Expr& expr, const Type& target) {
    switch (target.kind) {
      case TypeKind::kMap:
        return target.second;
      case TypeKind::kObject:
        return ObjectFieldType(expr, target);
      case TypeKind::kParam:
        unifier_.Assignable(kDynType, target);
        return &kDynType;
      default:
        if (!IsDynOrError(target)) {
          Report(expr, "type '" + FormatType(target) + "' does not support field selection");
        }
        return &kDynType;
    }
  }

  const Type* ObjectFieldType(const Expr& expr, const Type& target) {
    if (!SameType(target, kDeviceType)) {
      Report(expr, "unexpected failed resolution of '" + std::string(target.name) + "'");
      return FailedType();
    }
    const Type* field = DeviceField(expr.name, environment_.release, environment_.list_attributes);
    if (field != nullptr) return field;
    Report(expr, "undefined field '" + expr.name + "'");
    return FailedType();
  }

  void CheckCall(Expr& call) {
    const size_t first_argument = call.member ? 1 : 0;
    for (size_t i = first_argument; i < call.args.size(); ++i) Check(*call.args[i]);
    if (call.member) {
      const std::string prefix = QualifiedName(*call.args[0]);
      const std::string name = prefix + "." + call.name;
      if (const auto* function = prefix.empty() ? nullptr : environment_.functions->Find(name)) {
        call.name = name;
        call.member = false;
        call.args.erase(call.args.begin());
        return ResolveOverload(call, *function);
      }
      Check(*call.args[0]);
    }
    if (call.name[0] == '.') call.name.erase(0, 1);
    const FunctionDeclaration* function = environment_.functions->Find(call.name);
    if (function != nullptr) return ResolveOverload(call, *function);
    call.type = FailedType();
    ReportUndeclared(call, call.name);
  }

  void ResolveOverload(Expr& call, const FunctionDeclaration& function) {
    if (function.name == op::kAnd || function.name == op::kOr) return CheckLogic(call);
    std::vector<const Type*> types;
    for (const Expr* arg : call.args) types.push_back(arg->type);
    call.type = nullptr;
    for (const Overload* overload : function.overloads) {
      if (overload->member != call.member || overload->arity() != types.size()) continue;
      const Type* result = TryOverload(*overload, types);
      if (result == nullptr) continue;
      call.candidates.push_back(overload);
      if (call.type == nullptr) {
        call.type = result;
      } else if (!IsDyn(*call.type) && !SameType(*call.type, *result)) {
        call.type = &kDynType;
      }
    }
    if (call.type == nullptr) ReportNoOverload(call, function.name, types, call.member);
  }

  void ReportNoOverload(Expr& at, std::string_view function, std::vector<const Type*> types,
                        bool member) {
    for (const Type*& type : types) type = unifier_.Resolve(type, true);
    Report(at, "found no matching overload for '" + std::string(function) + "' applied to '" +
                   Signature(types, member) + "'");
    at.type = FailedType();
  }

  // The result type if the arguments fit, else nullptr.
  const Type* TryOverload(const Overload& overload, const std::vector<const Type*>& types) {
    const Type* a = nullptr;
    const Type* b = nullptr;
    std::vector<std::pair<const Type*, const Type*>> pairs;
    for (size_t i = 0; i < types.size(); ++i) {
      pairs.emplace_back(types[i], Instantiate(overload.params[i], a, b));
    }
    if (!unifier_.Assignable(pairs)) return nullptr;
    return unifier_.Resolve(Instantiate(overload.result, a, b), false);
  }

  // A signature's type with fresh variables for its parameters A and B.
  const Type* Instantiate(const Type* type, const Type*& a, const Type*& b) {
    if (type == nullptr) return nullptr;
    if (type->kind == TypeKind::kParam) {
      const Type*& fresh = type->name == kParamA.name ? a : b;
      if (fresh == nullptr) fresh = pool_.Fresh();
      return fresh;
    }
    const Type* first = Instantiate(type->first, a, b);
    const Type* second = Instantiate(type->second, a, b);
    if (first == type->first && second == type->second) return type;
    switch (type->kind) {
      case TypeKind::kList:
        return pool_.List(first);
      case TypeKind::kMap:
        return pool_.Map(first, second);
      case TypeKind::kType:
        return pool_.TypeOf(first);
      default:
        return pool_.Optional(first);
    }
  }

  void CheckLogic(Expr& call) {
    call.type = &kBoolType;
    for (const Expr* arg : call.args) ExpectBool(*arg);
  }

  void ExpectBool(const Expr& expr) {
    if (!unifier_.Assignable(*expr.type, kBoolType)) {
      ReportMismatch(expr, kBoolType, *unifier_.Resolve(expr.type, true));
    }
  }

  // Elements of different types make a literal of dyn; Validate() decides whether that is allowed.
  const Type* Join(const Type* previous, const Type* current) {
    if (previous == nullptr) return current;
    return unifier_.Assignable(*previous, *current) ? Unifier::MostGeneral(previous, current)
                                                    : &kDynType;
  }

  // The type that an optional element (?e) adds to its literal.
  const Type* OptionalContent(const Expr& at) {
    const Type* type = at.type;
    if (IsOptional(*type)) return type->first;
    if (!IsDyn(*type)) ReportMismatch(at, *pool_.Optional(type), *type);
    return type;
  }

  void CheckList(Expr& list) {
    const Type* element = nullptr;
    for (size_t i = 0; i < list.args.size(); ++i) {
      Check(*list.args[i]);
      const Type* type =
          list.optional_args[i] ? OptionalContent(*list.args[i]) : list.args[i]->type;
      element = Join(element, type);
    }
    list.type = pool_.List(element == nullptr ? pool_.Fresh() : element);
  }

  void CheckMap(Expr& map) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (size_t i = 0; i + 1 < map.args.size(); i += 2) {
      Check(*map.args[i]);
      key = Join(key, map.args[i]->type);
      Check(*map.args[i + 1]);
      const bool optional = map.optional_args[i / 2];
      const Type* type = optional ? OptionalContent(*map.args[i + 1]) : map.args[i + 1]->type;
      value = Join(value, type);
    }
    map.type = key == nullptr ? pool_.Map(pool_.Fresh(), pool_.Fresh()) : pool_.Map(key, value);
  }

  void CheckStruct(Expr& expr) {
    const std::string name = expr.name[0] == '.' ? expr.name.substr(1) : expr.name;
    if (NamedType(name) != nullptr) {
      Report(expr, "'" + name + "' is not a message type");
    } else {
      ReportUndeclared(expr, expr.name);
    }
    for (Expr* arg : expr.args) Check(*arg);
    expr.type = FailedType();
  }

  void CheckComprehension(Expr& expr) {
    Check(*expr.args[0]);
    const size_t scope = locals_.size();
    switch (expr.macro) {
      case Macro::kBind:
        locals_.push_back({expr.var1, expr.args[0]->type});
        Check(*expr.args[1]);
        expr.type = expr.args[1]->type;
        break;
      case Macro::kOptMap:
      case Macro::kOptFlatMap:
        CheckOptMap(expr);
        break;
      default:
        PushIterationVariables(expr);
        for (size_t i = 1; i < expr.args.size(); ++i) Check(*expr.args[i]);
        CheckIteration(expr);
    }
    locals_.resize(scope);
    expr.type = unifier_.Resolve(expr.type, false);
  }

  void CheckOptMap(Expr& expr) {
    const Type* target = unifier_.Resolve(expr.args[0]->type, false);
    const Type* content = &kDynType;
    if (IsOptional(*target)) {
      content = target->first;
    } else if (!IsDynOrError(*target)) {
      ReportNoOverload(expr, "hasValue", {target}, true);
    }
    locals_.push_back({expr.var1, content});
    Check(*expr.args[1]);
    const Type* body = unifier_.Resolve(expr.args[1]->type, false);
    if (expr.macro == Macro::kOptMap) {
      expr.type = pool_.Optional(body);
      return;
    }
    expr.type = body;
    if (!IsOptional(*body) && !IsDynOrError(*body)) {
      ReportNoOverload(expr, op::kConditional, {&kBoolType, body, pool_.Optional(pool_.Fresh())},
                       false);
    }
  }

  void PushIterationVariables(const Expr& expr) {
    const Type* range = unifier_.Resolve(expr.args[0]->type, false);
    const bool two = !expr.var2.empty();
    const Type* first = FailedType();
    const Type* second = FailedType();
    if (range->kind == TypeKind::kList) {
      first = two ? &kIntType : range->first;
      second = range->first;
    } else if (range->kind == TypeKind::kMap) {
      first = range->first;
      second = range->second;
    } else if (range->kind == TypeKind::kDyn || range->kind == TypeKind::kError ||
               range->kind == TypeKind::kParam) {
      unifier_.Assignable(kDynType, *range);
      first = second = &kDynType;
    } else {
      Report(*expr.args[0],
             "expression of type '" + FormatType(*range) +
                 "' cannot be range of a comprehension (must be list, map, or dynamic)");
    }
    locals_.push_back({expr.var1, first});
    if (two) locals_.push_back({expr.var2, second});
  }

  void CheckIteration(Expr& expr) {
    const Type* key = locals_[locals_.size() - (expr.var2.empty() ? 1 : 2)].type;
    const Expr& last = *expr.args.back();
    const Type* content = unifier_.Resolve(last.type, false);
    switch (expr.macro) {
      case Macro::kAll:
      case Macro::kExists:
        ExpectBool(last);
        expr.type = &kBoolType;
        return;
      case Macro::kExistsOne:
        expr.type = &kBoolType;
        return ExpectCondition(expr, last, &kIntType);
      case Macro::kFilter:
        expr.type = pool_.List(key);
        return ExpectCondition(expr, last, expr.type);
      case Macro::kSortBy:
        return CheckSortBy(expr, *content);
      case Macro::kTransformMapEntry:
        expr.type = content;
        if (content->kind != TypeKind::kMap && !IsDynOrError(*content)) {
          ReportNoOverload(expr, "cel.@mapInsert",
                           {pool_.Map(pool_.Fresh(), pool_.Fresh()), content}, false);
        }
        break;
      case Macro::kTransformMap:
        expr.type = pool_.Map(key, content);
        break;
      default:
        expr.type = pool_.List(content);
    }
    if (expr.args.size() == 3) ExpectCondition(expr, *expr.args[1], expr.type);
  }

  // The filter of a macro is the condition of a ?: in cel-go, and errors say so.
  void ExpectCondition(Expr& at, const Expr& condition, const Type* branch) {
    if (unifier_.Assignable(*condition.type, kBoolType)) return;
    const Type* kept = at.type;
    ReportNoOverload(at, op::kConditional, {condition.type, branch, branch}, false);
    at.type = kept;
  }

  void CheckSortBy(Expr& expr, const Type& key) {
    const Type* range = unifier_.Resolve(expr.args[0]->type, false);
    expr.type = range->kind == TypeKind::kList ? range : pool_.List(&kDynType);
    if (range->kind == TypeKind::kMap)
      return ReportNoOverload(expr, "@sortByAssociatedKeys", {range, pool_.List(&key)}, true);
    // The first overload is the one for int: an unknown key becomes one.
    if (key.kind == TypeKind::kParam) unifier_.Assignable(key, kIntType);
    switch (key.kind) {
      case TypeKind::kInt:
      case TypeKind::kUint:
      case TypeKind::kDouble:
      case TypeKind::kBool:
      case TypeKind::kDuration:
      case TypeKind::kTimestamp:
      case TypeKind::kString:
      case TypeKind::kBytes:
      case TypeKind::kDyn:
      case TypeKind::kAny:
      case TypeKind::kError:
      case TypeKind::kParam:
        return;
      default:
        ReportNoOverload(expr, "@sortByAssociatedKeys", {range, pool_.List(&key)}, true);
    }
  }

  const Environment& environment_;
  IssueList& issues_;
  TypePool& pool_;
  Unifier unifier_;
  std::vector<Local> locals_;
  std::vector<Expr*> checked_;
};

}  // namespace

void Check(const Environment& environment, Ast& ast, IssueList& issues) {
  Checker checker(environment, ast, issues);
  checker.Check(*ast.root);
  checker.Finish();
}

}  // namespace fedra::cel
