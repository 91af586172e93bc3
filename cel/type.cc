#include "cel/type.h"

#include <utility>

#include "cel/bounded_text.h"

namespace fedra::cel {
namespace {

constexpr size_t kLongestTypeText = 1024;

bool SameOrBothAbsent(const Type* left, const Type* right, Steps& steps) {
  if (left == nullptr || right == nullptr) return left == right;
  return SameType(*left, *right, steps);
}

std::string_view ShownName(const Type& type) {
  switch (type.kind) {
    case TypeKind::kAny:
      return "any";
    case TypeKind::kDuration:
      return "duration";
    case TypeKind::kTimestamp:
      return "timestamp";
    case TypeKind::kNull:
      return "null";
    default:
      return type.name;
  }
}

void AppendType(const Type& type, BoundedText& out) {
  if (out.full()) return;
  if (type.nullable) out.Append("wrapper(");
  out.Append(ShownName(type));
  if (type.nullable) out.Append(")");
  if (type.first == nullptr) return;
  out.Append("(");
  AppendType(*type.first, out);
  if (type.second != nullptr) {
    out.Append(", ");
    AppendType(*type.second, out);
  }
  out.Append(")");
}

}  // namespace

bool SameType(const Type& left, const Type& right, Steps& steps) {
  if (&left == &right) return true;
  return steps.Take() && left.kind == right.kind && left.id == right.id &&
         left.name == right.name && SameOrBothAbsent(left.first, right.first, steps) &&
         SameOrBothAbsent(left.second, right.second, steps);
}

std::string FormatType(const Type& type) {
  BoundedText text(kLongestTypeText);
  AppendType(type, text);
  return std::move(text).Take();
}

const Type* TypePool::WithParameters(const Type* type, const Type* first, const Type* second) {
  if (first == type->first && second == type->second) return type;
  switch (type->kind) {
    case TypeKind::kList:
      return List(first);
    case TypeKind::kMap:
      return Map(first, second);
    case TypeKind::kType:
      return TypeOf(first);
    default:
      return Optional(first);  // the only opaque type with a parameter
  }
}

const Type* TypePool::Fresh() {
  const auto id = static_cast<uint32_t>(names_.size() + 1);
  names_.push_back("_var" + std::to_string(names_.size()));
  return Add({TypeKind::kParam, names_.back(), nullptr, nullptr, id});
}

}  // namespace fedra::cel
