// A disk that refuses: errors are clear, nothing is lost, and work continues when it accepts again.
#include <sqlite3.h>

#include <atomic>
#include <future>

#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/unit/store/faulty_disk.h"
#include "tests/unit/store/support.h"

namespace fedra::store::faults_test {
namespace {

struct Fixture {
  FaultyDisk disk;
  TempFolder folder;
  const std::string path = folder.Path("fedra.db");
};

TEST_CASE_METHOD(
    Fixture, "a commit on a full disk fails, and the next one works when there is space again") {
  auto store = MustOpen({.path = path});
  Must(store->Commit({PutPlacement{Placement("before")}}));
  FaultyDisk::write_error = SQLITE_FULL;
  const Result<void> refused =
      store->Commit({PutPlacement{Placement("during")}, AddIntent{Intent(1, "during")}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kStorage);
  CHECK_THAT(refused.error().message,
             ContainsSubstring(path) && ContainsSubstring("free some space"));
  CHECK(store->Stats().failing->code == ErrorCode::kStorage);

  FaultyDisk::write_error = 0;
  Must(store->Commit({PutPlacement{Placement("after")}}));
  CHECK_FALSE(store->Stats().failing);
  auto reader = Must(store->Read());
  const auto placements = Must(reader->Placements());
  REQUIRE(placements.size() == 2);
  CHECK(placements[0].uid == "after");
  CHECK(placements[1].uid == "before");
  CHECK(Must(reader->Intents()).empty());  // all or nothing
}

TEST_CASE_METHOD(Fixture,
                 "what was enqueued while the disk was full is written when there is space again") {
  std::atomic<int> failed{0};
  auto store = MustOpen({.path = path, .on_transaction = [&](const TransactionReport& report) {
                           if (!report.ok) ++failed;
                         }});
  FaultyDisk::write_error = SQLITE_FULL;
  store->Enqueue(PutWorkload{Workload("u1", "train")});
  store->Enqueue(AddEvent{Event("u1", At(1), "Dispatched")});
  const Result<void> flushed = store->Flush();
  REQUIRE_FALSE(flushed);
  CHECK(flushed.error().code == ErrorCode::kStorage);
  CHECK(failed > 0);
  // Newer than what is waiting to be tried again.
  WorkloadRow newer = Workload("u1", "train");
  newer.state = "Running";
  store->Enqueue(PutWorkload{newer});
  CHECK(store->Stats().waiting == 2);

  FaultyDisk::write_error = 0;
  Must(store->Commit({PutPlacement{Placement("u1")}}));
  Must(store->Flush());
  auto reader = Must(store->Read());
  CHECK(Must(reader->Workloads()) == std::vector{newer});
  CHECK(Must(reader->Events("u1")).size() == 1);
}

TEST_CASE_METHOD(Fixture, "enqueued changes are tried again without anybody asking") {
  std::promise<void> refused, written;
  bool first = true;
  auto store = MustOpen({.path = path, .on_transaction = [&](const TransactionReport& report) {
                           if (!report.ok && std::exchange(first, false)) refused.set_value();
                           if (report.ok) written.set_value();
                         }});
  FaultyDisk::write_error = SQLITE_FULL;
  store->Enqueue(PutWorkload{Workload("u1", "train")});
  refused.get_future().get();
  FaultyDisk::write_error = 0;
  written.get_future().get();
  CHECK(Must(Must(store->Read())->Workloads()).size() == 1);
}

TEST_CASE_METHOD(
    Fixture, "while the disk refuses, Enqueue does not wait: rows are kept, the oldest events go") {
  auto store = MustOpen({.path = path, .max_waiting = 10});
  FaultyDisk::write_error = SQLITE_FULL;
  CHECK_FALSE(store->Commit({PutPlacement{Placement("u")}}));
  for (int i = 0; i < 30; ++i) store->Enqueue(AddEvent{Event("u", At(i), std::to_string(i))});
  for (int i = 0; i < 15; ++i) {
    store->Enqueue(PutWorkload{Workload("w" + std::to_string(i), "job" + std::to_string(i))});
  }
  CHECK(store->Stats().dropped_events == 30);
  FaultyDisk::write_error = 0;
  Must(store->Commit({PutPlacement{Placement("u")}}));
  Must(store->Flush());
  CHECK(Must(Must(store->Read())->Workloads()).size() == 15);
}

TEST_CASE_METHOD(Fixture, "a failed sync fails the commit that needed it, not mirrored state") {
  auto store = MustOpen({.path = path});
  FaultyDisk::sync_error = SQLITE_IOERR_FSYNC;
  const Result<void> refused = store->Commit({PutPlacement{Placement("u1")}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kStorage);
  CHECK_THAT(refused.error().message, ContainsSubstring("kernel log"));
  FaultyDisk::sync_error = 0;
  Must(store->Commit({PutPlacement{Placement("u2")}}));
  const auto placements = Must(Must(store->Read())->Placements());
  REQUIRE(placements.size() == 1);
  CHECK(placements[0].uid == "u2");
}

TEST_CASE_METHOD(Fixture,
                 "a commit is synced before it returns; mirrored state does not wait for a sync") {
  auto store = MustOpen({.path = path});
  Must(store->Commit({PutPlacement{Placement("u0")}}));
  for (int i = 0; i < 5; ++i) {
    const int before = FaultyDisk::syncs;
    Must(store->Commit({PutPlacement{Placement("u1")}}));
    CHECK(FaultyDisk::syncs > before);
    const int between = FaultyDisk::syncs;
    store->Enqueue(PutWorkload{Workload("u1", "train")});
    Must(store->Flush());
    CHECK(FaultyDisk::syncs == between);
  }
}

TEST_CASE_METHOD(
    Fixture,
    "a disk that is full at the start is an error that says so, and no half store is left") {
  FaultyDisk::write_error = SQLITE_FULL;
  const auto refused = Store::Open({.path = path});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kStorage);
  CHECK_THAT(refused.error().message, ContainsSubstring("free some space"));
  FaultyDisk::write_error = 0;
  CHECK(MustOpen({.path = path})->created());
}

TEST_CASE_METHOD(Fixture,
                 "a store that is closed while the disk refuses has kept what was committed") {
  {
    auto store = MustOpen({.path = path});
    Must(store->Commit({PutPlacement{Placement("u1")}}));
    FaultyDisk::write_error = SQLITE_FULL;
    store->Enqueue(PutWorkload{Workload("u1", "train")});
  }
  FaultyDisk::write_error = 0;
  auto store = MustOpen({.path = path});
  CHECK(Must(Must(store->Read())->Placements()).size() == 1);
}

TEST_CASE_METHOD(Fixture, "a change that is wrong in itself harms nobody else") {
  {
    MustOpen({.path = path});
  }
  // No row that the interface takes is wrong for the schema, so the schema is made to dislike some.
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  REQUIRE(sqlite3_exec(db,
                       "CREATE TRIGGER p BEFORE INSERT ON placement_failures WHEN NEW.uid = 'wrong'"
                       " BEGIN SELECT raise(ABORT, 'disliked'); END;"
                       "CREATE TRIGGER w BEFORE INSERT ON workloads WHEN NEW.uid = 'wrong'"
                       " BEGIN SELECT raise(ABORT, 'disliked'); END",
                       nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(db);

  auto store = MustOpen({.path = path});
  store->Enqueue(PutWorkload{Workload("wrong", "train")});
  store->Enqueue(PutWorkload{Workload("right", "train")});
  const Result<void> refused =
      store->Commit({AddIntent{Intent(1, "u1")}, PutPlacement{Placement("wrong")}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(refused.error().message, ContainsSubstring("disliked"));
  Must(store->Flush());
  CHECK_FALSE(store->Stats().failing);
  auto reader = Must(store->Read());
  CHECK(Must(reader->Intents()).empty());
  CHECK(Must(reader->Placements()).empty());
  CHECK(Must(reader->Workloads()).size() == 1);
}

}  // namespace
}  // namespace fedra::store::faults_test
