// Interpreter: selection and indexing, in maps, lists and optional values.

#include "cel/interpreter.h"

namespace fedra::cel {

Value NoSuchKey(Evaluation& evaluation, const Value& key) {
  return evaluation.Error(std::string(kNoSuchKey) + ErrorText(key));
}

Value Interpreter::EvalSelect(const Node& node, const Value& key) {
  const Value operand = EvalArg(node, 0);
  if (operand.is_error()) return operand;
  if (operand.is(Kind::kOptional)) {
    evaluation_.RefundCost(1);
    return SelectFromOptional(operand, key);
  }
  const Lookup found = Find(evaluation_, operand, key);
  if (found.outcome != Lookup::Outcome::kMissing) return found.value;
  if (operand.is(Kind::kList)) return evaluation_.Error("index out of bounds: " + ErrorText(key));
  return NoSuchKey(evaluation_, key);
}

Value Interpreter::SelectFromOptional(const Value& operand, const Value& key) {
  const Value* content = operand.AsOptional();
  if (content == nullptr) return operand;
  const Lookup found = Find(evaluation_, *content, key);
  if (found.outcome == Lookup::Outcome::kMissing) return Value::Optional(nullptr);
  evaluation_.AddCost(1);
  return found.outcome == Lookup::Outcome::kError ? found.value : evaluation_.Optional(found.value);
}

Value Interpreter::EvalHas(const Node& node) {
  Value operand = EvalArg(node, 0);
  if (operand.is_error()) return operand;
  if (operand.is(Kind::kOptional)) {
    if (operand.AsOptional() == nullptr) return Value::Bool(false);
    operand = *operand.AsOptional();
  }
  const Lookup found = Find(evaluation_, operand, node.constant);
  if (found.outcome == Lookup::Outcome::kError) return found.value;
  return Value::Bool(found.outcome == Lookup::Outcome::kFound);
}

Value Interpreter::EvalOptionalSelect(const Node& node, const Value& key) {
  const Value operand = EvalArg(node, 0);
  if (operand.is_error()) return operand;
  if (operand.is(Kind::kOptional)) return SelectFromOptional(operand, key);
  const Lookup found = Find(evaluation_, operand, key);
  if (found.outcome == Lookup::Outcome::kMissing) return Value::Optional(nullptr);
  if (found.outcome == Lookup::Outcome::kError) return found.value;
  evaluation_.AddCost(1);
  return evaluation_.Optional(found.value);
}

Value Interpreter::EvalIndex(const Node& node) {
  // The key comes after the operand, and only if there is one.
  const Value operand = EvalArg(node, 0);
  if (operand.is_error()) return operand;
  const Value key = EvalArg(node, 1);
  if (key.is_error()) return key;
  const bool optional = node.op == Op::kOptIndex;
  if (operand.is(Kind::kOptional)) {
    if (!optional) evaluation_.RefundCost(1);
    return SelectFromOptional(operand, key);
  }
  const Lookup found = Find(evaluation_, operand, key);
  if (found.outcome == Lookup::Outcome::kError) return found.value;
  if (found.outcome == Lookup::Outcome::kFound) {
    if (!optional) return found.value;
    evaluation_.AddCost(1);
    return evaluation_.Optional(found.value);
  }
  if (optional) return Value::Optional(nullptr);
  if (operand.is(Kind::kList)) return evaluation_.Error("index out of bounds: " + ErrorText(key));
  return NoSuchKey(evaluation_, key);
}

bool IsSelectorKind(Kind kind) {
  return kind == Kind::kString || kind == Kind::kInt || kind == Kind::kUint ||
         kind == Kind::kBool || kind == Kind::kDouble;
}

Lookup Find(Evaluation& evaluation, const Value& operand, const Value& key) {
  using enum Lookup::Outcome;
  if (!IsSelectorKind(key.kind())) {
    return {kError,
            evaluation.Error("invalid qualifier type: " + std::string(GoTypeName(key.kind())))};
  }
  if (operand.is(Kind::kMap)) {
    const MapValue& map = operand.AsMap();
    if (const MapEntry* entry = FindEntry(map, key, evaluation.steps()))
      return {kFound, entry->value};
    return map.default_empty ? Lookup{kFound, Value::Map(&kEmptyMap)} : Lookup{kMissing, {}};
  }
  if (!operand.is(Kind::kList)) return {kMissing, {}};
  const auto items = operand.AsList();
  const Value size = Value::Int(static_cast<int64_t>(items.size()));
  if (!key.is(Kind::kInt) && !key.is(Kind::kUint) && !key.is(Kind::kDouble)) {
    return {kError, evaluation.Error("unsupported index type '" +
                                     std::string(TypeName(key.kind())) + "' in list")};
  }
  if (Compare(key, Value::Int(0)) == Order::kLess || Compare(key, size) != Order::kLess) {
    return {kMissing, {}};
  }
  if (key.is(Kind::kDouble)) {
    const double number = key.AsDouble();
    const auto index = static_cast<size_t>(number);
    if (static_cast<double>(index) != number) {
      return {kError, evaluation.Error("unsupported index value " + ErrorText(key) + " in list")};
    }
    return {kFound, items[index]};
  }
  return {kFound, items[static_cast<size_t>(key.AsInt())]};
}

}  // namespace fedra::cel
