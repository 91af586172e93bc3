#include "cluster-clients/kube/json_text.h"

#include "tests/support/catch.h"

namespace fedra::kube::json_text_test {
namespace {

TEST_CASE("members are found among strings that look like structure") {
  const std::string text =
      R"( { "a" : "}\"{", "b":[1,{"c":"]"}], "kind":"Job" , "d":{"kind":"inner"}, "n": -1.5e3,"t":true } )";
  CHECK(FindMember(text, "a") == R"("}\"{")");
  CHECK(FindMember(text, "b") == R"([1,{"c":"]"}])");
  CHECK(FindMember(text, "kind") == R"("Job")");
  CHECK(FindMember(text, "d") == R"({"kind":"inner"})");
  CHECK(FindMember(text, "n") == "-1.5e3");
  CHECK(FindMember(text, "t") == "true");
  CHECK(!FindMember(text, "c"));
  CHECK(FindString(text, "kind") == "Job");
  CHECK(FindString(text, "a") == "}\"{");
  CHECK(!FindString(text, "n"));
}

TEST_CASE("escapes in strings are resolved") {
  CHECK(FindString(R"({"a":"x\u003dy\\"})", "a") == "x=y\\");
  CHECK(!FindString(R"({"a":"\q"})", "a"));
}

TEST_CASE("what is no JSON has no members and is no object") {
  for (const char* text : {"", "{", "}", "[", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":}", "{a:1}",
                           "{\"a\":\"x", "{,}", "null", "\"", "{\"a\" 1}", "]", "{\"b\":]}"}) {
    INFO(text);
    CHECK(FindMember(text, "a").value_or("").empty());
    CHECK((std::string_view(text) == "{\"a\":}" || !IsCompleteObject(text) ||
           std::string_view(text).front() == '{'));
  }
  CHECK(!IsCompleteObject("{\"a\":1"));
  CHECK(!IsCompleteObject("{} x"));
  CHECK(!IsCompleteObject("[]"));
  CHECK(IsCompleteObject(" {\"a\":{}}\n"));
}

TEST_CASE("the nesting of an object is bounded") {
  const auto nested = [](size_t depth) {
    return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  CHECK(IsCompleteObject(nested(kMaxDepth - 1)));
  CHECK(!IsCompleteObject(nested(kMaxDepth)));
  CHECK(!IsCompleteObject(nested(100'000)));
  CHECK(ReadMembers(nested(kMaxDepth - 1), {"a"}));
  CHECK(!ReadMembers(nested(kMaxDepth), {"a"}));
}

TEST_CASE("several members are read in one pass, of exactly one object") {
  using Values = std::vector<std::string_view>;
  CHECK(*ReadMembers(R"( {"a":1, "b" : {"a":"}"} , "c":"x"} )", {"c", "b", "d"}) ==
        Values{R"("x")", R"({"a":"}"})", ""});
  CHECK(*ReadMembers("{}", {"a"}) == Values{""});
  CHECK(*ReadMembers(R"({"a":1,"a":2})", {"a"}) == Values{"1"});  // as FindMember has it
  for (const char* text : {"", "{", "[]", "{} x", "{\"a\":1", "{\"a\":1,}", "{\"a\":1 \"b\":2}"}) {
    INFO(text);
    CHECK_FALSE(ReadMembers(text, {"a"}));
  }
}

TEST_CASE("strings of any length end at their quote, whatever is escaped in them") {
  for (size_t length : {0U, 1U, 62U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U}) {
    for (const char* ending : {"", R"(\")", R"(\\)", R"(\\\")", "x"}) {
      const std::string value = '"' + std::string(length, 'x') + ending + '"';
      INFO(value);
      CHECK(FindMember("{\"a\":" + value + ",\"b\":1}", "a") == value);
      CHECK(FindMember("{\"a\":" + value + ",\"b\":1}", "b") == "1");
    }
  }
}

TEST_CASE("a value may arrive in any pieces") {
  const std::string text = R"({"a":"\\\"}","b":[{}]},)";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    ValueScanner scanner;
    size_t end = scanner.Scan(text.substr(0, cut), 0);
    if (!scanner.done()) end = cut + scanner.Scan(text.substr(cut), 0);
    CHECK(scanner.done());
    CHECK(end == text.size() - 1);
  }
}

TEST_CASE("other people's text becomes one bounded line") {
  CHECK(OneLine("a\nb\tc\x7f", 100) == "a b c ");
  CHECK(OneLine("abcdef", 3) == "abc...");
  CHECK(OneLine("a\xc3\xa4"
                "b",
                2) == "a...");  // not half of a character
}

}  // namespace
}  // namespace fedra::kube::json_text_test
