#include "cel/unify.h"

namespace fedra::cel {
namespace {

bool IsParam(const Type& type) { return type.kind == TypeKind::kParam; }

// The types of cel-go that accept null.
bool IsNullable(const Type& type) {
  if (type.nullable) return true;
  switch (type.kind) {
    case TypeKind::kNull:
    case TypeKind::kOpaque:
    case TypeKind::kObject:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
      return true;
    default:
      return false;
  }
}

bool EqualOrLessSpecific(const Type& left, const Type& right, Steps& steps) {
  if (!steps.Take()) return false;
  if (IsDyn(left) || IsParam(left)) return true;
  if (IsDyn(right) || IsParam(right)) return false;
  if (left.kind != right.kind || left.name != right.name) return false;
  if (left.kind == TypeKind::kType) return true;
  if (left.first != nullptr && right.first != nullptr &&
      !EqualOrLessSpecific(*left.first, *right.first, steps)) {
    return false;
  }
  return left.second == nullptr || right.second == nullptr ||
         EqualOrLessSpecific(*left.second, *right.second, steps);
}

}  // namespace

const Type* Unifier::MostGeneral(const Type* left, const Type* right) {
  return EqualOrLessSpecific(*left, *right, steps_) ? left : right;
}

const Type** Unifier::Find(const Type& variable) {
  for (auto& [bound, type] : bindings_) {
    if (SameType(*bound, variable, steps_)) return &type;
  }
  return nullptr;
}

void Unifier::Bind(const Type& variable, const Type& type) {
  if (const Type** known = Find(variable)) {
    *known = &type;
  } else {
    bindings_.emplace_back(&variable, &type);
  }
}

bool Unifier::OccursIn(const Type& variable, const Type& type) {
  if (!steps_.Take()) return true;
  if (SameType(variable, type, steps_)) return true;
  if (IsParam(type)) {
    const Type** known = Find(type);
    return known != nullptr && OccursIn(variable, **known);
  }
  return (type.first != nullptr && OccursIn(variable, *type.first)) ||
         (type.second != nullptr && OccursIn(variable, *type.second));
}

// Whether `variable` may stand for `type`.
Unifier::Substitution Unifier::TrySubstitute(const Type& type, const Type& variable) {
  if (SameType(type, variable, steps_)) return Substitution::kValid;
  if (const Type** known = Find(variable)) {
    const Type& current = **known;
    if (SameType(type, current, steps_)) return Substitution::kValid;
    if (!Fits(type, current)) return Substitution::kOccupied;
    const Type* general = MostGeneral(&type, &current);
    if (!OccursIn(variable, *general)) Bind(variable, *general);
    return Substitution::kValid;
  }
  if (OccursIn(variable, type)) return Substitution::kInvalid;
  Bind(variable, type);
  return Substitution::kValid;
}

bool Unifier::Fits(const Type& left, const Type& right) {
  if (!steps_.Take()) return false;
  if (IsParam(right)) {
    const Substitution substitution = TrySubstitute(left, right);
    if (substitution != Substitution::kInvalid) return substitution == Substitution::kValid;
  }
  if (IsParam(left)) return TrySubstitute(right, left) == Substitution::kValid;
  if (IsDynOrError(left) || IsDynOrError(right)) return true;
  if (left.kind == TypeKind::kNull) return IsNullable(right);
  if (right.kind == TypeKind::kNull) return IsNullable(left);
  if (left.kind != right.kind) return false;
  if (left.kind == TypeKind::kType) return true;
  if (left.name != right.name) return false;
  if ((left.first == nullptr) != (right.first == nullptr)) return false;
  if (left.first != nullptr && !Fits(*left.first, *right.first)) return false;
  return left.second == nullptr || Fits(*left.second, *right.second);
}

bool Unifier::Assignable(const Type& to, const Type& from) { return Assignable({{&to, &from}}); }

bool Unifier::Assignable(const std::vector<std::pair<const Type*, const Type*>>& pairs) {
  const Bindings before = bindings_;
  for (const auto& [to, from] : pairs) {
    if (!Fits(*to, *from)) {
      bindings_ = before;
      return false;
    }
  }
  return true;
}

const Type* Unifier::Resolve(const Type* type, bool unknown_to_dyn) {
  if (type == nullptr) return nullptr;
  if (!steps_.Take()) return &kErrorType;
  if (IsParam(*type)) {
    if (const Type** known = Find(*type)) return Resolve(*known, unknown_to_dyn);
    return unknown_to_dyn ? &kDynType : type;
  }
  if (type->first == nullptr) return type;
  const Type* first = Resolve(type->first, unknown_to_dyn);
  const Type* second = Resolve(type->second, unknown_to_dyn);
  return pool_.WithParameters(type, first, second);
}

}  // namespace fedra::cel
