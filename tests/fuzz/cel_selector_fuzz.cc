// Any bytes as a selector, evaluated on a device three ways: the optimised program, the plain
// program and a walk over the tree must give the same answer, and both programs the same cost.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "cel/compile.h"
#include "cel/device_data.h"
#include "cel/display.h"
#include "tests/unit/cel/support.h"
#include "tests/unit/cel/tree_walk.h"

namespace {

using namespace fedra::cel;

constexpr uint64_t kCostLimit = 20'000;

// Errors are one answer: the plain walk words them differently.
std::string Shown(const Value& value) { return value.is_error() ? "error" : SourceText(value); }

void Differ(std::string_view expression, const std::string& a, const std::string& b) {
  std::fprintf(stderr, "%.*s\n  one says %s\n  the other %s\n", static_cast<int>(expression.size()),
               expression.data(), a.c_str(), b.c_str());
  __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Device device = SampleDevice();
  static const Environment environment = DeviceEnvironment(kDefaultRelease, true);
  const std::string_view expression(reinterpret_cast<const char*>(data), size);
  if (size > 2000) return 0;
  const auto optimised = Compile(expression, environment, {true});
  const auto plain = Compile(expression, environment, {false});
  if (optimised.has_value() != plain.has_value())
    Differ(expression, "compiles", "does not compile");
  if (!optimised) return 0;
  const DeviceData& input = device.data();
  Arena arena(Evaluation::kMemoryLimit);
  Evaluation evaluation(arena, kCostLimit);
  const Value value = optimised->program->Evaluate(evaluation, &input.device, &input);
  Arena plain_arena(Evaluation::kMemoryLimit);
  Evaluation plain_evaluation(plain_arena, kCostLimit);
  const Value plain_value = plain->program->Evaluate(plain_evaluation, &input.device, &input);
  if (Shown(value) != Shown(plain_value)) Differ(expression, Shown(value), Shown(plain_value));
  if (evaluation.aborted() || plain_evaluation.aborted()) return 0;
  if (evaluation.cost() != plain_evaluation.cost()) {
    Differ(expression, std::to_string(evaluation.cost()), std::to_string(plain_evaluation.cost()));
  }
  Arena walk_arena(Evaluation::kMemoryLimit);
  Evaluation walk(walk_arena, UINT64_MAX);
  const std::string walked = Shown(WalkTree(*plain->ast, environment, walk, &input.device));
  if (walked != Shown(value)) Differ(expression, Shown(value), walked);
  return 0;
}
