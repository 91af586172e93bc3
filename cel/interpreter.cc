#include "cel/interpreter.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "cel/lib/regex.h"
#include "cel/messages.h"

namespace fedra::cel {
namespace {

const Overload* SelectOverload(const std::vector<const Overload*>& overloads,
                               std::span<const Value> args) {
  for (const Overload* overload : overloads) {
    if (AcceptsAtRunTime(*overload, args)) return overload;
  }
  return nullptr;
}

}  // namespace

Value NoOverload(Evaluation& evaluation, std::string_view function, std::span<const Value> args) {
  std::string text = "no such overload: " + std::string(function) + "(";
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) text += ", ";
    text += TypeName(args[i].kind());
  }
  return evaluation.Error(text + ")");
}

Value Interpreter::Eval(const Node& node) {
  evaluation_.AddCost(node.cost);
  switch (node.op) {
    case Op::kConstant:
      return node.constant;
    case Op::kDriver:
      return device_->driver;
    case Op::kAttribute:
      return EvalAttribute(node, device_->attributes);
    case Op::kCapacity:
      return EvalAttribute(node, device_->capacity);
    case Op::kAnd:
      return EvalChain(node, false);
    case Op::kOr:
      return EvalChain(node, true);
    case Op::kEqualsText:
    case Op::kNotEqualsText:
      return EvalEqualityWithText(node);
    case Op::kEquals:
    case Op::kNotEquals:
      return EvalEquality(node);
    case Op::kLess:
    case Op::kLessEquals:
    case Op::kGreater:
    case Op::kGreaterEquals:
      return EvalComparison(node);
    case Op::kCall:
    case Op::kCallGuarded:
    case Op::kDispatch:
      return EvalCall(node);
    case Op::kMatches:
    case Op::kFind:
    case Op::kFindAll:
      return EvalRegexCall(node);
    case Op::kSlot:
      return slots_[node.number];
    default:
      return EvalOther(node);
  }
}

// NOLINTNEXTLINE(readability-function-size): one line for each operation.
Value Interpreter::EvalOther(const Node& node) {
  const auto* path = static_cast<const DevicePath*>(node.data);
  switch (node.op) {
    case Op::kVariable:
      return variables_[node.number];
    case Op::kLazySlot:
      return EvalLazySlot(node);
    case Op::kFail:
      return node.constant;
    case Op::kHasAttribute:
      return Value::Bool(device_->attributes.Find(path->hash, path->domain, path->name) != nullptr);
    case Op::kHasCapacity:
      return Value::Bool(device_->capacity.Find(path->hash, path->domain, path->name) != nullptr);
    case Op::kSelect:
      return EvalSelect(node, node.constant);
    case Op::kHas:
      return EvalHas(node);
    case Op::kOptSelect:
      return EvalOptionalSelect(node, node.constant);
    case Op::kIndex:
    case Op::kOptIndex:
      return EvalIndex(node);
    case Op::kConditional:
      return EvalConditional(node);
    case Op::kNot: {
      const Value value = EvalArg(node, 0);
      if (value.is_error()) return value;
      return value.is(Kind::kBool) ? Value::Bool(!value.AsBool()) : evaluation_.NoSuchOverload();
    }
    case Op::kNegate:
      return EvalNegate(node);
    case Op::kIn:
      return EvalMembership(node);
    case Op::kInConstants:
      return EvalConstantMembership(node);
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
      return EvalArithmetic(node);
    case Op::kOptionalOr:
    case Op::kOptionalOrValue:
      return EvalOptionalOr(node);
    case Op::kList:
      return EvalList(node);
    case Op::kMap:
      return EvalMap(node);
    case Op::kMessage:
      return EvalMessage(node);
    case Op::kAll:
      return EvalAll(node);
    case Op::kExists:
      return EvalExists(node);
    case Op::kExistsOne:
      return EvalExistsOne(node);
    case Op::kMapElements:
      return EvalMapElements(node);
    case Op::kFilter:
      return EvalFilter(node);
    case Op::kTransformMap:
    case Op::kTransformMapEntry:
      return EvalTransformMap(node);
    case Op::kSortBy:
      return EvalSortBy(node);
    case Op::kBind:
      return EvalBind(node);
    case Op::kOptMap:
    case Op::kOptFlatMap:
      return EvalOptMap(node);
    default:
      break;
  }
  FEDRA_ASSERT(false, "every operation is handled");
  return {};
}

Value Interpreter::EvalAttribute(const Node& node, const DomainTable& table) {
  const auto* path = static_cast<const DevicePath*>(node.data);
  const Value* value = table.Find(path->hash, path->domain, path->name);
  return value != nullptr ? *value : NoSuchKey(evaluation_, Value::String(path->name));
}

Value Interpreter::Run(uint32_t root, int& false_operand) {
  const Node& node = program_.nodes[root];
  false_operand = -1;
  if (node.op == Op::kAnd) return EvalChain(node, false, &false_operand);
  const Value value = Eval(node);
  if (value.is_false()) false_operand = 0;
  return value;
}

Value Interpreter::EvalChain(const Node& node, bool stop_at, int* stopped_by) {
  Value failure = Value::Null();
  for (size_t i = 0; i < node.arg_count; ++i) {
    const Value value = EvalArg(node, i);
    if (value.is(Kind::kBool)) {
      if (value.AsBool() != stop_at) continue;
      if (stopped_by != nullptr) *stopped_by = static_cast<int>(i);
      return value;
    } else {
      if (evaluation_.aborted()) return value;
      if (!failure.is_error()) failure = value.is_error() ? value : evaluation_.NoSuchOverload();
    }
  }
  return failure.is_error() ? failure : Value::Bool(!stop_at);
}

Value Interpreter::EvalEquality(const Node& node) {
  const Value left = EvalArg(node, 0);
  const Value right = EvalArg(node, 1);
  const bool unit_price = node.op == Op::kEquals && left.kind() >= Kind::kQuantity;
  evaluation_.AddCost(unit_price ? 1 : TraversalCost(std::min(CostSize(left), CostSize(right))));
  if (left.is_error()) return left;
  if (right.is_error()) return right;
  const Equality equality = Equals(left, right, evaluation_.steps());
  if (node.op == Op::kNotEquals) return Value::Bool(equality != Equality::kEqual);
  if (equality == Equality::kError) return evaluation_.NoSuchOverload();
  return Value::Bool(equality == Equality::kEqual);
}

Value Interpreter::EvalEqualityWithText(const Node& node) {
  const Value left = EvalArg(node, 0);
  const bool negated = node.op == Op::kNotEqualsText;
  const bool unit_price = !negated && left.kind() >= Kind::kQuantity;
  evaluation_.AddCost(unit_price ? 1
                                 : TraversalCost(std::min<uint64_t>(CostSize(left), node.number)));
  if (left.is_error()) return left;
  if (left.is(Kind::kString))
    return Value::Bool((left.AsText() == node.constant.AsText()) != negated);
  if (negated) return Value::Bool(true);
  // A Kubernetes type on the left does not compare with a string.
  return left.kind() >= Kind::kQuantity ? evaluation_.NoSuchOverload() : Value::Bool(false);
}

Value Interpreter::EvalComparison(const Node& node) {
  const Value left = EvalArg(node, 0);
  const Value right = EvalArg(node, 1);
  if (node.flag) evaluation_.AddCost(TraversalCost(std::min(CostSize(left), CostSize(right))));
  if (left.is_error()) return left;
  if (right.is_error()) return right;
  switch (Compare(left, right)) {
    case Order::kLess:
      return Value::Bool(node.op == Op::kLess || node.op == Op::kLessEquals);
    case Order::kEqual:
      return Value::Bool(node.op == Op::kLessEquals || node.op == Op::kGreaterEquals);
    case Order::kGreater:
      return Value::Bool(node.op == Op::kGreater || node.op == Op::kGreaterEquals);
    case Order::kUnordered:
      return Value::Error("NaN values cannot be ordered");
    case Order::kNoOverload:
      break;
  }
  return evaluation_.NoSuchOverload();
}

Value Interpreter::EvalCall(const Node& node) {
  std::array<Value, kMaxArity> values;
  const Value* error = nullptr;
  for (size_t i = 0; i < node.arg_count; ++i) {
    values[i] = EvalArg(node, i);
    if (!values[i].is_error()) continue;
    // cel-go evaluates both arguments of two, but stops early with more.
    if (error == nullptr) error = &values[i];
    if (node.arg_count > 2) return *error;
  }
  const std::span<const Value> args(values.data(), node.arg_count);
  const Overload* overload = nullptr;
  const Overload* priced = nullptr;
  if (node.op == Op::kDispatch) {
    const auto* declaration = static_cast<const FunctionDeclaration*>(node.data);
    if (error == nullptr) overload = SelectOverload(declaration->overloads, args);
    priced = overload != nullptr ? overload : declaration->overloads[0];
  } else {
    priced = static_cast<const Overload*>(node.data);
    if (error == nullptr && (node.op == Op::kCall || AcceptsAtRunTime(*priced, args)))
      overload = priced;
  }
  Value result;
  if (error != nullptr) {
    result = *error;
  } else if (overload == nullptr || overload->implementation == nullptr) {
    result = NoOverload(evaluation_, priced->function, args);
  } else {
    result = overload->implementation(evaluation_, values.data());
  }
  evaluation_.AddCost(CostOf(evaluation_, priced->price, values.data(), result));
  return evaluation_.over_limit() ? evaluation_.CostLimitExceeded() : result;
}

Value Interpreter::EvalRegexCall(const Node& node) {
  const Value text = EvalArg(node, 0);
  if (text.is_error()) return text;
  Value limit = Value::Int(-1);
  if (node.arg_count > 2) limit = EvalArg(node, 2);
  if (limit.is_error()) return limit;
  if (!text.is(Kind::kString) || !limit.is(Kind::kInt)) return evaluation_.NoSuchOverload();
  const auto& regex = *static_cast<const re2::RE2*>(node.data);
  // node.number is the price of the pattern.
  evaluation_.AddCost(TraversalCost(CostSize(text) + 1) * node.number);
  if (node.op == Op::kMatches) return Value::Bool(RegexMatches(regex, text.AsText()));
  if (node.op == Op::kFind) return RegexFind(regex, text.AsText());
  return RegexFindAll(evaluation_, regex, text.AsText(), limit.AsInt());
}

Value Interpreter::EvalConditional(const Node& node) {
  const Value condition = EvalArg(node, 0);
  if (condition.is(Kind::kBool)) return EvalArg(node, condition.AsBool() ? 1 : 2);
  return condition.is_error() ? condition : evaluation_.NoSuchOverload();
}

Value Interpreter::EvalMembership(const Node& node) {
  const Value needle = EvalArg(node, 0);
  const Value haystack = EvalArg(node, 1);
  // node.flag: the checker knows that it is a list.
  evaluation_.AddCost(node.flag ? CostSize(haystack) : 1);
  if (needle.is_error()) return needle;
  if (haystack.is_error()) return haystack;
  if (haystack.is(Kind::kList)) {
    for (const Value& item : haystack.AsList()) {
      if (Equals(needle, item, evaluation_.steps()) == Equality::kEqual) return Value::Bool(true);
    }
    return Value::Bool(false);
  }
  if (!haystack.is(Kind::kMap)) return evaluation_.NoSuchOverload();
  const MapValue& map = haystack.AsMap();
  if (map.entries.empty()) return Value::Bool(false);
  if (!map.native && !IsHashable(needle)) return UnhashableKey(evaluation_, needle);
  return Value::Bool(FindEntry(map, needle, evaluation_.steps()) != nullptr);
}

Value Interpreter::EvalConstantMembership(const Node& node) {
  const Value needle = EvalArg(node, 0);
  if (needle.is_error()) return needle;
  if (!IsHashable(needle)) return UnhashableKey(evaluation_, needle);
  for (const Value& item : node.constant.AsList()) {
    if (Equals(item, needle, evaluation_.steps()) == Equality::kEqual) return Value::Bool(true);
  }
  return Value::Bool(false);
}

Value Interpreter::EvalOptionalOr(const Node& node) {
  const Value left = EvalArg(node, 0);
  // A value that is no optional is simply passed through (cel-go 0.26 evalOptionalOr).
  if (!left.is(Kind::kOptional)) return left;
  const Value* content = left.AsOptional();
  if (content == nullptr) return EvalArg(node, 1);
  return node.op == Op::kOptionalOrValue ? *content : left;
}

Value Interpreter::EvalList(const Node& node) {
  ListBuilder list(evaluation_);
  for (size_t i = 0; i < node.arg_count; ++i) {
    Value value = EvalArg(node, i);
    if (value.is_error()) return value;
    if (program_.optional_args[node.first_arg + i]) {
      if (!value.is(Kind::kOptional)) {
        return evaluation_.Error(
            "cannot initialize optional list element from non-optional value " + ErrorText(value));
      }
      if (value.AsOptional() == nullptr) continue;
      value = *value.AsOptional();
    }
    list.Add(value);
  }
  return list.Finish();
}

Value Interpreter::EvalEntry(const Node& node, size_t index, const Value& key, bool& absent) {
  const Value value = EvalArg(node, index);
  if (value.is_error() || !program_.optional_args[node.first_arg + index]) return value;
  if (!value.is(Kind::kOptional)) {
    return evaluation_.Error("cannot initialize optional entry '" + ErrorText(key) +
                             "' from non-optional value " + ErrorText(value));
  }
  absent = value.AsOptional() == nullptr;
  return absent ? value : *value.AsOptional();
}

Value Interpreter::EvalMap(const Node& node) {
  MapBuilder map(evaluation_);
  for (size_t i = 0; i + 1 < node.arg_count; i += 2) {
    const Value key = EvalArg(node, i);
    if (key.is_error()) return key;
    bool absent = false;
    const Value value = EvalEntry(node, i + 1, key, absent);
    if (value.is_error()) return value;
    if (absent) {
      map.Remove(key);
      continue;
    }
    if (map.Put(key, value, MapBuilder::Mode::kReplace) == MapBuilder::Outcome::kUnhashable) {
      return UnhashableKey(evaluation_, key);
    }
  }
  return map.Finish();
}

Value Interpreter::EvalMessage(const Node& node) {
  const auto& message = *static_cast<const MessageType*>(node.data);
  std::vector<FieldValue> fields;
  for (size_t i = 0; i + 1 < node.arg_count; i += 2) {
    const Value name = EvalArg(node, i);
    bool absent = false;
    const Value value = EvalEntry(node, i + 1, name, absent);
    if (value.is_error()) return value;
    if (!absent) fields.push_back({name.AsText(), value});
  }
  return message.make(message, fields, evaluation_);
}

}  // namespace fedra::cel
