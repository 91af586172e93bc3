#include "manager/report/row_facts.h"

#include "tests/support/catch.h"
#include "tests/unit/manager/support/full_reasons.h"

namespace fedra::report::row_facts_test {
namespace {

store::VerdictRow Verdict(const std::string& outcome, std::string reasons_json) {
  store::VerdictRow row;
  row.outcome = outcome;
  row.reasons_json = std::move(reasons_json);
  return row;
}

}  // namespace

TEST_CASE("codes alone are those of the reasons, whatever the text is") {
  std::vector<store::VerdictRow> verdicts = {
      Verdict("No", verify::KeptReasons(testing::FullReasons())),
      Verdict("No",
              R"([{"facts":{"code":"X","type":"Later"},"code":"InLine"},7,{"code":"Later"}])"),
      Verdict("MayScale", R"([{"code":7},[{"code":"X"}]])"),
      Verdict("Unknown", "[]"),
      Verdict("No", R"({"code":"X"})"),
      Verdict("No", "no JSON"),
      Verdict("Yes", "[]"),
      Verdict("No", R"([{"code":"InLine","facts":{"a":[{"code":"Y"}]}}])")};
  for (const store::VerdictRow& row : verdicts) {
    CAPTURE(row.reasons_json);
    std::vector<std::string> codes;
    for (const verify::KeptReason& reason : ReasonsOf(row)) codes.push_back(reason.code);
    CHECK(verify::ParseKeptCodes(row.reasons_json) == codes);
  }
  const std::vector<ReasonCount> counts = CountCodes(verdicts);
  const std::vector<ReasonCount> expected = CountReasons(verdicts);
  REQUIRE(counts.size() == expected.size());
  CHECK(counts.front().code == "InLine");
  for (size_t i = 0; i < counts.size(); ++i) {
    CHECK(counts[i].code == expected[i].code);
    CHECK(counts[i].workers == expected[i].workers);
  }
}

}  // namespace fedra::report::row_facts_test
