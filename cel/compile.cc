#include "cel/compile.h"

#include "cel/checker.h"
#include "cel/parser.h"
#include "cel/source.h"

namespace fedra::cel {
namespace {

tl::unexpected<CompileFailure> Failed(IssueList& issues, bool in_constant = false) {
  return tl::unexpected<CompileFailure>(CompileFailure{issues.Take(), "", in_constant});
}

}  // namespace

tl::expected<Compiled, CompileFailure> Compile(std::string_view text,
                                               const Environment& environment,
                                               const PlanOptions& options) {
  IssueList issues(text);
  Compiled compiled;
  compiled.ast = std::make_unique<Ast>();
  Parse(text, environment.parser, *compiled.ast, issues);
  if (!issues.empty()) return Failed(issues);
  Check(environment, *compiled.ast, issues);
  if (!issues.empty()) return Failed(issues);
  const bool in_constant = environment.check && Validate(environment, *compiled.ast, issues);
  if (!issues.empty()) return Failed(issues, in_constant);
  PlanError error{};
  compiled.program = Plan(*compiled.ast, environment, options, error);
  if (compiled.program == nullptr) {
    issues.Add(error.offset, error.message);
    return Failed(issues, true);
  }
  return compiled;
}

}  // namespace fedra::cel
