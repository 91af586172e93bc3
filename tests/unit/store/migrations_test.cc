#include "store/migrations.h"

#include <random>

#include "base/natural_order.h"
#include "store/store_file.h"
#include "store/tables/job_lists.h"
#include "store/tables/placements.h"
#include "store/tables/workloads.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::migrations_test {
namespace {

constexpr Migration kOne{1,
                         "CREATE TABLE t (a INTEGER NOT NULL) STRICT; INSERT INTO t VALUES (1);"};
constexpr Migration kTwo{2, "ALTER TABLE t ADD COLUMN b TEXT NOT NULL DEFAULT 'x';"};
constexpr Migration kBroken{3, "UPDATE t SET a = 7; CREATE TABLE t (a);"};

struct Fixture {
  TempFolder folder;
  std::unique_ptr<Connection> db = Fresh();

  std::unique_ptr<Connection> Fresh() {
    Must(EnsureFile(folder.Path("fedra.db")));
    return Must(Connection::Open(folder.Path("fedra.db"), OpenMode::kReadWrite));
  }
  Result<void> To(std::vector<Migration> migrations) { return Migrate(*db, migrations); }
};

TEST_CASE("the migrations of this program are numbered from 1 without gaps") {
  int expected = 1;
  for (const Migration& migration : Migrations()) {
    CHECK(migration.version == expected++);
    CHECK(migration.sql.ends_with('\n'));
  }
  CHECK(SchemaVersion() == expected - 1);
}

TEST_CASE_METHOD(Fixture, "a file is brought forward, once, and keeps its rows") {
  CHECK(Must(Identify(*db)).empty);
  Must(To({kOne}));
  CHECK(Must(Identify(*db)).version == 1);
  Must(To({kOne}));  // would fail if it ran twice
  Must(To({kOne, kTwo}));
  CHECK(Must(Identify(*db)).version == 2);
  CHECK(Must(db->QueryInteger("SELECT count(*) FROM t WHERE a = 1 AND b = 'x'")) == 1);
}

TEST_CASE_METHOD(Fixture, "a placement outlives the columns that it no longer has") {
  const auto all = Migrations();
  Must(To({all.begin(), all.begin() + 3}));
  Must(
      db->Run("INSERT INTO placements (uid, ns, name, job_kind, job_ns, job_name, attempt, "
              "nominated_at, winner, won_at) VALUES "
              "('u1', 'ml', 'job-x-u1', 'Job', 'ml', 'x', 1, ?, 'a', ?)",
              {At(20), At(30)}));
  Must(db->Run("INSERT INTO placement_nominated VALUES ('u1', 0, 'b'), ('u1', 1, 'a')", {}));
  Must(
      db->Run("INSERT INTO placement_failures (uid, position, cluster, reason, at, message, "
              "refused, times) VALUES ('u1', 0, 'c', 'WorkerLost', ?, 'c refused the job', 1, 3)",
              {At(15)}));
  Must(To({all.begin(), all.end()}));
  PlacementRow expected = Placement("u1");
  expected.reported_in.reset();  // columns of later
  expected.reported_facts = 0;
  CHECK(Must(LoadPlacements(*db)) == std::vector{expected});
  CHECK(Must(db->QueryInteger("SELECT count(*) FROM pragma_foreign_key_check")) == 0);
}

TEST_CASE_METHOD(Fixture, "what a workload needs was a sentence, and is facts") {
  const auto all = Migrations();
  Must(To({all.begin(), all.begin() + 5}));
  const auto put = [&](const std::string& uid, const std::string& needs) {
    Must(
        db->Run("INSERT INTO workloads VALUES "
                "(?, 'ml', 'w', 'Job', 'ml', ?, 'gpu', 'Blocked', '', '', ?, 1, 1, NULL, 1, NULL)",
                {uid, uid, needs}));
  };
  put("a", "queue ml/gpu · template two · template one · claim shared · 12 pods");
  put("b", "queue ml/gpu · template pods · 1 pod");
  put("c", "");
  put("d", R"(what a "later" fedra \ wrote)");
  Must(To({all.begin(), all.end()}));
  std::vector<std::string> needs;
  for (const WorkloadRow& row : Must(LoadWorkloads(*db, {}))) needs.push_back(row.needs_json);
  CHECK(needs ==
        std::vector<std::string>{R"({"claims":["shared"],"pods":12,"templates":["two","one"]})",
                                 R"({"claims":[],"pods":1,"templates":["pods"]})", "{}", "{}"});
}

TEST_CASE_METHOD(Fixture, "reasons were sentences, and are facts") {
  const auto all = Migrations();
  Must(To({all.begin(), all.begin() + 10}));
  Must(db->Run(
      "INSERT INTO workloads (uid, ns, name, job_kind, job_ns, job_name, queue, state, note, "
      "worker, created_at, state_since, updated_at) VALUES "
      "('u', 'ml', 'w', 'Job', 'ml', 'w', 'gpu', 'Blocked', '', '', 1, 1, 1)",
      {}));
  const auto put = [&](const std::string& cluster, const std::string& reasons) {
    Must(
        db->Run("INSERT INTO verdicts (uid, cluster, outcome, reasons_json, pods_fitting, "
                "pods_wanted, checked_at) VALUES ('u', ?, 'No', ?, 0, 1, 1)",
                {cluster, reasons}));
  };
  put("a", R"([{"code":"QueueMissing","message":"a \"q\" is not there","object":"LocalQueue a"},)"
           R"({"code":"NodesTooSmall","message":"cpu","object":"","resources":[{"nodes":2}]},)"
           R"({"code":"Later","counts":{"wish":"w"}}])");
  put("b", "[]");
  put("c", "no JSON");
  put("d", "{}");
  Must(To({all.begin(), all.end()}));
  std::vector<std::string> reasons;
  Must(db->Query("SELECT reasons_json FROM verdicts ORDER BY cluster", {},
                 [&](Row& row) { reasons.push_back(row.Text()); }));
  CHECK(reasons ==
        std::vector<std::string>{
            R"([{"code":"QueueMissing","object":"LocalQueue a","facts":{"type":"Sentence",)"
            R"("text":"a \"q\" is not there"}},{"code":"NodesTooSmall","object":"","facts":)"
            R"({"type":"Sentence","text":"cpu"}},{"code":"Later","object":"","facts":)"
            R"({"type":"Sentence","text":""}}])",
            "[]", "no JSON", "{}"});
}

TEST_CASE_METHOD(Fixture, "jobs of before are in lists, by their reasons and as people count") {
  const auto all = Migrations();
  Must(To({all.begin(), all.begin() + 16}));
  std::vector<std::string> names = {"",         "0",      "000",         "eq-006", "eq-6b10.c-0",
                                    "1a",       "a1",     "12345678901", "Äb3ö04", "a b_7",
                                    "train-7b", "JOB-01", "-9-",         "a.10.b", "7"};
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::string& name = names.emplace_back();
    for (size_t length = random() % 12; length > 0; --length) name += "ab-.X0019"[random() % 9];
  }
  for (size_t i = 0; i < names.size(); ++i)
    Must(db->Run(
        "INSERT INTO workloads (uid, ns, name, job_kind, job_ns, job_name, queue, state, worker,"
        " note, created_at, state_since, updated_at, removed_at)"
        " VALUES (?, 'ml', 'w', 'Job', ?, ?, 'q', 'Blocked', '', '', 1, 1, 1, ?)",
        {std::to_string(i), names[names.size() - 1 - i], names[i],
         i == 1 ? Value(1) : Value(std::nullopt)}));
  const auto put = [&](const std::string& uid, const std::string& cluster,
                       const std::string& reasons) {
    Must(
        db->Run("INSERT INTO verdicts (uid, cluster, outcome, reasons_json, pods_fitting,"
                " pods_wanted, checked_at) VALUES (?, ?, 'No', ?, 0, 1, 1)",
                {uid, cluster, reasons}));
  };
  put("0", "a", R"([{"code":"QueueFull","facts":{}},{"code":"InLine"},7])");
  put("0", "b", R"([{"code":"DevicesAllocated"},{"code":"InLine"}])");
  put("2", "a", "no JSON");
  put("3", "a", R"({"a":{"code":"QueueFull"}})");
  put("4", "a", R"([{"object":"x"},{"code":""}])");
  Must(To({all.begin(), all.end()}));

  size_t rows = 0;
  Must(db->Query("SELECT job_ns, job_name, ns_order, name_order FROM workloads", {}, [&](Row& row) {
    const ObjectKey job = row.Key();
    CAPTURE(job.ns, job.name);
    CHECK(row.Text() == InNaturalOrder(job.ns));
    CHECK(row.Text() == InNaturalOrder(job.name));
    ++rows;
  }));
  CHECK(rows == names.size());
  for (const WorkloadRow& row : Must(LoadWorkloads(*db, {}))) {
    CAPTURE(row.uid);
    CHECK(row.reasons == (row.uid == "0"
                              ? std::vector<std::string>{"DevicesAllocated", "InLine", "QueueFull"}
                              : std::vector<std::string>()));
  }
  const JobQuery query{.states = {{"Blocked", 0}}, .reasons = {"InLine"}};
  CHECK(Must(LoadJobPage(*db, query, std::nullopt)).rows.size() == 1);
  CHECK(Must(LoadJobPage(*db, {.states = {{"Blocked", 0}}}, std::nullopt)).rows.size() ==
        names.size() - 1);
  const JobQuery deleted{.states = {}, .deleted = DeletedJobs{"Deleted", 8}};
  CHECK(Must(LoadJobPage(*db, deleted, std::nullopt)).rows.size() == 1);
}

TEST_CASE_METHOD(Fixture, "a migration that fails leaves the file as it was") {
  Must(To({kOne, kTwo}));
  const Result<void> failed = To({kOne, kTwo, kBroken});
  REQUIRE_FALSE(failed);
  CHECK_THAT(failed.error().message, ContainsSubstring("migration 3"));
  CHECK(Must(Identify(*db)).version == 2);
  CHECK(Must(db->QueryInteger("SELECT a FROM t")) == 1);
  CHECK_FALSE(db->InTransaction());
}

TEST_CASE_METHOD(Fixture, "a newer file is refused") {
  Must(To({kOne, kTwo}));
  const Result<void> refused = To({kOne});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(refused.error().message,
             ContainsSubstring("schema 2") && ContainsSubstring("knows 1"));
}

TEST_CASE_METHOD(Fixture, "every table of ours is STRICT") {
  Must(Migrate(*db, Migrations()));
  CHECK(Must(db->QueryInteger(
            "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict = 0"
            " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")) == 0);
  CHECK(Must(db->QueryInteger("SELECT count(*) FROM pragma_table_list WHERE strict = 1")) == 12);
}

}  // namespace
}  // namespace fedra::store::migrations_test
