#pragma once
//
// Unification of static types: what may be passed where, and what the type variables stand for.
//
// The rules are cel-go's (checker/types.go 0.26): dyn and any agree with everything, null with all
// types of Kubernetes and of protobuf, type variables take the most general type they meet.
//
// Walks take steps of the pool. Once they are exhausted nothing fits anything, quickly, and every
// type is the error type: the checker ends the compilation then.
//
// Thread rules: one object per compilation.

#include <utility>
#include <vector>

#include "cel/type.h"

namespace fedra::cel {

class Unifier final {
 public:
  explicit Unifier(TypePool& pool) : pool_(pool), steps_(pool.steps()) {}

  // Whether a value of type `from` fits a place of type `to`. What this teaches about type
  // variables is kept if it fits, and forgotten if it does not.
  bool Assignable(const Type& to, const Type& from);
  // The same for all pairs together.
  bool Assignable(const std::vector<std::pair<const Type*, const Type*>>& pairs);

  // The type with its variables replaced by what is known of them; unknown ones stay, or become
  // dyn.
  const Type* Resolve(const Type* type, bool unknown_to_dyn);

  // The more general of two types that unify.
  const Type* MostGeneral(const Type* left, const Type* right);

 private:
  using Bindings = std::vector<std::pair<const Type*, const Type*>>;

  const Type** Find(const Type& variable);
  void Bind(const Type& variable, const Type& type);
  bool Fits(const Type& left, const Type& right);
  enum class Substitution { kValid, kInvalid, kOccupied };
  Substitution TrySubstitute(const Type& type, const Type& variable);
  bool OccursIn(const Type& variable, const Type& type);

  TypePool& pool_;
  Steps& steps_;
  Bindings bindings_;
};

}  // namespace fedra::cel
