#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"

namespace fedra::cel::checker_test {
namespace {

TEST_CASE("the result of a selector is bool or an attribute") {
  CHECK(SubRequest("true") == "true");
  CHECK(SubRequest("device.attributes['gpu.example.com'].ok") == "true");
  CHECK(SubRequest("1") == "compile: must evaluate to bool or the unknown type, not int");
  CHECK(SubRequest("dyn(true)") == "compile: must evaluate to bool or the unknown type, not dyn");
  CHECK(SubRequest("[true]") ==
        "compile: must evaluate to bool or the unknown type, not list(bool)");
  CHECK(SubRequest("device.attributes") ==
        "compile: must evaluate to bool or the unknown type, not map(string, map(string, any))");
  CHECK(SubRequest("null") == "compile: must evaluate to bool or the unknown type, not null");
  CHECK(SubRequest("optional.of(true)") ==
        "compile: must evaluate to bool or the unknown type, not optional_type(bool)");
}

TEST_CASE("what does not fit is told in cel-go's words") {
  const std::pair<const char*, const char*> cases[] = {
      {"device.name == 'x'", "undefined field 'name'"},
      {"has(device.pool)", "undefined field 'pool'"},
      {"foo == 1", "undeclared reference to 'foo' (in container '')"},
      {"foo(1)", "undeclared reference to 'foo' (in container '')"},
      {"device.driver.foo()", "undeclared reference to 'foo' (in container '')"},
      {"'a' + 1 == 'a'", "found no matching overload for '_+_' applied to '(string, int)'"},
      {"1 == 'a'", "found no matching overload for '_==_' applied to '(int, string)'"},
      {"!1", "found no matching overload for '!_' applied to '(int)'"},
      {"1 && true", "expected type 'bool' but found 'int'"},
      {"true ? 1 : 'a'", "found no matching overload for '_?_:_' applied to '(bool, int, string)'"},
      {"device['driver'] == 'x'",
       "found no matching overload for '_[_]' applied to '(kubernetes.DRADevice, string)'"},
      {"'abc'.startsWith(1)",
       "found no matching overload for 'startsWith' applied to 'string.(int)'"},
      {"1.foo == 1", "type 'int' does not support field selection"},
      {"quantity('1').value == 1", "unexpected failed resolution of 'kubernetes.Quantity'"},
      {"[1].all(x, 1)", "expected type 'bool' but found 'int'"},
      {"1.all(x, true)",
       "expression of type 'int' cannot be range of a comprehension (must be list, map, or "
       "dynamic)"},
      {"[1, 'a'] == []", "expected type 'int' but found 'string'"},
      {"{'a': 1, 'b': 'x'} == {}", "expected type 'int' but found 'string'"},
      {"[?1] == []", "expected type 'optional_type(int)' but found 'int'"},
      {"Foo{a: 1} == 1", "undeclared reference to 'Foo' (in container '')"},
      {"int{} == 1", "'int' is not a message type"},
      {"quantity('1') >= quantity('2')",
       "found no matching overload for '_>=_' applied to '(kubernetes.Quantity, "
       "kubernetes.Quantity)'"},
      {"quantity('1').sign() == 1",
       "found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'"},
      {"device.attributes['d'].x.exists(v, v > 1)",
       "expression of type 'any' cannot be range of a comprehension (must be list, map, or "
       "dynamic)"},
      {"1.optMap(x, x) == 1", "found no matching overload for 'hasValue' applied to 'int.()'"},
  };
  for (const auto& [expression, message] : cases) {
    INFO(expression);
    CHECK(SubRequest(expression) == std::string("compile: ") + message);
  }
}

TEST_CASE("all mistakes are reported, in the order of the text") {
  const auto selector = CompileSelector("foo == 1 && device.name == bar");
  REQUIRE_FALSE(selector);
  REQUIRE(selector.error().issues.size() == 3);
  CHECK(selector.error().issues[0].column == 1);
  CHECK(selector.error().issues[1].message == "undefined field 'name'");
  CHECK(selector.error().issues[2].column == 28);
}

TEST_CASE("literal arguments are tried at compile time") {
  CHECK(SubRequest("device.driver.matches('[')") == "compile: invalid matches argument");
  CHECK(SubRequest("duration('1x') == duration('1s')") == "compile: invalid duration argument");
  CHECK(SubRequest("timestamp('yesterday') == timestamp(0)") ==
        "compile: invalid timestamp argument");
  CHECK(SubRequest("matches('[', 'a')") ==
        "compile: invalid matches argument");  // the first argument, as cel-go
}

TEST_CASE("format calls are checked where the format is constant") {
  CHECK(SubRequest("'%d'.format(['a']) == ''") ==
        "compile: error during formatting: decimal clause can only be used on integers, was given "
        "string");
  CHECK(SubRequest("'%d %d'.format([1]) == ''") == "compile: index 1 out of range");
  CHECK(SubRequest("'%d'.format([1, 2]) == ''") ==
        "compile: too many arguments supplied to string.format (expected 1, got 2)");
  CHECK(SubRequest("'%z'.format([1]) == ''") ==
        "compile: could not parse formatting clause: unrecognized formatting clause \"z\"");
  CHECK(SubRequest("'%s-%d'.format(['a', 1]) == 'a-1'") ==
        "true");  // mixed types are fine inside format()
}

TEST_CASE("type variables are inferred") {
  CHECK(SubRequest("[] == [1]") == "false");
  CHECK(SubRequest("[].map(x, x + 1) == [2]") == "false");
  CHECK(SubRequest("{}.size() == 0") == "true");
  CHECK(SubRequest("[[], [1]].size() == 2") == "true");
  CHECK(SubRequest("optional.none().orValue(1) == 1") == "true");
  CHECK(SubRequest("(true ? [] : ['a']).size() == 0") == "true");
}

TEST_CASE("null fits Kubernetes types and not primitive ones") {
  CHECK(SubRequest("quantity('1') == null") == "false");
  CHECK(SubRequest("null == 1") ==
        "compile: found no matching overload for '_==_' applied to '(null, int)'");
}

TEST_CASE("qualified names of types and functions") {
  CHECK(SubRequest("type(timestamp(0)) == google.protobuf.Timestamp") == "true");
  CHECK(SubRequest("type(ip('::1')) == net.IP") == "true");
  CHECK(SubRequest("ip.isCanonical('::1')") == "true");
  CHECK(SubRequest(".device.driver == 'gpu.example.com'") == "true");
  CHECK(SubRequest("[1].exists(device, device == 1)") == "true");
}

}  // namespace
}  // namespace fedra::cel::checker_test
