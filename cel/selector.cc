#include "cel/selector.h"

#include <array>

#include "cel/compile.h"
#include "cel/device_data.h"
#include "cel/diagnosis.h"
#include "cel/selector_parts.h"

namespace fedra::cel {
namespace {

// bool, or what may be a boolean attribute. Up to 1.36 cel/compile.go of
// k8s.io/dynamic-resource-allocation compares types by identity, from 1.37 on by their names: a
// wrapper of bool is one, and only the type that attributes have there may be an attribute.
bool IsAccepted(const Type& type, const SelectorOptions& options) {
  const bool by_name = options.release >= KubernetesRelease::k137;
  switch (type.kind) {
    case TypeKind::kBool:
      return by_name || !type.nullable;
    case TypeKind::kAny:
      return !by_name || !options.list_attributes;
    case TypeKind::kDyn:
      return options.list_attributes;
    default:
      return false;
  }
}

}  // namespace

tl::unexpected<CompileFailure> Refused(std::string message) {
  CompileIssue issue;
  issue.line = -1;
  issue.column = 0;
  issue.message = std::move(message);
  return tl::unexpected<CompileFailure>(CompileFailure{{std::move(issue)}, ""});
}

tl::expected<Compiled, CompileFailure> CompileForDevice(std::string_view expression,
                                                        const SelectorOptions& options) {
  if (options.max_expression_bytes > 0 && expression.size() > options.max_expression_bytes) {
    return Refused("the expression has " + std::to_string(expression.size()) +
                   " bytes, the limit is " + std::to_string(options.max_expression_bytes));
  }
  const Environment environment = DeviceEnvironment(options.release, options.list_attributes);
  auto compiled = Compile(expression, environment);
  if (!compiled)
    compiled.error().advice = AdviseOnCompilation(expression, options, compiled.error());
  return compiled;
}

struct Selector::Impl {
  std::string expression;
  SelectorOptions options;
  std::unique_ptr<Program> program;
  std::vector<std::string> operands;
  std::vector<std::string> warnings;
};

std::string CompileFailure::ToString() const {
  std::string text;
  for (const CompileIssue& issue : issues) {
    if (!text.empty()) text += "\n";
    text += "ERROR: <input>:" + std::to_string(issue.line) + ":" + std::to_string(issue.column) +
            ": " + issue.message;
    if (!issue.snippet.empty()) text += "\n" + issue.snippet;
  }
  return text;
}

CompileFailure::operator Error() const {
  Error error;
  error.code = ErrorCode::kInvalidArgument;
  error.message = ToString();
  return error;
}

Selector::Selector(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

const std::vector<std::string>& Selector::operands() const { return impl_->operands; }
const std::string& Selector::expression() const { return impl_->expression; }
const std::vector<std::string>& Selector::warnings() const { return impl_->warnings; }
size_t Selector::bytes() const {
  return sizeof(Impl) + impl_->expression.capacity() + impl_->program->bytes();
}

EvalResult Selector::Evaluate(const Device& device) const {
  EvalResult result;
  if (const std::string_view poison = device.poison(impl_->options.list_attributes);
      !poison.empty()) {
    result.error = poison;
    return result;
  }
  alignas(16) std::array<char, kInlineMemory> memory;
  Arena arena(memory.data(), memory.size(), Evaluation::kMemoryLimit);
  Evaluation evaluation(arena, impl_->options.cost_limit);
  const DeviceData& data = device.data();
  const Value value =
      impl_->program->Evaluate(evaluation, &data.device, &data, result.false_operand);
  result.cost = evaluation.cost();
  if (value.is(Kind::kBool)) {
    result.outcome = value.AsBool() ? Outcome::kTrue : Outcome::kFalse;
  } else if (value.is_error()) {
    result.error = value.AsText();
  } else {
    const std::string type(TypeName(value.kind()));
    result.is_no_bool = true;
    result.error = "CEL result of type " + type +
                   " could not be converted to bool: unsupported native conversion from " + type +
                   " to 'bool'";
  }
  return result;
}

std::string Selector::Advice(const Device& device, const EvalResult& result) const {
  return AdviseOnEvaluation(impl_->expression, impl_->options, device, result);
}

std::optional<MissingValue> Selector::Missing(const Device& device,
                                              const EvalResult& result) const {
  return FindMissingValue(impl_->expression, impl_->options, device, result);
}

tl::expected<ExplainedSelector, CompileFailure> CompileAndShow(std::string_view expression,
                                                               const SelectorOptions& options,
                                                               bool show) {
  auto compiled = CompileForDevice(expression, options);
  if (!compiled) return tl::unexpected<CompileFailure>(std::move(compiled).error());
  if (!IsAccepted(ResultType(*compiled), options)) {
    return Refused("must evaluate to bool or the unknown type, not " +
                   FormatType(ResultType(*compiled)));
  }
  auto impl = std::make_shared<Selector::Impl>();
  impl->expression = expression;
  impl->options = options;
  impl->operands = OperandTexts(*compiled->ast, expression);
  impl->warnings = WarningsFor(*compiled->ast, expression);
  impl->program = std::move(compiled->program);
  return ExplainedSelector{Selector(std::move(impl)),
                           show ? TypedTree(*compiled->ast) : std::string()};
}

tl::expected<Selector, CompileFailure> CompileSelector(std::string_view expression,
                                                       const SelectorOptions& options) {
  return CompileAndShow(expression, options, false).map([](ExplainedSelector&& explained) {
    return std::move(explained.selector);
  });
}

tl::expected<ExplainedSelector, CompileFailure> ExplainSelector(std::string_view expression,
                                                                const SelectorOptions& options) {
  return CompileAndShow(expression, options, true);
}

}  // namespace fedra::cel
