#include "cel/program.h"

#include <re2/re2.h>

#include <array>

#include "cel/interpreter.h"

namespace fedra::cel {
namespace {

// Macro variables of nearly every selector fit here.
constexpr uint32_t kInlineSlots = 8;

}  // namespace

Program::Program() = default;
Program::~Program() = default;

template <class Run>
Value Program::WithInterpreter(Evaluation& evaluation, const Value* variables,
                               const DeviceData* device, Run run) const {
  std::array<Value, kInlineSlots> inline_slots;
  Value* slots = inline_slots.data();
  if (slot_count > kInlineSlots) {
    slots = evaluation.NewItems(slot_count);
    if (slots == nullptr) return evaluation.OutOfMemory();
    std::uninitialized_fill_n(slots, slot_count, Value::Null());
  }
  Interpreter interpreter(*this, evaluation, variables, device, slots);
  const Value result = run(interpreter);
  return evaluation.over_limit() ? evaluation.CostLimitExceeded() : result;
}

Value Program::Evaluate(Evaluation& evaluation, const Value* variables,
                        const DeviceData* device) const {
  return EvaluateNode(root, evaluation, variables, device);
}

Value Program::EvaluateNode(uint32_t node, Evaluation& evaluation, const Value* variables,
                            const DeviceData* device) const {
  return WithInterpreter(evaluation, variables, device,
                         [&](Interpreter& it) { return it.Run(node); });
}

Value Program::Evaluate(Evaluation& evaluation, const Value* variables, const DeviceData* device,
                        int& false_operand) const {
  return WithInterpreter(evaluation, variables, device,
                         [&](Interpreter& it) { return it.Run(root, false_operand); });
}

size_t Program::bytes() const {
  size_t total = sizeof(*this) + nodes.capacity() * sizeof(Node) +
                 args.capacity() * sizeof(uint32_t) + optional_args.capacity() / 8 + arena.bytes();
  // RE2 tells the size of its program in instructions of about 16 bytes.
  for (const auto& regex : regexes)
    total += sizeof(re2::RE2) + static_cast<size_t>(regex->ProgramSize()) * 16;
  return total;
}

}  // namespace fedra::cel
