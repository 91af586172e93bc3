#include "manager/cli/fleet/daemon_memory.h"

#include "manager/cli/fleet/line_memory.h"

#include <fmt/format.h>

#include "manager/report/job_report.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/report/rows.h"
#include "verdict/reason_text.h"

namespace fedra::cli::daemon_memory_test {
namespace {

using namespace report;  // NOLINT(google-build-using-namespace): the rows are written as there

using std::chrono::minutes;
using std::chrono::seconds;

// Two workers that could run ml/train.
report::JobReport Report() {
  report::JobReport report{"Job", {"ml", "train"}, {}};
  for (const char* const name : {"gpu-east", "gpu-west"}) {
    report::JobVerdict& verdict = report.verdicts.emplace_back();
    verdict.worker = ClusterName(name);
    verdict.verdict.outcome = verdict::Outcome::kYes;
  }
  return report;
}

// After a daemon has written this about ml/train.
report::JobReport ReportAfter(const std::string& state,
                              std::vector<store::PlacementFailure> failures) {
  const TempFolder folder;
  const std::string path = folder.Path("fedra.db");
  {
    auto store = store::Store::Open({.path = path});
    REQUIRE(store);
    const store::WorkloadRow row = Job("train", state, "", minutes(4));
    store::PlacementRow placement;
    placement.uid = row.uid;
    placement.key = row.key;
    placement.job = row.job;
    placement.failures = std::move(failures);
    REQUIRE((*store)->Commit({store::PutWorkload{row}, store::PutPlacement{placement}}));
  }
  report::JobReport report = Report();
  const auto memory = OpenMemory(path);
  REQUIRE(memory != nullptr);
  AddMemory(*memory, kNow, report);
  return report;
}

const store::PlacementFailure kRefused{ClusterName("gpu-east"), "Forbidden", Ago(seconds(4)),
                                       "gpu-east refused the job: jobs.batch is forbidden",
                                       /*refused=*/true};

TEST_CASE("check: a worker that has refused this very job says so") {
  const report::JobReport report = ReportAfter("Blocked", {kRefused});
  CHECK(report.note ==
        "ml/train has been submitted already: it is blocked; devices that it holds count as free "
        "here");
  const verdict::Verdict& east = report.verdicts[0].verdict;
  CHECK(east.outcome == verdict::Outcome::kNo);
  REQUIRE(east.reasons.size() == 1);
  CHECK(east.reasons[0].code == verdict::ReasonCode::kRecentlyFailed);
  CHECK(verdict::MessageOf(east.reasons[0], {.now = kNow}) ==
        "gpu-east refused the job: jobs.batch is forbidden (4s ago); tried again in 6s");
  CHECK(report.verdicts[1].verdict.outcome == verdict::Outcome::kYes);
  CHECK(report.verdicts[1].verdict.reasons.empty());
}

TEST_CASE("check: a worker that was too slow may be asked again") {
  store::PlacementFailure late = kRefused;
  late.refused = false;
  const report::JobReport report = ReportAfter("Dispatching", {late});
  CHECK(report.verdicts[0].verdict.outcome == verdict::Outcome::kYes);
  CHECK(report.verdicts[0].verdict.reasons.size() == 1);
}

TEST_CASE(
    "check: a job of the past says of the next one only that its name is taken, nor does a missing "
    "store") {
  const report::JobReport report = ReportAfter("Finished", {kRefused});
  CHECK(report.note == "ml/train is still on the manager, where it has finished: delete it first");
  CHECK(report.verdicts[0].verdict.reasons.empty());
  CHECK(OpenMemory("") == nullptr);
  CHECK(OpenMemory("/nonexistent/fedra.db") == nullptr);
}

TEST_CASE("check: says how old the daemon's memory is, where no daemon keeps it current") {
  const TempFolder folder;
  const std::string path = folder.Path("fedra.db");
  const auto line = [&](std::vector<store::Change> changes, bool runs) {
    auto store = store::Store::Open({.path = path});
    REQUIRE(store);
    const Result<void> kept = (*store)->Commit(std::move(changes));
    REQUIRE(kept);
    if (!runs) store->reset();
    const auto memory = OpenMemory(path);
    REQUIRE(memory != nullptr);
    const MemoryAge age = AgeOf(*memory, kNow);
    CHECK(age.is_current() == runs);
    return MemoryAgeLine(age, "; workers were asked just now", text::Style{});
  };
  CHECK(line({store::PutWorkload{Job("train", "Blocked", "", minutes(4))}}, false).empty());
  store::HeartbeatRow heartbeat;
  heartbeat.at = Ago(minutes(12));
  const std::string old = line({store::SetHeartbeat{heartbeat}}, false);
  CHECK(old.starts_with("DAEMON  the daemon is not running, and what it knew is as of "));
  CHECK_THAT(old, ContainsSubstring("12m ago"));
  heartbeat.at = Ago(seconds(2));
  CHECK(line({store::SetHeartbeat{heartbeat}}, true).empty());
}

// A job of one pod with the template one-gpu.
tracking::SubmittedJob WithTemplate(const char* name) {
  tracking::SubmittedJob job{.adapter = nullptr, .key = {"ml", name}, .requirement = {}};
  dra::PodDemand pod;
  pod.claims.push_back({.pod_claim = "gpu", .template_name = "one-gpu", .claim_name = ""});
  job.requirement.demands =
      std::make_shared<const std::vector<dra::PodDemand>>(std::vector<dra::PodDemand>{pod});
  job.requirement.pod_sets = tracking::PodSetsOf(*job.requirement.demands);
  return job;
}

store::WorkloadRow Wants(const char* name, const std::string& state, const char* worker,
                         const char* template_name, int pods) {
  store::WorkloadRow row = Job(name, state, worker, minutes(4));
  row.uid = name;
  row.needs_json =
      fmt::format(R"({{"templates":["{}"],"claims":[],"pods":{}}})", template_name, pods);
  return row;
}

// What the store says to a new ml/mine that both workers could run with 1 device to spare.
report::JobReport InLineAfter(const std::vector<store::Change>& changes, bool has_priority = false,
                              report::JobReport report = Report(), bool is_current = true) {
  const TempFolder folder;
  const std::string path = folder.Path("fedra.db");
  {
    auto store = store::Store::Open({.path = path});
    REQUIRE(store);
    REQUIRE((*store)->Commit(changes));
  }
  for (report::JobVerdict& item : report.verdicts) item.verdict.headroom = 1;
  const auto memory = OpenMemory(path);
  REQUIRE(memory != nullptr);
  LineMemory(*memory, is_current).AddTo(WithTemplate("mine"), has_priority, report);
  return report;
}

store::Change Place(const char* uid, int place, bool is_kept, const char* order,
                    bool is_bound_reached = false) {
  return store::PutPlaces{
      uid, {{uid, ClusterName("gpu-east"), place, 0, is_kept, "", order, is_bound_reached}}};
}

TEST_CASE("check: free devices go to the jobs that are ahead in line") {
  const auto waits = [](const char* name, const char* template_name = "one-gpu") {
    return store::PutWorkload{Wants(name, "Blocked", "", template_name, 4)};
  };
  const store::Change big = waits("big4");
  const store::Change small = waits("s2");

  SECTION("Backfill: where devices are kept for the first") {
    const report::JobReport report = InLineAfter(
        {big, small, Place("big4", 1, true, "Backfill"), Place("s2", 2, false, "Backfill")});
    CHECK(report::PreferredWorkers(report) == std::vector{ClusterName("gpu-west")});
    const verdict::Verdict& east = report.verdicts[0].verdict;
    CHECK(east.outcome == verdict::Outcome::kNo);
    REQUIRE(east.reasons.size() == 1);
    CHECK(east.reasons[0].code == verdict::ReasonCode::kInLine);
    CHECK(verdict::MessageOf(east.reasons[0], {.now = kNow}) ==
          "free devices go to those ahead in line: 2 jobs, first ml/big4 (priority 0, order "
          "Backfill)");
  }
  SECTION("elsewhere it passes them") {
    const report::JobReport report = InLineAfter({big, Place("big4", 1, false, "Backfill")});
    CHECK(report::PreferredWorkers(report).size() == 2);
    CHECK(report.verdicts[0].notes.empty());
    CHECK(InLineAfter({big, Place("big4", 1, false, "BestEffort")}).verdicts[0].notes.empty());
  }
  SECTION("Backfill, and the first has been passed as often as it may be") {
    const report::JobReport report = InLineAfter({big, Place("big4", 1, false, "Backfill", true)});
    CHECK(report.verdicts[0].verdict.outcome == verdict::Outcome::kNo);
    CHECK(report.verdicts[0].verdict.reasons.at(0).code == verdict::ReasonCode::kInLine);
  }
  SECTION("Strict: everywhere") {
    const report::JobReport report = InLineAfter({big, Place("big4", 1, false, "Strict")});
    CHECK(report.verdicts[0].verdict.outcome == verdict::Outcome::kNo);
  }
  SECTION("not certain: a priority class, or another template") {
    const auto changes = {big, Place("big4", 1, true, "Backfill")};
    const auto other = {store::Change(waits("big4", "large")), Place("big4", 1, true, "Backfill")};
    for (const report::JobReport& report : {InLineAfter(changes, true), InLineAfter(other)}) {
      CHECK(report.verdicts[0].verdict.outcome == verdict::Outcome::kYes);
      REQUIRE(report.verdicts[0].notes.size() == 1);
      CHECK(report.verdicts[0].notes[0].message ==
            "in line for devices there: 1 job, first ml/big4 (priority 0, order Backfill)");
      CHECK(report.verdicts[1].notes.empty());
    }
  }
}

TEST_CASE("check: what no daemon keeps current refuses nothing, and is noted") {
  const auto noted = [](std::initializer_list<store::Change> changes) {
    const report::JobReport report = InLineAfter(changes, false, Report(), /*is_current=*/false);
    CHECK(report.verdicts[0].verdict.outcome == verdict::Outcome::kYes);
    REQUIRE(report.verdicts[0].notes.size() == 1);
    return report.verdicts[0].notes[0].message;
  };
  CHECK(noted({store::PutWorkload{Wants("big4", "Blocked", "", "one-gpu", 4)},
               Place("big4", 1, true, "Backfill")}) ==
        "in line for devices there: 1 job, first ml/big4 (priority 0, order Backfill)");
  CHECK_THAT(noted({store::PutWorkload{Wants("q2", "Dispatching", "gpu-east", "one-gpu", 2)}}),
             ContainsSubstring("job ml/q2 was dispatched there"));
}

TEST_CASE("check: where all devices are in use, jobs in line for them are noted") {
  const std::vector<store::Change> changes = {
      store::PutWorkload{Wants("big4", "Blocked", "", "one-gpu", 4)},
      Place("big4", 1, false, "Backfill")};
  const auto notes = [&](verdict::ReasonCode code) {
    report::JobReport report = Report();
    verdict::Verdict& east = report.verdicts[0].verdict;
    east.outcome = verdict::Outcome::kNo;
    east.reasons = {{code, "", {}}};
    return InLineAfter(changes, false, report).verdicts[0].notes;
  };
  const auto busy = notes(verdict::ReasonCode::kDevicesAllocated);
  REQUIRE(busy.size() == 1);
  CHECK(busy[0].message ==
        "in line for devices there: 1 job, first ml/big4 (priority 0, order Backfill)");
  CHECK(notes(verdict::ReasonCode::kTemplateMissing).empty());
}

TEST_CASE("check: devices are reserved for dispatched jobs") {
  const auto dispatched = [](int pods) {
    return InLineAfter(
        {store::PutWorkload{Wants("q2", "Dispatching", "gpu-east", "one-gpu", pods)}});
  };
  const report::JobReport full = dispatched(2);
  CHECK(full.verdicts[0].verdict.outcome == verdict::Outcome::kNo);
  REQUIRE(full.verdicts[0].verdict.reasons.size() == 1);
  CHECK(verdict::MessageOf(full.verdicts[0].verdict.reasons[0]) ==
        "1 device to spare, and at least 2 reserved for jobs already dispatched there (job ml/q2)");

  const report::JobReport room = dispatched(1);
  CHECK(room.verdicts[0].verdict.outcome == verdict::Outcome::kYes);
  REQUIRE(room.verdicts[0].notes.size() == 1);
  CHECK(room.verdicts[0].notes[0].message ==
        "job ml/q2 was dispatched there and holds no devices yet: those that it will take count as "
        "free here");
  CHECK(room.verdicts[1].notes.empty());
}

}  // namespace
}  // namespace fedra::cli::daemon_memory_test
