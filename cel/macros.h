#pragma once
//
// Which calls are macros, and what they must look like.
//
// Thread rules: pure functions.

#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/parser.h"
#include "cel/source.h"

namespace fedra::cel {

// Turns the call into a macro node if name, number of arguments and style are those of an enabled
// macro; nullptr if it is a plain call. A macro with wrong arguments is an issue and yields a node
// all the same. `target` is nullptr for a global call.
Expr* ExpandMacro(std::string_view function, Expr* target, const std::vector<Expr*>& args,
                  uint32_t offset, const ParserOptions& options, Ast& ast, IssueList& issues);

}  // namespace fedra::cel
