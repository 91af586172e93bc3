#include "cel/interpreter.h"

namespace fedra::cel {
namespace {

// What the hidden parts of cel-go's folds cost: reading the accumulator and the loop condition.
constexpr uint64_t kResultCost = 1;
constexpr uint64_t kAllConditionCost = 2;     // @not_strictly_false(accu)
constexpr uint64_t kExistsConditionCost = 3;  // @not_strictly_false(!accu)
constexpr uint64_t kAccumulatorCost = 1;      // accu && ..., accu || ...
constexpr uint64_t kCountCost = 2;            // accu + 1
constexpr uint64_t kAppendCost = 12;          // accu + [value]
constexpr uint64_t kSortByCost = 4;           // input.@sortByAssociatedKeys(input.map(...))
constexpr uint64_t kInsertCost = 2;           // cel.@mapInsert(accu, ...)

// The marker of a lazy slot that has not been read yet.
constexpr char kUnsetMarker = '\0';
constexpr Value kUnset = Value::Error({&kUnsetMarker, 1});

}  // namespace

std::string_view GoTypeName(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "types.Null";
    case Kind::kBool:
      return "types.Bool";
    case Kind::kInt:
      return "types.Int";
    case Kind::kUint:
      return "types.Uint";
    case Kind::kDouble:
      return "types.Double";
    case Kind::kString:
      return "types.String";
    case Kind::kBytes:
      return "types.Bytes";
    case Kind::kDuration:
      return "types.Duration";
    case Kind::kTimestamp:
      return "types.Timestamp";
    case Kind::kOptional:
      return "*types.Optional";
    case Kind::kType:
      return "*types.Type";
    case Kind::kQuantity:
      return "cel.Quantity";
    case Kind::kSemver:
      return "cel.Semver";
    case Kind::kIp:
      return "cel.IP";
    case Kind::kCidr:
      return "cel.CIDR";
    case Kind::kUrl:
      return "cel.URL";
    case Kind::kList:
      return "*types.baseList";
    case Kind::kMap:
      return "*types.baseMap";
    case Kind::kFormat:
      return "cel.Format";
    case Kind::kMessage:
      return "*types.protoObj";
    case Kind::kError:
      return "*types.Err";
  }
  return "";
}

// Runs the loop of a macro. `visit` evaluates the body with the variables set; it returns false to
// stop. The result is null, or the error of the range.
template <class Visit>
Value Interpreter::ForEach(const Node& node, Visit visit) {
  const Value range = EvalArg(node, 0);
  if (range.is_error()) return range;
  Value* const variables = slots_ + node.number;
  if (range.is(Kind::kList)) {
    const auto items = range.AsList();
    for (size_t i = 0; i < items.size(); ++i) {
      variables[0] = node.flag ? Value::Int(static_cast<int64_t>(i)) : items[i];
      if (node.flag) variables[1] = items[i];
      if (!visit(i + 1 == items.size())) break;
      if (evaluation_.over_limit()) return evaluation_.CostLimitExceeded();
    }
    return Value::Null();
  }
  if (range.is(Kind::kMap)) {
    const auto entries = range.AsMap().entries;
    for (const MapEntry& entry : entries) {
      variables[0] = entry.key;
      if (node.flag) variables[1] = entry.value;
      if (!visit(&entry == &entries.back())) break;
      if (evaluation_.over_limit()) return evaluation_.CostLimitExceeded();
    }
    return Value::Null();
  }
  if (node.flag)
    return evaluation_.Error("unsupported comprehension range type: " +
                             std::string(GoTypeName(range.kind())));
  return evaluation_.Error("got '" + std::string(GoTypeName(range.kind())) +
                           "', expected iterable type");
}

// all() ends at the first false, exists() at the first true; an error counts only if none comes.
Value Interpreter::EvalQuantifier(const Node& node, bool decisive, uint64_t condition_cost) {
  Value result = Value::Bool(!decisive);
  const Value failure = ForEach(node, [&](bool last) {
    evaluation_.AddCost(condition_cost + kAccumulatorCost);
    const Value value = EvalArg(node, 1);
    const bool decides = decisive ? value.is_true() : value.is_false();
    if (decides || evaluation_.aborted()) {
      if (!last) evaluation_.AddCost(condition_cost);
      result = value;
      return false;
    }
    if (!value.is(Kind::kBool) && !result.is_error()) {
      result = value.is_error() ? value : evaluation_.NoSuchOverload();
    }
    return true;
  });
  evaluation_.AddCost(kResultCost);
  return failure.is_error() ? failure : result;
}

Value Interpreter::EvalAll(const Node& node) {
  return EvalQuantifier(node, false, kAllConditionCost);
}

Value Interpreter::EvalExists(const Node& node) {
  return EvalQuantifier(node, true, kExistsConditionCost);
}

std::optional<bool> Interpreter::PassesFilter(const Node& node, Value& error) {
  const Value condition = EvalArg(node, 1);
  if (condition.is(Kind::kBool)) return condition.AsBool();
  error = condition.is_error() ? condition : evaluation_.NoSuchOverload();
  return std::nullopt;
}

Value Interpreter::EvalExistsOne(const Node& node) {
  int64_t count = 0;
  Value error = Value::Null();
  const Value failure = ForEach(node, [&](bool) {
    const auto passes = PassesFilter(node, error);
    if (passes == true) {
      evaluation_.AddCost(kCountCost);
      ++count;
    }
    return passes.has_value();
  });
  evaluation_.AddCost(2 * kResultCost);
  if (failure.is_error()) return failure;
  return error.is_error() ? error : Value::Bool(count == 1);
}

// map, with or without a filter, and transformList.
Value Interpreter::EvalMapElements(const Node& node) {
  ListBuilder list(evaluation_);
  Value error = Value::Null();
  const bool filtered = node.arg_count == 3;
  const Value failure = ForEach(node, [&](bool) {
    if (filtered) {
      const auto passes = PassesFilter(node, error);
      if (passes != true) return passes.has_value();
    }
    evaluation_.AddCost(node.constant.AsUint());
    const Value value = EvalArg(node, filtered ? 2 : 1);
    if (value.is_error()) {
      error = value;
      return false;
    }
    return list.Add(value);
  });
  evaluation_.AddCost(kResultCost);
  if (failure.is_error()) return failure;
  return error.is_error() ? error : list.Finish();
}

Value Interpreter::EvalFilter(const Node& node) {
  ListBuilder list(evaluation_);
  Value error = Value::Null();
  const Value failure = ForEach(node, [&](bool) {
    const auto passes = PassesFilter(node, error);
    if (passes != true) return passes.has_value();
    evaluation_.AddCost(kAppendCost + 1);
    return list.Add(slots_[node.number]);
  });
  evaluation_.AddCost(kResultCost);
  if (failure.is_error()) return failure;
  return error.is_error() ? error : list.Finish();
}

Value Interpreter::InsertInto(MapBuilder& map, const Value& key, const Value& value) {
  switch (map.Put(key, value, MapBuilder::Mode::kInsertOnly)) {
    case MapBuilder::Outcome::kDone:
      return Value::Null();
    case MapBuilder::Outcome::kExists:
      return evaluation_.Error("insert failed: key " + ErrorText(key) + " already exists");
    case MapBuilder::Outcome::kUnhashable:
      return UnhashableKey(evaluation_, key);
    case MapBuilder::Outcome::kOutOfMemory:
      break;
  }
  return evaluation_.OutOfMemory();
}

// transformMap and transformMapEntry, with or without a filter.
Value Interpreter::EvalTransformMap(const Node& node) {
  MapBuilder map(evaluation_);
  Value error = Value::Null();
  const bool filtered = node.arg_count == 3;
  const Value failure = ForEach(node, [&](bool) {
    if (filtered) {
      const auto passes = PassesFilter(node, error);
      if (passes != true) return passes.has_value();
    }
    evaluation_.AddCost(kInsertCost);
    const Value value = EvalArg(node, filtered ? 2 : 1);
    error = value.is_error() ? value : Insert(node, map, value);
    return !error.is_error();
  });
  evaluation_.AddCost(kResultCost);
  if (failure.is_error()) return failure;
  return error.is_error() ? error : map.Finish();
}

Value Interpreter::Insert(const Node& node, MapBuilder& map, const Value& value) {
  if (node.op == Op::kTransformMap) {
    evaluation_.AddCost(1);
    return InsertInto(map, slots_[node.number], value);
  }
  if (!value.is(Kind::kMap)) {
    const Value args[] = {Value::Map(&kEmptyMap), value};
    return NoOverload(evaluation_, "cel.@mapInsert", args);
  }
  for (const MapEntry& entry : value.AsMap().entries) {
    const Value error = InsertInto(map, entry.key, entry.value);
    if (error.is_error()) return error;
  }
  return Value::Null();
}

Value Interpreter::EvalSortBy(const Node& node) {
  const Value range = EvalArg(node, 0);
  if (range.is_error()) return range;
  if (!range.is(Kind::kList)) return evaluation_.NoSuchOverload();
  ListBuilder keys(evaluation_);
  for (const Value& item : range.AsList()) {
    slots_[node.number] = item;
    evaluation_.AddCost(kAppendCost);
    const Value key = EvalArg(node, 1);
    if (key.is_error()) return key;
    keys.Add(key);
    if (evaluation_.over_limit()) return evaluation_.CostLimitExceeded();
  }
  const Value sorted_by = keys.Finish();
  evaluation_.AddCost(kSortByCost);
  return sorted_by.is_error() ? sorted_by : SortedByKeys(evaluation_, range, sorted_by);
}

Value Interpreter::EvalBind(const Node& node) {
  slots_[node.number] = kUnset;
  return EvalArg(node, 1);
}

Value Interpreter::EvalLazySlot(const Node& node) {
  Value& slot = slots_[node.number];
  if (slot.is_error() && slot.AsText().data() == &kUnsetMarker) slot = EvalArg(node, 0);
  return slot;
}

Value Interpreter::EvalOptMap(const Node& node) {
  const uint64_t before = evaluation_.cost();
  const Value target = EvalArg(node, 0);
  if (target.is_error()) return target;
  if (!target.is(Kind::kOptional)) {
    const Value args[] = {target};
    return NoOverload(evaluation_, "hasValue", args);
  }
  const uint64_t target_cost = evaluation_.cost() - before;
  evaluation_.AddCost(node.op == Op::kOptMap ? 2 : 1);  // hasValue() and optional.of()
  const Value* content = target.AsOptional();
  if (content == nullptr) return target;
  // cel-go evaluates the target a second time to take its value.
  evaluation_.AddCost(target_cost + 1);
  slots_[node.number] = *content;
  const Value result = EvalArg(node, 1);
  return result.is_error() || node.op == Op::kOptFlatMap ? result : evaluation_.Optional(result);
}

}  // namespace fedra::cel
