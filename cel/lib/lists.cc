#include <algorithm>
#include <numeric>

#include "cel/interpreter.h"
#include "cel/library.h"

namespace fedra::cel {
namespace {

constexpr Type kListOfListOfA{TypeKind::kList, "list", &kListOfA};
constexpr Type kListOfUint{TypeKind::kList, "list", &kUintType};
constexpr Type kListOfDouble{TypeKind::kList, "list", &kDoubleType};
constexpr Type kListOfBool{TypeKind::kList, "list", &kBoolType};
constexpr Type kListOfDuration{TypeKind::kList, "list", &kDurationType};
constexpr Type kListOfTimestamp{TypeKind::kList, "list", &kTimestampType};
constexpr Type kListOfBytes{TypeKind::kList, "list", &kBytesType};

Value IsSorted(Evaluation& evaluation, const Value* args) {
  const auto items = args[0].AsList();
  for (size_t i = 1; i < items.size(); ++i) {
    const Order order = Compare(items[i - 1], items[i]);
    if (order == Order::kGreater) return Value::Bool(false);
    if (order == Order::kNoOverload) return evaluation.NoSuchOverload();
  }
  return Value::Bool(true);
}

Value Sum(Evaluation& evaluation, const Value* args, Value sum) {
  for (const Value& item : args[0].AsList()) {
    sum = Add(evaluation, sum, item);
    if (sum.is_error()) return sum;
  }
  return sum;
}
Value SumInts(Evaluation& evaluation, const Value* args) {
  return Sum(evaluation, args, Value::Int(0));
}
Value SumUints(Evaluation& evaluation, const Value* args) {
  return Sum(evaluation, args, Value::Uint(0));
}
Value SumDoubles(Evaluation& evaluation, const Value* args) {
  return Sum(evaluation, args, Value::Double(0));
}
Value SumDurations(Evaluation& evaluation, const Value* args) {
  return Sum(evaluation, args, Value::Duration(0));
}

Value Extreme(Evaluation& evaluation, const Value* args, Order preferred,
              std::string_view function) {
  const auto items = args[0].AsList();
  if (items.empty()) return evaluation.Error(std::string(function) + " called on empty list");
  Value best = items[0];
  for (const Value& item : items) {
    if (Compare(best, item) == preferred) best = item;
  }
  return best;
}
Value Max(Evaluation& evaluation, const Value* args) {
  return Extreme(evaluation, args, Order::kLess, "max");
}
Value Min(Evaluation& evaluation, const Value* args) {
  return Extreme(evaluation, args, Order::kGreater, "min");
}

Value IndexInList(Evaluation& evaluation, const Value* args) {
  const auto items = args[0].AsList();
  for (size_t i = 0; i < items.size(); ++i) {
    if (Equals(items[i], args[1], evaluation.steps()) == Equality::kEqual)
      return Value::Int(static_cast<int64_t>(i));
  }
  return Value::Int(-1);
}
Value LastIndexInList(Evaluation& evaluation, const Value* args) {
  const auto items = args[0].AsList();
  for (size_t i = items.size(); i-- > 0;) {
    if (Equals(items[i], args[1], evaluation.steps()) == Equality::kEqual)
      return Value::Int(static_cast<int64_t>(i));
  }
  return Value::Int(-1);
}

constexpr Overload Comparable(std::string_view function, const Type& list, const Type& result,
                              Implementation f) {
  return Member(function, function, {&list}, result, f, Price::kElements);
}

constexpr Overload kKubernetesOverloads[] = {
    Comparable("isSorted", kListOfInt, kBoolType, IsSorted),
    Comparable("isSorted", kListOfUint, kBoolType, IsSorted),
    Comparable("isSorted", kListOfDouble, kBoolType, IsSorted),
    Comparable("isSorted", kListOfBool, kBoolType, IsSorted),
    Comparable("isSorted", kListOfDuration, kBoolType, IsSorted),
    Comparable("isSorted", kListOfTimestamp, kBoolType, IsSorted),
    Comparable("isSorted", kListOfString, kBoolType, IsSorted),
    Comparable("isSorted", kListOfBytes, kBoolType, IsSorted),
    Comparable("sum", kListOfInt, kIntType, SumInts),
    Comparable("sum", kListOfUint, kUintType, SumUints),
    Comparable("sum", kListOfDouble, kDoubleType, SumDoubles),
    Comparable("sum", kListOfDuration, kDurationType, SumDurations),
    Comparable("max", kListOfInt, kIntType, Max),
    Comparable("max", kListOfUint, kUintType, Max),
    Comparable("max", kListOfDouble, kDoubleType, Max),
    Comparable("max", kListOfBool, kBoolType, Max),
    Comparable("max", kListOfDuration, kDurationType, Max),
    Comparable("max", kListOfTimestamp, kTimestampType, Max),
    Comparable("max", kListOfString, kStringType, Max),
    Comparable("max", kListOfBytes, kBytesType, Max),
    Comparable("min", kListOfInt, kIntType, Min),
    Comparable("min", kListOfUint, kUintType, Min),
    Comparable("min", kListOfDouble, kDoubleType, Min),
    Comparable("min", kListOfBool, kBoolType, Min),
    Comparable("min", kListOfDuration, kDurationType, Min),
    Comparable("min", kListOfTimestamp, kTimestampType, Min),
    Comparable("min", kListOfString, kStringType, Min),
    Comparable("min", kListOfBytes, kBytesType, Min),
    Member("indexOf", "list_a_index_of_int", {&kListOfA, &kParamA}, kIntType, IndexInList,
           Price::kElements),
    Member("lastIndexOf", "list_a_last_index_of_int", {&kListOfA, &kParamA}, kIntType,
           LastIndexInList, Price::kElements),
};

Value Slice(Evaluation& evaluation, const Value* args) {
  const auto items = args[0].AsList();
  const int64_t start = args[1].AsInt();
  const int64_t end = args[2].AsInt();
  const std::string call =
      "cannot slice(" + std::to_string(start) + ", " + std::to_string(end) + "), ";
  if (start < 0 || end < 0) return evaluation.Error(call + "negative indexes not supported");
  if (start > end)
    return evaluation.Error(call + "start index must be less than or equal to end index");
  if (end > static_cast<int64_t>(items.size())) {
    return evaluation.Error(call + "list is length " + std::to_string(items.size()));
  }
  return Value::List(items.subspan(static_cast<size_t>(start), static_cast<size_t>(end - start)));
}

// Lists cannot contain themselves, so the depth of nesting bounds the recursion.
bool FlattenInto(ListBuilder& result, const Value& list, int64_t depth, Steps& steps) {
  for (const Value& item : list.AsList()) {
    if (!steps.Take()) return false;
    const bool descend = item.is(Kind::kList) && depth > 0;
    if (descend ? !FlattenInto(result, item, depth - 1, steps) : !result.Add(item)) return false;
  }
  return true;
}

Value FlattenTo(Evaluation& evaluation, const Value& list, int64_t depth) {
  if (depth < 0) return Value::Error("level must be non-negative");
  evaluation.AddCost(
      static_cast<uint64_t>(std::min<int64_t>(depth, 1'000'000)) * list.AsList().size() + 10);
  if (evaluation.over_limit()) return evaluation.CostLimitExceeded();
  ListBuilder result(evaluation);
  FlattenInto(result, list, depth, evaluation.steps());
  return result.Finish();
}
Value Flatten(Evaluation& evaluation, const Value* args) {
  return FlattenTo(evaluation, args[0], 1);
}
Value FlattenDepth(Evaluation& evaluation, const Value* args) {
  return FlattenTo(evaluation, args[0], args[1].AsInt());
}

Value Range(Evaluation& evaluation, const Value* args) {
  ListBuilder result(evaluation);
  for (int64_t i = 0; i < args[0].AsInt(); ++i) {
    if (!result.Add(Value::Int(i))) break;
  }
  return result.Finish();
}

Value Reverse(Evaluation& evaluation, const Value* args) {
  ListBuilder result(evaluation);
  const auto items = args[0].AsList();
  for (size_t i = items.size(); i-- > 0;) result.Add(items[i]);
  return result.Finish();
}

// What comparing all with all costs. Charged first: it is also how long it takes.
bool ChargeSelfComparison(Evaluation& evaluation, std::span<const Value> items) {
  const bool texts = !items.empty() && (items[0].is(Kind::kString) || items[0].is(Kind::kBytes));
  const double factor = texts ? 2.1 : 2.0;
  evaluation.AddCost(
      static_cast<uint64_t>(static_cast<double>(items.size() * items.size()) * factor) + 10);
  return !evaluation.over_limit();
}

Value Distinct(Evaluation& evaluation, const Value* args) {
  const auto items = args[0].AsList();
  if (!ChargeSelfComparison(evaluation, items)) return evaluation.CostLimitExceeded();
  ListBuilder result(evaluation);
  std::vector<Value> seen;
  for (const Value& item : items) {
    const bool known = std::any_of(seen.begin(), seen.end(), [&](const Value& other) {
      return Equals(item, other, evaluation.steps()) == Equality::kEqual;
    });
    if (known) continue;
    seen.push_back(item);
    result.Add(item);
  }
  return result.Finish();
}

Value Sort(Evaluation& evaluation, const Value* args) {
  return SortedByKeys(evaluation, args[0], args[0]);
}

constexpr Overload Sorter(const Type& list) {
  return Member("sort", "list_sort", {&list}, list, Sort);
}

constexpr Overload Unguarded(Overload overload) {
  overload.unguarded = true;
  return overload;
}

constexpr Overload kListsOverloads[] = {
    Member("slice", "list_slice", {&kListOfA, &kIntType, &kIntType}, kListOfA, Slice,
           Price::kNewList),
    Unguarded(Member("flatten", "list_flatten", {&kListOfListOfA}, kListOfA, Flatten)),
    Unguarded(
        Member("flatten", "list_flatten_int", {&kListOfDyn, &kIntType}, kListOfDyn, FlattenDepth)),
    Global("lists.range", "lists_range", {&kIntType}, kListOfInt, Range, Price::kNewList),
    Member("reverse", "list_reverse", {&kListOfA}, kListOfA, Reverse, Price::kNewList),
    Member("distinct", "list_distinct", {&kListOfA}, kListOfA, Distinct),
    Sorter(kListOfInt),
    Sorter(kListOfUint),
    Sorter(kListOfDouble),
    Sorter(kListOfBool),
    Sorter(kListOfDuration),
    Sorter(kListOfTimestamp),
    Sorter(kListOfString),
    Sorter(kListOfBytes),
};

// Longest list that kube 1.36 lets includes() search (ResourceSliceMaxAttributeValuesPerDevice).
constexpr size_t kMaxIncludes = 48;

Value Includes(Evaluation& evaluation, const Value* args) {
  if (!args[0].is(Kind::kList))
    return Value::Bool(Equals(args[0], args[1], evaluation.steps()) == Equality::kEqual);
  for (const Value& item : args[0].AsList()) {
    if (Equals(item, args[1], evaluation.steps()) == Equality::kEqual) return Value::Bool(true);
  }
  return Value::Bool(false);
}

Value IncludesAnywhere(Evaluation& evaluation, const Value* args) {
  return Includes(evaluation, args);
}

Value IncludesBounded(Evaluation& evaluation, const Value* args) {
  const bool too_long = args[0].is(Kind::kList) && args[0].AsList().size() > kMaxIncludes;
  if (!too_long) return Includes(evaluation, args);
  const Value first = Value::List(args[0].AsList().first(kMaxIncludes));
  const Value shortened[] = {first, args[1]};
  const Value found = Includes(evaluation, shortened);
  if (found.AsBool()) return found;
  return Value::Error("'includes' function cannot be applied to lists longer than 48 values");
}

constexpr Overload kIncludesBounded[] = {
    Member("includes", "dra_includes_dyn_dyn", {&kDynType, &kDynType}, kBoolType, IncludesBounded)};
constexpr Overload kIncludesAnywhere[] = {
    Member("includes", "includes_dyn_dyn", {&kDynType, &kDynType}, kBoolType, IncludesAnywhere)};

bool Contains(Evaluation& evaluation, const Value& list, const Value& element) {
  for (const Value& item : list.AsList()) {
    if (Equals(element, item, evaluation.steps()) == Equality::kEqual) return true;
  }
  return false;
}

bool ContainsAll(Evaluation& evaluation, const Value& list, const Value& part) {
  const auto items = part.AsList();
  return std::all_of(items.begin(), items.end(),
                     [&](const Value& item) { return Contains(evaluation, list, item); });
}

// The price is the product of the sizes, charged first: it is also how long it takes.
bool Charge(Evaluation& evaluation, const Value* args, uint64_t factor) {
  evaluation.AddCost(factor * args[0].AsList().size() * args[1].AsList().size());
  return !evaluation.over_limit();
}

Value SetContains(Evaluation& evaluation, const Value* args) {
  if (!Charge(evaluation, args, 1)) return evaluation.CostLimitExceeded();
  return Value::Bool(ContainsAll(evaluation, args[0], args[1]));
}
Value SetEquivalent(Evaluation& evaluation, const Value* args) {
  if (!Charge(evaluation, args, 2)) return evaluation.CostLimitExceeded();
  return Value::Bool(ContainsAll(evaluation, args[0], args[1]) &&
                     ContainsAll(evaluation, args[1], args[0]));
}
Value SetIntersects(Evaluation& evaluation, const Value* args) {
  if (!Charge(evaluation, args, 1)) return evaluation.CostLimitExceeded();
  const auto items = args[0].AsList();
  return Value::Bool(std::any_of(items.begin(), items.end(), [&](const Value& item) {
    return Contains(evaluation, args[1], item);
  }));
}

constexpr std::array<const Type*, 4> kTwoLists = {&kListOfA, &kListOfA};
constexpr Overload kSets[] = {
    Global("sets.contains", "list_sets_contains_list", kTwoLists, kBoolType, SetContains),
    Global("sets.equivalent", "list_sets_equivalent_list", kTwoLists, kBoolType, SetEquivalent),
    Global("sets.intersects", "list_sets_intersects_list", kTwoLists, kBoolType, SetIntersects),
};

}  // namespace

Value SortedByKeys(Evaluation& evaluation, const Value& list, const Value& keys) {
  const auto items = list.AsList();
  const auto order_by = keys.AsList();
  if (!ChargeSelfComparison(evaluation, order_by)) return evaluation.CostLimitExceeded();
  for (const Value& key : order_by) {
    if (key.kind() != order_by[0].kind())
      return Value::Error("list elements must have the same type");
    if (Compare(key, key) == Order::kNoOverload)
      return Value::Error("list elements must be comparable");
  }
  std::vector<size_t> positions(items.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  // NaN is neither less nor greater; put first it keeps the order strict.
  const auto is_nan = [](const Value& value) {
    return value.is(Kind::kDouble) && value.AsDouble() != value.AsDouble();
  };
  std::stable_sort(positions.begin(), positions.end(), [&](size_t a, size_t b) {
    if (is_nan(order_by[a]) || is_nan(order_by[b]))
      return is_nan(order_by[a]) && !is_nan(order_by[b]);
    return Compare(order_by[a], order_by[b]) == Order::kLess;
  });
  ListBuilder sorted(evaluation);
  for (const size_t position : positions) sorted.Add(items[position]);
  return sorted.Finish();
}

std::span<const Overload> KubernetesListsLibrary() { return kKubernetesOverloads; }
std::span<const Overload> ListsLibrary() { return kListsOverloads; }
std::span<const Overload> IncludesLibrary() { return kIncludesBounded; }
std::span<const Overload> IncludesAnywhereLibrary() { return kIncludesAnywhere; }
std::span<const Overload> SetsLibrary() { return kSets; }

}  // namespace fedra::cel
