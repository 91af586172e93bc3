#pragma once
//
// The steps from a text to a program, for selectors and for other users of the engine (tests, the
// conformance runner).
//
// Thread rules: pure functions on their arguments.

#include <memory>
#include <string_view>

#include "cel/ast.h"
#include "cel/library.h"
#include "cel/program.h"
#include "cel/selector.h"

namespace fedra::cel {

// A checked tree and its program.
struct Compiled {
  std::unique_ptr<Ast> ast;
  std::unique_ptr<Program> program;
};

// Parses, checks, validates and plans.
tl::expected<Compiled, CompileFailure> Compile(std::string_view text,
                                               const Environment& environment,
                                               const PlanOptions& options = {});

// The static type of the whole expression.
inline const Type& ResultType(const Compiled& compiled) { return *compiled.ast->root->type; }

}  // namespace fedra::cel
