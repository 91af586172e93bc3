// Derived attributes: validateOutputType and valToDeviceAttribute of
// k8s.io/dynamic-resource-allocation/cel v0.37.2.

#include "cel/derived_attribute.h"

#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"

namespace fedra::cel::derived_attribute_test {
namespace {

std::string Show(const AttributeValue& value) {
  const auto list = [](const auto& items, auto&& show) {
    std::string text = "[";
    for (const auto& item : items) text += (text.size() > 1 ? ", " : "") + show(item);
    return text + "]";
  };
  const auto scalar = []<class T>(const T& item) -> std::string {
    if constexpr (std::is_same_v<T, bool>)
      return item ? "true" : "false";
    else if constexpr (std::is_same_v<T, int64_t>)
      return std::to_string(item);
    else if constexpr (std::is_same_v<T, std::string>)
      return "'" + item + "'";
    else if constexpr (std::is_same_v<T, VersionText>)
      return "v" + item.text;
    else
      return "nothing";
  };
  return std::visit(
      [&]<class T>(const T& content) -> std::string {
        if constexpr (std::is_same_v<T, std::vector<bool>>)
          return list(content, [&](bool item) { return scalar(item); });
        else if constexpr (requires { content.begin()->text; })
          return list(content, scalar);
        else if constexpr (std::is_same_v<T, std::vector<int64_t>> ||
                           std::is_same_v<T, std::vector<std::string>>)
          return list(content, scalar);
        else
          return scalar(content);
      },
      value);
}

// "3", "'a'", "error: ...", or "compile: ..." with the first issue.
std::string Derive(std::string_view expression, const Device& device = SampleDevice()) {
  SelectorOptions options;
  options.release = KubernetesRelease::k137;
  options.list_attributes = true;
  const auto attribute = CompileDerivedAttribute(expression, options);
  if (!attribute) return "compile: " + attribute.error().issues.at(0).message;
  const DerivedValue found = attribute->Evaluate(device);
  return found.failed() ? "error: " + found.error : Show(found.value);
}

TEST_CASE("what an expression yields becomes an attribute") {
  const std::vector<std::pair<const char*, const char*>> rows = {
      {"1 + 2", "3"},
      {"'a' + 'b'", "'ab'"},
      {"device.driver == 'gpu.example.com'", "true"},
      {"semver('1.2.3-rc.1+b')", "v1.2.3-rc.1+b"},
      {"semver('v1.2', true)", "v1.2.0"},
      {"device.attributes['gpu.example.com'].model", "'a100'"},
      {"device.attributes['gpu.example.com'].index", "3"},
      {"device.attributes['gpu.example.com'].firmware", "v1.2.3"},
      {"[1, 2]", "[1, 2]"},
      {"['a']", "['a']"},
      {"[true, false]", "[true, false]"},
      {"[semver('1.0.0')]", "[v1.0.0]"},
      {"[]", "[]"},
      {"dyn([1])", "[1]"},
      {"[device.attributes['gpu.example.com'].model]", "['a100']"},
      // ref.Val's Value() is the name of a type, and the content of an optional.
      {"dyn(type(1))", "'int'"},
      {"dyn(optional.of(1))", "1"},
      {"google.protobuf.Int64Value{value: 7}", "7"},
  };
  for (const auto& [expression, value] : rows) {
    INFO(expression);
    CHECK(Derive(expression) == value);
  }
}

TEST_CASE("other types are refused: when it is compiled, or when it is seen") {
  const std::string refused =
      "compile: must evaluate to a primitive scalar (string, integer, boolean, semver) or a list "
      "of these scalars, not ";
  CHECK(Derive("1u") == refused + "uint");
  CHECK(Derive("1.5") == refused + "double");
  CHECK(Derive("{'a': 1}") == refused + "map(string, int)");
  CHECK(Derive("[[1]]") == refused + "list(list(int))");
  CHECK(Derive("[1u]") == refused + "list(uint)");
  CHECK(Derive("quantity('1')") == refused + "kubernetes.Quantity");
  CHECK(Derive("type(1)").starts_with(refused));
  CHECK(Derive("optional.of(1)").starts_with(refused));
  CHECK(Derive("1 +").starts_with("compile: "));
  CHECK(Derive("dyn(1u)") == "error: unsupported CEL return type: uint");
  CHECK(Derive("dyn(null)") == "error: unsupported CEL return type: null_type");
  CHECK(Derive("dyn(optional.none())") == "error: unsupported CEL return type: null_type");
  CHECK(Derive("dyn(optional.of([1]))") == "error: unsupported CEL return type: list");
  CHECK(Derive("dyn([1.5])") == "error: unsupported list element type: double");
  CHECK(Derive("[dyn(1), dyn('a')]") ==
        "error: expected list element at index 1 to be int, got string");
}

TEST_CASE("an evaluation error is no value") {
  CHECK(Derive("device.attributes['gpu.example.com'].missing") == "error: no such key: missing");
  CHECK(Derive("1 / (device.driver == '' ? 1 : 0)") == "error: division by zero");
  DeviceInput input = SampleInput();
  input.attributes.emplace_back("broken", VersionText{"v1"});
  CHECK(Derive("1", Device(input)).starts_with("error: attribute broken"));
}

TEST_CASE("a selector of an attribute's type is still one, and no number") {
  CHECK(SubRequest("1").starts_with("compile: must evaluate to bool"));
}

}  // namespace
}  // namespace fedra::cel::derived_attribute_test
