#include "store/retention.h"

#include "store/apply.h"
#include "store/store.h"
#include "store/store_file.h"
#include "store/tables/attempts.h"
#include "store/tables/events.h"
#include "store/tables/placements.h"
#include "store/tables/verdicts.h"
#include "store/tables/workloads.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::retention_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr RetentionLimits kMonth{hours(720), uint64_t{1} << 40};

struct Fixture {
  TempFolder folder;
  std::unique_ptr<Connection> db = Fresh();

  std::unique_ptr<Connection> Fresh() {
    Must(EnsureFile(folder.Path("fedra.db")));
    return Must(OpenForWriting(folder.Path("fedra.db")));
  }
  void Put(const Change& change) {
    std::vector<EndedAttempt> ended;
    Must(Apply(*db, change, ended));
  }
  // Until there is no more to do; how many pieces that took.
  int Trim(const RetentionLimits& limits, WallTime now) {
    int pieces = 1;
    while (Must(TrimHistory(*db, limits, now))) ++pieces;
    return pieces;
  }
  int64_t Count(std::string_view sql) { return Must(db->QueryInteger(sql)); }
  // Enough young events that the newest-stay rule keeps none of the others.
  void PutYoungEvents(WallTime at) {
    Must(db->Execute("BEGIN"));
    for (int i = 0; i < 1000; ++i) Put(AddEvent{Event("young", at, "x")});
    Must(db->Execute("COMMIT"));
  }
};

TEST_CASE_METHOD(Fixture, "old events go in bounded pieces, young ones stay") {
  Must(db->Execute("BEGIN"));
  for (int i = 0; i < 2500; ++i) Put(AddEvent{Event("old", At(i), "x")});
  Must(db->Execute("COMMIT"));
  PutYoungEvents(At(0) + hours(720));
  CHECK(Trim(kMonth, At(10'000) + hours(720)) == 3);
  CHECK(Must(LoadEvents(*db, "old")).empty());
  CHECK(Must(LoadEvents(*db, "young")).size() == 1000);
}

TEST_CASE_METHOD(Fixture, "a clock that jumps ahead does not take the newest events") {
  PutYoungEvents(At(0));
  Put(AddEvent{Event("young", At(1), "x")});
  Trim(kMonth, At(0) + hours(24 * 365 * 50));
  CHECK(Must(LoadEvents(*db, "young")).size() == 1000);
}

TEST_CASE_METHOD(Fixture, "attempts go by age when they are over or their workload is") {
  const WallTime now = At(0) + hours(1000);
  Put(PutWorkload{Workload("living", "a")});
  Put(PutAttempt{{"living", 1, ClusterName("a"), At(0), At(1), "Timeout", ""}});
  Put(PutAttempt{{"living", 2, ClusterName("a"), At(2), std::nullopt, "", ""}});
  Put(PutAttempt{{"living", 3, ClusterName("a"), At(3), now, "Timeout", ""}});
  Put(PutAttempt{{"gone", 1, ClusterName("a"), At(0), std::nullopt, "", ""}});
  Trim(kMonth, now);
  const auto left = Must(LoadAttempts(*db, "living"));
  REQUIRE(left.size() == 2);
  CHECK(left[0].number == 2);
  CHECK(left[1].number == 3);
  CHECK(Must(LoadAttempts(*db, "gone")).empty());
}

TEST_CASE_METHOD(Fixture,
                 "a removed workload stays as long as its events; living state is never touched") {
  Put(PutWorkload{Workload("living", "a")});
  Put(PutPlacement{Placement("living")});
  Put(PutResidue{{ClusterName("a"), {"ml", "x"}, "gone", "Job", {"ml", "x"}, At(0)}});
  for (const char* const uid : {"gone", "silent"}) {
    Put(PutWorkload{Workload(uid, "b")});
    Put(RemoveWorkload{uid, At(1)});
  }
  Put(AddEvent{Event("gone", At(1), "x")});
  Trim(kMonth, At(0) + hours(1000));
  CHECK(Count("SELECT count(*) FROM workloads") == 2);
  PutYoungEvents(At(0) + hours(1000));
  Trim(kMonth, At(0) + hours(1000));
  CHECK(Count("SELECT count(*) FROM workloads") == 1);
  CHECK(Count("SELECT count(*) FROM placements") == 1);
  CHECK(Count("SELECT count(*) FROM residues") == 1);
}

TEST_CASE_METHOD(Fixture,
                 "above the size limit the oldest history goes early and the file shrinks") {
  Put(PutWorkload{Workload("living", "a")});
  Put(PutPlacement{Placement("living")});
  Must(db->Execute("BEGIN"));
  EventRow event = Event("u", At(0), "x");
  event.message.assign(1000, 'x');
  for (int i = 0; i < 20'000; ++i) {
    event.at = At(i);
    Put(AddEvent{event});
  }
  Must(db->Execute("COMMIT"));
  Must(db->Checkpoint(true));
  const std::string path = folder.Path("fedra.db");
  const uint64_t before = FileBytes(path);
  REQUIRE(before > 20'000'000);

  constexpr uint64_t kLimit = 10'000'000;
  Trim({hours(720), kLimit}, At(20'000));
  Must(db->Checkpoint(true));
  CHECK(FileBytes(path) < kLimit + 10'000'000);
  const auto left = Must(LoadEvents(*db, "u"));
  CHECK(left.size() > 2000);
  CHECK(left.back().at == At(19'999));  // the newest stay

  // A limit that cannot be kept takes all history and then gives up, without touching what lives.
  Trim({hours(720), 1}, At(20'000));
  CHECK(Must(LoadEvents(*db, "u")).empty());
  CHECK(Must(LoadWorkloads(*db, {})).size() == 1);
  CHECK(Must(LoadPlacements(*db)).size() == 1);
}

TEST_CASE_METHOD(Fixture, "verdicts of workloads that no longer live are removed at the start") {
  Put(PutWorkload{Workload("living", "a")});
  Put(PutVerdicts{"living", {Verdict("living", "a", "Yes")}});
  Put(PutVerdicts{"stray", {Verdict("stray", "a", "Yes")}});
  Must(RemoveStrayVerdicts(*db));
  CHECK(Must(LoadVerdicts(*db, "living")).size() == 1);
  CHECK(Must(LoadVerdicts(*db, "stray")).empty());
}

TEST_CASE("the writer trims by itself, in between commits") {
  TempFolder folder;
  FakeClock clock;
  const std::string path = folder.Path("fedra.db");
  {
    auto store = MustOpen({.path = path});
    for (int i = 0; i < 1500; ++i) store->Enqueue(AddEvent{Event("old", At(i), "x")});
    Must(store->Flush());
  }
  clock.now = At(0) + hours(1000);
  auto store = MustOpen({.path = path, .clock = &clock, .maintenance_interval = milliseconds(1)});
  size_t left = 1500;
  for (int i = 0; left > 1000 && i < 10'000; ++i) {
    Must(store->Commit({PutPlacement{Placement("u")}}));
    left = Must(Must(store->Read())->Events("old")).size();
  }
  CHECK(left == 1000);
}

}  // namespace
}  // namespace fedra::store::retention_test
