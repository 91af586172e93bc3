#include "cel/value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/hash.h"
#include "base/quantity.h"
#include "base/semver.h"
#include "base/utf8.h"
#include "cel/lib/format.h"
#include "cel/lib/network.h"
#include "cel/lib/url.h"

namespace fedra::cel {
namespace {

// Texts that compare in about the time of one step.
constexpr size_t kBytesPerStep = 64;

Order FromOrdering(std::strong_ordering order) {
  return order < 0 ? Order::kLess : order > 0 ? Order::kGreater : Order::kEqual;
}

Order CompareDoubles(double left, double right) {
  if (std::isnan(left) || std::isnan(right)) return Order::kUnordered;
  return left < right ? Order::kLess : left > right ? Order::kGreater : Order::kEqual;
}

Order Reversed(Order order) {
  return order == Order::kLess ? Order::kGreater : order == Order::kGreater ? Order::kLess : order;
}

Order CompareDoubleWithInt(double left, int64_t right) {
  if (left < -kTwoTo63) return Order::kLess;
  if (left > kTwoTo63) return Order::kGreater;
  return CompareDoubles(left, static_cast<double>(right));
}

Order CompareDoubleWithUint(double left, uint64_t right) {
  if (left < 0) return Order::kLess;
  if (left > kTwoTo64) return Order::kGreater;
  return CompareDoubles(left, static_cast<double>(right));
}

Order CompareIntWithUint(int64_t left, uint64_t right) {
  if (left < 0) return Order::kLess;
  return FromOrdering(static_cast<uint64_t>(left) <=> right);
}

bool IsNumber(Kind kind) {
  return kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kDouble;
}

Order CompareNumbers(const Value& left, const Value& right) {
  switch (left.kind()) {
    case Kind::kInt:
      if (right.is(Kind::kInt)) return FromOrdering(left.AsInt() <=> right.AsInt());
      if (right.is(Kind::kUint)) return CompareIntWithUint(left.AsInt(), right.AsUint());
      return Reversed(CompareDoubleWithInt(right.AsDouble(), left.AsInt()));
    case Kind::kUint:
      if (right.is(Kind::kUint)) return FromOrdering(left.AsUint() <=> right.AsUint());
      if (right.is(Kind::kInt)) return Reversed(CompareIntWithUint(right.AsInt(), left.AsUint()));
      return Reversed(CompareDoubleWithUint(right.AsDouble(), left.AsUint()));
    default:
      if (right.is(Kind::kInt)) return CompareDoubleWithInt(left.AsDouble(), right.AsInt());
      if (right.is(Kind::kUint)) return CompareDoubleWithUint(left.AsDouble(), right.AsUint());
      return CompareDoubles(left.AsDouble(), right.AsDouble());
  }
}

Equality FromBool(bool equal) { return equal ? Equality::kEqual : Equality::kDifferent; }

// An element whose comparison is an error counts as equal: cel-go tests for False only.
Equality EqualLists(const Value& left, const Value& right, Steps& steps) {
  const auto a = left.AsList();
  const auto b = right.AsList();
  if (a.size() != b.size()) return Equality::kDifferent;
  for (size_t i = 0; i < a.size(); ++i) {
    if (Equals(a[i], b[i], steps) == Equality::kDifferent) return Equality::kDifferent;
  }
  return Equality::kEqual;
}

Equality EqualMaps(const MapValue& left, const MapValue& right, Steps& steps) {
  if (left.entries.size() != right.entries.size()) return Equality::kDifferent;
  for (const MapEntry& entry : left.entries) {
    const MapEntry* other = FindEntry(right, entry.key, steps);
    if (other == nullptr || Equals(entry.value, other->value, steps) == Equality::kDifferent) {
      return Equality::kDifferent;
    }
  }
  return Equality::kEqual;
}

Equality EqualOptionals(const Value* left, const Value* right, Steps& steps) {
  if (left == nullptr || right == nullptr) return FromBool(left == right);
  return Equals(*left, *right, steps);
}

// Equal numbers of different kinds must meet: whole doubles hash like the integers they equal.
uint64_t HashNumber(const Value& value) {
  if (!value.is(Kind::kDouble)) return value.AsUint();
  const double number = value.AsDouble();
  if (!(number > -kTwoTo63 && number < kTwoTo64)) return 1;
  return number < 0 ? static_cast<uint64_t>(static_cast<int64_t>(number))
                    : static_cast<uint64_t>(number);
}

uint64_t HashKey(const Value& key) {
  if (key.is(Kind::kString)) return Hash64(key.AsText());
  if (IsNumber(key.kind())) return HashNumber(key) * 0x9E3779B97F4A7C15ULL;
  return static_cast<uint64_t>(key.kind());
}

// The Kubernetes types: an error if the other side is something else.
Equality EqualOpaque(const Value& left, const Value& right) {
  if (right.kind() != left.kind()) return Equality::kError;
  switch (left.kind()) {
    case Kind::kQuantity:
      return right.is_computed() ? Equality::kError
                                 : FromBool(left.AsQuantity() == right.AsQuantity());
    case Kind::kSemver:
      return FromBool(left.AsSemver() == right.AsSemver());
    case Kind::kIp:
      return FromBool(left.AsIp() == right.AsIp());
    case Kind::kCidr:
      return FromBool(left.AsCidr() == right.AsCidr());
    case Kind::kUrl:
      return FromBool(left.AsUrl().text == right.AsUrl().text);
    default:
      return FromBool(&left.AsFormat() == &right.AsFormat());
  }
}

}  // namespace

const MapValue kEmptyMap{};

std::string_view TypeName(Kind kind) {
  switch (kind) {
    case Kind::kError:
      return "error";
    case Kind::kNull:
      return "null_type";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kUint:
      return "uint";
    case Kind::kDouble:
      return "double";
    case Kind::kString:
      return "string";
    case Kind::kBytes:
      return "bytes";
    case Kind::kDuration:
      return "google.protobuf.Duration";
    case Kind::kTimestamp:
      return "google.protobuf.Timestamp";
    case Kind::kList:
      return "list";
    case Kind::kMap:
      return "map";
    case Kind::kOptional:
      return "optional_type";
    case Kind::kType:
      return "type";
    case Kind::kMessage:
      return "google.protobuf.Empty";
    case Kind::kQuantity:
      return "kubernetes.Quantity";
    case Kind::kSemver:
      return "kubernetes.Semver";
    case Kind::kIp:
      return "net.IP";
    case Kind::kCidr:
      return "net.CIDR";
    case Kind::kUrl:
      return "kubernetes.URL";
    case Kind::kFormat:
      return "kubernetes.NamedFormat";
  }
  return "";
}

uint32_t FirstSlot(const Value& key, uint32_t slots) {
  return static_cast<uint32_t>(HashKey(key) % slots);
}

const MapEntry* FindEntry(const MapValue& map, const Value& key, Steps& steps) {
  // 0, 0u and 0.0 may all be keys of one map; without one of the same kind an equal number will do.
  const MapEntry* equal_number = nullptr;
  const auto matches = [&](const MapEntry& entry) {
    if (Equals(entry.key, key, steps) != Equality::kEqual) return false;
    if (entry.key.kind() == key.kind()) return true;
    if (equal_number == nullptr) equal_number = &entry;
    return false;
  };
  if (map.index != nullptr) {
    for (uint32_t slot = FirstSlot(key, map.slots); map.index[slot] != 0 && !steps.exhausted();
         slot = (slot + 1) % map.slots) {
      const MapEntry& entry = map.entries[map.index[slot] - 1];
      if (matches(entry)) return &entry;
    }
    return equal_number;
  }
  for (const MapEntry& entry : map.entries) {
    if (matches(entry)) return &entry;
  }
  return equal_number;
}

bool IsHashable(const Value& value) {
  return !value.is(Kind::kSemver) && !value.is(Kind::kBytes) && !value.is(Kind::kFormat);
}

Equality Equals(const Value& left, const Value& right, Steps& steps) {
  if (!steps.Take()) return Equality::kDifferent;
  if (left.is(Kind::kNull) || right.is(Kind::kNull)) return FromBool(left.kind() == right.kind());
  if (IsNumber(left.kind())) {
    return FromBool(IsNumber(right.kind()) && CompareNumbers(left, right) == Order::kEqual);
  }
  if (left.kind() >= Kind::kQuantity) return EqualOpaque(left, right);
  if (left.kind() != right.kind()) return Equality::kDifferent;
  switch (left.kind()) {
    case Kind::kBool:
    case Kind::kDuration:
      return FromBool(left.AsInt() == right.AsInt());
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType:
    case Kind::kMessage:
      steps.Take(std::min(left.AsText().size(), right.AsText().size()) / kBytesPerStep);
      return FromBool(left.AsText() == right.AsText());
    case Kind::kTimestamp:
      return FromBool(left.seconds() == right.seconds() &&
                      left.nanoseconds() == right.nanoseconds());
    case Kind::kList:
      return EqualLists(left, right, steps);
    case Kind::kMap:
      return EqualMaps(left.AsMap(), right.AsMap(), steps);
    case Kind::kOptional:
      return EqualOptionals(left.AsOptional(), right.AsOptional(), steps);
    default:
      return Equality::kError;
  }
}

Order Compare(const Value& left, const Value& right) {
  if (IsNumber(left.kind()) && IsNumber(right.kind())) return CompareNumbers(left, right);
  if (left.kind() != right.kind()) return Order::kNoOverload;
  switch (left.kind()) {
    case Kind::kBool:
    case Kind::kDuration:
      return FromOrdering(left.AsInt() <=> right.AsInt());
    case Kind::kString:
    case Kind::kBytes:
      return FromOrdering(left.AsText() <=> right.AsText());
    case Kind::kTimestamp:
      if (left.seconds() != right.seconds())
        return FromOrdering(left.seconds() <=> right.seconds());
      return FromOrdering(left.nanoseconds() <=> right.nanoseconds());
    default:
      return Order::kNoOverload;
  }
}

size_t CodePointCount(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080ULL;
  size_t continuation_bytes = 0;
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & kHighBits) == 0) continue;
    continuation_bytes += static_cast<size_t>(std::popcount(word & kHighBits & ~(word << 1)));
  }
  for (; i < text.size(); ++i) {
    if (IsContinuationByte(text[i])) ++continuation_bytes;
  }
  return text.size() - continuation_bytes;
}

uint64_t CostSize(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return CodePointCount(value.AsText());
    case Kind::kBytes:
      return value.AsText().size();
    case Kind::kList:
      return value.AsList().size();
    case Kind::kMap:
      return value.AsMap().entries.size();
    case Kind::kOptional:
      return value.AsOptional() == nullptr ? 1 : CostSize(*value.AsOptional());
    case Kind::kIp:
      return value.AsIp().is_v4 ? 4 : 16;
    case Kind::kCidr:
      return (static_cast<uint64_t>(value.AsCidr().prefix_length) + 7) / 8;
    default:
      return 1;
  }
}

}  // namespace fedra::cel
