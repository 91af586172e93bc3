// The compact program against the plain tree walk, and optimised against unoptimised.

#include "cel/compile.h"
#include "cel/device_data.h"
#include "cel/display.h"
#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"
#include "tests/unit/cel/tree_walk.h"

namespace fedra::cel {
namespace {

// A value, or only the fact of an error: the texts of the plain walk are shorter.
std::string Shown(const Value& value) { return value.is_error() ? "error" : SourceText(value); }

struct Answers {
  std::string optimised;
  std::string plain;
  std::string walked;
  uint64_t optimised_cost = 0;
  uint64_t plain_cost = 0;
};

Answers AnswerAll(std::string_view expression) {
  const Device device = SampleDevice();
  const DeviceData& data = device.data();
  const Environment environment = DeviceEnvironment(kDefaultRelease, true);
  Answers answers;
  for (const bool optimize : {true, false}) {
    const auto compiled = Compile(expression, environment, {optimize});
    REQUIRE(compiled);
    Arena arena(Evaluation::kMemoryLimit);
    Evaluation evaluation(arena, 1'000'000);
    const Value value = compiled->program->Evaluate(evaluation, &data.device, &data);
    (optimize ? answers.optimised : answers.plain) = Shown(value);
    (optimize ? answers.optimised_cost : answers.plain_cost) = evaluation.cost();
    if (optimize) continue;
    Arena walk_arena(Evaluation::kMemoryLimit);
    Evaluation walk(walk_arena, UINT64_MAX);
    answers.walked = Shown(WalkTree(*compiled->ast, environment, walk, &data.device));
  }
  return answers;
}

TEST_CASE("fused and folded forms answer and cost what the plain ones do") {
  const char* const expressions[] = {
      "device.driver == 'gpu.example.com'",
      "device.attributes['gpu.example.com'].model == 'a100'",
      "device.attributes['gpu.example.com'].missing == 'a100'",
      "device.attributes['gpu.example.com']['firmware'] == '1.2.3'",
      "device.attributes['gpu.example.com']['firmware'] != '1.2.3'",
      "device.attributes['zzz'].model != 'x' || true",
      "device.attributes['gpu.example.com'].index == 'x'",
      ("has(device.attributes['gpu.example.com'].model) && "
       "device.attributes['gpu.example.com'].model == 'a100'"),
      "has(device.capacity['zzz'].memory)",
      "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0",
      "device.capacity['gpu.example.com'].memory == quantity('80Gi')",
      "device.attributes['gpu.example.com'].firmware.isGreaterThan(semver('1.0.0'))",
      "device.attributes['gpu.example.com'].firmware in ['1.2.3']",
      "device.attributes['gpu.example.com'].index in [1, 2, 3]",
      "ip('10.0.0.1') == cidr('10.0.0.1/8').ip()",
      "true ? device.attributes['gpu.example.com'].ok : device.driver == 'x'",
      "device.attributes[device.driver].model.matches('^a')",
      "device.attributes['gpu.example.com'].?model.orValue('x') == 'a100'",
      "cel.bind(d, device.attributes['gpu.example.com'], d.model == 'a100' && d.index == 3)",
      "['a100', 'h100'].exists(m, m == device.attributes['gpu.example.com'].model)",
      "device.attributes['gpu.example.com'].all(k, k.size() < 10)",
      "timestamp('2020-01-01T00:00:00Z') + duration('1h') > timestamp('2020-01-01T00:30:00Z')",
      "[1, 2, 3].map(x, x * 2).filter(y, y > 2).size() == 2",
      "{'a': device.driver}.a == 'gpu.example.com'",
      "optional.of(1).optMap(x, x + 1).value() == 2",
      "device.attributes['gpu.example.com'].model.split('1')[0] == 'a'"};
  for (const char* expression : expressions) {
    INFO(expression);
    const Answers answers = AnswerAll(expression);
    CHECK(answers.optimised == answers.plain);
    CHECK(answers.optimised == answers.walked);
    CHECK(answers.optimised_cost == answers.plain_cost);
  }
}

}  // namespace
}  // namespace fedra::cel
