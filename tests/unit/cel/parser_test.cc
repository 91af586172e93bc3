#include "cel/parser.h"

#include "cel/selector.h"
#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"

namespace fedra::cel::parser_test {
namespace {

std::string FailureText(std::string_view expression) {
  const auto selector = CompileSelector(expression);
  return selector ? "" : selector.error().ToString();
}

TEST_CASE("a syntax error points to its place in cel-go's layout") {
  CHECK(FailureText("device.attributes[\"memory\"] >= 80g") ==
        "ERROR: <input>:1:34: Syntax error: extraneous input 'g' expecting <EOF>\n"
        " | device.attributes[\"memory\"] >= 80g\n"
        " | .................................^");
  CHECK(FailureText("device.driver == 'x' &&\n  foo") ==
        "ERROR: <input>:2:3: undeclared reference to 'foo' (in container '')\n |   foo\n | ..^");
  CHECK(FailureText("\"é\" + foo") ==
        "ERROR: <input>:1:7: undeclared reference to 'foo' (in container '')\n"
        " | \"é\" + foo\n | .．....^");
  CHECK(FailureText("true and false") ==
        "ERROR: <input>:1:6: Syntax error: mismatched input 'and' expecting <EOF>\n | true and "
        "false\n | .....^");
}

TEST_CASE("texts that are no expression") {
  for (const char* text : {"",
                           "?!",
                           "1 +",
                           "(",
                           ")",
                           "[1, 2",
                           "{1: 2",
                           "{1}",
                           "a.",
                           "a..b",
                           "a b",
                           "1 ? 2",
                           "'abc",
                           "\"\\q\"",
                           "'a\nb'",
                           "@",
                           "x.in",
                           "x.true",
                           "f(",
                           "f(1",
                           "f(1,)",
                           "a[",
                           "a[]",
                           "!",
                           "-",
                           "1 = 1",
                           "a ? b : c : d",
                           "if",
                           "for(1)",
                           "`a`",
                           "0xg",
                           "r'",
                           "b\"\\u00e9\"",
                           "'\\ud800'",
                           "1.e3",
                           ".",
                           ".1.",
                           "in",
                           "#",
                           "// only a comment"}) {
    INFO(text);
    const auto selector = CompileSelector(text);
    CHECK_FALSE(selector);
    if (!selector) CHECK_FALSE(selector.error().issues.empty());
  }
}

TEST_CASE("literals") {
  const char* const truths[] = {"0x1F == 31",
                                "1u + 0x10u == 17u",
                                "-9223372036854775808 < 0",
                                "1e3 == 1000.0",
                                ".5 == 0.5",
                                "1.5E-1 == 0.15",
                                "'it\\'s' == \"it's\"",
                                "'\\a\\b\\f\\n\\r\\t\\v\\\\\\?\\`'.size() == 10",
                                "'\\x41\\u0042\\U00000043\\104' == 'ABCD'",
                                "r'\\n' == '\\\\n'",
                                "R\"\"\"a\"b\"\"\" == 'a\"b'",
                                "'''a\nb''' == 'a\\nb'",
                                "b'\\xff' == b'\\377'",
                                "b'é'.size() == 2",
                                "'é'.size() == 1",
                                "br'\\n'.size() == 2",
                                "[1, 2,].size() == 2",
                                "{'a': 1,}.size() == 1",
                                "null == null",
                                "--1 == 1",
                                "- 1 == -1",
                                "!!true",
                                "[1][0] == 1",
                                "{'a': 1}.a == 1",
                                "'a' 'b' == 'ab' || true || \"x\" == 'x'"};
  for (const char* expression : truths) {
    INFO(expression);
    if (std::string_view(expression).starts_with("'a' 'b'")) {
      CHECK_FALSE(CompileSelector(expression));  // adjacent strings do not concatenate
    } else {
      CHECK(SubRequest(expression) == "true");
    }
  }
}

TEST_CASE("numbers that do not fit are errors") {
  CHECK(SubRequest("9223372036854775808 > 0") == "compile: invalid int literal");
  CHECK(SubRequest("18446744073709551616u > 0u") == "compile: invalid uint literal");
  CHECK(SubRequest("1e400 > 0.0") == "compile: invalid double literal");
  CHECK(SubRequest("1e-400 == 0.0") == "true");
}

TEST_CASE("comments and white space are skipped") {
  CHECK(SubRequest(" \t\r\n\f true // a comment\n && // another\n true") == "true");
}

TEST_CASE("precedence and associativity") {
  CHECK(SubRequest("1 + 2 * 3 == 7") == "true");
  CHECK(SubRequest("10 - 4 - 3 == 3") == "true");
  CHECK(SubRequest("true || false && false") == "true");
  CHECK(SubRequest("false ? true : true ? true : false") == "true");
  CHECK(SubRequest("2 + 2 == 4 && 1 in [1]") == "true");
  CHECK(SubRequest("-2 * -2 == 4") == "true");
  CHECK(SubRequest("1 < 2 == true") == "true");
}

TEST_CASE("reserved words are fields but no names") {
  CHECK(SubRequest("if") == "compile: reserved identifier: if");
  CHECK(SubRequest("{'if': true}.if") == "true");
  CHECK(SubRequest("{'in': true}['in']") == "true");
}

TEST_CASE("nesting is limited as in cel-go") {
  const auto nested = [](const std::string& open, const std::string& middle,
                         const std::string& close, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += open;
    text += middle;
    for (int i = 0; i < n; ++i) text += close;
    return text;
  };
  CHECK(SubRequest(nested("(", "true", ")", 249)) == "true");
  CHECK(SubRequest(nested("(", "true", ")", 250)) ==
        "compile: expression recursion limit exceeded: 250");
  CHECK(SubRequest("1" + nested("+1", "", "", 249) + " > 0") == "true");
  CHECK(SubRequest("1" + nested("+1", "", "", 250) + " > 0") ==
        "compile: max recursion depth exceeded");
  CHECK(SubRequest(nested("true?true:", "true", "", 249)) == "true");
  CHECK(SubRequest(nested("true?true:", "true", "", 250)) ==
        "compile: expression recursion limit exceeded: 250");
  CHECK(SubRequest(nested("(1+", "1", ")", 124) + " > 0") == "true");
  CHECK(SubRequest(nested("(1+", "1", ")", 125) + " > 0") ==
        "compile: expression recursion limit exceeded: 250");
  CHECK(SubRequest("true" + nested("&&true", "", "", 600)) == "true");
  CHECK(SubRequest(nested("!", "true", "", 600)) == "true");
}

TEST_CASE("an expression has a greatest length") {
  const std::string long_text = "'" + std::string(10 * 1024, 'x') + "' != ''";
  CHECK(SubRequest(long_text) == "compile: the expression has 10248 bytes, the limit is 10240");
  SelectorOptions unlimited;
  unlimited.max_expression_bytes = 0;
  CHECK(SubRequest(long_text, unlimited) == "true");
  const std::string longer = "'" + std::string(100'000, 'x') + "' != ''";
  CHECK(SubRequest(longer, unlimited) ==
        "compile: expression code point size exceeds limit: size: 100008, limit 100000");
}

TEST_CASE("bytes that are not UTF-8 are refused") {
  CHECK(SubRequest("'\xff' == ''") == "compile: the expression is not valid UTF-8");
  CHECK(SubRequest("'\xed\xa0\x80' == ''") == "compile: the expression is not valid UTF-8");
}

TEST_CASE("macros are macros only with their number of arguments") {
  CHECK(SubRequest("[1].all(x)") == "compile: undeclared reference to 'all' (in container '')");
  CHECK(SubRequest("[1].all(1, true)") == "compile: argument must be a simple name");
  CHECK(SubRequest("[1].map(1, true) == []") == "compile: argument is not an identifier");
  CHECK(SubRequest("[1].all(i, i, true)") == "compile: duplicate variable name: i");
  CHECK(SubRequest("[1].all(__result__, true)") ==
        "compile: iteration variable overwrites accumulator variable");
  CHECK(SubRequest("has(device)") == "compile: invalid argument to has() macro");
  CHECK(SubRequest("cel.bind(1, 2, true)") ==
        "compile: cel.bind() variable names must be simple identifiers");
}

TEST_CASE("reserved words, prefixes, escapes, literals, nesting") {
  // Reserved words are no names, but fields; `in` is neither.
  CHECK(SubRequest("{'for': 1}.for == 1") == "true");
  CHECK(SubRequest("for == 1").starts_with("compile: "));
  CHECK(SubRequest("{'in': 1}.in == 1").starts_with("compile: Syntax error"));
  CHECK(SubRequest("{'in': 1}['in'] == 1") == "true");

  CHECK(SubRequest(R"(r'\d' == '\\d' && R"\n" == "\\n")") == "true");
  CHECK(SubRequest(R"(b'é' == b'\xc3\xa9' && b'\xff' != b'ÿ')") == "true");
  CHECK(SubRequest(R"(br'\x41' == b'\\x41')") == "true");
  CHECK(SubRequest(R"('\x41\101\u00e9\U0001F600' == 'AAé😀')") == "true");
  CHECK(SubRequest(R"('''it's''' == "it's")") == "true");
  CHECK(SubRequest(R"('\q' == 'q')").starts_with("compile: Syntax error"));

  CHECK(SubRequest("[1, 'a'].size() == 2") == "compile: expected type 'int' but found 'string'");
  CHECK(SubRequest("{'a': 1, 'b': 'c'}.size() == 2") ==
        "compile: expected type 'int' but found 'string'");

  const auto nested = [](size_t depth) {
    return std::string(depth, '(') + "true" + std::string(depth, ')');
  };
  CHECK(SubRequest(nested(100)) == "true");
  CHECK(SubRequest(nested(300)).starts_with("compile: "));
}

}  // namespace
}  // namespace fedra::cel::parser_test
