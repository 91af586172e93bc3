// Who we are, as the configuration says.

#include "manager/wiring.h"

#include "tests/support/catch.h"

namespace fedra::wiring_test {
namespace {

using config::KueueMode;
using tracking::Mode;

TEST_CASE("who we are follows kueue.mode; copies of templates have our own origin in every mode") {
  struct Case {
    KueueMode mode;
    tracking::Identity us;
  };
  const Case cases[] = {
      {KueueMode::kAdmissionCheck, {"ours", "", Mode::kAdmissionCheck}},
      {KueueMode::kMultiKueue, {"kueues", "", Mode::kMultiKueue}},
      {KueueMode::kDispatcher, {"kueues", "", Mode::kDispatcher}},
  };
  for (const Case& row : cases) {
    INFO(tracking::ToString(row.us.mode));
    config::Loaded loaded;
    loaded.configuration.origin = "ours";
    loaded.configuration.kueue.mode = row.mode;
    loaded.configuration.kueue.multi_kueue_origin = "kueues";
    CHECK(ToIdentity(loaded.configuration) == row.us);
    CHECK(ToGather(loaded.configuration).us == row.us);
    CHECK(ToGather(loaded.configuration).mode == row.us.mode);
    CHECK(ToTemplates(loaded.configuration).us ==
          tracking::Identity{"ours", "", Mode::kAdmissionCheck});
  }
}

TEST_CASE("in each mode it is clear who makes the copies") {
  struct Case {
    Mode mode;
    bool kueue_copies, takes_over;
  };
  for (const Case& row :
       {Case{Mode::kAdmissionCheck, false, false}, Case{Mode::kMultiKueue, false, true},
        Case{Mode::kDispatcher, true, false}}) {
    CAPTURE(tracking::ToString(row.mode));
    CHECK(KueueCopies(row.mode) == row.kueue_copies);
    CHECK(TakesOver(row.mode) == row.takes_over);
  }
}

TEST_CASE("the names of the modes are read as they are written") {
  for (const Mode mode : {Mode::kAdmissionCheck, Mode::kMultiKueue, Mode::kDispatcher})
    CHECK(tracking::ParseMode(tracking::ToString(mode)) == mode);
  CHECK_FALSE(tracking::ParseMode(""));
  CHECK_FALSE(tracking::ParseMode("Dispatcher"));
}

}  // namespace
}  // namespace fedra::wiring_test
