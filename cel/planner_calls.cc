#include <re2/re2.h>

#include <algorithm>

#include "cel/interpreter.h"
#include "cel/lib/regex.h"
#include "cel/planner_impl.h"

namespace fedra::cel {

// An operator that is not a call: its node and its price.
struct OperatorEntry {
  std::string_view function;
  Op op;
  uint16_t cost;
};

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

// Whether a value of this static type is always accepted for the parameter, so that no test is
// needed.
bool IsKnownToFit(const Type& parameter, const Type& type) {
  if (parameter.kind == TypeKind::kParam || parameter.kind == TypeKind::kDyn) return true;
  if (parameter.kind != type.kind || parameter.name != type.name || type.nullable) return false;
  return parameter.first == nullptr ||
         (type.first != nullptr && IsKnownToFit(*parameter.first, *type.first) &&
          (parameter.second == nullptr || IsKnownToFit(*parameter.second, *type.second)));
}

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

}  // namespace

uint32_t Planner::PlanCall(const Expr& expr, bool raw) {
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

uint32_t Planner::PlanChain(const Expr& expr, Op chain) {
  Node node;
  node.op = chain;
  std::vector<uint32_t> args;
  for (const Expr* arg : expr.args) args.push_back(PlanExpr(*arg, false));
  return Add(node, args);
}

uint32_t Planner::PlanConditional(const Expr& expr) {
  Node node;
  node.op = Op::kConditional;
  const uint32_t condition = PlanExpr(*expr.args[0], false);
  const uint32_t if_true = PlanExpr(*expr.args[1], true);
  return Add(node, {condition, if_true, PlanExpr(*expr.args[2], true)});
}

const Overload* Planner::OnlyCandidate(const Expr& expr) {
  return expr.candidates.size() == 1 ? expr.candidates[0] : nullptr;
}

uint32_t Planner::PlanOperator(const Expr& expr, const OperatorEntry& entry,
                               std::vector<uint32_t> args) {
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

uint32_t Planner::PlanConstantMembership(Node node, const Value list,
                                         const std::vector<uint32_t>& args) {
  if (list.AsList().empty()) return AddConstant(Value::Bool(false));
  for (const Value& item : list.AsList()) {
    const Kind kind = item.kind();
    if (kind != Kind::kBool && kind != Kind::kInt && kind != Kind::kUint && kind != Kind::kDouble &&
        kind != Kind::kString) {
      return Add(node, args);
    }
  }
  node.op = Op::kInConstants;
  node.flag = false;
  node.constant = list;
  return Add(node, {args[0]});
}

uint32_t Planner::PlanFunction(const Expr& expr, const std::vector<uint32_t>& args) {
  // Only unchecked programs get here; the interpreter has room for no more.
  if (args.size() > kMaxArity)
    return Fail(expr, "no function takes " + std::to_string(args.size()) + " arguments");
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

uint32_t Planner::Folded(const Expr& expr, uint32_t call, const std::vector<uint32_t>& args) {
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

uint32_t Planner::PlanSpecial(const Expr& expr, const std::vector<uint32_t>& args) {
  Node node;
  if ((expr.name == "or" || expr.name == "orValue") && args.size() == 2) {
    node.op = expr.name == "or" ? Op::kOptionalOr : Op::kOptionalOrValue;
    return Add(node, args);
  }
  // An unchecked program may have any number of them; those find no overload.
  const size_t most = expr.name == "findAll" ? 3 : 2;
  if (args.size() < 2 || args.size() > most) return UINT32_MAX;
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

}  // namespace fedra::cel
