#include "manager/cli/fleet/daemon_memory.h"

#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/cli/text/rows.h"

namespace fedra::cli {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Two workers that could run ml/train.
JobReport Report() {
  JobReport report{"Job", {"ml", "train"}, {}};
  for (const char* const name : {"gpu-east", "gpu-west"}) {
    JobVerdict& verdict = report.verdicts.emplace_back();
    verdict.worker = ClusterName(name);
    verdict.verdict.outcome = verdict::Outcome::kYes;
  }
  return report;
}

// After a daemon has written this about ml/train.
JobReport ReportAfter(const std::string& state, std::vector<store::PlacementFailure> failures) {
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
  JobReport report = Report();
  const auto memory = OpenMemory(path);
  REQUIRE(memory != nullptr);
  AddMemory(*memory, kNow, report);
  return report;
}

const store::PlacementFailure kRefused{ClusterName("gpu-east"), "Forbidden", Ago(seconds(4)),
                                       "gpu-east refused the job: jobs.batch is forbidden",
                                       /*refused=*/true};

TEST_CASE("check: a worker that has refused this very job says so") {
  const JobReport report = ReportAfter("Blocked", {kRefused});
  CHECK(report.note ==
        "ml/train has been submitted already: it is blocked; the answer is about another one");
  const verdict::Verdict& east = report.verdicts[0].verdict;
  CHECK(east.outcome == verdict::Outcome::kNo);
  REQUIRE(east.reasons.size() == 1);
  CHECK(east.reasons[0].code == verdict::ReasonCode::kRecentlyFailed);
  CHECK(east.reasons[0].message ==
        "refused the job: jobs.batch is forbidden (4s ago); tried again in 6s");
  CHECK(report.verdicts[1].verdict.outcome == verdict::Outcome::kYes);
  CHECK(report.verdicts[1].verdict.reasons.empty());
}

TEST_CASE("check: a worker that was too slow may be asked again") {
  store::PlacementFailure late = kRefused;
  late.refused = false;
  const JobReport report = ReportAfter("Dispatching", {late});
  CHECK(report.verdicts[0].verdict.outcome == verdict::Outcome::kYes);
  CHECK(report.verdicts[0].verdict.reasons.size() == 1);
}

TEST_CASE("check: a job of the past says nothing of the next one, nor does a missing store") {
  const JobReport report = ReportAfter("Finished", {kRefused});
  CHECK(report.note.empty());
  CHECK(report.verdicts[0].verdict.reasons.empty());
  CHECK(OpenMemory("") == nullptr);
  CHECK(OpenMemory("/nonexistent/fedra.db") == nullptr);
}

}  // namespace
}  // namespace fedra::cli
