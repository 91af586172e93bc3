#pragma once
//
// Device selectors: compile once, evaluate against any number of devices.
//
//   auto selector = CompileSelector(R"(device.driver == "gpu.example.com")");
//   if (!selector) return Fail(selector.error());          // CompileFailure converts to Error
//   EvalResult result = selector->Evaluate(device);
//
// The answer is the one of kube-scheduler of the chosen release. An evaluation error is not "no
// match": it makes the scheduler abort the whole pod, therefore Outcome has three values and no
// conversion to bool.
//
// Thread rules: Selector is immutable after compilation; Evaluate may be called from any number of
// threads. Copies are cheap and share the program. Nothing here refers to the text or the options
// after compilation.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/error.h"
#include "cel/device.h"
#include "cel/environment.h"

namespace fedra::cel {

struct SelectorOptions {
  KubernetesRelease release = kDefaultRelease;
  // Gate DRAListTypeAttributes (alpha, off): attribute values become dyn and may be lists.
  bool list_attributes = false;
  // Longest expression in bytes; the API's limit (CELSelectorExpressionMaxLength). 0: no limit.
  size_t max_expression_bytes = 10 * 1024;
  // Run-time cost of one evaluation above which it is an error (CELSelectorExpressionMaxCost).
  uint64_t cost_limit = 1'000'000;
};

// One complaint of the compiler about one place of the expression.
// What an issue is about, where advice depends on it (diagnosis.h). The message is cel-go's.
enum class IssueKind {
  kOther,
  kUndeclaredReference,  // to `subject`
  kUndefinedField,       // `subject`
  kNotIterable,          // the range of a macro is neither list nor map
  kNoOverload,           // no function of the name takes these types
  kStrayCharacter,       // `subject` begins no token; a syntax error
  kUnexpectedToken,      // `subject` is not what the grammar has here; a syntax error
  kSyntax,               // another syntax error
};

struct CompileIssue {
  int line = 1;         // 1-based; -1: the expression as a whole
  int column = 1;       // 1-based, in code points, as cel-go prints it
  std::string message;  // "undefined field 'name'"
  std::string snippet;  // the line of the source and a caret below the place
  IssueKind kind = IssueKind::kOther;
  std::string subject = {};  // a name; of kStrayCharacter and kUnexpectedToken in single quotes
};

// Why an expression is not a selector. Never empty.
struct CompileFailure {
  std::vector<CompileIssue> issues;
  std::string advice;  // what to write instead, when it is a known mistake; else empty
  // Text and types are right, but a constant part cannot be computed.
  bool in_constant = false;

  // All issues in cel-go's layout: "ERROR: <input>:1:8: undefined field 'name'\n | device.name\n |
  // ......^".
  std::string ToString() const;
  operator Error() const;  // kInvalidArgument; NOLINT: lets FEDRA_ASSIGN_OR_RETURN pass it on
};

enum class Outcome : uint8_t { kFalse, kTrue, kError };

struct EvalResult {
  Outcome outcome = Outcome::kError;
  // For kFalse: index into Selector::operands() of the first operand that was false. Else -1.
  int false_operand = -1;
  // What the evaluation cost, in the units of cel-go's run-time cost.
  uint64_t cost = 0;
  // For kError: the message in the words of cel-go ("no such key: model"). Else empty.
  std::string error;
  bool is_no_bool = false;  // of kError: the expression has a value, which is no bool

  bool matches() const { return outcome == Outcome::kTrue; }
  bool failed() const { return outcome == Outcome::kError; }
};

// A value that a selector reads and a device does not have.
struct MissingValue {
  std::string table;   // "attributes" or "capacity"
  std::string domain;  // as written
  std::string name;
};

struct ExplainedSelector;

class Selector final {
 public:
  EvalResult Evaluate(const Device& device) const;

  // The operands of the outermost && chain as written, left to right; the whole expression if it is
  // none.
  const std::vector<std::string>& operands() const;
  const std::string& expression() const;
  // What to write instead, for an evaluation error on this device that is a known mistake; else
  // empty.
  std::string Advice(const Device& device, const EvalResult& result) const;
  // For an evaluation error: what this device lacks, where nothing better than a guard is known.
  std::optional<MissingValue> Missing(const Device& device, const EvalResult& result) const;
  // Mistakes that compile and evaluate but rarely mean what they say (`memory >= "16Gi"` on text).
  const std::vector<std::string>& warnings() const;
  // Memory held by the compiled form.
  size_t bytes() const;

 private:
  friend tl::expected<ExplainedSelector, CompileFailure> CompileAndShow(std::string_view,
                                                                        const SelectorOptions&,
                                                                        bool show);
  struct Impl;
  explicit Selector(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

// The same decisions as the scheduler of `options.release`: syntax, types, constants that cannot be
// evaluated, and the result type (bool, or the type of an attribute).
tl::expected<Selector, CompileFailure> CompileSelector(std::string_view expression,
                                                       const SelectorOptions& options = {});

struct ExplainedSelector {
  Selector selector;
  std::string tree;  // the syntax tree with the static type of each node, one node per line
};

// The same compilation, and what it found.
tl::expected<ExplainedSelector, CompileFailure> ExplainSelector(
    std::string_view expression, const SelectorOptions& options = {});

}  // namespace fedra::cel
