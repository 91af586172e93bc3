#include "cel/type.h"

namespace fedra::cel {
namespace {

bool SameOrBothAbsent(const Type* left, const Type* right) {
  if (left == nullptr || right == nullptr) return left == right;
  return SameType(*left, *right);
}

}  // namespace

bool SameType(const Type& left, const Type& right) {
  if (&left == &right) return true;
  return left.kind == right.kind && left.id == right.id && left.name == right.name &&
         SameOrBothAbsent(left.first, right.first) && SameOrBothAbsent(left.second, right.second);
}

std::string FormatType(const Type& type) {
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
      break;
  }
  std::string text(type.name);
  if (type.first != nullptr) {
    text += "(" + FormatType(*type.first);
    if (type.second != nullptr) text += ", " + FormatType(*type.second);
    text += ")";
  }
  return text;
}

const Type* TypePool::Fresh() {
  const auto id = static_cast<uint32_t>(names_.size() + 1);
  names_.push_back("_var" + std::to_string(names_.size()));
  return Add({TypeKind::kParam, names_.back(), nullptr, nullptr, id});
}

}  // namespace fedra::cel
