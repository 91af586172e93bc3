#include "cel/function.h"

#include <algorithm>

#include "cel/lib/format.h"

namespace fedra::cel {
namespace {

// cost.go traversalCost: texts by bytes and rounded down, everything else one by one.
uint64_t ElementsCost(const Value& value, Steps& steps) {
  uint64_t cost = 0;
  if (!steps.Take()) return cost;
  switch (value.kind()) {
    case Kind::kString:
    case Kind::kBytes:
      return value.AsText().size() / 10;
    case Kind::kList:
      for (const Value& item : value.AsList()) cost += ElementsCost(item, steps);
      return cost;
    case Kind::kMap:
      for (const MapEntry& entry : value.AsMap().entries)
        cost += ElementsCost(entry.key, steps) + ElementsCost(entry.value, steps);
      return cost;
    default:
      return 1;
  }
}

uint64_t RegexCost(uint64_t text_size, uint64_t pattern_size) {
  return TraversalCost(text_size + 1) * ((pattern_size + 3) / 4);
}

uint64_t CidrCost(Price price, const Value* args) {
  const uint64_t cidr = CostSize(args[0]);
  uint64_t cost = TraversalCost(2 * cidr);
  if (price == Price::kCidrContainsCidr || price == Price::kCidrContainsCidrText)
    cost += TraversalCost(cidr) + 1;
  if (price == Price::kCidrContainsIpText || price == Price::kCidrContainsCidrText) {
    cost += TraversalCost(CostSize(args[1]));
  }
  return cost;
}

}  // namespace

uint64_t CostOf(Evaluation& evaluation, Price price, const Value* args, const Value& result) {
  switch (price) {
    case Price::kOne:
      return 1;
    case Price::kFree:
      return 0;
    case Price::kTraverse:
      return TraversalCost(CostSize(args[0]));
    case Price::kTraverseTwice:
      return TraversalCost(2 * CostSize(args[0]));
    case Price::kTraverseResult:
      return TraversalCost(2 * CostSize(result));
    case Price::kTraverseBoth:
      return TraversalCost(CostSize(args[0]) + CostSize(args[1]));
    case Price::kTraverseSmaller:
      return TraversalCost(std::min(CostSize(args[0]), CostSize(args[1])));
    case Price::kSearch:
      return TraversalCost(CostSize(args[0])) * TraversalCost(CostSize(args[1]));
    case Price::kRegex:
      return RegexCost(CostSize(args[0]), CostSize(args[1]));
    case Price::kFormat:
      return args[0].is(Kind::kFormat)
                 ? RegexCost(CostSize(args[1]), args[0].AsFormat().pattern_size)
                 : 1;
    case Price::kElements:
      return ElementsCost(args[0], evaluation.steps());
    case Price::kSizeOfSecond:
      return CostSize(args[1]);
    case Price::kNewList:
      return CostSize(result) + 11;
    default:
      return CidrCost(price, args);
  }
}

namespace {

bool AcceptsKind(const Type& parameter, Kind kind) {
  switch (parameter.kind) {
    case TypeKind::kNull:
      return kind == Kind::kNull;
    case TypeKind::kBool:
      return kind == Kind::kBool;
    case TypeKind::kInt:
      return kind == Kind::kInt;
    case TypeKind::kUint:
      return kind == Kind::kUint;
    case TypeKind::kDouble:
      return kind == Kind::kDouble;
    case TypeKind::kString:
      return kind == Kind::kString;
    case TypeKind::kBytes:
      return kind == Kind::kBytes;
    case TypeKind::kDuration:
      return kind == Kind::kDuration;
    case TypeKind::kTimestamp:
      return kind == Kind::kTimestamp;
    case TypeKind::kList:
      return kind == Kind::kList;
    case TypeKind::kMap:
      return kind == Kind::kMap;
    case TypeKind::kType:
      return kind == Kind::kType;
    case TypeKind::kOpaque:
    case TypeKind::kObject:
      return TypeName(kind) == parameter.name;
    default:
      return true;
  }
}

bool AcceptsValue(const Type& parameter, const Value& value) {
  if (!AcceptsKind(parameter, value.kind())) return false;
  if (parameter.kind == TypeKind::kList && !value.AsList().empty()) {
    return AcceptsValue(*parameter.first, value.AsList()[0]);
  }
  if (parameter.kind == TypeKind::kMap && !value.AsMap().entries.empty()) {
    const MapEntry& entry = value.AsMap().entries[0];
    return AcceptsValue(*parameter.first, entry.key) &&
           AcceptsValue(*parameter.second, entry.value);
  }
  return true;
}

}  // namespace

bool AcceptsAtRunTime(const Overload& overload, std::span<const Value> args) {
  if (overload.arity() != args.size()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    const Type& parameter = *overload.params[i];
    const bool accepts = overload.unguarded ? AcceptsKind(parameter, args[i].kind())
                                            : AcceptsValue(parameter, args[i]);
    if (!accepts) return false;
  }
  return true;
}

}  // namespace fedra::cel
