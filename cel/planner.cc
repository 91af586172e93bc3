#include <re2/re2.h>

#include <algorithm>

#include "cel/interpreter.h"
#include "cel/lib/regex.h"
#include "cel/program.h"

namespace fedra::cel {
namespace {

// Types whose construction from constants is worth doing once: quantity("40Gi"), semver("1.2.3"),
// ip("::1").
bool IsParsedType(const Type& type) {
  return type.kind == TypeKind::kObject || type.kind == TypeKind::kOpaque ||
         type.kind == TypeKind::kTimestamp || type.kind == TypeKind::kDuration;
}

bool IsConversion(std::string_view function) {
  static constexpr std::string_view kConversions[] = {
      "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"};
  return std::find(std::begin(kConversions), std::end(kConversions), function) !=
         std::end(kConversions);
}

// Expressions that cel-go plans as an "attribute": a variable with selectors.
bool IsAttribute(const Expr& expr) {
  return expr.named_type == nullptr &&
         (expr.kind == ExprKind::kIdent || (expr.kind == ExprKind::kSelect && !expr.test_only) ||
          (expr.kind == ExprKind::kCall && (expr.name == op::kIndex || expr.name == op::kOptIndex ||
                                            expr.name == op::kConditional)));
}

bool IsText(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral && expr.literal.is(Kind::kString);
}

// Whether a value of this static type is always accepted for the parameter, so that no test is
// needed.
bool IsKnownToFit(const Type& parameter, const Type& type) {
  if (parameter.kind == TypeKind::kParam || parameter.kind == TypeKind::kDyn) return true;
  if (parameter.kind != type.kind || parameter.name != type.name) return false;
  return parameter.first == nullptr ||
         (type.first != nullptr && IsKnownToFit(*parameter.first, *type.first) &&
          (parameter.second == nullptr || IsKnownToFit(*parameter.second, *type.second)));
}

struct OperatorEntry {
  std::string_view function;
  Op op;
  uint16_t cost;
};
constexpr OperatorEntry kOperators[] = {{op::kNot, Op::kNot, 1},
                                        {op::kNegate, Op::kNegate, 1},
                                        {op::kEquals, Op::kEquals, 0},
                                        {op::kNotEquals, Op::kNotEquals, 0},
                                        {op::kLess, Op::kLess, 1},
                                        {op::kLessEquals, Op::kLessEquals, 1},
                                        {op::kGreater, Op::kGreater, 1},
                                        {op::kGreaterEquals, Op::kGreaterEquals, 1},
                                        {op::kIn, Op::kIn, 0},
                                        {op::kAdd, Op::kAdd, 1},
                                        {op::kSubtract, Op::kSubtract, 1},
                                        {op::kMultiply, Op::kMultiply, 1},
                                        {op::kDivide, Op::kDivide, 1},
                                        {op::kModulo, Op::kModulo, 1}};

class Planner final {
 public:
  Planner(const Environment& environment, const PlanOptions& options, Program& program,
          PlanError& error)
      : environment_(environment), options_(options), program_(program), error_(error) {}

  bool Run(const Ast& ast) {
    const Expr& root = *ast.root;
    program_.root = PlanExpr(root, false);
    program_.nodes.shrink_to_fit();
    program_.args.shrink_to_fit();
    return !failed_;
  }

 private:
  struct Local {
    std::string_view name;
    uint32_t slot;
    int lazy;  // the node that computes it, -1: set by the macro
  };

  // cel-go's price of a variable is not charged where it only looks at it: branches of ?: and
  // has().
  static uint16_t BaseCost(bool raw) { return raw ? 0 : 1; }

  uint32_t Add(Node node, const std::vector<uint32_t>& args = {}) {
    node.first_arg = static_cast<uint32_t>(program_.args.size());
    node.arg_count = static_cast<uint32_t>(args.size());
    program_.args.insert(program_.args.end(), args.begin(), args.end());
    program_.optional_args.resize(program_.args.size(), false);
    program_.nodes.push_back(node);
    return static_cast<uint32_t>(program_.nodes.size() - 1);
  }

  uint32_t AddConstant(Value value) {
    Node node;
    node.constant = value;
    return Add(node);
  }

  uint32_t Fail(const Expr& at, std::string message) {
    if (!failed_) error_ = {at.offset, std::move(message)};
    failed_ = true;
    return AddConstant(Value::Null());
  }

  // A constant in cel-go's sense: a literal or a folded conversion; not what only we fold (flag).
  const Value* ConstantOf(uint32_t node) const {
    const Node& candidate = program_.nodes[node];
    return candidate.op == Op::kConstant && !candidate.flag ? &candidate.constant : nullptr;
  }
  bool IsAnyConstant(uint32_t node) const { return program_.nodes[node].op == Op::kConstant; }

  // Constants outlive the tree.
  Value Kept(const Value& value) {
    if (value.is(Kind::kString)) return Value::String(program_.arena.Copy(value.AsText()));
    if (value.is(Kind::kBytes)) return Value::Bytes(program_.arena.Copy(value.AsText()));
    return value;
  }

  std::string_view Kept(std::string_view text) { return program_.arena.Copy(text); }

  // Computes a node all of whose arguments are constants.
  Value Computed(uint32_t node, uint64_t& cost) {
    Evaluation evaluation(program_.arena, UINT64_MAX);
    const Value value = program_.EvaluateNode(node, evaluation, nullptr, nullptr);
    cost = evaluation.cost();
    return value;
  }

  uint32_t PlanExpr(const Expr& expr, bool raw) {
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
        return AddFailure("unknown type: " + expr.name);
      case ExprKind::kComprehension:
        return PlanComprehension(expr);
    }
    return 0;
  }

  uint32_t AddFailure(const std::string& message) {
    Node node;
    node.op = Op::kFail;
    node.constant = Value::Error(Kept(message));
    return Add(node);
  }

  uint32_t PlanIdent(const Expr& expr, bool raw) {
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

  bool IsDevice(const Expr& expr) const {
    return expr.kind == ExprKind::kIdent && expr.variable >= 0 && expr.type != nullptr &&
           SameType(*expr.type, kDeviceType);
  }

  // The constant key of x.key or x["key"]; nothing for other expressions.
  static std::optional<std::string_view> ConstantKey(const Expr& expr) {
    if (expr.kind == ExprKind::kSelect && !expr.optional) return expr.name;
    if (expr.kind == ExprKind::kCall && expr.name == op::kIndex && IsText(*expr.args[1])) {
      return expr.args[1]->literal.AsText();
    }
    return std::nullopt;
  }

  // device.attributes["d"].name and the like: one node. UINT32_MAX if it is something else.
  uint32_t PlanDevicePath(const Expr& expr, bool raw) {
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

  uint32_t PlanSelect(const Expr& expr, bool raw) {
    if (expr.named_type != nullptr || expr.variable >= 0) return PlanIdent(expr, raw);
    if (const uint32_t path = PlanDevicePath(expr, raw); path != UINT32_MAX) return path;
    const Expr& operand = *expr.args[0];
    Node node;
    node.op = expr.test_only ? Op::kHas : expr.optional ? Op::kOptSelect : Op::kSelect;
    node.cost = OperandCost(operand, raw || expr.test_only, expr.optional ? 0 : 1);
    node.constant = Value::String(Kept(expr.name));
    return Add(node, {PlanExpr(operand, raw || expr.test_only)});
  }

  // The price of a selector, and of the attribute that cel-go makes of an operand that is none.
  static uint16_t OperandCost(const Expr& operand, bool raw, int selector) {
    return static_cast<uint16_t>(selector + (IsAttribute(operand) ? 0 : BaseCost(raw)));
  }

  uint32_t PlanCall(const Expr& expr, bool raw) {
    if (expr.name == op::kAnd) return PlanChain(expr, Op::kAnd);
    if (expr.name == op::kOr) return PlanChain(expr, Op::kOr);
    if (expr.name == op::kConditional) return PlanConditional(expr);
    if (expr.name == op::kIndex || expr.name == op::kOptIndex) return PlanIndex(expr, raw);
    std::vector<uint32_t> args;
    for (const Expr* arg : expr.args) args.push_back(PlanExpr(*arg, false));
    if (failed_) return 0;
    for (const OperatorEntry& entry : kOperators) {
      if (entry.function == expr.name) return PlanOperator(expr, entry, args);
    }
    return PlanFunction(expr, args);
  }

  uint32_t PlanChain(const Expr& expr, Op chain) {
    Node node;
    node.op = chain;
    std::vector<uint32_t> args;
    for (const Expr* arg : expr.args) args.push_back(PlanExpr(*arg, false));
    return Add(node, args);
  }

  uint32_t PlanConditional(const Expr& expr) {
    Node node;
    node.op = Op::kConditional;
    const uint32_t condition = PlanExpr(*expr.args[0], false);
    const uint32_t if_true = PlanExpr(*expr.args[1], true);
    return Add(node, {condition, if_true, PlanExpr(*expr.args[2], true)});
  }

  uint32_t PlanIndex(const Expr& expr, bool raw) {
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

  // The only overload that the checker found, if it is one.
  static const Overload* OnlyCandidate(const Expr& expr) {
    return expr.candidates.size() == 1 ? expr.candidates[0] : nullptr;
  }

  uint32_t PlanOperator(const Expr& expr, const OperatorEntry& entry, std::vector<uint32_t> args) {
    Node node;
    node.op = entry.op;
    node.cost = entry.cost;
    const Overload* only = OnlyCandidate(expr);
    if (only != nullptr && only->price != Price::kOne) {
      node.flag = true;  // priced by size
      node.cost = 0;
    }
    if (entry.op == Op::kIn && only != nullptr && only->price == Price::kSizeOfSecond) {
      if (const auto constant = ConstantOf(args[1]))
        return PlanConstantMembership(node, *constant, args);
    }
    const bool equality = entry.op == Op::kEquals || entry.op == Op::kNotEquals;
    if (equality && options_.optimize) {
      const Value* text = ConstantOf(args[1]);
      if (text != nullptr && text->is(Kind::kString)) {
        node.op = entry.op == Op::kEquals ? Op::kEqualsText : Op::kNotEqualsText;
        node.constant = *text;
        node.number = static_cast<uint32_t>(CodePointCount(text->AsText()));
        args.pop_back();
      }
    }
    return Add(node, args);
  }

  // cel-go looks constants up by hash: another result for values that Go cannot hash (dra.md 11.5).
  uint32_t PlanConstantMembership(Node node, const Value list, const std::vector<uint32_t>& args) {
    if (list.AsList().empty()) return AddConstant(Value::Bool(false));
    for (const Value& item : list.AsList()) {
      const Kind kind = item.kind();
      if (kind != Kind::kBool && kind != Kind::kInt && kind != Kind::kUint &&
          kind != Kind::kDouble && kind != Kind::kString) {
        return Add(node, args);
      }
    }
    node.op = Op::kInConstants;
    node.flag = false;
    node.constant = list;
    return Add(node, {args[0]});
  }

  uint32_t PlanFunction(const Expr& expr, const std::vector<uint32_t>& args) {
    if (const uint32_t special = PlanSpecial(expr, args); special != UINT32_MAX) return special;
    Node node;
    const Overload* only = OnlyCandidate(expr);
    if (only == nullptr) {
      node.op = Op::kDispatch;
      node.data = environment_.functions->Find(expr.name);
      if (node.data == nullptr) return AddFailure("unbound function: " + expr.name);
    } else {
      bool known = true;
      for (size_t i = 0; i < expr.args.size(); ++i) {
        known = known && IsKnownToFit(*only->params[i], *expr.args[i]->type);
      }
      node.op = known ? Op::kCall : Op::kCallGuarded;
      node.data = only;
    }
    return Folded(expr, Add(node, args), args);
  }

  // Replaces a call of constants by its result where cel-go does (conversions; an error is then an
  // error of the compilation), and where the result is a parsed type (an error stays one of the
  // evaluation).
  uint32_t Folded(const Expr& expr, uint32_t call, const std::vector<uint32_t>& args) {
    const bool conversion =
        IsConversion(expr.name) && args.size() == 1 && ConstantOf(args[0]) != nullptr;
    const bool worthwhile =
        options_.optimize && !args.empty() && IsParsedType(*expr.type) &&
        std::all_of(args.begin(), args.end(), [&](uint32_t arg) { return IsAnyConstant(arg); });
    if (!conversion && !worthwhile) return call;
    uint64_t cost = 0;
    const Value value = Computed(call, cost);
    if (conversion)
      return value.is_error() ? Fail(expr, std::string(value.AsText())) : AddConstant(value);
    if (value.is_error() || cost > UINT16_MAX) return call;
    Node node;
    node.flag = true;
    node.cost = static_cast<uint16_t>(cost);
    node.constant = value;
    return Add(node);
  }

  // or, orValue, and functions with a constant regular expression.
  uint32_t PlanSpecial(const Expr& expr, const std::vector<uint32_t>& args) {
    Node node;
    if ((expr.name == "or" || expr.name == "orValue") && args.size() == 2) {
      node.op = expr.name == "or" ? Op::kOptionalOr : Op::kOptionalOrValue;
      return Add(node, args);
    }
    if (args.size() < 2) return UINT32_MAX;
    if (expr.name == "matches") {
      node.op = Op::kMatches;
    } else if (expr.name == "find") {
      node.op = Op::kFind;
    } else if (expr.name == "findAll") {
      node.op = Op::kFindAll;
    } else {
      return UINT32_MAX;
    }
    const Value* pattern = ConstantOf(args[1]);
    if (pattern == nullptr || !pattern->is(Kind::kString)) return UINT32_MAX;
    auto regex = CompileRegex(pattern->AsText());
    if (!regex) return Fail(expr, regex.error().message);
    node.data = regex->get();
    node.number = static_cast<uint32_t>((CodePointCount(pattern->AsText()) + 3) / 4);
    program_.regexes.push_back(std::move(*regex));
    return Add(node, args);
  }

  uint32_t PlanList(const Expr& expr) {
    std::vector<uint32_t> args;
    for (const Expr* arg : expr.args) args.push_back(PlanExpr(*arg, false));
    Node node;
    node.op = Op::kList;
    node.cost = 10;
    return Literal(expr, node, args, 1);
  }

  uint32_t PlanMap(const Expr& expr) {
    std::vector<uint32_t> args;
    for (const Expr* arg : expr.args) args.push_back(PlanExpr(*arg, false));
    Node node;
    node.op = Op::kMap;
    node.cost = 30;
    return Literal(expr, node, args, 2);
  }

  // A list or map literal; of constants only, it is one, and free.
  uint32_t Literal(const Expr& expr, const Node& node, const std::vector<uint32_t>& args,
                   size_t stride) {
    if (failed_) return 0;
    const uint32_t literal = Add(node, args);
    const uint32_t first = program_.nodes[literal].first_arg;
    for (size_t i = 0; i < expr.optional_args.size(); ++i) {
      program_.optional_args[first + i * stride + stride - 1] = expr.optional_args[i];
    }
    for (const uint32_t arg : args) {
      if (ConstantOf(arg) == nullptr) return literal;
    }
    uint64_t cost = 0;
    const Value value = Computed(literal, cost);
    return value.is_error() ? Fail(expr, std::string(value.AsText())) : AddConstant(value);
  }

  uint32_t PlanComprehension(const Expr& expr) {
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

  static Op OpOf(Macro macro) {
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

  const Environment& environment_;
  const PlanOptions& options_;
  Program& program_;
  PlanError& error_;
  bool failed_ = false;
  std::vector<Local> locals_;
};

}  // namespace

std::unique_ptr<Program> Plan(const Ast& ast, const Environment& environment,
                              const PlanOptions& options, PlanError& error) {
  auto program = std::make_unique<Program>();
  if (!Planner(environment, options, *program, error).Run(ast)) return nullptr;
  return program;
}

}  // namespace fedra::cel
