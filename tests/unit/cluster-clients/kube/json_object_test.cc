#include "cluster-clients/kube/json_object.h"

#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cluster-clients/kube/json_text.h"
#include "tests/support/catch.h"

namespace fedra::kube::json_object_test {
namespace {

using nlohmann::json;

// What nlohmann's own parser makes of it.
std::optional<json> ByNlohmann(std::string_view text) {
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::nullopt;
  if (const auto metadata = object.find("metadata");
      metadata != object.end() && metadata->is_object())
    metadata->erase("managedFields");
  return object;
}

void CheckSame(const std::string& text) {
  INFO(text);
  const auto ours = ParseObject(text);
  const auto theirs = ByNlohmann(text);
  REQUIRE(ours.has_value() == theirs.has_value());
  if (!ours) return;
  CHECK(*ours == *theirs);
  CHECK(ours->dump() == theirs->dump());  // also whether 1 is an integer
}

TEST_CASE("an object is read as nlohmann's parser reads it") {
  for (const char* text : {
           "{}",
           " {\n\t} \r",
           R"({"a":1,"b":-1,"c":0,"d":-0,"e":1.0,"f":1e3,"g":-2.5E-3})",
           R"({"a":9223372036854775807,"b":9223372036854775808,"c":18446744073709551615})",
           R"({"a":18446744073709551616,"b":-9223372036854775808,"c":-9223372036854775809})",
           R"({"a":12345678901234567890123456,"b":0.1,"c":2.2250738585072014e-308})",
           R"({"a":5e-324,"b":1e-400,"c":1.7976931348623157e308})",
           R"({"a":1e-36744073709551616,"metadata":{"managedFields":[1]}})",
           R"({"a":9007199254740993.0,"b":3.14159265358979323846,"c":123456.789e-7})",
           R"({"a":true,"b":false,"c":null,"d":[],"e":{},"f":[[],[{}],[1,"x",null]]})",
           R"({"":"","a":"\"\\\/\b\f\n\r\t\u0000\u00e9\ud83d\ude00","é":"\u20ac"})",
           R"({"a":1,"a":{"b":2},"a":[3]})",
           R"({"metadata":{"name":"a","managedFields":[{"f:x":["y"]}],"uid":"u"},"spec":{"x":1}})",
           R"({"metadata":{"managedFields":1}})",
           R"({"metadata":{"managedFields":{"a":{"b":[]}},"labels":{"managedFields":"x"}}})",
           R"({"metadata":{"m":{"managedFields":[1]}},"managedFields":[2]})",
           R"({"spec":{"metadata":{"managedFields":[1]}},"metadata":[{"managedFields":[1]}]})",
           R"({"a":{"b":1},"metadata":{"managedFields":[]},"c":{"managedFields":[1]}})",
       })
    CheckSame(text);
}

TEST_CASE("text that is not exactly one JSON object is refused") {
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           "[]",
                           "1",
                           "null",
                           "\"a\"",
                           "{} x",
                           "{}{}",
                           "{\"a\":}",
                           "{\"a\" 1}",
                           "{\"a\":1,}",
                           "{,}",
                           "{a:1}",
                           "{'a':1}",
                           "{\"a\":01}",
                           "{\"a\":1.}",
                           "{\"a\":.5}",
                           "{\"a\":+1}",
                           "{\"a\":1e}",
                           "{\"a\":NaN}",
                           "{\"a\":Infinity}",
                           "{\"a\":1e400}",
                           "{\"a\":-1e400}",
                           "{\"a\":tru}",
                           "{\"a\":\"x}",
                           "{\"a\":\"\n\"}",
                           "{\"a\":\"\\q\"}",
                           "{\"a\":\"\\ud83d\"}",
                           "{\"a\":\"\\udd00\"}",
                           "{\"a\":\"\xff\"}",
                           "{\"a\":\"\xc3\"}",
                           "{\"a\":\"\xed\xa0\x80\"}",
                           "{\"a\":[1 2]}",
                           "{\"a\":[1,]}",
                           "{\"a\":]}",
                           "{/**/}",
                           "\xef\xbb\xbf{",
                           "{\"metadata\":{\"managedFields\":[}}",
                           "{\"metadata\":{\"managedFields\":[1,]}}"}) {
    INFO(text);
    CHECK(!ParseObject(text));
    CHECK(!ByNlohmann(text));
  }
}

TEST_CASE("the nesting of what is parsed is bounded") {
  const auto nested = [](size_t depth) {
    return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  CHECK(ParseObject(nested(kMaxDepth - 1)));
  CHECK(!ParseObject(nested(kMaxDepth)));
  CHECK(!ParseObject(nested(1'000'000)));
}

// Long values arrive in parts.
TEST_CASE("strings of every length and number of escapes are read") {
  for (size_t length = 0; length < 300; ++length) {
    for (const char* piece : {"a", "\\n", "\xc3\xa9", "\\u00e9"}) {
      std::string text;
      for (size_t i = 0; i < length; ++i) text += i % 7 == 0 ? piece : "b";
      CheckSame("{\"" + text + "\":\"" + text + text + "\"}");
    }
  }
}

class RandomText final {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  std::string Object(int depth) {
    std::string text = "{";
    for (int left = Below(5); left > 0; --left)
      text += Space() + Key() + Space() + ":" + Space() + Value(depth) + (left > 1 ? "," : "");
    return text + Space() + "}";
  }
  // A byte of it taken away, doubled or replaced.
  std::string Damaged(std::string text) {
    const auto at = static_cast<size_t>(Below(static_cast<int>(text.size())));
    const char other = "{}[]\",:\\0e-.tn \x01\xc3"[Below(17)];
    switch (Below(3)) {
      case 0:
        return text.erase(at, 1);
      case 1:
        return text.insert(at, 1, text[at]);
      default:
        text[at] = other;
        return text;
    }
  }

 private:
  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  std::string Space() { return std::string(Below(8) == 0 ? 1 : 0, " \n\t\r"[Below(4)]); }
  std::string Key() {
    static const std::vector<std::string> keys = {"metadata", "managedFields", "spec",  "a", "b",
                                                  "",         "\\u0061",       "x\\\\y"};
    return "\"" + keys[static_cast<size_t>(Below(static_cast<int>(keys.size())))] + "\"";
  }
  std::string Value(int depth) {
    switch (depth > 0 ? Below(7) : Below(5)) {
      case 0:
        return std::to_string(Below(2'000) - 1'000);
      case 1:
        return std::to_string(Below(1'000)) + "." + std::to_string(Below(1'000)) +
               (Below(2) == 0 ? "" : "e" + std::to_string(Below(40) - 20));
      case 2:
        return std::vector<std::string>{"true", "false", "null"}[static_cast<size_t>(Below(3))];
      case 3:
        return Key();
      case 4:
        return "\"" + std::string(static_cast<size_t>(Below(80)), 'x') + "\\n\"";
      case 5:
        return Object(depth - 1);
      default: {
        std::string text = "[";
        for (int left = Below(4); left > 0; --left)
          text += Space() + Value(depth - 1) + (left > 1 ? "," : "");
        return text + "]";
      }
    }
  }

  std::mt19937 random_;
};

TEST_CASE("random objects, whole and damaged, are read as nlohmann's parser reads them") {
  for (unsigned seed = 0; seed < 3'000; ++seed) {
    RandomText random(seed);
    const std::string text = random.Object(4);
    CheckSame(text);
    for (int i = 0; i < 5; ++i) CheckSame(random.Damaged(text));
  }
}

}  // namespace
}  // namespace fedra::kube::json_object_test
