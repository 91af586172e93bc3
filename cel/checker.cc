#include "cel/checker.h"

#include "cel/checker_impl.h"
#include "cel/messages.h"

namespace fedra::cel {
namespace {

// a.b.c as one name; empty if the expression is anything else.
std::string DottedName(const Expr& expr) {
  if (expr.kind == ExprKind::kIdent) return expr.name[0] == '.' ? expr.name.substr(1) : expr.name;
  if (expr.kind != ExprKind::kSelect || expr.test_only || expr.optional) return "";
  const std::string prefix = DottedName(*expr.args[0]);
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

}  // namespace

void Checker::Check(Expr& expr) {
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

void Checker::Finish() {
  for (Expr* expr : checked_) expr->type = unifier_.Resolve(expr->type, true);
}

const Type* Checker::LiteralType(Kind kind) {
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

void Checker::Report(const Expr& at, std::string message, IssueKind kind, std::string subject) {
  // Without steps everything is a mismatch.
  if (environment_.check && !pool_.steps().exhausted())
    issues_.Add(at.offset, std::move(message), kind, std::move(subject));
}

void Checker::ReportUndeclared(const Expr& at, std::string_view name) {
  Report(at, "undeclared reference to '" + std::string(name) + "' (in container '')",
         IssueKind::kUndeclaredReference, std::string(name));
}

void Checker::ReportMismatch(const Expr& at, const Type& expected, const Type& found) {
  Report(at, "expected type '" + FormatType(expected) + "' but found '" + FormatType(found) + "'");
}

bool Checker::ResolveGlobal(Expr& expr, const std::string& name) {
  for (size_t i = 0; i < environment_.variables.size(); ++i) {
    if (environment_.variables[i].name != name) continue;
    expr.variable = static_cast<int>(i);
    expr.type = environment_.variables[i].type;
    return true;
  }
  expr.message = FindMessage(name);
  const Type* named = expr.message != nullptr ? expr.message->type : NamedType(name);
  if (named == nullptr) return false;
  expr.named_type = named;
  expr.type = pool_.TypeOf(named);
  return true;
}

void Checker::CheckIdent(Expr& expr) {
  const std::string name = DottedName(expr);
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

void Checker::CheckSelect(Expr& expr) {
  if (const std::string name = DottedName(expr); !name.empty()) {
    if (ResolveGlobal(expr, name)) return;
    if (name == kNullValueName) return SetLiteral(expr, Value::Int(0), kIntType);
  }
  Expr& operand = *expr.args[0];
  Check(operand);
  const Type* target = unifier_.Resolve(operand.type, false);
  const bool through_optional = IsOptional(*target);
  if (through_optional) target = target->first;
  const Type* result = FieldType(expr, *target);
  if (through_optional || expr.optional) result = pool_.Optional(result);
  expr.type = expr.test_only ? &kBoolType : unifier_.Resolve(result, false);
}

void Checker::SetLiteral(Expr& expr, const Value& value, const Type& type) {
  expr.kind = ExprKind::kLiteral;
  expr.args.clear();
  expr.literal = value;
  expr.type = &type;
}

const Type* Checker::FieldType(const Expr& expr, const Type& target) {
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

const Type* Checker::ObjectFieldType(const Expr& expr, const Type& target) {
  if (!SameSimpleType(target, kDeviceType)) {
    Report(expr, "unexpected failed resolution of '" + std::string(target.name) + "'");
    return FailedType();
  }
  const Type* field = DeviceField(expr.name, environment_.list_attributes);
  if (field != nullptr) return field;
  Report(expr, "undefined field '" + expr.name + "'", IssueKind::kUndefinedField, expr.name);
  return FailedType();
}

void Checker::CheckCall(Expr& call) {
  const size_t first_argument = call.member ? 1 : 0;
  for (size_t i = first_argument; i < call.args.size(); ++i) Check(*call.args[i]);
  if (call.member) {
    const std::string prefix = DottedName(*call.args[0]);
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

void Checker::ResolveOverload(Expr& call, const FunctionDeclaration& function) {
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
    } else if (!IsDyn(*call.type) && !SameType(*call.type, *result, pool_.steps())) {
      call.type = &kDynType;
    }
  }
  if (call.type == nullptr) ReportNoOverload(call, function.name, types, call.member);
}

void Checker::ReportNoOverload(Expr& at, std::string_view function, std::vector<const Type*> types,
                               bool member) {
  for (const Type*& type : types) type = unifier_.Resolve(type, true);
  Report(at,
         "found no matching overload for '" + std::string(function) + "' applied to '" +
             Signature(types, member) + "'",
         IssueKind::kNoOverload);
  at.type = FailedType();
}

const Type* Checker::TryOverload(const Overload& overload, const std::vector<const Type*>& types) {
  const Type* a = nullptr;
  const Type* b = nullptr;
  std::vector<std::pair<const Type*, const Type*>> pairs;
  pairs.reserve(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    pairs.emplace_back(types[i], Instantiate(overload.params[i], a, b));
  }
  if (!unifier_.Assignable(pairs)) return nullptr;
  return unifier_.Resolve(Instantiate(overload.result, a, b), false);
}

const Type* Checker::Instantiate(const Type* type, const Type*& a, const Type*& b) {
  if (type == nullptr) return nullptr;
  if (type->kind == TypeKind::kParam) {
    const Type*& fresh = type->name == kParamA.name ? a : b;
    if (fresh == nullptr) fresh = pool_.Fresh();
    return fresh;
  }
  const Type* first = Instantiate(type->first, a, b);
  const Type* second = Instantiate(type->second, a, b);
  return pool_.WithParameters(type, first, second);
}

void Checker::CheckLogic(Expr& call) {
  call.type = &kBoolType;
  for (const Expr* arg : call.args) ExpectBool(*arg);
}

void Checker::ExpectBool(const Expr& expr) {
  if (!unifier_.Assignable(*expr.type, kBoolType)) {
    ReportMismatch(expr, kBoolType, *unifier_.Resolve(expr.type, true));
  }
}

const Type* Checker::Join(const Type* previous, const Type* current) {
  if (previous == nullptr) return current;
  return unifier_.Assignable(*previous, *current) ? unifier_.MostGeneral(previous, current)
                                                  : &kDynType;
}

const Type* Checker::OptionalContent(const Expr& at) {
  const Type* type = at.type;
  if (IsOptional(*type)) return type->first;
  if (!IsDyn(*type)) ReportMismatch(at, *pool_.Optional(type), *type);
  return type;
}

void Checker::CheckList(Expr& list) {
  const Type* element = nullptr;
  for (size_t i = 0; i < list.args.size(); ++i) {
    Check(*list.args[i]);
    const Type* type = list.optional_args[i] ? OptionalContent(*list.args[i]) : list.args[i]->type;
    element = Join(element, type);
  }
  list.type = pool_.List(element == nullptr ? pool_.Fresh() : element);
}

void Checker::CheckMap(Expr& map) {
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

void Checker::CheckStruct(Expr& expr) {
  const std::string name = expr.name[0] == '.' ? expr.name.substr(1) : expr.name;
  expr.message = FindMessage(name);
  expr.type = expr.message != nullptr ? expr.message->type : FailedType();
  if (expr.message == nullptr && NamedType(name) != nullptr) {
    Report(expr, "'" + name + "' is not a message type");
  } else if (expr.message == nullptr) {
    ReportUndeclared(expr, expr.name);
  }
  for (size_t i = 0; i + 1 < expr.args.size(); i += 2) {
    Check(*expr.args[i]);
    Check(*expr.args[i + 1]);
    if (expr.message != nullptr) CheckField(expr, i);
  }
}

void Checker::CheckField(const Expr& message, size_t index) {
  const Expr& key = *message.args[index];
  const Expr& value = *message.args[index + 1];
  const std::string name(key.literal.AsText());
  const MessageField* field = message.message->Find(name);
  if (field == nullptr)
    return Report(key, "undefined field '" + name + "'", IssueKind::kUndefinedField, name);
  const bool optional = message.optional_args[index / 2];
  const Type* type = optional ? OptionalContent(value) : value.type;
  if (unifier_.Assignable(*field->type, *type)) return;
  Report(key, "expected type of field '" + name + "' is '" + FormatType(*field->type) +
                  "' but provided type is '" + FormatType(*type) + "'");
}

void Check(const Environment& environment, Ast& ast, IssueList& issues) {
  Checker checker(environment, ast, issues);
  checker.Check(*ast.root);
  checker.Finish();
  if (ast.types().steps().exhausted()) issues.AddGlobal(std::string(kTypesTooLarge));
}

}  // namespace fedra::cel
