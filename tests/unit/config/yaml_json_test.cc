#include <string>
#include <vector>

#include "config/yaml_json.h"
#include "tests/support/catch.h"

namespace fedra::config::yaml_json_test {
namespace {

// The documents joined by a line break, or "error: ...".
std::string Json(const std::string& yaml) {
  const auto result = YamlToJson(yaml);
  if (!result) return "error: " + result.error().message;
  std::string joined;
  for (const std::string& text : *result) joined += (joined.empty() ? "" : "\n") + text;
  return joined;
}

// Expected values were made with YAMLToJSON of sigs.k8s.io/yaml 1.6.0; only the spelling of
// exponents differs.
TEST_CASE("plain scalars get kubectl's types") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"yes", "true"},
      {"off", "false"},
      {"y", "true"},
      {"N", "false"},
      {"True", "true"},
      {"tRue", "\"tRue\""},
      {"~", "null"},
      {"Null", "null"},
      {"", "null"},
      {"0", "0"},
      {"0755", "493"},
      {"089", "89"},
      {"0x1F", "31"},
      {"0o17", "15"},
      {"0b101", "5"},
      {"-0x10", "-16"},
      {"1_000", "1000"},
      {"+12", "12"},
      {"1e3", "1000"},
      {"1.0", "1"},
      {".5", "0.5"},
      {"1.", "1"},
      {"-1.5e-7", "-1.5e-07"},
      {"1.2.3", "\"1.2.3\""},
      {"12:30:45", "\"12:30:45\""},
      {"2026-11-21", "\"2026-11-21\""},
      {"100m", "\"100m\""},
      {"1Gi", "\"1Gi\""},
      {"9223372036854775807", "9223372036854775807"},
      {"18446744073709551615", "18446744073709551615"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"'yes'", "\"yes\""},
      {"\"1\"", "\"1\""},
      {"!!str 12", "\"12\""},
      {"!!int \"12\"", "12"},
      {"!!float 2", "2"},
      {"!custom x", "\"x\""},
      {"a b", "\"a b\""},
      {"0x", "\"0x\""},
      {"1e999", "\"1e999\""},
  };
  for (const auto& [yaml, json] : rows) {
    INFO(yaml);
    CHECK(Json("k: " + yaml + "\n") == "{\"k\":" + json + "}");
  }
}

TEST_CASE("keys become strings") {
  CHECK(Json("yes: 1\n") == R"({"true":1})");
  CHECK(Json("0x10: 1\n1.5: 2\n\"on\": 3\n") == R"({"16":1,"1.5":2,"on":3})");
  CHECK(Json("~: 1\n") == "error: line 1, column 1: a key must be a string, a number or a boolean");
  CHECK(Json("[a]: 1\n") == "error: line 1, column 1: a key must be a scalar");
  CHECK(Json("a: 1\nb: 2\na: 3\n") == "error: line 3, column 1: key \"a\" is there twice");
  CHECK(Json("a: {yes: 1, true: 2}\n") == "error: line 1, column 13: key \"true\" is there twice");
}

TEST_CASE("documents") {
  CHECK(Json("").empty());
  CHECK(Json("# only a comment\n").empty());
  CHECK(Json("a: 1\n---\n# nothing\n---\nb: [x, {c: d}]\n...\n") ==
        "{\"a\":1}\n{\"b\":[\"x\",{\"c\":\"d\"}]}");
  CHECK(Json("---\na: 1\n") == "{\"a\":1}");
  CHECK(Json("just text\n") == "\"just text\"");
}

TEST_CASE("JSON passes, also with tabs and escapes") {
  CHECK(Json("{\n\t\"a\": {\"b\":[1,2.5,true,null,\"x\\/y\\u00e9\"]},\"c\":\"yes\"}\n") ==
        "{\"a\":{\"b\":[1,2.5,true,null,\"x/y\u00e9\"]},\"c\":\"yes\"}");
  CHECK(Json(R"({"a":"line\nbreak \"quoted\" back\\slash \t"})") ==
        R"({"a":"line\u000abreak \"quoted\" back\\slash \u0009"})");
}

TEST_CASE("block scalars, anchors and merges") {
  CHECK(Json("s: |\n  a\n  b\nf: >-\n  c\n  d\n") == R"({"s":"a\u000ab\u000a","f":"c d"})");
  CHECK(Json("x: &a {q: 1, r: 2}\nw: {<<: *a, q: 3}\nz: *a\n") ==
        R"({"x":{"q":1,"r":2},"w":{"q":3,"r":2},"z":{"q":1,"r":2}})");
  CHECK(Json("l: [&a {p: 1}, &b {p: 2, q: 2}]\nm: {<<: [*a, *b]}\n") ==
        R"({"l":[{"p":1},{"p":2,"q":2}],"m":{"p":1,"q":2}})");
  CHECK(Json("<<: 3\n") == "error: line 1, column 5: \"<<\" merges a map or a list of maps only");
}

TEST_CASE("what JSON cannot say is an error with its place") {
  CHECK(Json("a: 1\nb: .inf\n") == "error: line 2, column 4: JSON has no infinite numbers");
  CHECK(Json("a: !!int x\n") ==
        "error: line 1, column 4: the value does not fit its tag tag:yaml.org,2002:int");
  CHECK(Json("a: !!binary aGk=\n") ==
        "error: line 1, column 4: the value does not fit its tag tag:yaml.org,2002:binary");
  CHECK(Json("a: b: c\n") == "error: line 1, column 5: not valid YAML: illegal map value");
  CHECK(Json("\"a\" ] b\n") == "error: line 1, column 5: not valid YAML: illegal flow end");
  CHECK(Json("&\":c/a,\"\"o]") == "error: line 1, column 7: not valid YAML: unexpected text");
  CHECK(Json("a: \"\\N\"\n") ==
        "error: line 1, column 4: the escapes \\N and \\_ are not supported");
  CHECK(Json("a: \"\\x85\\0\"\n") == "{\"a\":\"\xc2\x85\\u0000\"}");
  CHECK(Json("a: *nobody\n") ==
        "error: line 1, column 4: not valid YAML: the referenced anchor is not defined");
  CHECK(Json("a: \"\xc3\x28\"\n") == "error: line 1, column 5: not valid UTF-8");
  CHECK(Json(std::string("a: 1\nb: \0\n", 10)) ==
        "error: line 2, column 4: control character 0x00");
  CHECK(Json(std::string(101, '[') + std::string(101, ']')) ==
        "error: line 1, column 101: nested more than 100 levels deep");
}

TEST_CASE("a text above the bound is too large, not invalid") {
  const auto result = YamlToJson(std::string((size_t{16} << 20) + 1, ' '));
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kTooLarge);
}

TEST_CASE("many values and many documents end at the bound") {
  std::string documents;
  for (int i = 0; i < 1'000'001; ++i) documents += "---\n";
  CHECK_THAT(Json(documents), ContainsSubstring("more than 1000000 values"));
}

}  // namespace
}  // namespace fedra::config::yaml_json_test
