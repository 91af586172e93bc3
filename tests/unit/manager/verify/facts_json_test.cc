// Facts as JSON and back, of every type; what programs and the store have of a reason.

#include "manager/verify/facts_json.h"

#include <nlohmann/json.hpp>

#include "manager/verify/reason_json.h"
#include "tests/support/catch.h"
#include "tests/support/sample_reasons.h"
#include "verdict/reason_facts.h"

namespace fedra::verify::facts_json_test {

using nlohmann::ordered_json;

TEST_CASE("facts are read back as they were written") {
  for (const auto& [reason, text] : testing::SampleReasons()) {
    const ordered_json facts = FactsJson(reason.facts);
    INFO(facts.dump());
    CHECK(facts["type"] == verdict::TypeOf(reason.facts));
    CHECK(ParseFacts(facts) == reason.facts);
    const auto kept = ParseKeptReasons(KeptReasons({reason}));
    REQUIRE(kept.size() == 1);
    CHECK(kept[0].code == ToString(reason.code));
    CHECK(kept[0].reason == reason);
  }
}

TEST_CASE("the store keeps no sentence, and programs get one") {
  for (const auto& [reason, text] : testing::SampleReasons()) {
    CHECK_FALSE(KeptJson(reason).contains("message"));
    const ordered_json object = ReasonJson(reason);
    CHECK(object["message"] == text);
    CHECK(object["facts"] == FactsJson(reason.facts));
    CHECK(object.contains("newNodes") == reason.new_nodes.has_value());
  }
}

TEST_CASE("times are as everywhere in JSON, and what is empty is left out") {
  CHECK(FactsJson(
            verdict::Setback{.message = "", .at = testing::SampleTime(0), .paused_until = {}}) ==
        ordered_json({{"type", "Setback"}, {"at", "2026-11-24T16:00:00.000000Z"}}));
}

TEST_CASE("what is not like facts is none") {
  for (const char* text :
       {"3", "[]", "{}", R"({"type":"Later"})", R"({"type":"Drift","fields":[3]})",
        R"({"type":"Gang","pods":"2"})", R"({"type":"Gang","pods":9223372036854775808})",
        R"({"type":"BroadTaintRules","rules":-1})", R"({"type":"NodeCounts","nodes":3000000000})",
        R"({"type":"InLine","first":7})", R"({"type":"NodeRoom","cause":"Later"})",
        R"({"type":"Setback","at":"soon"})", R"({"type":"NodeRoom","resources":[{"asked":"x"}]})",
        R"({"type":"AlternativeCounts","alternatives":[{"code":"Later"}]})"}) {
    INFO(text);
    CHECK_FALSE(ParseFacts(ordered_json::parse(text)));
  }
  CHECK(ParseKeptReasons("no JSON").empty());
  CHECK(ParseKeptReasons("{}").empty());
  CHECK(ParseKeptReasons("[3]").empty());
}

TEST_CASE("an empty name in a list stays one") {
  const verdict::Facts facts = verdict::ClaimPlace{.claim = "c", .workers = {"", "b"}, .user = {}};
  CHECK(ParseFacts(FactsJson(facts)) == facts);
}

TEST_CASE("facts that do not come with the code are not believed") {
  const auto kept =
      ParseKeptReasons(R"([{"code":"InLine","facts":{"type":"Gang","group":"PodGroup ml/g"}}])");
  REQUIRE(kept.size() == 1);
  CHECK(std::holds_alternative<verdict::Sentence>(kept[0].reason.facts));
}

TEST_CASE("what an API server wrote need not be UTF-8") {
  const verdict::Reason reason{verdict::ReasonCode::kClusterUnreachable, "",
                               verdict::Connection{.error = "bad \xff byte"}};
  const auto kept = ParseKeptReasons(KeptReasons({reason}));
  REQUIRE(kept.size() == 1);
  CHECK(std::get<verdict::Connection>(kept[0].reason.facts).error == "bad \xEF\xBF\xBD byte");
}

}  // namespace fedra::verify::facts_json_test
