#include "manager/report/job_filter.h"

#include <nlohmann/json.hpp>
#include "manager/cli/text/status_view.h"

#include "tests/support/catch.h"
#include "tests/unit/manager/report/rows.h"

namespace fedra::cli {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using Names = std::vector<std::string>;

Names Shown(const JobFilter& filter, const std::string& ns = "") {
  const StatusData data = FleetStatus();
  const Result<JobFilter> checked = Checked(filter);
  REQUIRE(checked);
  Names names;
  for (const auto& row :
       Choose(data.workloads, data.verdicts, data.places, ns, *checked, kNow).shown)
    names.push_back(row.job.name);
  return names;
}

TEST_CASE("status: filters by state, worker, queue, reason and namespace") {
  CHECK(Shown({.states = {"running"}}) == Names{"train-1b", "train-7b"});
  CHECK(Shown({.states = {"Blocked", "finished"}}) == Names{"sweep-3", "done"});
  CHECK(Shown({.workers = {"tpu-lab"}}) == Names{"train-1b"});
  CHECK(Shown({.reasons = {"TemplateMissing"}}) == Names{"sweep-3"});
  CHECK(Shown({.reasons = {"NodeResources"}}).empty());
  CHECK(Shown({.queues = {"gpu"}}).size() == 5);
  CHECK(Shown({.queues = {"ml/gpu"}}).size() == 5);
  CHECK(Shown({.queues = {"hpc/gpu"}}).empty());
  CHECK(Shown({}, "hpc").empty());
}

TEST_CASE("status: filters by the job's labels") {
  StatusData data = FleetStatus();
  data.workloads[1].labels_json = R"({"team":"vision"})";
  data.workloads[2].labels_json = "broken";
  const auto shown = [&](const std::string& labels) {
    const JobFilter filter = *Checked({.labels = labels});
    return Choose(data.workloads, {}, {}, "", filter, kNow).matching.size();
  };
  CHECK(shown("team=vision") == 1);
  CHECK(shown("team!=vision") == 4);
  CHECK(shown("") == 5);
  const auto wrong = Checked({.labels = "team="
                                        "vision,"});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message ==
        "--selector: \"team=vision,\": expected the name of a label at the end");
}

TEST_CASE("status: sorts, and stops at the limit") {
  CHECK(Shown({.sort_by = "age"}) == Names{"done", "train-1b", "train-7b", "sweep-3", "new"});
  CHECK(Shown({.sort_by = "name"}).front() == "done");
  CHECK(Shown({.limit = 2}) == Names{"sweep-3", "new"});
  StatusData data = FleetStatus();
  ViewSettings settings = Settings();
  settings.jobs.limit = 2;
  const std::string out = RenderJobs(data, settings).out;
  CHECK_THAT(out, ContainsSubstring("2 running, 1 dispatching, 1 blocked, 1 finished"));
  CHECK(out.ends_with("\n... and 3 more\n"));
}

TEST_CASE("status: a job that ended long ago leaves the table, not the count") {
  StatusData data = FleetStatus();
  data.workloads[0].finished_at = Ago(hours(29));
  const std::string out = RenderJobs(data, Settings()).out;
  CHECK_THAT(out, ContainsSubstring("1 finished"));
  CHECK_THAT(out, !ContainsSubstring("ml/done"));
  CHECK(out.ends_with("1 job that ended more than an hour ago: --all shows it\n"));
  ViewSettings all = Settings();
  all.jobs.all = true;
  CHECK_THAT(RenderJobs(data, all).out, ContainsSubstring("ended 29h ago\n"));
  data.workloads[0].finished_at = Ago(minutes(5));
  CHECK_THAT(RenderJobs(data, Settings()).out, ContainsSubstring("ended 5m ago\n"));
}

TEST_CASE("status: every format lists the same jobs, and JSON counts those that are left out") {
  StatusData data = FleetStatus();
  data.workloads[0].finished_at = Ago(hours(29));
  ViewSettings settings = Settings(Format::kJson);
  settings.jobs.limit = 3;
  for (const auto render : {&RenderStatus, &RenderJobs}) {
    const auto document = nlohmann::json::parse(render(data, settings).out);
    Names listed;
    for (const auto& job : document["jobs"]) listed.push_back(job["name"]);
    CHECK(listed == Names{"sweep-3", "new", "train-1b"});
    CHECK(document["remaining"] == 1);
    CHECK(document["ended"] == 1);
  }
  settings.format = Format::kName;
  CHECK(RenderJobs(data, settings).out == "ml/sweep-3\nml/new\nml/train-1b\n");
  settings = Settings(Format::kJson);
  settings.jobs.all = true;
  const auto all = nlohmann::json::parse(RenderJobs(data, settings).out);
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

TEST_CASE("status: those that stand in line come first, by their best place, and say it in JSON") {
  StatusData data = FleetStatus();
  data.places = {{data.workloads[4].uid, ClusterName("gpu-east"), 7, 0, false},
                 {data.workloads[4].uid, ClusterName("gpu-west"), 1, 0, false},
                 {data.workloads[3].uid, ClusterName("gpu-east"), 2, 3, true}};
  const auto sorted =
      Choose(data.workloads, data.verdicts, data.places, "", {.sort_by = "line"}, kNow);
  REQUIRE(sorted.matching.size() == 5);
  CHECK(sorted.matching[0].job.name == "new");
  CHECK(sorted.matching[1].job.name == "sweep-3");
  ViewSettings settings = Settings(Format::kJson);
  settings.jobs.sort_by = "line";
  settings.format = Format::kTable;
  CHECK_THAT(RenderJobs(data, settings).out,
             ContainsSubstring("  9s    0         1st on gpu-west, 7th on gpu-east  "));
  settings.format = Format::kJson;
  const auto document = nlohmann::json::parse(RenderJobs(data, settings).out);
  CHECK(document["jobs"][1]["line"]["places"][0]["place"] == 2);
  CHECK(document["jobs"][1]["line"]["keptWorker"] == "gpu-east");
  CHECK(!document["jobs"][2].contains("line"));
}

TEST_CASE("status: a word that is no state, reason or column is an error with a hint") {
  const auto message = [](const JobFilter& filter) {
    const auto checked = Checked(filter);
    REQUIRE_FALSE(checked);
    return checked.error().message;
  };
  CHECK(message({.states = {"Bloked"}}) == "--state Bloked: did you mean Blocked?");
  CHECK_THAT(message({.states = {"Connected"}}), ContainsSubstring("--state Connected: "));
  CHECK(message({.reasons = {"TemplateMising"}}) ==
        "--reason TemplateMising: did you mean TemplateMissing?");
  CHECK(message({.states = {"deleted"}}) ==
        "--state Deleted: jobs that were deleted are not listed; `fedra history NAMESPACE/NAME` "
        "shows "
        "one");
  CHECK_THAT(message({.sort_by = "xyz"}), ContainsSubstring("there are state, line, name, age"));
}

}  // namespace
}  // namespace fedra::cli
