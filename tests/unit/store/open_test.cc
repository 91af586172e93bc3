// Whatever lies at store.path: the store opens, or says what is wrong and what to do, and changes
// nothing.
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "store/connection.h"
#include "store/migrations.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::open_test {
namespace {

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void Script(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(db);
}

Error OpenError(const std::string& path) {
  const auto opened = Store::Open({.path = path});
  REQUIRE_FALSE(opened);
  return opened.error();
}

struct Fixture {
  TempFolder folder;
  const std::string path = folder.Path("fedra.db");
};

TEST_CASE_METHOD(Fixture, "the file and what lies beside it can be read by the owner only") {
  auto store = MustOpen({.path = path});
  Must(store->Commit({PutCluster{Cluster("a")}}));
  for (const std::string suffix : {"", "-wal", "-shm", ".lock"}) {
    struct stat info{};
    INFO(suffix);
    REQUIRE(stat((path + suffix).c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
}

TEST_CASE_METHOD(Fixture, "an empty file is as good as none") {
  Write(path, "");
  CHECK(MustOpen({.path = path})->created());
}

TEST_CASE_METHOD(Fixture, "names that mean something to SQLite are file names") {
  for (const char* const name : {":memory:", "file:x?mode=memory", "a#b%20c"}) {
    INFO(name);
    {
      Must(MustOpen({.path = folder.Path(name)})->Commit({PutCluster{Cluster("a")}}));
    }
    CHECK(std::filesystem::file_size(folder.Path(name)) > 0);
    CHECK(Must(MustRead(folder.Path(name))->Clusters()).size() == 1);
  }
}

TEST_CASE_METHOD(Fixture, "a missing folder, a folder, a device and no name at all") {
  const Error missing = OpenError(folder.Path("no/such/fedra.db"));
  CHECK(missing.code == ErrorCode::kStorage);
  CHECK_THAT(missing.message,
             ContainsSubstring("No such file") && ContainsSubstring("create its folder"));

  const Error directory = OpenError(folder.path());
  CHECK(directory.code == ErrorCode::kInvalidArgument);
  CHECK_THAT(directory.message, ContainsSubstring("not a regular file"));
  CHECK(Reader::Open(folder.path()).error().code == ErrorCode::kInvalidArgument);

  CHECK(OpenError("").code == ErrorCode::kInvalidArgument);
  std::filesystem::remove(folder.path().string() + ".lock");
}

TEST_CASE_METHOD(Fixture, "a file that is no database is refused and not changed") {
  Write(path, std::string(10'000, 'x'));
  const Error error = OpenError(path);
  CHECK(error.code == ErrorCode::kCorrupt);
  CHECK_THAT(error.message, ContainsSubstring(path) && ContainsSubstring("move the file away"));
  CHECK(Bytes(path) == std::string(10'000, 'x'));
  CHECK(Reader::Open(path).error().code == ErrorCode::kCorrupt);
}

TEST_CASE_METHOD(Fixture, "another program's database is refused and not changed") {
  Script(path, "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  const std::string before = Bytes(path);
  const Error error = OpenError(path);
  CHECK(error.code == ErrorCode::kInvalidArgument);
  CHECK_THAT(error.message, ContainsSubstring("another program's database"));
  CHECK(Bytes(path) == before);
}

TEST_CASE_METHOD(Fixture, "a newer schema is refused and not changed") {
  {
    Must(MustOpen({.path = path})->Commit({PutCluster{Cluster("a")}}));
  }
  Script(path, "PRAGMA user_version = 4711; PRAGMA journal_mode = DELETE");
  const std::string before = Bytes(path);
  const Error error = OpenError(path);
  CHECK(error.code == ErrorCode::kInvalidArgument);
  CHECK_THAT(error.message, ContainsSubstring("schema 4711") && ContainsSubstring("newer fedra"));
  CHECK(Bytes(path) == before);
  const Error reading = Reader::Open(path).error();
  CHECK(reading.code == ErrorCode::kInvalidArgument);
  CHECK_THAT(reading.message, ContainsSubstring("schema 4711"));
}

TEST_CASE_METHOD(Fixture,
                 "a damaged database is refused, whichever page was hit, and never crashes") {
  {
    auto store = MustOpen({.path = path});
    for (int i = 0; i < 300; ++i) store->Enqueue(PutWorkload{Workload(std::to_string(i), "job")});
    Must(store->Flush());
  }
  const std::string whole = Bytes(path);
  const size_t pages = whole.size() / 4096;
  REQUIRE(pages > 10);
  size_t refused = 0;
  for (size_t page = 0; page < pages; ++page) {
    std::string damaged = whole;
    damaged.replace(page * 4096, 200, 200, '\x5a');
    Write(path, damaged);
    const auto opened = Store::Open({.path = path});
    if (opened) continue;  // a free page, say
    ++refused;
    INFO(opened.error().message);
    CHECK(opened.error().code == ErrorCode::kCorrupt);
  }
  CHECK(refused > pages / 2);
  Write(path, whole.substr(0, whole.size() / 2));
  CHECK(OpenError(path).code == ErrorCode::kCorrupt);
}

TEST_CASE_METHOD(Fixture,
                 "a second store on the same file is refused and named, also in this process") {
  {
    auto store = MustOpen({.path = path});
    const Error error = OpenError(path);
    CHECK(error.code == ErrorCode::kConflict);
    CHECK_THAT(error.message, ContainsSubstring("process " + std::to_string(getpid())));
    Must(store->Commit({PutCluster{Cluster("a")}}));
  }
  CHECK_FALSE(MustOpen({.path = path})->created());
}

TEST_CASE("holds a store until killed", "[.child]") {
  auto store = MustOpen({.path = FromParent("STORE")});
  Must(store->Commit({PutCluster{Cluster("a")}}));
  printf("open\n");
  fflush(stdout);
  pause();
}

std::string WaitFor(Child& child, const std::string& text) {
  for (std::string line = child.ReadLine(); !line.empty(); line = child.ReadLine()) {
    if (line == text) return line;
  }
  return "";
}

TEST_CASE_METHOD(Fixture,
                 "another process on the same file is named, and its death frees the store") {
  Child child("holds a store until killed", {{"STORE", path}});
  REQUIRE(WaitFor(child, "open") == "open");
  const Error error = OpenError(path);
  CHECK(error.code == ErrorCode::kConflict);
  CHECK_THAT(error.message, ContainsSubstring("process " + std::to_string(child.pid())));
  CHECK(Must(MustRead(path)->Clusters()).size() == 1);  // reading is free
  child.Kill();
  CHECK(child.Wait() == -1);
  CHECK(Must(Must(MustOpen({.path = path})->Read())->Clusters()).size() == 1);
}

// Root may write everywhere, so what others may not do is tried as one of them.
void BecomeNobody() {
  if (getuid() == 0) REQUIRE((setgid(65534) == 0 && setuid(65534) == 0));
}

TEST_CASE("opens a store that it may not write", "[.child]") {
  BecomeNobody();
  const Error error = OpenError(FromParent("STORE"));
  INFO(error.message);
  CHECK(error.code == ErrorCode::kStorage);
  CHECK_THAT(error.message, ContainsSubstring("writable by this user"));
}

TEST_CASE("reads a store that it may not write", "[.child]") {
  BecomeNobody();
  CHECK(Must(MustRead(FromParent("STORE"))->Clusters()).size() == 1);
}

TEST_CASE("may not look at a store's lock", "[.child]") {
  BecomeNobody();
  CHECK_FALSE(MustRead(FromParent("STORE"))->is_in_use().has_value());
}

TEST_CASE("cannot read a store", "[.child]") {
  BecomeNobody();
  const auto reader = Reader::Open(FromParent("STORE"));
  REQUIRE_FALSE(reader);
  INFO(reader.error().message);
  CHECK(reader.error().code == ErrorCode::kStorage);
}

void CheckPasses(const std::string& test_case, const std::string& path) {
  Child child(test_case, {{"STORE", path}});
  const std::string output = child.ReadAll();
  INFO(output);
  CHECK(child.Wait() == 0);
}

// Lets every user read the store, and none (but root) write it.
void MakeReadOnly(const TempFolder& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    chmod(entry.path().c_str(), 0444);
  }
  chmod(folder.path().c_str(), 0555);
}

TEST_CASE_METHOD(Fixture, "a read-only folder refuses the daemon") {
  MakeReadOnly(folder);
  CheckPasses("opens a store that it may not write", path);
}

TEST_CASE_METHOD(Fixture, "a read-only store refuses the daemon") {
  {
    Must(MustOpen({.path = path})->Commit({PutCluster{Cluster("a")}}));
  }
  chmod((path + ".lock").c_str(), 0666);
  chmod(path.c_str(), 0444);
  chmod(folder.path().c_str(), 0555);
  CheckPasses("opens a store that it may not write", path);
}

TEST_CASE_METHOD(Fixture, "reading needs no write permission after a proper end") {
  {
    Must(MustOpen({.path = path})->Commit({PutCluster{Cluster("a")}}));
  }
  MakeReadOnly(folder);
  CheckPasses("reads a store that it may not write", path);
}

TEST_CASE_METHOD(Fixture, "a reader sees whether a daemon has the store open") {
  Child daemon("holds a store until killed", {{"STORE", path}});
  REQUIRE(WaitFor(daemon, "open") == "open");
  CHECK(MustRead(path)->is_in_use() == true);
  MakeReadOnly(folder);
  chmod((path + ".lock").c_str(), 0600);
  CheckPasses("may not look at a store's lock", path);
  daemon.Kill();
  daemon.Wait();
  CHECK(MustRead(path)->is_in_use() == false);
}

TEST_CASE_METHOD(
    Fixture, "reading needs no write permission while the daemon runs, nor after it was killed") {
  Child daemon("holds a store until killed", {{"STORE", path}});
  REQUIRE(WaitFor(daemon, "open") == "open");
  MakeReadOnly(folder);
  CheckPasses("reads a store that it may not write", path);
  daemon.Kill();
  daemon.Wait();
  REQUIRE(std::filesystem::file_size(path + "-wal") > 0);
  CheckPasses("reads a store that it may not write", path);
}

TEST_CASE_METHOD(Fixture, "a store that may not be read is an error that says so") {
  {
    MustOpen({.path = path});
  }
  if (getuid() != 0) chmod(path.c_str(), 0);
  CheckPasses("cannot read a store", path);
}

TEST_CASE_METHOD(Fixture, "reading before any daemon ran says so") {
  const Error missing = Reader::Open(path).error();
  CHECK(missing.code == ErrorCode::kNotFound);
  CHECK_THAT(missing.message, ContainsSubstring(path) && ContainsSubstring("no daemon"));
  Write(path, "");
  CHECK(Reader::Open(path).error().code == ErrorCode::kNotFound);
}

}  // namespace
}  // namespace fedra::store::open_test
