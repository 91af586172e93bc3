#pragma once
//
// The checker itself; all other files include cel/checker.h.
//
// What cel-go's checker.go does, in the same order, since unification depends on it. Macros, which
// cel-go checks after expansion, are in checker_macros.cc. Thread rules: one object per tree.

#include <string>
#include <string_view>
#include <vector>

#include "cel/checker.h"
#include "cel/unify.h"

namespace fedra::cel {

class Checker final {
 public:
  Checker(const Environment& environment, Ast& ast, IssueList& issues)
      : environment_(environment), issues_(issues), pool_(ast.types()), unifier_(ast.types()) {}
  void Check(Expr& expr);

  // Replaces what is left of type variables by dyn.
  void Finish();

 private:
  struct Local {
    std::string_view name;
    const Type* type;
  };
  static const Type* LiteralType(Kind kind);

  // An unchecked expression has no type errors; they show at run time.
  void Report(const Expr& at, std::string message, IssueKind kind = IssueKind::kOther,
              std::string subject = {});
  void ReportUndeclared(const Expr& at, std::string_view name);
  void ReportMismatch(const Expr& at, const Type& expected, const Type& found);
  const Type* FailedType() const { return environment_.check ? &kErrorType : &kDynType; }
  // Resolves a name of the environment, with or without dots. False if it is not declared.
  bool ResolveGlobal(Expr& expr, const std::string& name);
  void CheckIdent(Expr& expr);
  void CheckSelect(Expr& expr);
  static void SetLiteral(Expr& expr, const Value& value, const Type& type);
  const Type* FieldType(const Expr& expr, const Type& target);
  const Type* ObjectFieldType(const Expr& expr, const Type& target);
  void CheckCall(Expr& call);
  void ResolveOverload(Expr& call, const FunctionDeclaration& function);
  void ReportNoOverload(Expr& at, std::string_view function, std::vector<const Type*> types,
                        bool member);

  // The result type if the arguments fit, else nullptr.
  const Type* TryOverload(const Overload& overload, const std::vector<const Type*>& types);

  // A signature's type with fresh variables for its parameters A and B.
  const Type* Instantiate(const Type* type, const Type*& a, const Type*& b);
  void CheckLogic(Expr& call);
  void ExpectBool(const Expr& expr);

  // Elements of different types make a literal of dyn; Validate() decides whether that is allowed.
  const Type* Join(const Type* previous, const Type* current);

  // The type that an optional element (?e) adds to its literal.
  const Type* OptionalContent(const Expr& at);
  void CheckList(Expr& list);
  void CheckMap(Expr& map);
  void CheckStruct(Expr& expr);
  // `index`: of the field's name among the arguments.
  void CheckField(const Expr& message, size_t index);
  void CheckComprehension(Expr& expr);
  void CheckOptMap(Expr& expr);
  void PushIterationVariables(const Expr& expr);
  void CheckIteration(Expr& expr);

  // The filter of a macro is the condition of a ?: in cel-go, and errors say so.
  void ExpectCondition(Expr& at, const Expr& condition, const Type* branch);
  void CheckSortBy(Expr& expr, const Type& key);

  const Environment& environment_;
  IssueList& issues_;
  TypePool& pool_;
  Unifier unifier_;
  std::vector<Local> locals_;
  std::vector<Expr*> checked_;
};

}  // namespace fedra::cel
