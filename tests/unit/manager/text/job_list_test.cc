// Which jobs the table of `fedra status` has, and what it says of the others.
#include <nlohmann/json.hpp>

#include "manager/text/status_view.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/contract.h"
#include "tests/unit/manager/text/from_rows.h"
#include "tests/unit/manager/text/settings.h"

namespace fedra::text::job_list_test {
namespace {

using from_rows::RenderJobs;
using from_rows::RenderStatus;
using std::chrono::hours;
using std::chrono::minutes;
using Names = std::vector<std::string>;

TEST_CASE("status: the jobs behind the limit are counted, and in the heading") {
  ViewSettings settings = Settings();
  settings.query.jobs.limit = 2;
  const std::string out = RenderJobs(FleetStatus(), settings).out;
  CHECK_THAT(out, ContainsSubstring("2 running, 1 dispatching, 1 blocked, 1 finished"));
  CHECK(out.ends_with("\n... and 3 more\n"));
}

TEST_CASE("status: a job that ended long ago leaves the table, not the count") {
  FleetRows data = FleetStatus();
  data.workloads[0].finished_at = Ago(hours(29));
  const std::string out = RenderJobs(data, Settings()).out;
  CHECK_THAT(out, ContainsSubstring("1 finished"));
  CHECK_THAT(out, !ContainsSubstring("ml/done"));
  CHECK(out.ends_with("1 job that ended more than an hour ago: --all shows it\n"));
  ViewSettings all = Settings();
  all.query.jobs.all = true;
  CHECK_THAT(RenderJobs(data, all).out, ContainsSubstring("ended 29h ago\n"));
  data.workloads[0].finished_at = Ago(minutes(5));
  CHECK_THAT(RenderJobs(data, Settings()).out, ContainsSubstring("ended 5m ago\n"));
}

TEST_CASE("status: every format lists the same jobs, and JSON counts those that are left out") {
  FleetRows data = FleetStatus();
  data.workloads[0].finished_at = Ago(hours(29));
  ViewSettings settings = Settings(Format::kJson);
  settings.query.jobs.limit = 3;
  for (const auto render : {&RenderStatus, &RenderJobs}) {
    const auto document = testing::HeldDocument(render(data, settings).out);
    Names listed;
    for (const auto& job : document["jobs"]) listed.push_back(job["name"]);
    CHECK(listed == Names{"sweep-3", "new", "train-1b"});
    CHECK(document["remaining"] == 1);
    CHECK(document["ended"] == 1);
  }
  settings.format = Format::kName;
  CHECK(RenderJobs(data, settings).out == "ml/sweep-3\nml/new\nml/train-1b\n");
  settings = Settings(Format::kJson);
  settings.query.jobs.all = true;
  const auto all = testing::HeldDocument(RenderJobs(data, settings).out);
  CHECK(all["jobs"].size() == 5);
  CHECK(all["remaining"] == 0);
  CHECK(all["ended"] == 0);
}

TEST_CASE("status: a job on a worker that is out of contact is not green") {
  ViewSettings settings = Settings();
  settings.style.color = true;
  const std::string out = RenderJobs(FleetStatus(), settings).out;
  CHECK_THAT(out, ContainsSubstring("ml/train-7b  \x1b[32mRunning\x1b[0m"));
  CHECK_THAT(out, ContainsSubstring("ml/train-1b  \x1b[33mRunning\x1b[0m"));
}

TEST_CASE("status: a job's places in line, in the table and in JSON") {
  FleetRows data = FleetStatus();
  data.places = {{data.workloads[4].uid, ClusterName("gpu-east"), 7, 0, false},
                 {data.workloads[4].uid, ClusterName("gpu-west"), 1, 0, false},
                 {data.workloads[3].uid, ClusterName("gpu-east"), 2, 3, true}};
  ViewSettings settings = Settings();
  settings.query.jobs.order = store::JobOrder::kLine;
  CHECK_THAT(RenderJobs(data, settings).out,
             ContainsSubstring("  9s    0         1st on gpu-west, 7th on gpu-east  "));
  settings.format = Format::kJson;
  const auto document = testing::HeldDocument(RenderJobs(data, settings).out);
  CHECK(document["jobs"][1]["line"]["places"][0]["place"] == 2);
  CHECK(document["jobs"][1]["line"]["keptWorker"] == "gpu-east");
  CHECK(!document["jobs"][2].contains("line"));
}

}  // namespace
}  // namespace fedra::text::job_list_test
