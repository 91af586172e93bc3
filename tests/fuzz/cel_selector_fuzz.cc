// The first byte chooses the release, the gate DRAListTypeAttributes and whether types are checked;
// the others are a selector, evaluated on a device three ways: the optimised program, the plain
// program and a walk over the tree must give the same answer, and both programs the same cost. Of
// an unchecked one only that it does no harm is asked. No compilation and no evaluation may take
// long.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

#include "cel/compile.h"
#include "cel/device_data.h"
#include "cel/display.h"
#include "tests/fuzz/any_release.h"
#include "tests/unit/cel/support.h"
#include "tests/unit/cel/tree_walk.h"

namespace {

using namespace fedra::cel;

constexpr uint64_t kCostLimit = 20'000;

// Seconds of CPU for all compilations and evaluations of one input; generous, since sanitizers make
// them slow.
constexpr double kLongest = 10;

Environment EnvironmentFor(uint8_t choice) {
  Environment environment = DeviceEnvironment(AnyRelease(choice / 2), choice % 2 != 0);
  environment.check = choice < 0xC0;
  return environment;
}

// Errors are one answer: the plain walk words them differently.
std::string Shown(const Value& value) { return value.is_error() ? "error" : SourceText(value); }

void Differ(std::string_view expression, const std::string& a, const std::string& b) {
  std::fprintf(stderr, "%.*s\n  one says %s\n  the other %s\n", static_cast<int>(expression.size()),
               expression.data(), a.c_str(), b.c_str());
  __builtin_trap();
}

void EvaluateBoth(const Program& optimised, const Program& plain, const DeviceData& input) {
  for (const Program* program : {&optimised, &plain}) {
    Arena arena(Evaluation::kMemoryLimit);
    Evaluation evaluation(arena, kCostLimit);
    program->Evaluate(evaluation, &input.device, &input);
  }
}

void CompareAnswers(std::string_view expression, const Environment& environment) {
  static const Device device = SampleDevice();
  const auto optimised = Compile(expression, environment, {true});
  const auto plain = Compile(expression, environment, {false});
  // Without types only the optimiser finds some of the errors before the program runs.
  if (environment.check && optimised.has_value() != plain.has_value())
    Differ(expression, "compiles", "does not compile");
  if (!optimised || !plain) return;
  if (!environment.check) return EvaluateBoth(*optimised->program, *plain->program, device.data());
  const DeviceData& input = device.data();
  Arena arena(Evaluation::kMemoryLimit);
  Evaluation evaluation(arena, kCostLimit);
  const Value value = optimised->program->Evaluate(evaluation, &input.device, &input);
  Arena plain_arena(Evaluation::kMemoryLimit);
  Evaluation plain_evaluation(plain_arena, kCostLimit);
  const Value plain_value = plain->program->Evaluate(plain_evaluation, &input.device, &input);
  if (Shown(value) != Shown(plain_value)) Differ(expression, Shown(value), Shown(plain_value));
  if (evaluation.aborted() || plain_evaluation.aborted()) return;
  if (evaluation.cost() != plain_evaluation.cost()) {
    Differ(expression, std::to_string(evaluation.cost()), std::to_string(plain_evaluation.cost()));
  }
  Arena walk_arena(Evaluation::kMemoryLimit);
  Evaluation walk(walk_arena, UINT64_MAX);
  const std::string walked = Shown(WalkTree(*plain->ast, environment, walk, &input.device));
  if (walk.over_limit()) return;  // nothing is folded: it may need more steps
  if (walked != Shown(value)) Differ(expression, Shown(value), walked);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0 || size > 2000) return 0;
  const std::string_view expression(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::clock_t start = std::clock();
  CompareAnswers(expression, EnvironmentFor(data[0]));
  if (static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC > kLongest)
    Differ(expression, "ends", "takes long");
  return 0;
}
