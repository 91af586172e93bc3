// The documents of one name's jobs, made without anything of the command line.

#include "manager/report/job_documents.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/unit/manager/report/rows.h"
#include "tests/unit/manager/support/contract.h"

namespace fedra::report::job_documents_test {
namespace {

using std::chrono::hours;

// Deleted once, and submitted again.
WorkloadData Twice() {
  WorkloadData data;
  data.daemon.heartbeat = Beat(std::chrono::seconds(2));
  data.configured_workers = 3;
  WorkloadData::Incarnation now;
  now.row = Job("sweep-3", "Blocked", "", hours(1));
  now.verdicts = SweepVerdicts();
  WorkloadData::Incarnation before;
  before.row = Job("sweep-3", "Deleted", "gpu-east", hours(5));
  before.row.uid = "uid-before";
  before.row.removed_at = Ago(hours(2));
  data.incarnations = {now, before};
  return data;
}

TEST_CASE("why and status are about the job that lives, the history about all, oldest first") {
  const Query query{.now = kNow};
  const auto why = WhyDocument(Twice(), query);
  CHECK(why["kind"] == "WhyReport");
  testing::Contract contract;
  CHECK(contract.MistakesIn("WhyReport", why).empty());
  CHECK(why["asOf"] == "2026-11-21T16:11:17Z");
  REQUIRE(why["jobs"].size() == 1);
  CHECK(why["jobs"][0]["workers"].size() == 3);
  CHECK(why["jobs"][0]["next"]["text"] ==
        "the job is judged again as soon as one of these changes");
  const auto job = JobDocument(Twice(), query);
  CHECK(job["kind"] == "JobReport");
  CHECK(contract.MistakesIn("OneJobReport", job).empty());
  CHECK(job["jobs"].size() == 1);
  const auto history = HistoryDocument(Twice(), query);
  CHECK(history["kind"] == "HistoryReport");
  CHECK(contract.MistakesIn("HistoryReport", history).empty());
  REQUIRE(history["jobs"].size() == 2);
  CHECK(history["jobs"][0]["uid"] == "uid-before");
}

}  // namespace
}  // namespace fedra::report::job_documents_test
