#include "cel/interpreter.h"
#include "cel/messages.h"
#include "cel/planner_impl.h"

namespace fedra::cel {
namespace {

// Expressions that cel-go plans as an "attribute": a variable with selectors.
bool IsAttribute(const Expr& expr) {
  return expr.named_type == nullptr &&
         (expr.kind == ExprKind::kIdent || (expr.kind == ExprKind::kSelect && !expr.test_only) ||
          (expr.kind == ExprKind::kCall && (expr.name == op::kIndex || expr.name == op::kOptIndex ||
                                            expr.name == op::kConditional)));
}

// What constants may cost: the API's limit for one evaluation.
constexpr uint64_t kFoldingCostLimit = 1'000'000;

bool IsText(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral && expr.literal.is(Kind::kString);
}

}  // namespace

bool Planner::Run(const Ast& ast) {
  const Expr& root = *ast.root;
  program_.root = PlanExpr(root, false);
  if (program_.arena.exhausted()) Fail(root, "the constants of the expression are too large");
  program_.nodes.shrink_to_fit();
  program_.args.shrink_to_fit();
  return !failed_;
}

uint32_t Planner::Add(Node node, const std::vector<uint32_t>& args) {
  node.first_arg = static_cast<uint32_t>(program_.args.size());
  node.arg_count = static_cast<uint32_t>(args.size());
  program_.args.insert(program_.args.end(), args.begin(), args.end());
  program_.optional_args.resize(program_.args.size(), false);
  program_.nodes.push_back(node);
  return static_cast<uint32_t>(program_.nodes.size() - 1);
}

uint32_t Planner::AddConstant(Value value) {
  Node node;
  node.constant = value;
  return Add(node);
}

uint32_t Planner::Fail(const Expr& at, std::string message) {
  if (!failed_) error_ = {at.offset, std::move(message)};
  failed_ = true;
  return AddConstant(Value::Null());
}

const Value* Planner::ConstantOf(uint32_t node) const {
  const Node& candidate = program_.nodes[node];
  return candidate.op == Op::kConstant && !candidate.flag ? &candidate.constant : nullptr;
}

Value Planner::Kept(const Value& value) {
  if (value.is(Kind::kString)) return Value::String(program_.arena.Copy(value.AsText()));
  if (value.is(Kind::kBytes)) return Value::Bytes(program_.arena.Copy(value.AsText()));
  return value;
}

Value Planner::Computed(uint32_t node, uint64_t& cost) {
  Evaluation evaluation(program_.arena, kFoldingCostLimit);
  const Value value = program_.EvaluateNode(node, evaluation, nullptr, nullptr);
  cost = evaluation.cost();
  return value;
}

uint32_t Planner::PlanExpr(const Expr& expr, bool raw) {
  if (failed_) return 0;
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return AddConstant(Kept(expr.literal));
    case ExprKind::kIdent:
      return PlanIdent(expr, raw);
    case ExprKind::kSelect:
      return PlanSelect(expr, raw);
    case ExprKind::kCall:
      return PlanCall(expr, raw);
    case ExprKind::kList:
      return PlanList(expr);
    case ExprKind::kMap:
      return PlanMap(expr);
    case ExprKind::kStruct:
      return PlanMessage(expr);
    case ExprKind::kComprehension:
      return PlanComprehension(expr);
  }
  return 0;
}

uint32_t Planner::AddFailure(const std::string& message) {
  Node node;
  node.op = Op::kFail;
  node.constant = Value::Error(Kept(message));
  return Add(node);
}

uint32_t Planner::PlanIdent(const Expr& expr, bool raw) {
  if (expr.message != nullptr && !expr.message->names_type)
    return Fail(expr, "reference to undefined type: " + std::string(expr.message->name));
  if (expr.named_type != nullptr) return AddConstant(Value::Type(expr.named_type->name));
  Node node;
  node.cost = BaseCost(raw);
  if (expr.variable >= 0) {
    node.op = Op::kVariable;
    node.number = static_cast<uint32_t>(expr.variable);
    return Add(node);
  }
  const std::string_view name =
      expr.name[0] == '.' ? std::string_view(expr.name).substr(1) : expr.name;
  for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
    if (local->name != name) continue;
    node.op = local->lazy < 0 ? Op::kSlot : Op::kLazySlot;
    node.number = local->slot;
    if (local->lazy < 0) return Add(node);
    return Add(node, {static_cast<uint32_t>(local->lazy)});
  }
  return AddFailure("no such attribute(s): " + std::string(name));
}

bool Planner::IsDevice(const Expr& expr) const {
  return expr.kind == ExprKind::kIdent && expr.variable >= 0 && expr.type != nullptr &&
         SameSimpleType(*expr.type, kDeviceType);
}

std::optional<std::string_view> Planner::ConstantKey(const Expr& expr) {
  if (expr.kind == ExprKind::kSelect && !expr.optional) return expr.name;
  if (expr.kind == ExprKind::kCall && expr.name == op::kIndex && IsText(*expr.args[1])) {
    return expr.args[1]->literal.AsText();
  }
  return std::nullopt;
}

uint32_t Planner::PlanDevicePath(const Expr& expr, bool raw) {
  const auto name = ConstantKey(expr);
  if (!options_.optimize || !name) return UINT32_MAX;
  const bool test = expr.test_only;
  const Expr& inner = *expr.args[0];
  if (IsDevice(inner) && expr.kind == ExprKind::kSelect && *name == "driver" && !test) {
    Node driver;
    driver.op = Op::kDriver;
    driver.cost = static_cast<uint16_t>(1 + BaseCost(raw));
    return Add(driver);
  }
  const auto domain = inner.test_only ? std::nullopt : ConstantKey(inner);
  if (!domain || inner.args[0]->kind != ExprKind::kSelect || !IsDevice(*inner.args[0]->args[0]))
    return UINT32_MAX;
  const Expr& table = *inner.args[0];
  const bool attributes = table.name == "attributes";
  if (table.optional || table.test_only || (!attributes && table.name != "capacity"))
    return UINT32_MAX;
  auto* path = program_.arena.New<DevicePath>(
      DevicePath{DomainTable::Hash(*domain, *name), Kept(*domain), Kept(*name)});
  Node node;
  node.op = attributes ? (test ? Op::kHasAttribute : Op::kAttribute)
                       : (test ? Op::kHasCapacity : Op::kCapacity);
  node.cost = static_cast<uint16_t>(3 + (test ? 0 : BaseCost(raw)));
  node.data = path;
  return Add(node);
}

uint32_t Planner::PlanSelect(const Expr& expr, bool raw) {
  if (expr.named_type != nullptr || expr.variable >= 0) return PlanIdent(expr, raw);
  if (const uint32_t path = PlanDevicePath(expr, raw); path != UINT32_MAX) return path;
  const Expr& operand = *expr.args[0];
  Node node;
  node.op = expr.test_only ? Op::kHas : expr.optional ? Op::kOptSelect : Op::kSelect;
  node.cost = OperandCost(operand, raw || expr.test_only, expr.optional ? 0 : 1);
  node.constant = Value::String(Kept(expr.name));
  return Add(node, {PlanExpr(operand, raw || expr.test_only)});
}

uint16_t Planner::OperandCost(const Expr& operand, bool raw, int selector) {
  return static_cast<uint16_t>(selector + (IsAttribute(operand) ? 0 : BaseCost(raw)));
}

uint32_t Planner::PlanIndex(const Expr& expr, bool raw) {
  if (const uint32_t path = PlanDevicePath(expr, raw); path != UINT32_MAX) return path;
  const bool optional = expr.name == op::kOptIndex;
  const uint32_t operand = PlanExpr(*expr.args[0], raw);
  // An optional selector is charged when it finds something, a plain one at once.
  const uint32_t key = PlanExpr(*expr.args[1], optional);
  if (failed_) return 0;
  Node node;
  const int own = optional || IsAttribute(*expr.args[1]) ? 0 : 1;
  node.cost = OperandCost(*expr.args[0], raw, own);
  node.op = optional ? Op::kOptIndex : Op::kIndex;
  if (const Value* constant = ConstantOf(key)) {
    if (!IsSelectorKind(constant->kind())) {
      return Fail(expr, "invalid qualifier type: " + std::string(GoTypeName(constant->kind())));
    }
    if (optional) return Add(node, {operand, key});
    node.op = Op::kSelect;
    node.constant = *constant;
    return Add(node, {operand});
  }
  return Add(node, {operand, key});
}

uint32_t Planner::PlanList(const Expr& expr) {
  std::vector<uint32_t> args;
  for (const Expr* arg : expr.args) args.push_back(PlanExpr(*arg, false));
  Node node;
  node.op = Op::kList;
  node.cost = 10;
  return Literal(expr, node, args, 1);
}

uint32_t Planner::PlanMap(const Expr& expr) {
  std::vector<uint32_t> args;
  for (const Expr* arg : expr.args) args.push_back(PlanExpr(*arg, false));
  Node node;
  node.op = Op::kMap;
  node.cost = 30;
  return Literal(expr, node, args, 2);
}

uint32_t Planner::PlanMessage(const Expr& expr) {
  if (expr.message == nullptr) return AddFailure("unknown type: " + expr.name);
  std::vector<uint32_t> args;
  for (const Expr* arg : expr.args) args.push_back(PlanExpr(*arg, false));
  if (failed_) return 0;
  Node node;
  node.op = Op::kMessage;
  node.cost = kMessageCost;
  node.data = expr.message;
  const uint32_t message = Add(node, args);
  MarkOptional(message, expr, 2);
  return message;
}

void Planner::MarkOptional(uint32_t literal, const Expr& expr, size_t stride) {
  const uint32_t first = program_.nodes[literal].first_arg;
  for (size_t i = 0; i < expr.optional_args.size(); ++i) {
    program_.optional_args[first + i * stride + stride - 1] = expr.optional_args[i];
  }
}

uint32_t Planner::Literal(const Expr& expr, const Node& node, const std::vector<uint32_t>& args,
                          size_t stride) {
  if (failed_) return 0;
  const uint32_t literal = Add(node, args);
  MarkOptional(literal, expr, stride);
  for (const uint32_t arg : args) {
    if (ConstantOf(arg) == nullptr) return literal;
  }
  uint64_t cost = 0;
  const Value value = Computed(literal, cost);
  return value.is_error() ? Fail(expr, std::string(value.AsText())) : AddConstant(value);
}

uint32_t Planner::PlanComprehension(const Expr& expr) {
  const size_t scope = locals_.size();
  Node node;
  node.op = OpOf(expr.macro);
  const uint32_t range = PlanExpr(*expr.args[0], false);
  node.number = program_.slot_count;
  node.flag = !expr.var2.empty();
  program_.slot_count += node.flag ? 2 : 1;
  const bool lazy = expr.macro == Macro::kBind;
  locals_.push_back({expr.var1, node.number, lazy ? static_cast<int>(range) : -1});
  if (node.flag) locals_.push_back({expr.var2, node.number + 1, -1});
  std::vector<uint32_t> args = {range};
  for (size_t i = 1; i < expr.args.size(); ++i) args.push_back(PlanExpr(*expr.args[i], false));
  locals_.resize(scope);
  if (node.op == Op::kMapElements) {
    // What appending costs: accu + [value], where a list of a constant is free.
    node.constant = Value::Int(ConstantOf(args.back()) != nullptr ? 2 : 12);
  }
  return Add(node, args);
}

Op Planner::OpOf(Macro macro) {
  switch (macro) {
    case Macro::kAll:
      return Op::kAll;
    case Macro::kExists:
      return Op::kExists;
    case Macro::kExistsOne:
      return Op::kExistsOne;
    case Macro::kFilter:
      return Op::kFilter;
    case Macro::kTransformMap:
      return Op::kTransformMap;
    case Macro::kTransformMapEntry:
      return Op::kTransformMapEntry;
    case Macro::kBind:
      return Op::kBind;
    case Macro::kOptMap:
      return Op::kOptMap;
    case Macro::kOptFlatMap:
      return Op::kOptFlatMap;
    case Macro::kSortBy:
      return Op::kSortBy;
    default:
      return Op::kMapElements;
  }
}

std::unique_ptr<Program> Plan(const Ast& ast, const Environment& environment,
                              const PlanOptions& options, PlanError& error) {
  auto program = std::make_unique<Program>();
  if (!Planner(environment, options, *program, error).Run(ast)) return nullptr;
  return program;
}

}  // namespace fedra::cel
