// Short expressions whose values or types are exponentially large when every shared part is counted
// each time: all must end soon, and with little memory.

#include <chrono>
#include <ctime>
#include <string>

#include "cel/display.h"
#include "cel/evaluation.h"
#include "tests/support/catch.h"
#include "tests/support/slowness.h"
#include "tests/unit/cel/support.h"

namespace fedra::cel::limits_test {
namespace {

constexpr const char* kCostLimit = "error: operation cancelled: actual cost limit exceeded";
constexpr const char* kMemoryLimit = "error: operation cancelled: memory limit exceeded";

std::string Repeated(std::string_view item, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + std::string(item);
  return list;
}

// cel.bind(v0, <first>, cel.bind(v1, <next with $ for v0>, ... <body with $ for the last>)).
std::string Nested(int levels, std::string_view first, std::string_view next,
                   std::string_view body) {
  const auto with = [](std::string_view text, int level) {
    std::string result;
    for (const char c : text) result += c == '$' ? "v" + std::to_string(level) : std::string(1, c);
    return result;
  };
  std::string expression = "cel.bind(v0, " + std::string(first) + ", ";
  for (int level = 1; level < levels; ++level) {
    expression += "cel.bind(v" + std::to_string(level) + ", " + with(next, level - 1) + ", ";
  }
  return expression + with(body, levels - 1) + std::string(static_cast<size_t>(levels), ')');
}

std::string Tens(int levels, std::string_view body) {
  return Nested(levels, "[" + Repeated("1", 10) + "]", "[" + Repeated("$", 10) + "]", body);
}

// The answer, which must come within a second of CPU (ten on a slow machine, and more under
// sanitizers: the unbounded versions take hours).
std::string Soon(const std::string& expression) {
  const std::clock_t start = std::clock();
  std::string answer = SubRequest(expression);
  const std::chrono::seconds used((std::clock() - start) / CLOCKS_PER_SEC);
  CHECK(used < Stretched(std::chrono::seconds(10)));
  return answer;
}

TEST_CASE("format gives up on texts that are too long") {
  CHECK(Soon(Tens(8, "'%s'.format([$]) == ''")) == kMemoryLimit);
  CHECK(Soon(Tens(12, "'%s'.format([$]) == ''")) == kMemoryLimit);
  CHECK(Soon(Nested(12, "{'a': 1}", "{" + Repeated("'k': $", 1) + ", 'l': $, 'm': $, 'n': $}",
                    "'%s'.format([$]) == ''")) == kMemoryLimit);
  CHECK(Soon("'%s'.format([[[1, 2], [3]]]) == '[[1, 2], [3]]'") == "true");
}

TEST_CASE("texts that are thrown away again count too") {
  // Each of the formats fails after making a long text, and exists() would absorb the error.
  CHECK(Soon(Tens(6, "lists.range(1000).exists(i, '%s%d'.format([dyn($), dyn('x')]) == '')")) ==
        kCostLimit);
}

TEST_CASE("comparisons take steps") {
  for (const char* body :
       {"$ == $", "$ != $", "$ in [$]", "[$, $].distinct().size() == 1", "sets.contains([$], [$])",
        "sets.equivalent([$], [$])", "sets.intersects([$], [$])", "[$].indexOf($) == 0",
        "[$].lastIndexOf($) == 0", "{'a': $} == {'a': $}", "optional.of($) == optional.of($)"}) {
    INFO(body);
    CHECK(Soon(Nested(40, "[1]", "[$, $]", body)) == kCostLimit);
  }
  CHECK(Soon(Nested(10, "[1]", "[$, $]", "$ == $")) == "true");
}

TEST_CASE("the steps of a comparison are not absorbed") {
  CHECK(Soon(Nested(40, "[1]", "[$, $]", "$ == $ || true")) == kCostLimit);
  CHECK(Soon(Nested(40, "[1]", "[$, $]", "lists.range(1000).all(i, $ == $)")) == kCostLimit);
}

TEST_CASE("flattening what is empty takes steps") {
  CHECK(Soon(Nested(12, "[]", "[" + Repeated("dyn($)", 10) + "]", "dyn([$]).flatten(20) == []"))
            .starts_with("error: "));
}

TEST_CASE("the price of searching a list of lists takes steps") {
  CHECK(Soon(Nested(40, "[[]]", "[$, $]", "$.indexOf([]) == 0")).starts_with("error: "));
}

TEST_CASE("error texts are cut") {
  const std::string answer = Soon(Tens(10, "dyn({1: 1})[dyn($)] == 1"));
  CHECK(answer.starts_with("error: "));
  CHECK(answer.size() < 2000);
  CHECK(Soon(Tens(10, "[dyn($)].join() == ''")).size() < 2000);
}

TEST_CASE("types that double with every level do not double the time to compile") {
  const std::string too_large = "compile: the types of the expression are too large";
  CHECK(Soon(Nested(40, "[1]", "{$: $}", "$.size() == 1")) == too_large);
  CHECK(Soon(Nested(40, "[]", "{$: $}", "$.size() == 1")) == too_large);
  CHECK(Soon(Nested(60, "[]", "[{}, {$: $}]", "$.size() == 1")) == too_large);
  CHECK(Soon(Nested(60, "[1]", "[{dyn(1): dyn(1)}, {$: $}]", "$ == $")).starts_with("compile: "));
  CHECK(Soon(Nested(6, "[1]", "{$: $}", "$.size() == 1")) == "true");
}

TEST_CASE("a type in a message is cut") {
  const std::string answer = Soon(Nested(12, "[1]", "{$: $}", "$ + 1 == 1"));
  CHECK(answer.starts_with("compile: found no matching overload"));
  CHECK(answer.size() < 4000);
}

TEST_CASE("patterns that are compiled while evaluating take steps") {
  CHECK(Soon("lists.range(100000).exists(i, 'x'.matches('(\\\\pL{50}){' + string(i % 2) + '}y'))")
            .starts_with("error: "));
}

TEST_CASE("the longest selectors that mean something stay within the steps") {
  std::string expression = "device.driver == 'gpu.example.com'";
  while (expression.size() < 10'000)
    expression += " && device.attributes['gpu.example.com'].index == 3";
  CHECK(Soon(expression) == "true");
  std::string list = "device.driver in ['gpu.example.com'";
  while (list.size() < 10'000) list += ", 'a'";
  CHECK(Soon(list + "]") == "true");
  CHECK(Soon("[" + Repeated("[1, 2]", 1000) + "].size() == 1000") == "true");
}

TEST_CASE("a bounded text is cut between characters") {
  BoundedText text(4);
  text.Append("aéé");
  CHECK(text.full());
  const std::string cut = std::move(text).Take();
  CHECK(cut == "aé...");
}

}  // namespace
}  // namespace fedra::cel::limits_test
