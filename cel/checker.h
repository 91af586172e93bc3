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

// Sets type, candidates, variable and named_type of every node. What does not fit goes to `issues`.
void Check(const Environment& environment, Ast& ast, IssueList& issues);

// The checks that cel-go makes on a well-typed tree: literal arguments of duration(), timestamp(),
// matches() and format(), elements of literals of one type.
void Validate(const Environment& environment, const Ast& ast, IssueList& issues);

}  // namespace fedra::cel
