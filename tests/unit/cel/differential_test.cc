// The compact program against the plain tree walk, and optimised against unoptimised.

#include <initializer_list>
#include <random>
#include <string>

#include "cel/compile.h"
#include "cel/device_data.h"
#include "cel/display.h"
#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"
#include "tests/unit/cel/tree_walk.h"

namespace fedra::cel::differential_test {
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

void CheckAgreement(const std::string& expression, const Answers& answers) {
  INFO(expression);
  CHECK(answers.optimised == answers.plain);
  CHECK(answers.optimised == answers.walked);
  CHECK(answers.optimised_cost == answers.plain_cost);
}

// Selectors at random: well-typed for the most part, often errors when evaluated.
class SelectorMaker final {
 public:
  explicit SelectorMaker(uint32_t seed) : random_(seed) {}

  std::string Selector(int depth) {
    std::string text = Bool(depth);
    for (size_t at; (at = text.find("[D]")) != std::string::npos;)
      text.replace(at, 3, Below(8) == 0 ? "['zzz']" : "['gpu.example.com']");
    return text;
  }

 private:
  std::string Bool(int depth) {
    if (depth == 0)
      return Pick({"true", "false", "device.attributes[D].ok", "has(device.attributes[D].model)"});
    switch (Below(12)) {
      case 0:
        return "(" + Bool(depth - 1) + " && " + Bool(depth - 1) + ")";
      case 1:
        return "(" + Bool(depth - 1) + " || " + Bool(depth - 1) + ")";
      case 2:
        return "!" + Bool(depth - 1);
      case 3:
        return "(" + Bool(depth - 1) + " ? " + Bool(depth - 1) + " : " + Bool(depth - 1) + ")";
      case 4:
        return "(" + Int(depth - 1) + Pick({" < ", " >= ", " == ", " != "}) + Int(depth - 1) + ")";
      case 5:
        return "(" + Text(depth - 1) + Pick({" == ", " != ", " < "}) + Text(depth - 1) + ")";
      case 6:
        return "(" + Text(depth - 1) + " in [" + Text(0) + ", " + Text(0) + "])";
      case 7:
        return "[" + Int(0) + ", " + Int(0) + "]" + Pick({".all(", ".exists(", ".exists_one("}) +
               "x, x == " + Int(depth - 1) + ")";
      case 8:
        return "cel.bind(d, device.attributes[D], d.index == " + Int(depth - 1) + ")";
      case 9:
        return "(device.attributes[D].?" + Name() + ".orValue(" + Text(0) +
               ") == " + Text(depth - 1) + ")";
      case 10:
        return "(device.capacity[D].memory.compareTo(quantity('" + Pick({"80Gi", "1", "x"}) +
               "')) >= 0)";
      default:
        return "(" + Text(depth - 1) + Pick({".contains(", ".startsWith(", ".matches("}) + Text(0) +
               "))";
    }
  }

  uint32_t Below(uint32_t count) { return static_cast<uint32_t>(random_()) % count; }
  std::string Pick(std::initializer_list<const char*> choices) {
    return choices.begin()[Below(static_cast<uint32_t>(choices.size()))];
  }
  std::string Name() { return Pick({"model", "index", "ok", "firmware", "missing"}); }

  std::string Int(int depth) {
    if (depth == 0) return Pick({"0", "1", "3", "-7", "device.attributes[D].index"});
    switch (Below(4)) {
      case 0:
        return "(" + Int(depth - 1) + Pick({" + ", " - ", " * ", " / ", " % "}) + Int(depth - 1) +
               ")";
      case 1:
        return Text(depth - 1) + ".size()";
      case 2:
        return "[" + Int(0) + ", " + Int(0) + "].map(y, y + " + Int(depth - 1) + ")[" +
               Pick({"0", "1", "2"}) + "]";
      default:
        return Int(0);
    }
  }

  std::string Text(int depth) {
    if (depth == 0) {
      return Pick({"'a100'", "''", "'^a'", "device.driver", "device.attributes[D].model",
                   "device.attributes[D].missing"});
    }
    switch (Below(4)) {
      case 0:
        return "(" + Text(depth - 1) + " + " + Text(depth - 1) + ")";
      case 1:
        return "string(" + Int(depth - 1) + ")";
      case 2:
        return "('%s-%d'.format([" + Text(depth - 1) + ", " + Int(depth - 1) + "]))";
      default:
        return Text(0);
    }
  }

  std::mt19937 random_;
};

TEST_CASE("selectors made at random: all evaluators answer the same") {
  SelectorMaker maker(20260724);
  int trues = 0;
  int falses = 0;
  int errors = 0;
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string expression = maker.Selector(1 + i % 4);
    if (!Compile(expression, DeviceEnvironment(kDefaultRelease, true))) {
      ++refused;
      continue;
    }
    const Answers answers = AnswerAll(expression);
    CheckAgreement(expression, answers);
    trues += answers.plain == "true" ? 1 : 0;
    falses += answers.plain == "false" ? 1 : 0;
    errors += answers.plain == "error" ? 1 : 0;
  }
  // Otherwise the comparison says little.
  CHECK(refused < 600);
  CHECK(trues > 300);
  CHECK(falses > 300);
  CHECK(errors > 300);
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
    CheckAgreement(expression, AnswerAll(expression));
  }
}

}  // namespace
}  // namespace fedra::cel::differential_test
