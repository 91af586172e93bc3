// What is remembered of placements beside the store's rows.

#include "manager/reconcile/placement_store.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::reconcile::placement_store_test {

using namespace std::chrono_literals;

TEST_CASE("a winner is remembered until its workload is forgotten") {
  const TempFolder folder;
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  PlacementStore placements(*store);
  const ObjectKey key{"ml", "job-train"};
  const WallTime noon{12h};
  CHECK_FALSE(placements.Placing(key, noon).has_value());

  placements.RememberPlacing(key, {ClusterName("east"), noon});
  REQUIRE(placements.Placing(key, noon + 1min).has_value());
  CHECK(placements.Placing(key, noon + 1min)->cluster.value == "east");
  CHECK(placements.Placing(key, noon + 1min)->since == noon);

  // A clock that is set back by an hour gives it no hour more.
  CHECK(placements.Placing(key, noon - 1h)->since == noon - 1h);
  CHECK(placements.Placing(key, noon)->since == noon - 1h);

  placements.Forget(key);
  CHECK_FALSE(placements.Placing(key, noon).has_value());
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

TEST_CASE("failures that somebody asks to forget leave the row, and later ones stay") {
  const WallTime noon{12h};
  store::PlacementRow row;
  row.failures = {{ClusterName("east"), "RecentlyFailed", noon - 2min},
                  {ClusterName("west"), "RecentlyFailed", noon - 1min}};
  CHECK_FALSE(ForgetFailures(row, std::nullopt, noon));
  CHECK_FALSE(ForgetFailures(row, noon + 1s, noon));
  REQUIRE(ForgetFailures(row, noon - 90s, noon));
  REQUIRE(row.failures.size() == 1);
  CHECK(row.failures[0].cluster.value == "west");
  CHECK_FALSE(ForgetFailures(row, noon - 90s, noon));
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
    PlacementStore placements(*store);
    REQUIRE(placements.AddResidue(Residue("east", "uid-1")));
    REQUIRE(placements.AddResidue(Residue("east", "uid-1")));
    REQUIRE(placements.AddResidue(Residue("west", "uid-1")));
    CHECK(placements.ResiduesOn(east) == std::vector{key});
    CHECK(placements.ResidueClusters(key) == std::set{east, west});
  }
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  PlacementStore placements(*store);
  REQUIRE(placements.Load());
  CHECK(placements.ResidueClusters(key) == std::set{east, west});
  placements.ClearResidue(west, key);
  placements.ClearResidue(west, {"ml", "another"});
  CHECK(placements.ResiduesOn(west).empty());
  CHECK(placements.ResiduesOn(east) == std::vector{key});
  // Of an earlier incarnation as well: it is the name that is gone there.
  REQUIRE(placements.AddResidue(Residue("east", "uid-2")));
  placements.ClearResidue(east, key);
  CHECK(placements.ResidueClusters(key).empty());
  REQUIRE(store->Flush());
  CHECK(store->Read().value()->Residues().value().empty());
}

TEST_CASE("an attempt ends once on each worker, and the next one anew") {
  const TempFolder folder;
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  PlacementStore placements(*store);
  const ObjectKey key{"ml", "job-train"};
  CHECK(placements.EndsAttempt(key, ClusterName("east")));
  CHECK_FALSE(placements.EndsAttempt(key, ClusterName("east")));
  CHECK(placements.EndsAttempt(key, ClusterName("west")));
  CHECK(placements.EndsAttempt({"ml", "another"}, ClusterName("east")));
  placements.BeginAttempt(key);
  CHECK(placements.EndsAttempt(key, ClusterName("east")));
  placements.Forget(key);
  CHECK(placements.EndsAttempt(key, ClusterName("east")));
}

TEST_CASE("the first look at an end counts, by a clock that was set back from then on") {
  const TempFolder folder;
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  PlacementStore placements(*store);
  const ObjectKey key{"ml", "job-train"};
  const WallTime noon{12h};
  placements.RememberPlacing(key, {ClusterName("east"), noon - 1h});
  placements.RememberEnd(key, noon);
  placements.RememberEnd(key, noon + 1s);
  const auto placing = placements.Placing(key, noon + 2s);
  REQUIRE(placing);
  CHECK(placing->cluster == ClusterName("east"));
  CHECK(placing->end_seen == noon);
  CHECK(placements.Placing(key, noon - 10min)->end_seen == noon - 10min);
}

}  // namespace fedra::reconcile::placement_store_test
