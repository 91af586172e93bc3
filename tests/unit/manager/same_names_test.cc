// That a choice of the configuration is the same choice below.

#include "manager/same_names.h"

#include "tests/support/catch.h"

namespace fedra::same_names_test {

TEST_CASE("a choice of the configuration is the one of the same name below") {
  CHECK(SameName(config::Drift::kIgnore) == verify::Drift::kIgnore);
  CHECK(SameName(config::Drift::kWarn) == verify::Drift::kWarn);
  CHECK(SameName(config::Drift::kRequire) == verify::Drift::kRequire);
  CHECK(SameName(config::Undeclared::kWarn) == verify::Undeclared::kWarn);
  CHECK(SameName(config::Undeclared::kRequire) == verify::Undeclared::kRequire);
  CHECK(SameName(config::SharedClaims::kPreferTogether) == verify::SharedClaims::kPreferTogether);
  CHECK(SameName(config::SharedClaims::kRequireTogether) == verify::SharedClaims::kRequireTogether);
  CHECK(SameName(config::SyncPolicy::kNever) == templates::SyncPolicy::kNever);
  CHECK(SameName(config::SyncPolicy::kIfMissing) == templates::SyncPolicy::kIfMissing);
  CHECK(SameName(config::SyncPolicy::kReconcile) == templates::SyncPolicy::kReconcile);
  CHECK(SameName(config::DispatchPolicy::kBest) == placement::DispatchPolicy::kBest);
  CHECK(SameName(config::DispatchPolicy::kRace) == placement::DispatchPolicy::kRace);
  CHECK(SameName(config::UnknownPolicy::kTryLast) == placement::UnknownPolicy::kTryLast);
  CHECK(SameName(config::UnknownPolicy::kNever) == placement::UnknownPolicy::kNever);
  CHECK(SameName(config::OrderPolicy::kStrict) == placement::OrderPolicy::kStrict);
  CHECK(SameName(config::OrderPolicy::kBackfill) == placement::OrderPolicy::kBackfill);
  CHECK(SameName(config::OrderPolicy::kBestEffort) == placement::OrderPolicy::kBestEffort);
  CHECK(SameName(config::KueueMode::kAdmissionCheck) == tracking::Mode::kAdmissionCheck);
  CHECK(SameName(config::KueueMode::kMultiKueue) == tracking::Mode::kMultiKueue);
  CHECK(SameName(config::KueueMode::kDispatcher) == tracking::Mode::kDispatcher);
}

}  // namespace fedra::same_names_test
