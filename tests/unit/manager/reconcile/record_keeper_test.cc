// What of a workload is kept on the manager for the replica that takes over, and how many requests
// that costs.

#include "manager/reconcile/record_keeper.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::record_keeper_test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

const ObjectKey kTrain{"ml", "job-train"};
const ClusterName kEast("east");
constexpr const char* kRecords = "placementrecords";

// Requests about records, by verb; without lists and watches.
struct Requests {
  size_t created = 0;
  size_t patched = 0;
  bool operator==(const Requests&) const = default;
};

// A manager with one waiting workload, whose records are read.
struct Fixture {
  const TempFolder folder;
  std::unique_ptr<store::Store> store =
      store::Store::Open({.path = folder.Path("fedra.db")}).value();
  PlacementStore placements{*store};
  Connected fleet{{.workers = {}}};
  HandClock clock;
  RecordKeeper records{true, fleet.manager().cluster(), fleet.manager().records(), placements,
                       clock};

  explicit Fixture(const sim::Faults& faults = {}) {
    AddWaitingWorkload(server(), kTrain);
    server().SetFaults(faults);
    fleet.manager().ReadRecords();
    fleet.Start();
    REQUIRE(fleet.WaitUntil([&] { return Workload() != nullptr; }));
  }
  sim::Server& server() { return fleet.manager_server(); }
  std::shared_ptr<const tracking::Workload> Workload() {
    return fleet.manager().jobs().workloads().Find(kTrain);
  }
  // East has failed it.
  store::PlacementRow Failed() {
    store::PlacementRow row{.uid = Workload()->uid, .key = kTrain, .attempt = 1};
    row.nominated_at = ParseRfc3339("2026-11-27T12:00:00Z").value();
    row.failures = {{kEast, "RecentlyFailed", *row.nominated_at + 1s, "east refused it", true, 2}};
    return row;
  }
  auto Keep(const store::PlacementRow& row) {
    placements.Put(row);
    return records.Keep(*Workload());
  }
  json Record() {
    const auto record = server().objects().Get(kRecords, kTrain);
    return record ? *record : json();
  }
  Requests Sent() {
    const auto counts = server().RequestCounts();
    const auto of = [&](const char* request) {
      const auto found = counts.find(request);
      return found == counts.end() ? 0 : found->second;
    };
    return {of("create placementrecords"), of("patch placementrecords")};
  }
  // Another replica has left this; `uid`: of the Workload.
  void Leave(const std::string& uid) {
    tracking::Workload owner = *Workload();
    owner.uid = uid;
    REQUIRE(
        server().objects().Create(json::parse(tracking::RecordBody(owner, RecordedOf(Failed())))));
    // Records wake no workload: their listener is not told.
    REQUIRE(WaitUntil([&] { return fleet.manager().records().Find(kTrain) != nullptr; }));
  }
};

sim::Faults Answers(int code) {
  sim::Faults faults;
  faults.answers.push_back({.method = "POST", .path_contains = "/placementrecords", .code = code});
  return faults;
}

}  // namespace

TEST_CASE("a row and a record say the same, but for who is nominated, which the Workload says") {
  Fixture f;
  tracking::Workload workload = *f.Workload();
  workload.nominated = {"west"};
  const store::PlacementRow row = f.Failed();
  const store::PlacementRow back = RowOf(workload, RecordedOf(row));
  CHECK(back.uid == row.uid);
  CHECK(back.key == row.key);
  CHECK(back.job == ObjectKey{"ml", "train"});
  CHECK(back.job_kind == "Job");
  CHECK(back.attempt == row.attempt);
  CHECK(back.nominated_at == row.nominated_at);
  CHECK(back.nominated == std::vector{ClusterName("west")});
  CHECK(back.failures == row.failures);
}

TEST_CASE("a record is written when a worker has failed the job, and again when that changes") {
  Fixture f;
  store::PlacementRow row = f.Failed();
  row.failures.clear();
  // As a job goes whose first worker keeps it: no request, however often it is looked at.
  for (row.attempt = 0; row.attempt < 3; ++row.attempt) CHECK_FALSE(f.Keep(row));
  CHECK(f.Sent() == Requests{});
  row = f.Failed();
  CHECK_FALSE(f.Keep(row));
  CHECK(f.Sent() == Requests{1, 0});
  CHECK(f.Record()["status"]["failures"][0]["worker"] == "east");
  CHECK(f.Record()["metadata"]["ownerReferences"][0]["uid"] == f.Workload()->uid);
  for (int i = 0; i < 3; ++i) CHECK_FALSE(f.Keep(row));
  CHECK(f.Sent() == Requests{1, 0});
  ++row.attempt;
  CHECK_FALSE(f.Keep(row));
  CHECK(f.Sent() == Requests{1, 1});
  CHECK(f.Record()["status"]["attempt"] == 2);
  // A user has asked to try again.
  row.failures.clear();
  CHECK_FALSE(f.Keep(row));
  CHECK(f.Sent() == Requests{1, 2});
  CHECK(f.Record()["status"]["failures"].empty());
}

TEST_CASE("what nobody needs is not written") {
  Fixture f;
  const store::PlacementRow row = f.Failed();
  SECTION("there are no other replicas") {
    RecordKeeper alone(false, f.fleet.manager().cluster(), f.fleet.manager().records(),
                       f.placements, f.clock);
    f.placements.Put(row);
    CHECK_FALSE(alone.Keep(*f.Workload()));
  }
  SECTION("the workload has ended, or goes") {
    f.placements.Put(row);
    tracking::Workload ended = *f.Workload();
    ended.finished = tracking::Condition{.is_true = true};
    CHECK_FALSE(f.records.Keep(ended));
    tracking::Workload going = *f.Workload();
    going.deleting = true;
    CHECK_FALSE(f.records.Keep(going));
  }
  SECTION("it is remembered of another Workload of that name") {
    store::PlacementRow other = row;
    other.uid = "of before";
    CHECK_FALSE(f.Keep(other));
  }
  CHECK(f.Sent() == Requests{});
}

TEST_CASE("without the resource, or the right to it, nothing is asked for again and again") {
  sim::Faults faults;
  SECTION("it is not served") { faults.not_served.insert("fedra.dev/v1alpha1"); }
  SECTION("it may not be read") {
    faults.answers.push_back({.method = "GET", .path_contains = "/placementrecords", .code = 403});
  }
  Fixture f(faults);
  CHECK(WaitUntil([&] { return f.fleet.manager().lists().TakeNewGaps().size() == 1; }));
  CHECK(f.fleet.manager().lists().TakeNewGaps().empty());
  CHECK(f.fleet.manager().IsUsable());
  CHECK_FALSE(f.Keep(f.Failed()));
  CHECK(f.Sent() == Requests{});
}

TEST_CASE("a write that fails is tried again where that helps") {
  Fixture f;
  f.server().SetFaults(Answers(409));
  CHECK(f.Keep(f.Failed()));
  f.server().SetFaults({});
  CHECK_FALSE(f.Keep(f.Failed()));
  CHECK(f.Record()["status"]["attempt"] == 1);
}

TEST_CASE("where a record is refused none is tried for a minute") {
  Fixture f;
  f.server().SetFaults(Answers(403));
  CHECK_FALSE(f.Keep(f.Failed()));
  f.server().SetFaults({});
  for (int i = 0; i < 3; ++i) CHECK_FALSE(f.Keep(f.Failed()));
  CHECK(f.Sent() == Requests{});
  tracking::Workload elsewhere = *f.Workload();
  elsewhere.uid = "another";
  elsewhere.key.ns = "hpc";
  store::PlacementRow row = f.Failed();
  row.uid = elsewhere.uid;
  row.key = elsewhere.key;
  f.placements.Put(row);
  (void)f.records.Keep(elsewhere);
  CHECK(f.Sent() == Requests{1, 0});  // one namespace says nothing of another
  f.clock.Advance(59s);
  CHECK_FALSE(f.Keep(f.Failed()));
  CHECK(f.Record().is_null());
  f.clock.Advance(1s);
  CHECK_FALSE(f.Keep(f.Failed()));
  CHECK(f.Record()["status"]["attempt"] == 1);
}

TEST_CASE("what another replica has left is its Workload's; an older Workload's is taken over") {
  Fixture f;
  CHECK_FALSE(f.records.Left(*f.Workload()));
  SECTION("of this Workload") {
    f.Leave(f.Workload()->uid);
    const auto left = f.records.Left(*f.Workload());
    REQUIRE(left);
    CHECK(left->failures == f.Failed().failures);
    CHECK(left->attempt == 1);
    CHECK_FALSE(f.Keep(f.Failed()));
    CHECK(f.Sent() == Requests{});
    tracking::Workload ended = *f.Workload();
    ended.finished = tracking::Condition{.is_true = true};
    CHECK_FALSE(f.records.Left(ended));
  }
  SECTION("of one before it, which is not collected yet") {
    // Of an owner that is there, or it would be collected at once.
    const auto ns = f.server().objects().Get("namespaces", {"", "ml"});
    f.Leave((*ns)["metadata"]["uid"]);
    CHECK_FALSE(f.records.Left(*f.Workload()));
    CHECK_FALSE(f.Keep(f.Failed()));
    CHECK(f.Sent() == Requests{0, 1});
    CHECK(f.Record()["metadata"]["ownerReferences"][0]["uid"] == f.Workload()->uid);
  }
}

TEST_CASE("a record goes with its Workload") {
  Fixture f;
  CHECK_FALSE(f.Keep(f.Failed()));
  REQUIRE(f.server().objects().Delete("workloads", kTrain));
  CHECK(f.server().objects().WaitFor(kRecords, kTrain,
                                     [](const json& record) { return record.is_null(); }));
}

}  // namespace fedra::reconcile::record_keeper_test
