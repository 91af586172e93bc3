// Literals of google.protobuf's messages, as Kubernetes' own compiler and evaluator have them: the
// answers were taken from v0.36.3 and v0.37.2 (tests/real/go/allocator/selectors).

#include "cel/selector.h"
#include "tests/support/catch.h"

namespace fedra::cel::messages_test {
namespace {

std::string Answer(const std::string& expression,
                   KubernetesRelease release = KubernetesRelease::k136) {
  SelectorOptions options;
  options.release = release;
  options.list_attributes = release == KubernetesRelease::k137;
  const auto selector = CompileSelector(expression, options);
  if (!selector) return "compile-error";
  DeviceInput input;
  input.driver = "gpu.example.com";
  input.attributes.emplace_back("n", int64_t{3});
  const EvalResult result = selector->Evaluate(Device(input));
  if (result.failed()) return "error";
  return (result.matches() ? "true " : "false ") + std::to_string(result.cost);
}

struct Row {
  const char* expression;
  const char* answer;
};

}  // namespace

TEST_CASE("messages of google.protobuf unwrap to plain values") {
  const auto row =
      GENERATE(Row{"google.protobuf.Int64Value{value: 3} == 3", "true 41"},
               Row{".google.protobuf.Int64Value{value: 3} == 3", "true 41"},
               Row{"google.protobuf.Int64Value{} == 0", "true 41"},
               Row{"google.protobuf.Int64Value{value: 1, value: 2} == 2", "true 41"},
               Row{"google.protobuf.Int64Value{value: device.attributes['gpu.example.com'].n} == 3",
                   "true 45"},
               Row{"google.protobuf.Int64Value{?value: optional.of(1)} == 1", "true 42"},
               Row{"google.protobuf.Int64Value{?value: optional.none()} == 0", "true 42"},
               Row{"google.protobuf.Int64Value{value: 3} + 1 == 4", "true 42"},
               Row{"google.protobuf.Int64Value{value: 1} == null", "false 41"},
               Row{"type(google.protobuf.Int64Value{value: 3}) == int", "true 42"},
               Row{"google.protobuf.Int32Value{value: 3} == 3", "true 41"},
               Row{"google.protobuf.Int32Value{value: 3000000000} == 3", "error"},
               Row{"google.protobuf.UInt32Value{value: 5000000000u} == 3u", "error"},
               Row{"google.protobuf.UInt64Value{value: 3u} == 3u", "true 41"},
               Row{"google.protobuf.FloatValue{value: 1.1} == 1.1", "false 41"},
               Row{"google.protobuf.DoubleValue{value: 1.5} == 1.5", "true 41"},
               Row{"google.protobuf.BytesValue{value: b'a'} == b'a'", "true 41"},
               Row{"google.protobuf.StringValue{value: 'a'}.startsWith('a')", "true 41"},
               Row{"!google.protobuf.BoolValue{}", "true 41"},
               Row{"[google.protobuf.Int64Value{value: 1}, 2] == [1, 2]", "true 51"},
               Row{"{google.protobuf.StringValue{}: 1}[''] == 1", "true 73"});
  INFO(row.expression);
  CHECK(Answer(row.expression) == row.answer);
}

TEST_CASE("times, JSON and the empty message of google.protobuf") {
  const auto row = GENERATE(
      Row{"google.protobuf.Duration{seconds: 3, nanos: 5} == duration('3.000000005s')", "true 41"},
      Row{"google.protobuf.Duration{seconds: 9223372036854775807} > duration('3s')", "true 41"},
      Row{"google.protobuf.Duration{seconds: 3, nanos: 3000000000} == duration('3s')", "error"},
      Row{"google.protobuf.Timestamp{seconds: 3, nanos: 5} > timestamp(3)", "true 41"},
      Row{"google.protobuf.Timestamp{seconds: 3, nanos: -5} < timestamp(3)", "true 41"},
      Row{"google.protobuf.Value{} == null", "true 41"},
      Row{"google.protobuf.Value{null_value: google.protobuf.NullValue.NULL_VALUE} == null",
          "true 41"},
      Row{"google.protobuf.Value{number_value: 1.0, string_value: 'a'} == 'a'", "true 41"},
      Row{"type(google.protobuf.Value{struct_value: {'a': 1}}.a) == double", "true 44"},
      Row{"google.protobuf.Value{list_value: [9007199254740993]} == ['9007199254740993']",
          "true 41"},
      Row{"google.protobuf.Value{list_value: [b'a']} == ['YQ==']", "true 41"},
      Row{"google.protobuf.Value{list_value: [duration('3s')]} == ['3s']", "true 41"},
      Row{"google.protobuf.Value{list_value: [timestamp(0)]} == ['1970-01-01T00:00:00Z']",
          "true 41"},
      Row{"google.protobuf.Value{list_value: [quantity('1')]} == [1]", "error"},
      Row{"google.protobuf.Struct{} == {}", "true 40"},
      Row{"google.protobuf.Struct{fields: {'a': google.protobuf.Value{number_value: 1.0}}} == "
          "{'a': 1.0}",
          "true 111"},
      Row{"has(google.protobuf.Struct{}.a)", "false 41"},
      Row{"google.protobuf.ListValue{values: [1]}.size() == 1", "true 42"},
      Row{"google.protobuf.ListValue{} == []", "true 40"},
      Row{"google.protobuf.NullValue.NULL_VALUE == 0", "true 1"},
      Row{"google.protobuf.Empty{} == google.protobuf.Empty{}", "true 81"},
      Row{"type(google.protobuf.Empty{}) == google.protobuf.Empty", "true 42"},
      Row{"google.protobuf.Empty{} == null", "false 41"},
      Row{"google.protobuf.Any{} == null", "error"});
  INFO(row.expression);
  CHECK(Answer(row.expression) == row.answer);
}

TEST_CASE("what is no message, or has no such field, does not compile") {
  const auto* const expression = GENERATE(
      "int{} == 3", "google.protobuf.FieldMask{} == 1", "google.protobuf.Int64Value{valu: 3} == 3",
      "google.protobuf.Int64Value{value: 'a'} == 3", "google.protobuf.Int64Value{value: null} == 0",
      "google.protobuf.Int64Value{?value: 1} == 0",
      "google.protobuf.Int64Value{value: 3}.value == 3",
      "google.protobuf.Int64Value{value: 1} == 'a'", "google.protobuf.Value{number_value: 2} == 2",
      "google.protobuf.Struct{fields: {1: 1}} == {}", "google.protobuf.Empty{a: 1} == null",
      "type(3) == google.protobuf.Int64Value", "google.protobuf.NullValue == type(3)",
      "google.protobuf.Value{bool_value: true}");
  INFO(expression);
  CHECK(Answer(expression) == "compile-error");
}

TEST_CASE("a wrapper of bool is a selector's result from 1.37 on, and Any is none there") {
  CHECK(Answer("google.protobuf.BoolValue{value: true}") == "compile-error");
  CHECK(Answer("google.protobuf.BoolValue{value: true}", KubernetesRelease::k137) == "true 40");
  CHECK(Answer("google.protobuf.Any{}") == "error");
  CHECK(Answer("google.protobuf.Any{}", KubernetesRelease::k137) == "compile-error");
}

}  // namespace fedra::cel::messages_test
