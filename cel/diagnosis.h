#pragma once
//
// What to tell people about a selector: which part failed, and what to write instead of a known
// mistake.
//
// Advice is a sentence that begins in lower case and contains the corrected expression; it is empty
// when we do not recognise the mistake. Thread rules: pure functions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/device.h"
#include "cel/selector.h"

namespace fedra::cel {

// The source of each operand of the outermost && chain.
std::vector<std::string> OperandTexts(const Ast& ast, std::string_view expression);

// For a text that does not compile.
std::string AdviseOnCompilation(std::string_view expression, const SelectorOptions& options,
                                const CompileFailure& failure);

// For an evaluation error on one device.
std::string AdviseOnEvaluation(std::string_view expression, const SelectorOptions& options,
                               const Device& device, const EvalResult& result);

// For "no such key" on one device: the value that it does not have, where the advice is to guard
// the use.
std::optional<MissingValue> FindMissingValue(std::string_view expression,
                                             const SelectorOptions& options, const Device& device,
                                             const EvalResult& result);

// Mistakes that compile: an attribute ordered against a quantity in text form.
std::vector<std::string> WarningsFor(const Ast& ast, std::string_view expression);

// The syntax tree with the static type of each node, one node per line.
std::string TypedTree(const Ast& ast);

}  // namespace fedra::cel
