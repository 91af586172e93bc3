#pragma once
//
// Value: one CEL value at run time; sixteen bytes, copied freely.
//
// Scalars are held inside; everything longer points into an Arena (of the evaluation, the program
// or the device) that must outlive the value. Errors are values too: they travel through an
// evaluation like any other until an operator absorbs them.
//
// Thread rules: a plain value; what it points to is immutable.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/assert.h"
#include "cel/steps.h"

namespace fedra {
class Quantity;
struct Semver;
}  // namespace fedra

namespace fedra::cel {

enum class Kind : uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,   // nanoseconds
  kTimestamp,  // seconds and nanoseconds since 1970, with the offset it was written with
  kList,
  kMap,
  kOptional,
  kType,
  kMessage,  // google.protobuf.Empty, the only one that is kept; its text is the name
  kQuantity,
  kSemver,
  kIp,
  kCidr,
  kUrl,
  kFormat,
};

struct MapValue;
struct IpAddress;
struct CidrBlock;
struct UrlParts;
struct NamedFormat;

class Value final {
 public:
  constexpr Value() : Value(Kind::kNull) {}

  static constexpr Value Null() { return Value(Kind::kNull); }
  static constexpr Value Bool(bool value) {
    Value result(Kind::kBool);
    result.int_ = value ? 1 : 0;
    return result;
  }
  static constexpr Value Int(int64_t value) { return Number(Kind::kInt, value); }
  static constexpr Value Uint(uint64_t value) {
    return Number(Kind::kUint, static_cast<int64_t>(value));
  }
  static constexpr Value Double(double value) {
    Value result(Kind::kDouble);
    result.double_ = value;
    return result;
  }
  static constexpr Value Duration(int64_t nanoseconds) {
    return Number(Kind::kDuration, nanoseconds);
  }
  static constexpr Value Timestamp(int64_t seconds, uint32_t nanoseconds,
                                   int16_t zone_minutes = 0) {
    Value result = Number(Kind::kTimestamp, seconds);
    result.size_ = nanoseconds;
    result.zone_ = zone_minutes;
    return result;
  }

  // The text must outlive the value.
  static constexpr Value Error(std::string_view message) { return Text(Kind::kError, message); }
  static constexpr Value String(std::string_view text) { return Text(Kind::kString, text); }
  static constexpr Value Bytes(std::string_view bytes) { return Text(Kind::kBytes, bytes); }
  static constexpr Value Type(std::string_view name) { return Text(Kind::kType, name); }
  static constexpr Value Message(std::string_view name) { return Text(Kind::kMessage, name); }

  static constexpr Value List(std::span<const Value> items) {
    Value result(Kind::kList);
    result.items_ = items.data();
    result.size_ = static_cast<uint32_t>(items.size());
    return result;
  }
  static constexpr Value Map(const MapValue* map) { return Pointer(Kind::kMap, map); }
  // nullptr: optional.none().
  static constexpr Value Optional(const Value* value) { return Pointer(Kind::kOptional, value); }
  static constexpr Value Quantity(const fedra::Quantity* value) {
    return Pointer(Kind::kQuantity, value);
  }
  // The result of add() and sub(): on the right of == kube 1.36 does not recognise it as a
  // Quantity.
  static constexpr Value ComputedQuantity(const fedra::Quantity* value) {
    Value result = Pointer(Kind::kQuantity, value);
    result.computed_ = true;
    return result;
  }
  static constexpr Value Semver(const fedra::Semver* value) {
    return Pointer(Kind::kSemver, value);
  }
  static constexpr Value Ip(const IpAddress* value) { return Pointer(Kind::kIp, value); }
  static constexpr Value Cidr(const CidrBlock* value) { return Pointer(Kind::kCidr, value); }
  static constexpr Value Url(const UrlParts* value) { return Pointer(Kind::kUrl, value); }
  static constexpr Value Format(const NamedFormat* value) { return Pointer(Kind::kFormat, value); }

  constexpr Kind kind() const { return kind_; }
  constexpr bool is(Kind kind) const { return kind_ == kind; }
  constexpr bool is_error() const { return kind_ == Kind::kError; }
  constexpr bool is_true() const { return kind_ == Kind::kBool && int_ != 0; }
  constexpr bool is_false() const { return kind_ == Kind::kBool && int_ == 0; }

  // Each may be called for its own kind only.
  constexpr bool AsBool() const { return int_ != 0; }
  constexpr int64_t AsInt() const { return int_; }  // also the nanoseconds of a duration
  constexpr uint64_t AsUint() const { return static_cast<uint64_t>(int_); }
  constexpr double AsDouble() const { return double_; }
  constexpr std::string_view AsText() const {
    return {text_, size_};
  }  // string, bytes, type, message, error
  constexpr int64_t seconds() const { return int_; }
  constexpr uint32_t nanoseconds() const { return size_; }
  constexpr int16_t zone_minutes() const { return zone_; }
  constexpr std::span<const Value> AsList() const { return {items_, size_}; }
  const MapValue& AsMap() const { return *static_cast<const MapValue*>(pointer_); }
  const Value* AsOptional() const { return static_cast<const Value*>(pointer_); }
  const fedra::Quantity& AsQuantity() const {
    return *static_cast<const fedra::Quantity*>(pointer_);
  }
  bool is_computed() const { return computed_; }
  const fedra::Semver& AsSemver() const { return *static_cast<const fedra::Semver*>(pointer_); }
  const IpAddress& AsIp() const { return *static_cast<const IpAddress*>(pointer_); }
  const CidrBlock& AsCidr() const { return *static_cast<const CidrBlock*>(pointer_); }
  const UrlParts& AsUrl() const { return *static_cast<const UrlParts*>(pointer_); }
  const NamedFormat& AsFormat() const { return *static_cast<const NamedFormat*>(pointer_); }

 private:
  explicit constexpr Value(Kind kind) : kind_(kind), int_(0) {}

  static constexpr Value Number(Kind kind, int64_t value) {
    Value result(kind);
    result.int_ = value;
    return result;
  }
  static constexpr Value Text(Kind kind, std::string_view text) {
    Value result(kind);
    result.text_ = text.data();
    result.size_ = static_cast<uint32_t>(text.size());
    return result;
  }
  static constexpr Value Pointer(Kind kind, const void* pointer) {
    Value result(kind);
    result.pointer_ = pointer;
    return result;
  }

  Kind kind_;
  bool computed_ = false;
  int16_t zone_ = 0;   // timestamp: minutes east of UTC
  uint32_t size_ = 0;  // bytes of a text, items of a list, nanoseconds of a timestamp
  union {
    int64_t int_;
    double double_;
    const char* text_;
    const Value* items_;
    const void* pointer_;
  };
};
static_assert(sizeof(Value) == 16 && std::is_trivially_copyable_v<Value>);

struct MapEntry {
  Value key;
  Value value;
};

// Entries in insertion order with unique keys.
struct MapValue {
  std::span<const MapEntry> entries;
  // The outer maps of `device`: a key that is not there selects an empty map.
  bool default_empty = false;
  // Go's native map[string]any: keys of other types are simply absent, where a map made by an
  // expression panics on keys that cannot be hashed.
  bool native = false;
  // Large maps only: open addressing, `slots` numbers of entries counted from 1, 0 is empty.
  const uint32_t* index = nullptr;
  uint32_t slots = 0;
};

extern const MapValue kEmptyMap;

// The name of the run-time type: "int", "list", "kubernetes.Quantity".
std::string_view TypeName(Kind kind);

// The entry with this key, numbers compared by value; nullptr if there is none. Ignores
// default_empty.
const MapEntry* FindEntry(const MapValue& map, const Value& key, Steps& steps);

// The slot of MapValue::index where the search for a key begins.
uint32_t FirstSlot(const Value& key, uint32_t slots);

// Whether Go could use the value as a map key; if not, cel-go panics: an error that nothing
// absorbs.
bool IsHashable(const Value& value);

enum class Equality : uint8_t { kDifferent, kEqual, kError };

// `left == right` with left deciding: quantities, versions and other Kubernetes types are an error
// against another type, everything else is then different. Takes a step for each pair
// of parts; means nothing once `steps` are exhausted.
Equality Equals(const Value& left, const Value& right, Steps& steps);

enum class Order : uint8_t { kLess, kEqual, kGreater, kUnordered, kNoOverload };

// For <, <=, >, >=, sort and max. Numbers of all kinds compare by value; kUnordered is NaN.
Order Compare(const Value& left, const Value& right);

// Code points of a string, bytes, items; 1 for everything else: the unit of cel-go's cost model.
uint64_t CostSize(const Value& value);

// The first doubles that no int and no uint holds.
inline constexpr double kTwoTo63 = 9223372036854775808.0;
inline constexpr double kTwoTo64 = 18446744073709551616.0;
inline constexpr Value kIntOverflow = Value::Error("integer overflow");
inline constexpr Value kUintOverflow = Value::Error("unsigned integer overflow");

size_t CodePointCount(std::string_view text);

}  // namespace fedra::cel
