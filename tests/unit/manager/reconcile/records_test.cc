// What is remembered of placements beside the store's rows.

#include "manager/reconcile/records.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::reconcile::records_test {

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

namespace {

store::ResidueRow Residue(const std::string& cluster, const std::string& uid) {
  return {ClusterName(cluster), {"ml", "job-train"}, uid, "Job", {"ml", "train"}, WallTime{12h}};
}

}  // namespace

TEST_CASE("a residue is remembered once, over a restart, until nothing of ours is left there") {
  const TempFolder folder;
  const ObjectKey key{"ml", "job-train"};
  const ClusterName east("east");
  const ClusterName west("west");
  {
    const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
    Records records(*store);
    REQUIRE(records.AddResidue(Residue("east", "uid-1")));
    REQUIRE(records.AddResidue(Residue("east", "uid-1")));
    REQUIRE(records.AddResidue(Residue("west", "uid-1")));
    CHECK(records.ResiduesOn(east) == std::vector{key});
    CHECK(records.ResidueClusters(key) == std::set{east, west});
  }
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  Records records(*store);
  REQUIRE(records.Load());
  CHECK(records.ResidueClusters(key) == std::set{east, west});
  records.ClearResidue(west, key);
  records.ClearResidue(west, {"ml", "another"});
  CHECK(records.ResiduesOn(west).empty());
  CHECK(records.ResiduesOn(east) == std::vector{key});
  // Of an earlier incarnation as well: it is the name that is gone there.
  REQUIRE(records.AddResidue(Residue("east", "uid-2")));
  records.ClearResidue(east, key);
  CHECK(records.ResidueClusters(key).empty());
  REQUIRE(store->Flush());
  CHECK(store->Read().value()->Residues().value().empty());
}

TEST_CASE("an attempt ends once on each worker, and the next one anew") {
  const TempFolder folder;
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  Records records(*store);
  const ObjectKey key{"ml", "job-train"};
  CHECK(records.EndsAttempt(key, ClusterName("east")));
  CHECK_FALSE(records.EndsAttempt(key, ClusterName("east")));
  CHECK(records.EndsAttempt(key, ClusterName("west")));
  CHECK(records.EndsAttempt({"ml", "another"}, ClusterName("east")));
  records.BeginAttempt(key);
  CHECK(records.EndsAttempt(key, ClusterName("east")));
  records.Forget(key);
  CHECK(records.EndsAttempt(key, ClusterName("east")));
}

TEST_CASE("the first look at an end counts, by a clock that was set back from then on") {
  const TempFolder folder;
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  Records records(*store);
  const ObjectKey key{"ml", "job-train"};
  const WallTime noon{12h};
  records.RememberPlacing(key, {ClusterName("east"), noon - 1h});
  records.RememberEnd(key, noon);
  records.RememberEnd(key, noon + 1s);
  const auto placing = records.Placing(key, noon + 2s);
  REQUIRE(placing);
  CHECK(placing->cluster == ClusterName("east"));
  CHECK(placing->end_seen == noon);
  CHECK(records.Placing(key, noon - 10min)->end_seen == noon - 10min);
}

}  // namespace fedra::reconcile::records_test
