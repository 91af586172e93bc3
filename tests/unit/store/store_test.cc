#include "store/store.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "store/backup.h"
#include "store/connection.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::store_test {
namespace {

TEST_CASE("what was committed is there for readers at once and after a restart") {
  TempFolder folder;
  const std::string path = folder.Path("fedra.db");
  PlacementRow placement = Placement("u1");
  {
    auto store = MustOpen({.path = path});
    CHECK(store->created());
    Must(store->Commit({PutPlacement{placement}, AddIntent{Intent(1, "u1")}}));
    CHECK(Must(MustRead(path)->Placements()) == std::vector{placement});
  }
  auto store = MustOpen({.path = path});
  CHECK_FALSE(store->created());
  auto reader = Must(store->Read());
  CHECK(Must(reader->Placements()) == std::vector{placement});
  CHECK(Must(reader->Intents()) == std::vector{Intent(1, "u1")});
}

TEST_CASE("what was enqueued is there after a flush, and after an end without one") {
  TempFolder folder;
  const std::string path = folder.Path("fedra.db");
  {
    auto store = MustOpen({.path = path});
    store->Enqueue(PutWorkload{Workload("u1", "train")});
    Must(store->Flush());
    CHECK(Must(MustRead(path)->Workloads()) == std::vector{Workload("u1", "train")});
    store->Enqueue(PutWorkload{Workload("u2", "sweep")});
  }
  CHECK(Must(MustRead(path)->Workloads()).size() == 2);
}

TEST_CASE("an enqueued change is written without anybody asking") {
  TempFolder folder;
  std::promise<bool> written;
  auto store = MustOpen(
      {.path = folder.Path("fedra.db"),
       .on_transaction = [&](const TransactionReport& report) { written.set_value(report.ok); }});
  store->Enqueue(PutWorkload{Workload("u1", "train")});
  CHECK(written.get_future().get());
  CHECK(store->Stats().waiting == 0);
}

TEST_CASE("only the latest of several waiting rows is written") {
  TempFolder folder;
  const std::string path = folder.Path("fedra.db");
  auto store = MustOpen({.path = path, .mirror_delay = std::chrono::hours(1)});
  auto counter = Must(Connection::Open(path, OpenMode::kReadWrite));
  Must(counter->Execute(
      "CREATE TABLE writes (uid TEXT); CREATE TRIGGER count_writes AFTER INSERT ON workloads"
      " BEGIN INSERT INTO writes VALUES (new.uid); END;"));
  const auto written = [&] { return Must(counter->QueryInteger("SELECT count(*) FROM writes")); };
  WorkloadRow row = Workload("u1", "train");
  for (int i = 0; i < 100; ++i) {
    row.updated_at = At(i);
    store->Enqueue(PutWorkload{row});
  }
  CHECK(store->Stats().waiting == 1);
  CHECK(written() == 0);
  Must(store->Flush());
  CHECK(written() == 1);
  CHECK(Must(Must(store->Read())->Workloads()) == std::vector{row});
}

TEST_CASE("a commit does not overtake what was enqueued for its own row") {
  TempFolder folder;
  auto store = MustOpen({.path = folder.Path("fedra.db"), .mirror_delay = std::chrono::hours(1)});
  ClusterRow row = Cluster("a");
  row.note = "old";
  store->Enqueue(PutCluster{row});
  store->Enqueue(PutCluster{Cluster("b", 1)});
  row.note = "new";
  Must(store->Commit({PutCluster{row}}));
  CHECK(store->Stats().waiting == 0);
  Must(store->Flush());
  const auto clusters = Must(Must(store->Read())->Clusters());
  REQUIRE(clusters.size() == 2);
  CHECK(clusters[0].note == "new");
}

TEST_CASE("the end of an attempt is reported once, however often it is said") {
  TempFolder folder;
  Guarded<std::vector<EndedAttempt>> ended;
  const std::string path = folder.Path("fedra.db");
  const auto open = [&] {
    return MustOpen({.path = path, .on_transaction = [&](const TransactionReport& report) {
                       ended.With([&](auto& all) {
                         all.insert(all.end(), report.ended.begin(), report.ended.end());
                       });
                     }});
  };
  const auto attempt = [](int number, const char* cluster) {
    return PutAttempt{
        {.uid = "u1", .number = number, .cluster = ClusterName(cluster), .started_at = At(number)}};
  };
  const auto end = [](int number, const char* cluster, const char* outcome) {
    return EndAttempts{"u1", {{number, ClusterName(cluster), At(9), outcome, ""}}};
  };
  {
    auto store = open();
    Must(store->Commit({attempt(1, "a"), attempt(1, "b"), attempt(2, "a")}));
    Must(store->Commit({end(1, "b", "LostRace")}));
    Must(store->Commit({end(1, "b", "TimedOut")}));
    Must(store->Commit({EndEarlierAttempts{"u1", 2, At(9), "Requeued"}}));
    Must(store->Flush());  // a commit returns before it is reported
    CHECK(ended.Copy() == std::vector<EndedAttempt>{{ClusterName("b"), "LostRace"},
                                                    {ClusterName("a"), "Requeued"}});
    // Of a worker where there was no such attempt.
    Must(store->Commit({end(2, "c", "Evicted"), end(2, "a", "Finished")}));
  }
  // A daemon that has started again looks at jobs that have ended long ago.
  Must(open()->Commit({end(2, "a", "Finished")}));
  CHECK(ended.Copy().size() == 3);
  CHECK(ended.Copy().back() == EndedAttempt{ClusterName("a"), "Finished"});
}

TEST_CASE("commits of many threads are all there, and share transactions") {
  TempFolder folder;
  std::atomic<size_t> transactions{0};
  auto store = MustOpen({.path = folder.Path("fedra.db"),
                         .on_transaction = [&](const TransactionReport&) { ++transactions; }});
  constexpr int kThreads = 8;
  constexpr int kEach = 50;
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string uid = std::to_string(t) + "-" + std::to_string(i);
        store->Enqueue(AddEvent{Event(uid, At(i), "Dispatched")});
        if (!store->Commit(
                {PutPlacement{Placement(uid)}, AddIntent{Intent(store->NewIntentId(), uid)}}))
          ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failed == 0);
  Must(store->Flush());
  auto reader = Must(store->Read());
  CHECK(Must(reader->Placements()).size() == kThreads * kEach);
  CHECK(Must(reader->Intents()).size() == kThreads * kEach);
  CHECK(Must(reader->Events("3-7")).size() == 1);
  CHECK(transactions < kThreads * kEach);
}

TEST_CASE("a reader keeps its view while the store goes on") {
  TempFolder folder;
  auto store = MustOpen({.path = folder.Path("fedra.db")});
  Must(store->Commit({PutCluster{Cluster("a")}}));
  auto before = Must(store->Read());
  Must(store->Commit({PutCluster{Cluster("b", 1)}}));
  CHECK(Must(before->Clusters()).size() == 1);
  CHECK(Must(Must(store->Read())->Clusters()).size() == 2);
}

TEST_CASE("intent ids are above those that a former process left") {
  TempFolder folder;
  const std::string path = folder.Path("fedra.db");
  int64_t left = 0;
  {
    auto store = MustOpen({.path = path});
    left = store->NewIntentId();
    CHECK(store->NewIntentId() > left);
    Must(store->Commit({AddIntent{Intent(left + 7, "u1")}}));
  }
  CHECK(MustOpen({.path = path})->NewIntentId() > left + 7);
}

TEST_CASE("the sizes of the files and what waits are reported") {
  TempFolder folder;
  auto store = MustOpen({.path = folder.Path("fedra.db"), .mirror_delay = std::chrono::hours(1)});
  store->Enqueue(PutCluster{Cluster("a")});
  const StoreStats stats = store->Stats();
  CHECK(stats.file_bytes + stats.wal_bytes > 4096);
  CHECK(stats.waiting == 1);
  CHECK_FALSE(stats.failing);
}

TEST_CASE("a backup to what is no file is refused, without the advice to remove it") {
  const TempFolder folder;
  Must(Store::Open({.path = folder.Path("fedra.db")}));
  const Result<void> copied = BackupStore(folder.Path("fedra.db"), "/dev/null");
  REQUIRE_FALSE(copied);
  CHECK(copied.error().code == ErrorCode::kInvalidArgument);
  CHECK(copied.error().message ==
        "backup /dev/null: it is a character device: name a file that does not exist yet");
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("a backup is a store of its own, taken while the original is in use") {
  TempFolder folder;
  auto store = MustOpen({.path = folder.Path("fedra.db")});
  Must(store->Commit({PutPlacement{Placement("u1")}}));
  const std::string copy = folder.Path("copy.db");
  Must(BackupStore(folder.Path("fedra.db"), copy));
  Must(store->Commit({PutPlacement{Placement("u2")}}));

  struct stat info{};
  REQUIRE(stat(copy.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(Must(MustOpen({.path = copy})->Read()->get()->Placements()).size() == 1);

  const Result<void> again = BackupStore(folder.Path("fedra.db"), copy);
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::kAlreadyExists);
  CHECK(BackupStore(folder.Path("fedra.db"), folder.Path("missing/copy.db")).error().code ==
        ErrorCode::kStorage);
}

TEST_CASE("a reader that stays open neither holds up the end nor loses its view") {
  TempFolder folder;
  const std::string path = folder.Path("fedra.db");
  auto store = MustOpen({.path = path});
  Must(store->Commit({PutCluster{Cluster("a")}}));
  auto reader = Must(store->Read());
  Must(store->Commit({PutCluster{Cluster("b", 1)}}));
  const auto start = std::chrono::steady_clock::now();
  store.reset();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(3));  // SQLite would wait 5
  CHECK(Must(reader->Clusters()).size() == 1);
  CHECK(Must(MustRead(path)->Clusters()).size() == 2);
}

TEST_CASE("after a storm the log's file is small again") {
  TempFolder folder;
  auto store =
      MustOpen({.path = folder.Path("fedra.db"), .maintenance_interval = std::chrono::hours(1)});
  ClusterRow large = Cluster("a");
  large.note = std::string(1'000'000, 'x');
  {
    // As long as one reader reads, the log cannot begin anew.
    const auto reader = Must(store->Read());
    for (int i = 0; i < 24; ++i) Must(store->Commit({PutCluster{large}}));
    CHECK(store->Stats().wal_bytes > 20'000'000);
  }
  large.note.clear();
  for (int i = 0; i < 5000 && store->Stats().wal_bytes > 5'000'000; ++i)
    Must(store->Commit({PutCluster{large}}));
  CHECK(store->Stats().wal_bytes <= 5'000'000);
}

TEST_CASE("the log is copied into the database in quiet moments and at the end") {
  TempFolder folder;
  const std::string path = folder.Path("fedra.db");
  {
    auto store = MustOpen({.path = path, .maintenance_interval = std::chrono::milliseconds(1)});
    Must(store->Commit({PutPlacement{Placement("u1")}}));
    // Every commit finds the log restarted once maintenance has copied it, so it does not grow with
    // them.
    for (int i = 0; i < 300; ++i) Must(store->Commit({PutPlacement{Placement("u1")}}));
    CHECK(store->Stats().wal_bytes < 1'000'000);
  }
  struct stat info{};
  CHECK(stat((path + "-wal").c_str(), &info) != 0);
  CHECK(Must(MustRead(path)->Placements()).size() == 1);
}

}  // namespace

TEST_CASE("readers that follow each other without a pause do not let the log grow") {
  TempFolder folder;
  auto store =
      MustOpen({.path = folder.Path("fedra.db"), .maintenance_interval = std::chrono::hours(1)});
  Guarded<bool> stopped(false);
  const auto stopped_within = [&](int ms) {
    const auto is_so = [](bool now) { return now; };
    return stopped.WaitFor(std::chrono::milliseconds(ms), is_so, is_so);
  };
  const auto read_on = [&](int first_ms) {
    for (bool is_over = stopped_within(first_ms); !is_over;) {
      const auto reader = store->Read();
      if (reader) static_cast<void>((*reader)->Clusters());
      is_over = stopped_within(40);
    }
  };
  // At each moment one of them looks at the log.
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) readers.emplace_back(read_on, 10 * i);
  ClusterRow large = Cluster("a");
  large.note = std::string(1'000'000, 'x');
  uint64_t most = 0;
  for (int i = 0; i < 120; ++i) {
    Must(store->Commit({PutCluster{large}}));
    most = std::max(most, store->Stats().wal_bytes);
  }
  stopped.With([](bool& now) { now = true; });
  stopped.Notify();
  for (std::thread& reader : readers) reader.join();
  CHECK(most < 64'000'000);
}

}  // namespace fedra::store::store_test
