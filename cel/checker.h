#pragma once
//
// The type checker: resolves names, finds the overloads that fit, and reports what does not fit,
// with the decisions and the words of cel-go 0.26.
//
// Thread rules: a pure function on its arguments.

#include "cel/ast.h"
#include "cel/library.h"
#include "cel/source.h"

namespace fedra::cel {

// What a compilation says whose types have too many parts to be compared in reasonable time.
inline constexpr std::string_view kTypesTooLarge = "the types of the expression are too large";

// Sets type, candidates, variable and named_type of every node. What does not fit goes to `issues`.
void Check(const Environment& environment, Ast& ast, IssueList& issues);

// The checks that cel-go makes on a well-typed tree: literal arguments of duration(), timestamp(),
// matches() and format(), elements of literals of one type. True if all complaints are about the
// values of constants, as the planner's are.
bool Validate(const Environment& environment, Ast& ast, IssueList& issues);

}  // namespace fedra::cel
