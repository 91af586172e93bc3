// What those who follow the store get of its transactions.

#include "store/written.h"

#include <algorithm>

#include "base/guarded.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::written_test {

using Uids = std::vector<std::string>;

namespace {

struct Fixture {
  Written Commit(std::vector<Change> changes) {
    told.With([](Written& all) { all = {}; });
    REQUIRE(store->Commit(std::move(changes)));
    // It is told after the commit has come back.
    REQUIRE(store->Flush());
    REQUIRE(store->Commit({AddIntent{Intent(store->NewIntentId(), "none")}}));
    return told.Copy();
  }

  TempFolder folder;
  Guarded<Written> told;
  std::unique_ptr<Store> store =
      MustOpen({.path = folder.Path("fedra.db"), .on_transaction = [this](const auto& report) {
                  told.With([&](Written& all) {
                    all.daemon |= report.written.daemon;
                    all.workers |= report.written.workers;
                    std::ranges::copy(report.written.workloads, std::back_inserter(all.workloads));
                  });
                }});
};

}  // namespace

TEST_CASE_METHOD(Fixture, "written: what readers can see is told, by topic") {
  struct Row {
    std::string what;
    std::vector<Change> changes;
    bool daemon = false;
    bool workers = false;
    Uids workloads = {};
  };
  const Row rows[] = {
      {"a workload", {PutWorkload{Workload("a", "train")}}, false, false, {"a"}},
      {"of two, one twice",
       {PutWorkload{Workload("b", "x")}, PutVerdicts{"a", {}}, PutPlaces{"a", {}}},
       false,
       false,
       {"a", "b"}},
      {"an event", {AddEvent{Event("a", At(1), "Dispatched")}}, false, false, {"a"}},
      {"attempts",
       {EndAttempts{"a", {}}, EndEarlierAttempts{.uid = "b"}},
       false,
       false,
       {"a", "b"}},
      {"its end", {RemoveWorkload{"a", At(2)}}, false, false, {"a"}},
      {"what only the daemon reads", {PutPlacement{Placement("a")}, RemovePlacement{"a"}}},
      {"a cluster", {PutCluster{Cluster("east")}}, false, true},
      {"the same one", {PutCluster{Cluster("east")}}},
      {"what is left behind", {RemoveResidue{ClusterName("east"), "a"}}, false, true},
      {"the heartbeat", {SetHeartbeat{{.at = At(1), .pid = 1}}}, true},
      {"later", {SetHeartbeat{{.at = At(2), .pid = 1}}}},
      {"of another leader", {SetHeartbeat{{.at = At(3), .pid = 1, .leader = "b"}}}, true},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const Written written = Commit(row.changes);
    CHECK(written.daemon == row.daemon);
    CHECK(written.workers == row.workers);
    CHECK(written.workloads == row.workloads);
  }
}

TEST_CASE_METHOD(Fixture, "written: ages of a cluster are no news, and what else changes is") {
  ClusterRow row = Cluster("east");
  CHECK(Commit({PutCluster{row}}).workers);
  row.last_contact = At(5);
  row.updated_at = At(6);
  CHECK_FALSE(Commit({PutCluster{row}}).workers);
  row.why = "no answer in time";
  CHECK(Commit({PutCluster{row}}).workers);
  CHECK(Commit({RemoveCluster{row.name}}).workers);
  CHECK(Commit({PutCluster{row}}).workers);
}

TEST_CASE_METHOD(Fixture,
                 "written: the jobs of uids are found, removed ones too, where they are shown") {
  WorkloadRow other = Workload("b", "stripes");
  other.job.ns = other.key.ns = "zebra";
  REQUIRE(store->Commit(
      {PutWorkload{Workload("a", "train")}, PutWorkload{other}, RemoveWorkload{"a", At(1)}}));
  const auto reader = store->Read();
  REQUIRE(reader);
  const ObjectKey own = Workload("a", "train").job;
  const auto all = (*reader)->JobsOf({"a", "b", "none"});
  REQUIRE(all);
  CHECK(*all == std::set<ObjectKey>{own, {"zebra", "stripes"}});
  REQUIRE((*reader)->ShowOnly({own.ns}));
  const auto shown = (*reader)->JobsOf({"a", "b"});
  REQUIRE(shown);
  CHECK(*shown == std::set<ObjectKey>{own});
}

}  // namespace fedra::store::written_test
