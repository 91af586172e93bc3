// What is written of a workload, and how the manager is shown among the clusters.

#include "manager/reconcile/status_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "manager/reconcile/manager_cluster.h"
#include "store/connection.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"

namespace fedra::reconcile::status_writer_test {
namespace {

placement::Decision Decided(placement::Phase phase) {
  placement::Decision decision;
  decision.phase = phase;
  return decision;
}

struct Fixture {
  Fixture() { store = store::Store::Open({.path = folder.Path("fedra.db")}).value(); }

  Gathered Seen(const std::string& owner) const {
    tracking::Workload workload;
    workload.key = {"ml", "job-train-1a2b3"};
    workload.uid = "uid-train";
    workload.owner.name = owner;
    Gathered gathered;
    gathered.job = {"ml", owner};
    gathered.view.key = workload.key;
    gathered.view.check = "fedra";
    gathered.view.workload = std::make_shared<const tracking::Workload>(std::move(workload));
    return gathered;
  }
  std::string JobOf() {
    REQUIRE(store->Flush());
    return store->Read().value()->Workloads().value().at(0).job.ToString();
  }

  const TempFolder folder;
  std::unique_ptr<store::Store> store;
};

TEST_CASE_METHOD(Fixture, "a Workload whose owner is gone keeps the name of its job") {
  StatusWriter status_writer(*store, SystemClock());
  status_writer.Record(Seen("train"), Decided(placement::Phase::kRunning));
  CHECK(JobOf() == "ml/train");
  status_writer.Record(Seen(""), Decided(placement::Phase::kGone));
  CHECK(JobOf() == "ml/train");
}

TEST_CASE_METHOD(Fixture, "the labels of the job and the queue it waits in are kept") {
  StatusWriter status_writer(*store, SystemClock());
  Gathered seen = Seen("train");
  tracking::Job job;
  job.labels_json = R"({"team":"vision"})";
  seen.view.job = std::make_shared<const tracking::Job>(job);
  seen.cluster_queue = "team-gpu";
  placement::Decision decision = Decided(placement::Phase::kWaiting);
  status_writer.Record(seen, decision);
  decision.waits_for = placement::WaitsFor::kQuota;  // the only news
  status_writer.Record(seen, decision);
  REQUIRE(store->Flush());
  const store::WorkloadRow row = store->Read().value()->Workloads().value().at(0);
  CHECK(row.waits_for == "Quota");
  CHECK(row.labels_json == R"({"team":"vision"})");
  CHECK(row.cluster_queue == "team-gpu");
}

TEST_CASE_METHOD(Fixture,
                 "what Kueue does not ask about is recorded, what is no business of ours is not") {
  StatusWriter status_writer(*store, SystemClock());
  const auto recorded = [&] {
    REQUIRE(store->Flush());
    return store->Read().value()->Workloads().value().size();
  };
  Gathered seen = Seen("train");
  seen.view.check.clear();
  status_writer.Record(seen, Decided(placement::Phase::kGone));
  CHECK(recorded() == 0);
  seen.view.unasked = placement::Unasked::kRefused;
  status_writer.Record(seen, Decided(placement::Phase::kWaiting));
  CHECK(recorded() == 1);
}

TEST_CASE_METHOD(Fixture, "a log that the last run kept is looked for in the history once") {
  const Gathered seen = Seen("train");
  StatusWriter(*store, SystemClock()).KeepLog(seen, ClusterName("east"), "out of memory");
  REQUIRE(store->Flush());
  StatusWriter status_writer(*store, SystemClock());
  CHECK_FALSE(status_writer.WantsLog(seen));
  const auto db =
      store::Connection::Open(folder.Path("fedra.db"), store::OpenMode::kReadWrite).value();
  REQUIRE(db->Execute("DELETE FROM events"));
  CHECK_FALSE(status_writer.WantsLog(seen));
  CHECK(StatusWriter(*store, SystemClock()).WantsLog(seen));
}

TEST_CASE_METHOD(Fixture, "the history of a Workload that is gone ends with its deletion, once") {
  struct Row {
    const char* name;
    placement::Phase last;     // that was recorded
    bool said = false;         // a note said so already
    bool restarted = false;    // before it was gone
    bool is_deleted = true;    // else it only lost its AdmissionCheck
    std::string outcome = {};  // of its attempt
    size_t events = 0;         // that say so
  };
  using enum placement::Phase;
  const Row row = GENERATE(
      Row{.name = "deleted while no fedra ran",
          .last = kRunning,
          .restarted = true,
          .outcome = "Deleted",
          .events = 1},
      Row{.name = "between two looks", .last = kRunning, .outcome = "Deleted", .events = 1},
      Row{.name = "seen", .last = kGone, .said = true, .outcome = "Deleted", .events = 1},
      Row{.name = "seen before a restart",
          .last = kGone,
          .said = true,
          .restarted = true,
          .outcome = "Deleted",
          .events = 1},
      Row{.name = "a finished one", .last = kFinished, .restarted = true},
      Row{.name = "a failed one", .last = kFailed},
      Row{.name = "no business of ours any more", .last = kGone, .is_deleted = false});
  CAPTURE(row.name);
  HandClock clock;
  store->Enqueue(
      store::PutAttempt{{"uid-train", 1, ClusterName("east"), clock.Now(), std::nullopt, "", ""}});
  auto status_writer = std::make_unique<StatusWriter>(*store, clock);
  placement::Decision decision = Decided(row.last);
  decision.worker = ClusterName("east");
  status_writer->Record(Seen("train"), decision);
  if (row.said) status_writer->AddNote(Seen("train"), {"Deleted", {}, "owner not found"});
  REQUIRE(store->Flush());
  if (row.restarted) {
    status_writer = std::make_unique<StatusWriter>(*store, clock);
    REQUIRE(status_writer->Load());
  }
  clock.Advance(std::chrono::minutes(5));
  status_writer->Gone({"ml", "job-train-1a2b3"}, row.is_deleted);
  status_writer->Gone({"ml", "job-train-1a2b3"}, row.is_deleted);
  REQUIRE(store->Flush());
  const auto reader = store->Read().value();
  const store::AttemptRow attempt = reader->Attempts("uid-train").value().at(0);
  CHECK(attempt.outcome == row.outcome);
  CHECK(attempt.ended_at == (row.outcome.empty() ? std::nullopt : std::optional(clock.Now())));
  const auto events = reader->Events("uid-train").value();
  CHECK(events.size() == row.events);
  if (row.events == 1 && !row.said) {
    CHECK(events[0].reason == "Deleted");
    CHECK(events[0].cluster == ClusterName("east"));
    CHECK(events[0].message == "its Workload was deleted on the manager; noticed now");
    CHECK(events[0].at == clock.Now());
  }
  CHECK(reader->FindWorkloads({"ml", "train"}).value().at(0).removed_at == clock.Now());
}

TEST_CASE_METHOD(Fixture, "a Workload that never had an owner goes by its own name") {
  StatusWriter status_writer(*store, SystemClock());
  status_writer.Record(Seen(""), Decided(placement::Phase::kBlocked));
  CHECK(JobOf() == "ml/job-train-1a2b3");
}

TEST_CASE_METHOD(Fixture, "what a workload needs is written as facts") {
  StatusWriter status_writer(*store, SystemClock());
  Gathered gathered = Seen("train");
  tracking::Workload workload = *gathered.view.workload;
  workload.requirement.pod_sets = {
      {"main", 2, {{.pod_claim = "gpu", .template_name = "one-gpu", .claim_name = ""}}},
      {"side", 1, {{.pod_claim = "gpu", .template_name = "", .claim_name = "shared"}}}};
  gathered.view.workload = std::make_shared<const tracking::Workload>(std::move(workload));
  status_writer.Record(gathered, Decided(placement::Phase::kBlocked));
  REQUIRE(store->Flush());
  CHECK(store->Read().value()->Workloads().value().at(0).needs_json ==
        R"({"claims":["shared"],"pods":3,"templates":["one-gpu"]})");
}

TEST_CASE_METHOD(Fixture, "a row that is the same is not written again") {
  HandClock clock;
  StatusWriter status_writer(*store, clock);
  status_writer.Record(Seen("train"), Decided(placement::Phase::kBlocked));
  const auto updated = [&] {
    REQUIRE(store->Flush());
    return store->Read().value()->Workloads().value().at(0).updated_at;
  };
  const WallTime first = updated();
  clock.Advance(std::chrono::seconds(5));
  status_writer.Record(Seen("train"), Decided(placement::Phase::kBlocked));
  CHECK(updated() == first);
  status_writer.Record(Seen("train"), Decided(placement::Phase::kDispatching));
  CHECK(updated() == clock.Now());
}

TEST_CASE_METHOD(Fixture, "whatever of a row is another is written") {
  HandClock clock;
  StatusWriter status_writer(*store, clock);
  const auto row = [&](const std::string& queue, const std::string& kind, const std::string& job) {
    Gathered seen = Seen(job);
    tracking::Workload workload = *seen.view.workload;
    workload.requirement.queue = queue;
    workload.requirement.kind = kind;
    seen.view.workload = std::make_shared<const tracking::Workload>(std::move(workload));
    status_writer.Record(seen, Decided(placement::Phase::kWaiting));
    REQUIRE(store->Flush());
    return store->Read().value()->Workloads().value().at(0);
  };
  CHECK(row("gpu", "Job.batch", "train").queue == "gpu");
  CHECK(row("large", "Job.batch", "train").queue == "large");
  CHECK(row("large", "JobSet.jobset.x-k8s.io", "train").job_kind == "JobSet");
  CHECK(row("large", "JobSet.jobset.x-k8s.io", "again").job.name == "again");
}

TEST_CASE_METHOD(Fixture, "of a large fleet nominated workers and refusals are remembered first") {
  StatusWriter status_writer(*store, SystemClock());
  Gathered gathered = Seen("train");
  tracking::Workload workload = *gathered.view.workload;
  workload.nominated = {"w099"};
  gathered.view.workload = std::make_shared<const tracking::Workload>(std::move(workload));
  gathered.judged = true;
  for (int i = 0; i < 100; ++i) {
    placement::ClusterView cluster;
    cluster.name = ClusterName(fmt::format("w{:03}", i));
    cluster.verdict.outcome = i == 98 ? verdict::Outcome::kNo : verdict::Outcome::kYes;
    gathered.clusters.push_back(std::move(cluster));
  }
  status_writer.Record(gathered, Decided(placement::Phase::kDispatching));
  REQUIRE(store->Flush());
  const auto rows = store->Read().value()->Verdicts("uid-train").value();
  CHECK(rows.size() == 64);
  const auto has = [&](const std::string& name) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const store::VerdictRow& row) { return row.cluster.value == name; });
  };
  CHECK(has("w099"));
  CHECK(has("w098"));
  CHECK(has("w061"));
  CHECK_FALSE(has("w062"));
}

TEST_CASE_METHOD(Fixture, "a note with the subject of the one before it is no news") {
  StatusWriter status_writer(*store, SystemClock());
  const Gathered gathered = Seen("train");
  const placement::Note full{
      "PlacementRejected", {}, "no room on a", {"a=QuotaMissing", "b=DriverMissing"}};
  CHECK(status_writer.AddNote(gathered, full));
  placement::Note reworded = full;
  reworded.message = "no room on a: 3 of 4";
  CHECK_FALSE(status_writer.AddNote(gathered, reworded));
  placement::Note other = full;
  // A worker that comes and goes is none, either.
  placement::Note without = full;
  without.subjects.erase("b=DriverMissing");
  CHECK_FALSE(status_writer.AddNote(gathered, without));
  CHECK_FALSE(status_writer.AddNote(gathered, full));
  other.subjects = {"a=TemplateMissing"};
  CHECK(status_writer.AddNote(gathered, other));
  CHECK(status_writer.AddNote(gathered, full));
  const placement::Note always{"Dispatched", {}, "sent to a"};
  CHECK(status_writer.AddNote(gathered, always));
  CHECK(status_writer.AddNote(gathered, always));
  REQUIRE(store->Flush());
  CHECK(store->Read().value()->Events("uid-train").value().size() == 5);
}

TEST_CASE_METHOD(Fixture, "verdicts in which only the room has changed are not written each time") {
  HandClock clock;
  StatusWriter status_writer(*store, clock);
  Gathered seen = Seen("train");
  seen.judged = true;
  seen.clusters.resize(1);
  seen.clusters[0].name = ClusterName("east");
  placement::Decision decision = Decided(placement::Phase::kBlocked);
  // What the row says after a look that finds so much room.
  const auto written = [&](int room) {
    seen.clusters[0].verdict.headroom = room;
    status_writer.Record(seen, decision);
    REQUIRE(store->Flush());
    return store->Read().value()->Verdicts("uid-train").value().at(0).headroom;
  };
  CHECK(written(100) == 100);
  for (int room = 99; room > 0; --room) CHECK(written(room) == 100);
  clock.Advance(std::chrono::seconds(10));
  CHECK(written(5) == 5);
  // Where it goes is kept with what it was chosen from.
  decision.worker = ClusterName("east");
  CHECK(written(4) == 4);
  seen.clusters[0].verdict.outcome = verdict::Outcome::kNo;
  CHECK(written(3) == 3);
}

TEST_CASE("how the manager is") {
  const WallTime now{std::chrono::hours(10)};
  const WallTime then{std::chrono::hours(9)};
  const Error refused{ErrorCode::kUnauthorized, "401 Unauthorized", {}, {}};
  const store::ClusterRow rejected =
      ManagerRow({ConnectionPhase::kRejected, then, refused}, "workloads: x", {}, nullptr, now);
  CHECK(rejected.name.value == "manager");
  CHECK(rejected.phase == "Rejected");
  CHECK(rejected.why == "401 Unauthorized");
  CHECK(rejected.phase_since == then);
  CHECK_FALSE(rejected.last_contact);
  const ConnectionState connected{ConnectionPhase::kConnected, then, {}};
  const store::ClusterRow listing =
      ManagerRow(connected, "workloads are being listed", {}, nullptr, now);
  CHECK(listing.phase == "Syncing");
  CHECK(listing.why == "workloads are being listed");
  const store::ClusterRow well = ManagerRow(connected, "", {}, nullptr, now);
  CHECK(well.phase == "Connected");
  CHECK(well.why.empty());
  CHECK(well.last_contact == now);
  const std::vector<Gap> gaps = {{"clusterqueues", "no queues: x"}, {"jobsets", "no jobsets: y"}};
  const store::ClusterRow limited = ManagerRow(connected, "", gaps, nullptr, now);
  CHECK(limited.phase == "Connected");
  CHECK(limited.why == "no queues: x; no jobsets: y");
  CHECK(ManagerRow(connected, "workloads: x", gaps, nullptr, now).why == "workloads: x");
}

}  // namespace
}  // namespace fedra::reconcile::status_writer_test
