#include "cel/diagnosis.h"

#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"

namespace fedra::cel::diagnosis_test {
namespace {

std::string CompileAdvice(std::string_view expression, const SelectorOptions& options = {}) {
  const auto selector = CompileSelector(expression, options);
  REQUIRE_FALSE(selector);
  return selector.error().advice;
}

std::string RuntimeAdvice(std::string_view expression, const Device& device = SampleDevice()) {
  const auto selector = CompileSelector(expression);
  REQUIRE(selector);
  const EvalResult result = selector->Evaluate(device);
  CHECK(result.failed());
  return selector->Advice(device, result);
}

TEST_CASE("seed article 1: >= on a quantity") {
  CHECK(CompileAdvice("device.driver == \"gpu.nvidia.com\" &&\n"
                      "device.capacity[\"gpu.nvidia.com\"].memory >= quantity(\"40Gi\")") ==
        "quantities cannot be compared with <, <=, >, >=; write "
        "device.capacity[\"gpu.nvidia.com\"].memory.compareTo(quantity(\"40Gi\")) >= 0");
}

TEST_CASE("seed article 2: an amount as the text of an attribute") {
  const char* const expression = "device.attributes[\"gpu-driver.example.com\"].memory >= \"16Gi\"";
  const auto selector = CompileSelector(expression);
  REQUIRE(selector);
  REQUIRE(selector->warnings().size() == 1);
  CHECK(selector->warnings()[0] ==
        "device.attributes[\"gpu-driver.example.com\"].memory >= \"16Gi\" compares as text "
        "(\"8Gi\" is more than \"16Gi\", "
        "\"128Gi\" is less); for amounts write "
        "device.capacity[\"gpu-driver.example.com\"].memory.compareTo(quantity(\"16Gi\")) >= 0");
  // On a device that publishes it as a capacity the selector is an error.
  DeviceInput input;
  input.driver = "gpu-driver.example.com";
  input.capacity = {{"memory", "32Gi"}};
  CHECK(RuntimeAdvice(expression, Device(input)) ==
        "this device has the value elsewhere: device.capacity[\"gpu-driver.example.com\"].memory, "
        "a quantity to be used with compareTo");
}

TEST_CASE("a quantity against a text or a number") {
  CHECK(CompileAdvice("device.capacity['gpu.example.com'].memory == '80Gi'")
            .ends_with(
                "write device.capacity['gpu.example.com'].memory.compareTo(quantity(\"80Gi\")) == "
                "0"));
  CHECK(CompileAdvice("40 < device.capacity['gpu.example.com'].memory")
            .ends_with(
                "write device.capacity['gpu.example.com'].memory.compareTo(quantity(\"40\")) > 0"));
}

TEST_CASE("a version with a comparison operator") {
  CHECK(CompileAdvice("device.attributes['gpu.example.com'].firmware >= semver('1.0.0')")
            .ends_with(
                "write device.attributes['gpu.example.com'].firmware.compareTo(semver('1.0.0')) >= "
                "0"));
}

TEST_CASE("a version attribute against a text") {
  CHECK(RuntimeAdvice("device.attributes['gpu.example.com'].firmware == '1.2.3'") ==
        "device.attributes['gpu.example.com'].firmware is a version here, not a text; write "
        "device.attributes['gpu.example.com'].firmware.compareTo(semver(\"1.2.3\")) == 0");
  CHECK(RuntimeAdvice("device.attributes['gpu.example.com'].firmware >= 'v1'")
            .ends_with(".compareTo(semver(\"v1\", true)) >= 0"));
  CHECK(RuntimeAdvice("device.attributes['gpu.example.com'].firmware in ['1.2.3']")
            .find("is a version here") != std::string::npos);
}

TEST_CASE("a name used as a domain") {
  CHECK(RuntimeAdvice("device.attributes['model'].x == 'a100'") ==
        "\"model\" is used as a domain here, but it is the name of a value: write "
        "device.attributes[\"gpu.example.com\"].model");
  CHECK(RuntimeAdvice("device.attributes['dra.net/rdma'].bool == true") ==
        "the part before the slash is the domain: write device.attributes[\"dra.net\"].rdma");
  CHECK(CompileAdvice("device.attributes['memory'] >= 80")
            .find("name the domain first: device.attributes[\"<driver or domain>\"].memory") !=
        std::string::npos);
}

TEST_CASE("a missing guard") {
  CHECK(RuntimeAdvice("device.attributes['gpu.example.com'].rdma == true") ==
        "not every device has device.attributes[\"gpu.example.com\"].rdma; guard the use: "
        "has(device.attributes[\"gpu.example.com\"].rdma) && "
        "device.attributes[\"gpu.example.com\"].rdma ...");
}

TEST_CASE("a number with a unit") {
  CHECK(CompileAdvice("device.attributes[\"memory\"] >= 80g").find("80g is quantity(\"80G\")") !=
        std::string::npos);
  CHECK(CompileAdvice("device.capacity['d'].memory >= 40gib").find("40gib is quantity(\"40Gi\")") !=
        std::string::npos);
  CHECK(CompileAdvice("'80g' == 'x' && (").empty());  // inside a text it is no number
}

TEST_CASE("fields, functions and macros that are not there") {
  CHECK(CompileAdvice("device.pool == 'x'")
            .find("the name, pool and node of a device are not visible") != std::string::npos);
  CHECK(CompileAdvice("device.driver.includes('x')", ForRelease(KubernetesRelease::k134)) ==
        "'includes' exists from Kubernetes 1.36 on, this is 1.34");
  CHECK(CompileAdvice("[1].existsOne(x, x == 1)") ==
        "with one variable the macro is called exists_one");
  CHECK(CompileAdvice("device.attributes['d'].x.exists(v, v == 1)").find("DRAListTypeAttributes") !=
        std::string::npos);
}

TEST_CASE("a poisoned device and a result that is no truth value") {
  DeviceInput input = SampleInput();
  input.attributes.emplace_back("bad", VersionText{"x"});
  CHECK(RuntimeAdvice("true", Device(input)).find("has to be corrected by its driver") !=
        std::string::npos);
  CHECK(
      RuntimeAdvice("device.attributes['gpu.example.com'].model").find("must say true or false") !=
      std::string::npos);
}

TEST_CASE("operators of other languages") {
  CHECK(CompileAdvice("device.driver = 'x'") == "values are compared with ==");
  CHECK(CompileAdvice("device.driver == 'x' && 1 => 0") == "at least is written >=");
  CHECK(CompileAdvice("1 =< 0") == "at most is written <=");
  CHECK(CompileAdvice("device.driver == 'x' and true") == "conditions are joined with &&");
  CHECK(CompileAdvice("device.driver == 'x' or true") == "alternatives are joined with ||");
}

TEST_CASE("equality with a quantity") {
  CHECK(CompileAdvice("device.capacity['d'].memory == 80") ==
        "quantities are never equal to numbers or texts; write "
        "device.capacity['d'].memory.compareTo(quantity(\"80\")) == 0");
}

TEST_CASE("no advice where we know none") {
  CHECK(CompileAdvice("foo(1)").empty());
  CHECK(RuntimeAdvice("1 / 0 == 1").empty());
}

TEST_CASE("the typed tree") {
  const auto tree = ExplainSelector("device.attributes['d'].x == 'a' && [1].all(v, v > 0)");
  REQUIRE(tree);
  CHECK(tree->selector.operands().size() == 2);
  CHECK(tree->tree ==
        "_&&_ : bool\n"
        "  _==_ : bool\n"
        "    .x : any\n"
        "      _[_] : map(string, any)\n"
        "        .attributes : map(string, map(string, any))\n"
        "          device : kubernetes.DRADevice\n"
        "        \"d\" : string\n"
        "    \"a\" : string\n"
        "  macro all over v : bool\n"
        "    [...] : list(int)\n"
        "      1 : int\n"
        "    _>_ : bool\n"
        "      v : int\n"
        "      0 : int\n");
  CHECK_FALSE(ExplainSelector("foo"));
  // What CompileSelector refuses is refused here too.
  CHECK_FALSE(ExplainSelector("1"));
  CHECK_FALSE(ExplainSelector("true" + std::string(20'000, ' ')));
}

}  // namespace
}  // namespace fedra::cel::diagnosis_test
