// Programs whose types were not checked: any call may have any arguments.

#include <string>
#include <string_view>

#include "cel/compile.h"
#include "cel/device_data.h"
#include "cel/display.h"
#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"

namespace fedra::cel::unchecked_test {
namespace {

std::string AskUnchecked(std::string_view expression, bool optimize) {
  Environment environment = DeviceEnvironment(kNewestRelease, false);
  environment.check = false;
  const auto compiled = Compile(expression, environment, {optimize});
  if (!compiled) return "compile: " + compiled.error().issues.at(0).message;
  static const Device device = SampleDevice();
  const DeviceData& input = device.data();
  Arena arena(Evaluation::kMemoryLimit);
  Evaluation evaluation(arena, 20'000);
  const Value value = compiled->program->Evaluate(evaluation, &input.device, &input);
  return value.is_error() ? "error: " + std::string(value.AsText()) : SourceText(value);
}

TEST_CASE("an unchecked call with more arguments than any function takes is refused") {
  const bool optimize = GENERATE(true, false);
  CHECK(AskUnchecked("'42'.replace('2', '1', 1, false)", optimize) ==
        "compile: no function takes 5 arguments");
  CHECK(AskUnchecked("'42'.matches('4', '2', '1', '3', '5') || true", optimize) ==
        "compile: no function takes 6 arguments");
  CHECK(AskUnchecked("'42'.replace('2', '1', 1)", optimize) == "\"41\"");
}

TEST_CASE("an unchecked call with arguments that no overload takes is an error while it runs") {
  const bool optimize = GENERATE(true, false);
  CHECK(AskUnchecked("'42'.matches('4', 1)", optimize).starts_with("error: no such overload"));
  CHECK(AskUnchecked("'42'.find('4', 1, true)", optimize).starts_with("error: no such overload"));
  CHECK(AskUnchecked("'42'.findAll('4', 1, 2)", optimize).starts_with("error: no such overload"));
  CHECK(AskUnchecked("'42'.startsWith(4)", optimize).starts_with("error: no such overload"));
}

}  // namespace
}  // namespace fedra::cel::unchecked_test
