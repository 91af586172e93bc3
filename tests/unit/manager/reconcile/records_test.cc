// What is remembered of placements beside the store's rows.

#include "manager/reconcile/records.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace fedra;
using namespace fedra::reconcile;
using namespace std::chrono_literals;

TEST_CASE("a winner is remembered until its workload is forgotten") {
  const TempFolder folder;
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  Records records(*store);
  const ObjectKey key{"ml", "job-train"};
  const WallTime noon{12h};
  CHECK_FALSE(records.Placing(key, noon).has_value());

  records.RememberPlacing(key, {ClusterName("east"), noon});
  REQUIRE(records.Placing(key, noon + 1min).has_value());
  CHECK(records.Placing(key, noon + 1min)->cluster.value == "east");
  CHECK(records.Placing(key, noon + 1min)->since == noon);

  // A clock that is set back by an hour gives it no hour more.
  CHECK(records.Placing(key, noon - 1h)->since == noon - 1h);
  CHECK(records.Placing(key, noon)->since == noon - 1h);

  records.Forget(key);
  CHECK_FALSE(records.Placing(key, noon).has_value());
}

TEST_CASE("what began later than now begins now") {
  const WallTime noon{12h};
  store::PlacementRow row;
  row.nominated_at = noon + 1h;
  row.failures = {{ClusterName("east"), "RecentlyFailed", noon + 1h},
                  {ClusterName("west"), "RecentlyFailed", noon - 1h}};
  REQUIRE(BringBack(row, noon));
  CHECK(row.nominated_at == noon);
  CHECK(row.failures[0].at == noon);
  CHECK(row.failures[1].at == noon - 1h);
  CHECK_FALSE(BringBack(row, noon));
}
