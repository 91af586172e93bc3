#pragma once
//
// A second evaluator, as plain as possible: it walks the checked tree, folds nothing, prices
// nothing and knows no special operations. What it answers, the compact program must answer too.
//
// Thread rules: pure functions.

#include "cel/ast.h"
#include "cel/evaluation.h"
#include "cel/library.h"

namespace fedra::cel {

// `variables` as declared by the environment. The result lives as long as the evaluation's arena.
Value WalkTree(const Ast& ast, const Environment& environment, Evaluation& evaluation,
               const Value* variables);

}  // namespace fedra::cel
