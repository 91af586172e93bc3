#pragma once
//
// Text to syntax tree: the whole CEL grammar (CEL.g4) by recursive descent, macros included.
//
// Limits are those of cel-go in Kubernetes: 100,000 code points, 250 levels of nesting.
// Thread rules: a pure function.

#include <string_view>

#include "cel/ast.h"
#include "cel/source.h"

namespace fedra::cel {

struct ParserOptions {
  bool macros = true;           // false: macro calls stay plain calls (conformance tests only)
  bool optional_syntax = true;  // .?f  [?k]  {?k: v}, optMap, optFlatMap
  bool bind = true;             // cel.bind
};

// Fills `ast`. What is wrong with the text goes to `issues`; then the tree must not be used.
void Parse(std::string_view text, const ParserOptions& options, Ast& ast, IssueList& issues);

}  // namespace fedra::cel
