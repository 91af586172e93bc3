// What docs/cel.md says about constants and about the differences to Go, said by the engine.

#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"

namespace fedra::cel::constants_test {
namespace {

TEST_CASE("conversions, literals, keys and patterns of constants fail when compiling") {
  for (const char* expression :
       {"int('x') == 1", "duration('x') == duration('1s')", "timestamp('x') == timestamp(0)",
        "{b'a': 1} == {}", "{1: 2}[null] == 2", "'a'.matches('(')", "'a'.find('(') == ''",
        "'a'.findAll('(') == []"}) {
    INFO(expression);
    CHECK(SubRequest(expression).starts_with("compile: "));
    CHECK(SubRequest("true || " + std::string(expression)).starts_with("compile: "));
  }
}

TEST_CASE("constants of the Kubernetes types fail when evaluating") {
  for (const char* expression : {"semver('1.2') == semver('1.2.0')", "sign(quantity('x')) == 1",
                                 "ip('x').family() == 4", "1 / 0 == 1"}) {
    INFO(expression);
    CHECK(SubRequest(expression).starts_with("error: "));
    CHECK(SubRequest("true || " + std::string(expression)) == "true");
  }
}

TEST_CASE("a version compared with a text is an error, and different from it") {
  CHECK(SubRequest("device.attributes['gpu.example.com'].firmware == '1.2.3'") ==
        "error: no such overload");
  CHECK(SubRequest("device.attributes['gpu.example.com'].firmware != '1.2.3'") == "true");
}

TEST_CASE("an error passes through everything but &&, ||, all and exists") {
  CHECK(SubRequest("1 / 0 == 1 && false") == "false");
  CHECK(SubRequest("1 / 0 == 1 || true") == "true");
  CHECK(SubRequest("[0, 1].all(x, 1 / x == 2)") == "false");
  CHECK(SubRequest("[0, 1].exists(x, 1 / x == 1)") == "true");
  for (const char* expression :
       {"1 / 0 == 1 ? true : true", "[0, 1].exists_one(x, 1 / x == 1)",
        "[0, 1].filter(x, 1 / x == 1) == [1]", "[0, 1].map(x, 1 / x) == [1]"}) {
    INFO(expression);
    CHECK(SubRequest(expression) == "error: division by zero");
  }
}

TEST_CASE("quantities that are too long say so") {
  const std::string digits(39, '1');
  const std::string message = "quantities of more than 38 digits are not supported";
  CHECK(SubRequest("sign(quantity('" + digits + "')) == 1") == "error: " + message);
  CHECK(SubRequest("isQuantity('" + digits + "')") == "false");
  DeviceInput input = SampleInput();
  input.capacity.emplace_back("huge", digits);
  CHECK(SubRequest("true", Device(input)) == "error: capacity huge: " + message);
}

TEST_CASE("regular expressions that Go would take") {
  for (const char* pattern : {"\\\\pL{1000}", "\\\\p{Letter}", "\\\\p{greek}", "\\\\p{Cn}"}) {
    INFO(pattern);
    CHECK(SubRequest("'x'.matches('" + std::string(pattern) + "')").starts_with("compile: "));
  }
  CHECK(SubRequest("'α'.matches('^\\\\p{Greek}$')") == "true");
}

}  // namespace
}  // namespace fedra::cel::constants_test
