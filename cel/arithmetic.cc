#include <cmath>
#include <cstring>
#include <limits>

#include "cel/interpreter.h"
#include "cel/lib/time.h"

namespace fedra::cel {
namespace {

constexpr Value kNoOverload = Value::Error("no such overload");
constexpr Value kDivisionByZero = Value::Error("division by zero");
constexpr Value kModulusByZero = Value::Error("modulus by zero");
constexpr int64_t kMinInt = std::numeric_limits<int64_t>::min();

// Whether two values can only be combined when they are of the same kind, and are.
bool BothAre(Kind kind, const Value& left, const Value& right) {
  return left.is(kind) && right.is(kind);
}

Value Concatenated(Evaluation& evaluation, const Value& left, const Value& right) {
  const std::string_view a = left.AsText();
  const std::string_view b = right.AsText();
  char* text = evaluation.NewText(a.size() + b.size());
  if (text == nullptr) return evaluation.OutOfMemory();
  if (!a.empty()) std::memcpy(text, a.data(), a.size());
  if (!b.empty()) std::memcpy(text + a.size(), b.data(), b.size());
  const std::string_view both(text, a.size() + b.size());
  return left.is(Kind::kString) ? Value::String(both) : Value::Bytes(both);
}

Value Joined(Evaluation& evaluation, const Value& left, const Value& right) {
  const auto a = left.AsList();
  const auto b = right.AsList();
  if (a.empty()) return right;
  if (b.empty()) return left;
  Value* items = evaluation.NewItems(a.size() + b.size());
  if (items == nullptr) return evaluation.OutOfMemory();
  std::uninitialized_copy(b.begin(), b.end(), std::uninitialized_copy(a.begin(), a.end(), items));
  return Value::List({items, a.size() + b.size()});
}

}  // namespace

Value Add(Evaluation& evaluation, const Value& left, const Value& right) {
  if (left.is(Kind::kTimestamp) && right.is(Kind::kDuration))
    return AddToTimestamp(left, right.AsInt());
  if (left.is(Kind::kDuration) && right.is(Kind::kTimestamp))
    return AddToTimestamp(right, left.AsInt());
  if (left.kind() != right.kind()) return kNoOverload;
  switch (left.kind()) {
    case Kind::kInt:
    case Kind::kDuration: {
      int64_t sum = 0;
      if (__builtin_add_overflow(left.AsInt(), right.AsInt(), &sum)) return kIntOverflow;
      return left.is(Kind::kInt) ? Value::Int(sum) : Value::Duration(sum);
    }
    case Kind::kUint: {
      uint64_t sum = 0;
      return __builtin_add_overflow(left.AsUint(), right.AsUint(), &sum) ? kUintOverflow
                                                                         : Value::Uint(sum);
    }
    case Kind::kDouble:
      return Value::Double(left.AsDouble() + right.AsDouble());
    case Kind::kString:
    case Kind::kBytes:
      return Concatenated(evaluation, left, right);
    case Kind::kList:
      return Joined(evaluation, left, right);
    default:
      return kNoOverload;
  }
}

Value Subtract(const Value& left, const Value& right) {
  if (left.is(Kind::kTimestamp) && right.is(Kind::kDuration)) {
    return right.AsInt() == kMinInt ? kIntOverflow : AddToTimestamp(left, -right.AsInt());
  }
  if (BothAre(Kind::kTimestamp, left, right)) return TimestampDifference(left, right);
  if (BothAre(Kind::kDouble, left, right)) return Value::Double(left.AsDouble() - right.AsDouble());
  if (BothAre(Kind::kUint, left, right)) {
    if (right.AsUint() > left.AsUint()) return kUintOverflow;
    return Value::Uint(left.AsUint() - right.AsUint());
  }
  if (!BothAre(Kind::kInt, left, right) && !BothAre(Kind::kDuration, left, right))
    return kNoOverload;
  int64_t difference = 0;
  if (__builtin_sub_overflow(left.AsInt(), right.AsInt(), &difference)) return kIntOverflow;
  return left.is(Kind::kInt) ? Value::Int(difference) : Value::Duration(difference);
}

Value Multiply(const Value& left, const Value& right) {
  if (BothAre(Kind::kInt, left, right)) {
    int64_t product = 0;
    return __builtin_mul_overflow(left.AsInt(), right.AsInt(), &product) ? kIntOverflow
                                                                         : Value::Int(product);
  }
  if (BothAre(Kind::kUint, left, right)) {
    uint64_t product = 0;
    return __builtin_mul_overflow(left.AsUint(), right.AsUint(), &product) ? kUintOverflow
                                                                           : Value::Uint(product);
  }
  if (BothAre(Kind::kDouble, left, right)) return Value::Double(left.AsDouble() * right.AsDouble());
  return kNoOverload;
}

Value Divide(const Value& left, const Value& right) {
  if (BothAre(Kind::kInt, left, right)) {
    if (right.AsInt() == 0) return kDivisionByZero;
    if (left.AsInt() == kMinInt && right.AsInt() == -1) return kIntOverflow;
    return Value::Int(left.AsInt() / right.AsInt());
  }
  if (BothAre(Kind::kUint, left, right)) {
    return right.AsUint() == 0 ? kDivisionByZero : Value::Uint(left.AsUint() / right.AsUint());
  }
  if (!BothAre(Kind::kDouble, left, right)) return kNoOverload;
  const double a = left.AsDouble();
  const double b = right.AsDouble();
  if (b != 0) return Value::Double(a / b);
  // IEEE 754, spelled out: the sanitizers take a division by zero for a mistake.
  if (a == 0 || std::isnan(a) || std::isnan(b))
    return Value::Double(std::numeric_limits<double>::quiet_NaN());
  const bool negative = std::signbit(a) != std::signbit(b);
  return Value::Double(negative ? -std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::infinity());
}

Value Modulo(const Value& left, const Value& right) {
  if (BothAre(Kind::kInt, left, right)) {
    if (right.AsInt() == 0) return kModulusByZero;
    if (left.AsInt() == kMinInt && right.AsInt() == -1) return kIntOverflow;
    return Value::Int(left.AsInt() % right.AsInt());
  }
  if (BothAre(Kind::kUint, left, right)) {
    return right.AsUint() == 0 ? kModulusByZero : Value::Uint(left.AsUint() % right.AsUint());
  }
  return kNoOverload;
}

Value Negated(const Value& value) {
  switch (value.kind()) {
    case Kind::kInt:
    case Kind::kDuration:
      if (value.AsInt() == kMinInt) return kIntOverflow;
      return value.is(Kind::kInt) ? Value::Int(-value.AsInt()) : Value::Duration(-value.AsInt());
    case Kind::kDouble:
      return Value::Double(-value.AsDouble());
    default:
      return kNoOverload;
  }
}

Value Interpreter::EvalNegate(const Node& node) {
  const Value value = EvalArg(node, 0);
  return value.is_error() ? value : Negated(value);
}

Value Interpreter::EvalArithmetic(const Node& node) {
  const Value left = EvalArg(node, 0);
  const Value right = EvalArg(node, 1);
  // node.flag: both are known to be texts, which is priced by length.
  if (node.flag) evaluation_.AddCost((CostSize(left) + CostSize(right) + 9) / 10);
  if (left.is_error()) return left;
  if (right.is_error()) return right;
  switch (node.op) {
    case Op::kAdd:
      return Add(evaluation_, left, right);
    case Op::kSubtract:
      return Subtract(left, right);
    case Op::kMultiply:
      return Multiply(left, right);
    case Op::kDivide:
      return Divide(left, right);
    default:
      return Modulo(left, right);
  }
}

}  // namespace fedra::cel
