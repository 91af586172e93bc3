// What can be done about a reason, as far as its facts tell.

#include "verdict/remedy.h"

#include "tests/support/catch.h"

namespace fedra::verdict::remedy_test {

TEST_CASE("remedy: of a template, by what is known of the manager's") {
  using Copy = Missing::Copy;
  struct Row {
    Copy copy;
    const char* has;      // empty: there is none
    const char* has_not;  // empty: whatever it has
  };
  constexpr const char* kWhereItHasIt = "where the manager has it";
  const Row rows[] = {
      {Copy::kNone, kWhereItHasIt, ""},
      {Copy::kUnknown, kWhereItHasIt, ""},
      {Copy::kNowhere, "on the worker, or on the manager", kWhereItHasIt},
      {Copy::kRefused, "Mend what the worker says", kWhereItHasIt},
      {Copy::kAssumed, "", ""},
      {Copy::kComes, "", ""},
  };
  for (const Row& row : rows) {
    const std::string remedy(RemedyOf(
        {ReasonCode::kTemplateMissing, "",
         Missing{.kind = "ResourceClaimTemplate", .key = {"ml", "one"}, .copy = row.copy}}));
    CAPTURE(remedy, row.has);
    CHECK(remedy.empty() == std::string_view(row.has).empty());
    CHECK(remedy.find(row.has) != std::string::npos);
    if (*row.has_not != '\0') CHECK(remedy.find(row.has_not) == std::string::npos);
  }
}

TEST_CASE("remedy: else the catalogue's") {
  for (const ReasonEntry& entry : ReasonCatalogue()) {
    CHECK(RemedyOf(entry.code) == entry.remedy);
    CHECK(RemedyOf({entry.code, "", Sentence{"x"}}) == entry.remedy);
  }
}

}  // namespace fedra::verdict::remedy_test
