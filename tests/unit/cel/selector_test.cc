#include "cel/selector.h"

#include <algorithm>
#include <thread>

#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"

namespace fedra::cel::selector_test {
namespace {

TEST_CASE("an error is neither true nor false") {
  const auto selector = CompileSelector("device.attributes['gpu.example.com'].missing == 'x'");
  REQUIRE(selector);
  const EvalResult result = selector->Evaluate(SampleDevice());
  CHECK(result.outcome == Outcome::kError);
  CHECK(result.failed());
  CHECK_FALSE(result.matches());
  CHECK(result.error == "no such key: missing");
  CHECK(result.false_operand == -1);
}

TEST_CASE("one bad version attribute poisons every selector on the device") {
  DeviceInput input = SampleInput();
  input.attributes.emplace_back("broken", VersionText{"v1"});
  const Device device(input);
  CHECK(SubRequest("true", device) ==
        "error: attribute broken: parse semantic version: No Major.Minor.Patch elements found");
  CHECK(SubRequest("device.driver == 'x'", device).starts_with("error: attribute broken"));
}

TEST_CASE("so do a value of an unknown kind and, without the gate, a list") {
  DeviceInput input = SampleInput();
  input.attributes.emplace_back("future", std::monostate());
  CHECK(SubRequest("true", Device(input)) ==
        "error: attribute future: unsupported attribute value");
  input.attributes.back() = {"list", std::vector<std::string>{"a", "b"}};
  CHECK(SubRequest("true", Device(input)) == "error: attribute list: unsupported attribute value");
  SelectorOptions lists;
  lists.list_attributes = true;
  CHECK(SubRequest("'b' in device.attributes['gpu.example.com'].list", Device(input), lists) ==
        "true");
}

TEST_CASE("the outer maps default to empty") {
  CHECK(SubRequest("has(device.attributes.foo)") == "true");
  CHECK(SubRequest("device.attributes['foo'].bar == 1") == "error: no such key: bar");
  CHECK(SubRequest("'foo' in device.attributes") == "false");
  CHECK(SubRequest("'gpu.example.com' in device.attributes") == "true");
  CHECK(SubRequest("device.attributes['foo'] == {}") == "true");
  CHECK(SubRequest("device.attributes.?foo.hasValue()") == "true");
  CHECK(SubRequest("device.attributes[?'foo'].hasValue()") == "true");
  CHECK(SubRequest("size(device.attributes) == 2") == "true");
  CHECK(SubRequest("device.attributes.exists(d, d == 'other.example.com')") == "true");
  CHECK(SubRequest("device.attributes[dyn(1)].x == 1") == "error: no such key: x");
  CHECK(SubRequest("has(device.attributes['gpu.example.com'].missing)") == "false");
  CHECK(SubRequest("'missing' in device.attributes['gpu.example.com']") == "false");
  CHECK(SubRequest("device.attributes['gpu.example.com'].?missing.orValue('x') == 'x'") == "true");
  CHECK(SubRequest("has(device.capacity['foo'].memory)") == "false");
  CHECK(SubRequest("cel.bind(d, device.attributes['foo'], has(d.x))") == "false");
}

TEST_CASE("and, or, exists and all absorb errors, the others do not") {
  const std::string broken = "device.attributes['d'].x == 1";
  CHECK(SubRequest("false && " + broken) == "false");
  CHECK(SubRequest(broken + " && false") == "false");
  CHECK(SubRequest("true || " + broken) == "true");
  CHECK(SubRequest(broken + " || true") == "true");
  CHECK(SubRequest("true && " + broken) == "error: no such key: x");
  CHECK(SubRequest(broken + " || false") == "error: no such key: x");
  CHECK(SubRequest("[1, 0].exists(v, 1 / v == 1)") == "true");
  CHECK(SubRequest("[0, 1].exists(v, 1 / v == 1)") == "true");
  CHECK(SubRequest("[0, 2].exists(v, 1 / v == 1)") == "error: division by zero");
  CHECK(SubRequest("[0, 2].all(v, 1 / v == 1)") == "false");
  CHECK(SubRequest("[0, 1].exists_one(v, 1 / v == 1)") == "error: division by zero");
  CHECK(SubRequest("[0, 1].filter(v, 1 / v == 1) == [1]") == "error: division by zero");
  CHECK(SubRequest("[0].map(v, 1 / v) == [1]") == "error: division by zero");
  CHECK(SubRequest("(" + broken + ") ? true : true") == "error: no such key: x");
  CHECK(SubRequest("true ? true : " + broken) == "true");
  CHECK(SubRequest("dyn(1) && true") == "error: no such overload");
  CHECK(SubRequest("dyn(1) && false") == "false");
}

TEST_CASE(
    "equality with a version or quantity on the left is an error, on the right it is "
    "false") {
  const std::string firmware = "device.attributes['gpu.example.com'].firmware";
  CHECK(SubRequest(firmware + " == '1.2.3'") == "error: no such overload");
  CHECK(SubRequest("'1.2.3' == " + firmware) == "false");
  CHECK(SubRequest(firmware + " != '1.2.3'") == "true");
  CHECK(SubRequest(firmware + " in ['1.2.3']") ==
        "error: internal error: runtime error: hash of unhashable type cel.Semver");
  CHECK(SubRequest(firmware + " in ['1.2.3'] || true") ==
        "error: internal error: runtime error: hash of unhashable type cel.Semver");  // nothing
                                                                                      // absorbs it
  CHECK(SubRequest(firmware + " in [device.driver]") == "false");
  CHECK(
      SubRequest("device.capacity['gpu.example.com'].memory == '80Gi'") ==
      "compile: found no matching overload for '_==_' applied to '(kubernetes.Quantity, string)'");
  CHECK(SubRequest("dyn(quantity('1')) == 1") == "error: no such overload");
}

TEST_CASE("quantities and versions are compared by functions") {
  CHECK(SubRequest("device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0") ==
        "true");
  CHECK(SubRequest("device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('80Gi'))") ==
        "false");
  CHECK(
      SubRequest("device.attributes['gpu.example.com'].firmware.isGreaterThan(semver('1.0.0'))") ==
      "true");
  CHECK(SubRequest(
            "device.attributes['gpu.example.com'].firmware.compareTo(semver('v1.2', true)) > 0") ==
        "true");
  CHECK(SubRequest("device.attributes['gpu.example.com'].index.compareTo(quantity('1')) > 0") ==
        "error: no such overload: compareTo(int, kubernetes.Quantity)");
}

TEST_CASE("attribute numbers compare across types and do not mix in arithmetic") {
  CHECK(SubRequest("device.attributes['gpu.example.com'].index > 0.5") == "true");
  CHECK(SubRequest("device.attributes['gpu.example.com'].index == 3.0") == "true");
  CHECK(SubRequest("device.attributes['gpu.example.com'].index == 3u") == "true");
  CHECK(SubRequest("device.attributes['gpu.example.com'].index + 1.0 > 2.0") ==
        "error: no such overload");
  CHECK(SubRequest("device.attributes['gpu.example.com'].index < 'a'") ==
        "error: no such overload");
  CHECK(SubRequest("device.attributes['gpu.example.com'].index == '3'") == "false");
}

TEST_CASE("of a bare and a qualified spelling the qualified one wins, and it is told") {
  DeviceInput input = SampleInput();
  input.attributes.emplace_back("gpu.example.com/model", std::string("b200"));
  const Device after(input);
  CHECK(SubRequest("device.attributes['gpu.example.com'].model == 'b200'", after) == "true");
  CHECK(after.ambiguous_names() == std::vector<std::string>{"gpu.example.com/model"});
  std::reverse(input.attributes.begin(), input.attributes.end());
  CHECK(SubRequest("device.attributes['gpu.example.com'].model == 'b200'", Device(input)) ==
        "true");
  CHECK(SampleDevice().ambiguous_names().empty());
}

TEST_CASE("build metadata is ignored, pre-releases come first") {
  DeviceInput input = SampleInput();
  input.attributes.emplace_back("pre", VersionText{"2.0.0-rc.1+build"});
  const Device device(input);
  CHECK(SubRequest("device.attributes['gpu.example.com'].pre == semver('2.0.0-rc.1')", device) ==
        "true");
  CHECK(SubRequest("device.attributes['gpu.example.com'].pre.isLessThan(semver('2.0.0'))",
                   device) == "true");
}

TEST_CASE("what exists depends on the release") {
  using enum KubernetesRelease;
  const std::string includes = "device.attributes['gpu.example.com'].model.includes('a100')";
  CHECK(SubRequest(includes, ForRelease(k135)) ==
        "compile: undeclared reference to 'includes' (in container '')");
  CHECK(SubRequest(includes, ForRelease(k136)) == "true");
  CHECK(SubRequest(includes, ForRelease(k137)) == "true");
  CHECK(SubRequest("!device.allowMultipleAllocations", ForRelease(k134)) == "true");
  CHECK(SubRequest("isSemver('v1', true)", ForRelease(k134)) == "true");
  CHECK(SubRequest("[1].exists(i, v, i == 0)", ForRelease(k134)) == "true");
  CHECK(SubRequest("[2, 1].sort() == [1, 2]", ForRelease(k134)) == "true");
}

TEST_CASE("includes is bounded in 1.36 only") {
  std::string list = "[0";
  for (int i = 1; i <= 48; ++i) list += ", " + std::to_string(i);
  list += "]";
  CHECK(SubRequest(list + ".includes(47)") == "true");
  CHECK(SubRequest(list + ".includes(48)") ==
        "error: 'includes' function cannot be applied to lists longer than 48 values");
  CHECK(SubRequest(list + ".includes(48)", ForRelease(KubernetesRelease::k137)) == "true");
}

TEST_CASE("macros over attributes need the list gate") {
  const std::string expression = "device.attributes['gpu.example.com'].index.exists(x, x > 0)";
  CHECK(SubRequest(expression).starts_with("compile: expression of type 'any' cannot be range"));
  SelectorOptions lists;
  lists.list_attributes = true;
  CHECK(SubRequest(expression, lists) == "error: got 'types.Int', expected iterable type");
  CHECK(SubRequest("dyn(true)", lists) == "true");
}

TEST_CASE("an attribute as the whole expression must be bool at run time") {
  CHECK(SubRequest("device.attributes['gpu.example.com'].ok") == "true");
  CHECK(SubRequest("device.attributes['gpu.example.com'].model") ==
        "error: CEL result of type string could not be converted to bool: unsupported native "
        "conversion from string to 'bool'");
}

TEST_CASE("unknown members of device are compile errors") {
  CHECK(SubRequest("device.name == 'x'") == "compile: undefined field 'name'");
  CHECK(SubRequest("has(device.pool)") == "compile: undefined field 'pool'");
}

TEST_CASE("the cost limit is an error that nothing absorbs") {
  const std::string ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  std::string nested = "int('1'.find('[0-9]*')) < 100";
  for (const char* variable : {"a", "b", "c", "d", "e", "f", "g"})
    nested = ten + ".all(" + variable + ", " + nested + ")";
  CHECK(SubRequest(nested) == "error: operation cancelled: actual cost limit exceeded");
  CHECK(SubRequest(nested + " || true") ==
        "error: operation cancelled: actual cost limit exceeded");
  CHECK(SubRequest("true || " + nested) == "true");
  SelectorOptions tight;
  tight.cost_limit = 3;
  CHECK(SubRequest("device.attributes['gpu.example.com'].ok", tight) ==
        "error: operation cancelled: actual cost limit exceeded");
}

TEST_CASE("constants are folded at compile time, also in dead branches") {
  CHECK(SubRequest("true || int('x') == 1") ==
        "compile: type conversion error from 'string' to 'int'");
  CHECK(SubRequest("true || 'a'.find('[') == ''").starts_with("compile: error parsing regexp"));
  CHECK(SubRequest("true || quantity('x') == quantity('1')") ==
        "true");  // only conversions and patterns
  CHECK(SubRequest("int('5') == 5") == "true");
}

TEST_CASE("quirks of the 1.36.3 library that decide") {
  CHECK(SubRequest("quantity('1').add(quantity('1')) == quantity('2')") == "true");
  CHECK(SubRequest("quantity('2') == quantity('1').add(quantity('1'))") ==
        "error: no such overload");
  CHECK(SubRequest("device.attributes['gpu.example.com'].index.orValue(5) == 3") == "true");
  CHECK(SubRequest("device.attributes['gpu.example.com'].missing in []") == "false");
  CHECK(SubRequest("[1].existsOne(x, x == 1)")
            .starts_with("compile: undeclared reference to 'existsOne'"));
  CHECK(SubRequest("[1].existsOne(i, x, x == 1)") == "true");
  CHECK(SubRequest("device.capacity['gpu.example.com'].odd.isInteger()") == "false");
  // Kubernetes 1.36.3 changes the device here; ours does not.
  CHECK(SubRequest(
            "device.capacity['gpu.example.com'].odd.sub(1).isLessThan(device.capacity['gpu.example."
            "com'].odd)") == "true");
}

TEST_CASE("the device is a map to those who look at it as one") {
  CHECK(SubRequest("dyn(device).driver == 'gpu.example.com'") == "true");
  CHECK(SubRequest("device == device") == "true");
  CHECK(SubRequest("device.attributes['gpu.example.com'].size() == 4") == "true");
  CHECK(SubRequest("device.attributes['gpu.example.com'].all(k, k != 'note')") == "true");
  CHECK(SubRequest("device.attributes['other.example.com']['note'] == 'héllo'") == "true");
  CHECK(SubRequest("device.attributes[device.driver].model == 'a100'") == "true");
  CHECK(SubRequest("device.allowMultipleAllocations == false") == "true");
}

TEST_CASE("the first false operand of an && chain is named") {
  const auto selector = CompileSelector(
      "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == 'b200' "
      "&& false");
  REQUIRE(selector);
  REQUIRE(selector->operands().size() == 3);
  CHECK(selector->operands()[1] == "device.attributes['gpu.example.com'].model == 'b200'");
  const EvalResult result = selector->Evaluate(SampleDevice());
  CHECK(result.outcome == Outcome::kFalse);
  CHECK(result.false_operand == 1);
}

TEST_CASE("an operand behind an error may still be the false one") {
  const auto selector = CompileSelector("device.attributes['d'].x == 1 && false");
  REQUIRE(selector);
  const EvalResult result = selector->Evaluate(SampleDevice());
  CHECK(result.outcome == Outcome::kFalse);
  CHECK(result.false_operand == 1);
}

TEST_CASE("a selector that is no chain has one operand") {
  const auto selector = CompileSelector("device.driver == 'x' || false");
  REQUIRE(selector);
  CHECK(selector->operands() == std::vector<std::string>{"device.driver == 'x' || false"});
  CHECK(selector->Evaluate(SampleDevice()).false_operand == 0);
}

TEST_CASE("the run-time cost is the one of cel-go") {
  const std::pair<const char*, uint64_t> cases[] = {
      {"true", 0},
      {"device.driver == 'gpu.example.com'", 4},
      {"device.attributes['gpu.example.com'].ok", 4},
      {"device.attributes['gpu.example.com'].model == 'a100'", 5},
      {"has(device.attributes['gpu.example.com'].model)", 3},
      {"device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0", 7},
      {"device.attributes['gpu.example.com'].index in [1, 2, 3]", 4},
      {"[1, 2, 3].exists(x, x > 2)", 19},
      {"[1, 2, 3].map(x, x * 2) == [2, 4, 6]", 44},
      {"cel.bind(d, device.attributes['gpu.example.com'], d.model == 'a100')", 6},
      {"true ? device.attributes['gpu.example.com'].ok : false", 3}};
  for (const auto& [expression, cost] : cases) {
    INFO(expression);
    const auto selector = CompileSelector(expression);
    REQUIRE(selector);
    CHECK(selector->Evaluate(SampleDevice()).cost == cost);
  }
}

TEST_CASE("one selector serves many threads") {
  const auto selector = CompileSelector(
      "device.attributes['gpu.example.com'].model.matches('^a[0-9]+$') && "
      "[1, 2, 3].map(x, x + 1).exists(y, y == 4) && timestamp(0).getHours('America/New_York') == "
      "19");
  REQUIRE(selector);
  const Device device = SampleDevice();
  std::vector<std::thread> threads;
  std::vector<int> matches(4);
  for (size_t t = 0; t < matches.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) matches[t] += selector->Evaluate(device).matches() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  const int expected =
      SubRequest("timestamp(0).getHours('America/New_York') == 19") == "true" ? 200 : 0;
  for (const int count : matches) CHECK(count == expected);
}

TEST_CASE("memory is bounded") {
  CHECK(SubRequest("lists.range(100000000).size() == 1").starts_with("error: operation cancelled"));
  std::string growing = "'aaaaaaaaaa'";
  for (int i = 0; i < 9; ++i) growing += ".replace('a', 'aaaaaaaaaa')";
  CHECK(SubRequest(growing + ".size() > 0").starts_with("error: operation cancelled"));
}

}  // namespace
}  // namespace fedra::cel::selector_test
