#pragma once
//
// Static types, as the checker sees them. Types are compared by structure; the simple ones and
// those of function signatures are constants, the others live in a TypePool.
//
// Thread rules: a Type is immutable; a TypePool belongs to one compilation.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "cel/steps.h"

namespace fedra::cel {

enum class TypeKind : uint8_t {
  kError,  // already reported; agrees with everything
  kDyn,
  kAny,  // the static type of device attributes: like dyn, but not a range of macros
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,
  kTimestamp,
  kList,    // first: element
  kMap,     // first: key, second: value
  kType,    // first: the type it names, may be null
  kParam,   // a type parameter of a signature, or a fresh variable of the checker (id > 0)
  kOpaque,  // by name: optional_type (first: content), net.IP, net.CIDR
  kObject,  // by name: kubernetes.Quantity, kubernetes.DRADevice, ...
};

struct Type {
  TypeKind kind = TypeKind::kError;
  std::string_view name;
  const Type* first = nullptr;
  const Type* second = nullptr;
  uint32_t id = 0;        // of a type variable
  bool nullable = false;  // a wrapper of google.protobuf: null is one, too
};

inline constexpr Type kErrorType{TypeKind::kError, "!error!"};
inline constexpr Type kDynType{TypeKind::kDyn, "dyn"};
inline constexpr Type kAnyType{TypeKind::kAny, "google.protobuf.Any"};
inline constexpr Type kNullType{TypeKind::kNull, "null_type"};
inline constexpr Type kBoolType{TypeKind::kBool, "bool"};
inline constexpr Type kIntType{TypeKind::kInt, "int"};
inline constexpr Type kUintType{TypeKind::kUint, "uint"};
inline constexpr Type kDoubleType{TypeKind::kDouble, "double"};
inline constexpr Type kStringType{TypeKind::kString, "string"};
inline constexpr Type kBytesType{TypeKind::kBytes, "bytes"};
inline constexpr Type kDurationType{TypeKind::kDuration, "google.protobuf.Duration"};
inline constexpr Type kTimestampType{TypeKind::kTimestamp, "google.protobuf.Timestamp"};
inline constexpr Type kQuantityType{TypeKind::kObject, "kubernetes.Quantity"};
inline constexpr Type kSemverType{TypeKind::kObject, "kubernetes.Semver"};
inline constexpr Type kUrlType{TypeKind::kObject, "kubernetes.URL"};
inline constexpr Type kFormatType{TypeKind::kObject, "kubernetes.NamedFormat"};
inline constexpr Type kDeviceType{TypeKind::kObject, "kubernetes.DRADevice"};
inline constexpr Type kIpType{TypeKind::kOpaque, "net.IP"};
inline constexpr Type kCidrType{TypeKind::kOpaque, "net.CIDR"};

inline constexpr Type kParamA{TypeKind::kParam, "A"};
inline constexpr Type kParamB{TypeKind::kParam, "B"};
inline constexpr Type kListOfA{TypeKind::kList, "list", &kParamA};
inline constexpr Type kListOfDyn{TypeKind::kList, "list", &kDynType};
inline constexpr Type kListOfInt{TypeKind::kList, "list", &kIntType};
inline constexpr Type kListOfString{TypeKind::kList, "list", &kStringType};
inline constexpr Type kMapOfAB{TypeKind::kMap, "map", &kParamA, &kParamB};
inline constexpr Type kTypeOfA{TypeKind::kType, "type", &kParamA};
inline constexpr Type kOptionalOfA{TypeKind::kOpaque, "optional_type", &kParamA};

// A type shares its parts and is walked as a tree, so every walk takes steps; false when there are
// none left.
bool SameType(const Type& left, const Type& right, Steps& steps);

// Whether both are the same type without parts.
inline bool SameSimpleType(const Type& left, const Type& right) {
  return left.kind == right.kind && left.name == right.name && left.first == nullptr &&
         right.first == nullptr;
}

// "map(string, list(int))", "any", "timestamp": as error messages show types; cut after a kilobyte.
std::string FormatType(const Type& type);

inline bool IsDyn(const Type& type) {
  return type.kind == TypeKind::kDyn || type.kind == TypeKind::kAny;
}
inline bool IsDynOrError(const Type& type) { return IsDyn(type) || type.kind == TypeKind::kError; }
inline bool IsOptional(const Type& type) {
  return type.kind == TypeKind::kOpaque && type.name == "optional_type";
}

// Owns the types that a compilation builds.
class TypePool final {
 public:
  const Type* List(const Type* element) { return Add({TypeKind::kList, "list", element}); }
  const Type* Map(const Type* key, const Type* value) {
    return Add({TypeKind::kMap, "map", key, value});
  }
  const Type* Optional(const Type* content) {
    return Add({TypeKind::kOpaque, "optional_type", content});
  }
  // The same type of other parameters; it must have some.
  const Type* WithParameters(const Type* type, const Type* first, const Type* second);
  const Type* TypeOf(const Type* named) { return Add({TypeKind::kType, "type", named}); }
  // A type variable that is different from all others.
  const Type* Fresh();

  // For all walks over types during the compilation: a hundred for each byte of the longest
  // selector. Once they are exhausted the compilation ends with an error.
  static constexpr uint64_t kStepLimit = 1'000'000;
  Steps& steps() { return steps_; }

 private:
  const Type* Add(Type type) { return &types_.emplace_back(type); }

  std::deque<Type> types_;
  std::deque<std::string> names_;
  Steps steps_{kStepLimit};
};

}  // namespace fedra::cel
