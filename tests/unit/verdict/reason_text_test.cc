// Facts in words: of every type, for tenants, with ages, in two lines.

#include "verdict/reason_text.h"

#include <set>

#include "tests/support/catch.h"
#include "tests/support/sample_reasons.h"
#include "verdict/reason_facts.h"

namespace fedra::verdict::reason_text_test {

using testing::SampleReason;
using testing::SampleReasons;

TEST_CASE("every type of facts has its sentence") {
  std::set<std::string_view> types;
  for (const SampleReason& sample : SampleReasons()) {
    CHECK(MessageOf(sample.reason) == sample.text);
    types.insert(TypeOf(sample.reason.facts));
  }
  CHECK(types.size() == std::variant_size_v<Facts::Variant>);
}

TEST_CASE("every code says which facts come with it, and every type comes with one") {
  std::set<std::string_view> types{"Sentence"};
  for (const ReasonEntry& entry : ReasonCatalogue()) {
    INFO(entry.name);
    const auto of_code = FactTypesOf(entry.code);
    CHECK_FALSE(of_code.empty());
    types.insert(of_code.begin(), of_code.end());
  }
  CHECK(types.size() == std::variant_size_v<Facts::Variant>);
  for (const auto& [reason, text] : SampleReasons()) {
    INFO(text);
    CHECK((AreOf(reason.facts, reason.code) || TypeOf(reason.facts) == "Sentence"));
  }
}

TEST_CASE("tenants are not told who holds devices in other namespaces") {
  const CountedCause held{.rule = Rule::kAllocated,
                          .devices = 3,
                          .holders = {{true, {"ml", "train"}}, {false, {"web", "claim"}}},
                          .all_holders = 4};
  CHECK(WhatOf(held) == "allocated (job ml/train, web/claim and 2 more)");
  CHECK(WhatOf(held, {.tenants_of = "ml", .now = {}}) == "allocated (job ml/train and 3 more)");
  CHECK(WhatOf(held, {.tenants_of = "other", .now = {}}) == "allocated");
}

TEST_CASE("three holders are named, and of more it is said how many") {
  const auto held_by = [](size_t named, size_t all) {
    CountedCause held{.rule = Rule::kAllocated, .devices = 9, .all_holders = all};
    for (size_t i = 0; i < named; ++i)
      held.holders.push_back({false, {"ml", std::string(1, static_cast<char>('a' + i))}});
    return WhatOf(held);
  };
  CHECK(held_by(0, 0) == "allocated");
  CHECK(held_by(0, 4) == "allocated");  // no holder that may be named
  CHECK(held_by(1, 1) == "allocated (ml/a)");
  CHECK(held_by(3, 3) == "allocated (ml/a, ml/b, ml/c)");
  CHECK(held_by(3, 0) == "allocated (ml/a, ml/b, ml/c)");  // how many there are is not known
  CHECK(held_by(4, 4) == "allocated (ml/a, ml/b, ml/c and 1 more)");
  CHECK(held_by(3, 7) == "allocated (ml/a, ml/b, ml/c and 4 more)");
}

TEST_CASE("times become ages for who looks now") {
  const Facts setback =
      Setback{"refused the job: 422", testing::SampleTime(0), testing::SampleTime(60)};
  CHECK(MessageOf(setback, {.tenants_of = {}, .now = testing::SampleTime(10)}) ==
        "refused the job: 422 (10s ago); tried again in 50s");
}

TEST_CASE("counts have a line of their own in tables") {
  const SampleReason counted = testing::DeviceSamples().front();
  const TwoLines lines = InTwoLines(counted.reason);
  CHECK(lines.text ==
        "request gpu of claim gpu (template one) wants 2 devices of class gpu.example.com on one "
        "node; 4 "
        "pods need 8 devices, only 3 are untainted and on nodes the pods can use; 1 new node of a "
        "scalable pool (8 devices of class gpu.example.com, zone=a) could provide it");
  CHECK(lines.counts.starts_with("9 devices: 2 other driver, "));
  const SampleReason other = testing::ObjectSamples().front();
  CHECK(InTwoLines(other.reason).text == other.text);
  CHECK(InTwoLines(other.reason).counts.empty());
}

TEST_CASE("without counts a reason is still a sentence") {
  const std::vector<SampleReason> samples = testing::DeviceSamples();
  CHECK(WithoutCounts(samples[0].reason) == InTwoLines(samples[0].reason).text);
  CHECK(WithoutCounts(samples[1].reason) ==
        "request gpu of claim gpu fits in none of 2 alternatives: large (DriverMissing), ...; even "
        "with every device free only 1 of 2 pods would fit");
  CHECK(WithoutCounts(samples[2].reason) == samples[2].text);
}

}  // namespace fedra::verdict::reason_text_test
