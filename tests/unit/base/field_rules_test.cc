#include "base/field_rules.h"

#include "tests/support/catch.h"

namespace fedra::field_rules_test {

namespace {

std::string ProblemOf(std::string_view tests) {
  const auto parsed = ParseTests(tests);
  return parsed ? "ok" : parsed.error().message;
}

std::string ProblemOfCount(std::string_view count) {
  const auto parsed = ParseCount(count);
  return parsed ? "ok" : parsed.error().message;
}

}  // namespace

TEST_CASE("tests of fields are read: one of, none of, above, together") {
  const auto tests = ParseTests(
      "status.conditions[type=Done].status=True and status.state!=|Suspended and status.n[*].a > "
      "0");
  REQUIRE(tests);
  REQUIRE(tests->size() == 3);
  CHECK((*tests)[0] == FieldTest{"status.conditions[type=Done].status", {"True"}});
  CHECK((*tests)[1] == FieldTest{"status.state", {"", "Suspended"}, true});
  CHECK((*tests)[2].path.text() == "status.n[*].a");
  CHECK((*tests)[2].above == 0);
  CHECK(ParseTests("a=b|c").value()[0].values == std::vector<std::string>{"b", "c"});
}

TEST_CASE("what is no test says so") {
  CHECK(ProblemOf("status.phase") ==
        "\"status.phase\" is no test: path=value, path!=value or path>number is expected");
  CHECK(ProblemOf("a=b and c>many") ==
        "\"c>many\" is no test: path=value, path!=value or path>number is expected");
  CHECK(ProblemOf("a!b") ==
        "\"a!b\" is no test: path=value, path!=value or path>number is expected");
  CHECK(ProblemOf("=b") == "\"\" names no field");
  CHECK(ProblemOf("a[type=b]=c") == "\"a[type=b]\" names no field");
  CHECK(ProblemOf("a[b=c") != "ok");
  CHECK(ProblemOf("") != "ok");
}

TEST_CASE("counts of pods are read and written back") {
  for (const char* text : {"replicas", "replicas x min(template.spec.parallelism, completions?)",
                           "replicas?0 x numOfHosts"}) {
    const auto count = ParseCount(text);
    REQUIRE(count);
    CHECK(ToString(*count) == text);
  }
  CHECK(ToString(std::vector<CountFactor>{}) == "1");
  CHECK(ParseCount("a?0").value()[0][0].absent == 0);
  CHECK_FALSE(ParseCount("a?").value()[0][0].absent.has_value());
  CHECK(ParseCount("a").value()[0][0].absent == 1);
  CHECK(ProblemOfCount("a?b") == "\"a?b\": after \"?\" comes a whole number from 0 on, or nothing");
  CHECK(ProblemOfCount("") == "\"\" names no field");
  CHECK(ProblemOfCount("min(a, )") == "\"\" names no field");
  for (const char* text : {"a, b", "min(a, b", "a)"}) {
    INFO(text);
    CHECK_THAT(ProblemOfCount(text), ContainsSubstring("several fields stand in min(a, b)"));
  }
  CHECK_THAT(ProblemOfCount("a?-5"), ContainsSubstring("a whole number from 0 on, or nothing"));
}

}  // namespace fedra::field_rules_test
