#include "manager/text/status_view.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "manager/report/exit_code.h"
#include "manager/report/row_json.h"
#include "manager/report/status_model.h"
#include "manager/text/job_counts_view.h"
#include "manager/text/status_format.h"
#include "manager/text/workload_view.h"
#include "manager/verify/capacity.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/contract.h"
#include "tests/unit/manager/text/from_rows.h"
#include "tests/unit/manager/text/settings.h"

namespace fedra::text::status_view_test {
namespace {

using Catch::Matchers::EndsWith;
using from_rows::RenderJobCounts;
using from_rows::RenderJobs;
using from_rows::RenderStatus;
using from_rows::RenderWorkers;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_CASE("status: the fleet, and what needs attention first") {
  const Output output = RenderStatus(FleetStatus(), Settings());
  CHECK(output.note.empty());
  CHECK(
      output.out ==
      R"(WORKERS  3 configured, 2 connected                                                      as of 2s ago
NAME      STATE        SINCE  QUEUES  QUOTA  DEVICES  JOBS  NOTE
gpu-east  Connected    3d4h   2       75%    3/8      1
gpu-west  Connected    3d4h   -       -      -        1
tpu-lab   Unreachable  4m10s  -       -      -        1     connection refused; its job moves in 10m

JOBS  2 running, 1 dispatching, 1 blocked, 1 finished
JOB          STATE        WORKER    AGE   NOTE
ml/sweep-3   Blocked      -         4m    no worker eligible: TemplateMissing on 2, ClusterUnreachable on 1
ml/new       Dispatching  gpu-west  9s    dispatched to gpu-west, waiting for admission
ml/train-1b  Running      tpu-lab   3h
ml/train-7b  Running      gpu-east  120m
ml/done      Finished     gpu-east  30h
)");
}

TEST_CASE("the note of a blocked job counts the further reasons, and names a single short one") {
  report::FleetRows data = FleetStatus();
  data.verdicts[0].reasons_json =
      R"([{"code":"TemplateMissing","object":"","facts":{"type":"Sentence","text":"x"}},
          {"code":"QueueMissing","object":"","facts":{"type":"Sentence","text":"y"}}])";
  CHECK_THAT(
      RenderStatus(data, Settings()).out,
      ContainsSubstring("TemplateMissing on 2, ClusterUnreachable on 1 (and QueueMissing)\n"));
  data.verdicts[1].reasons_json =
      R"([{"code":"TemplateMissing","object":"","facts":{"type":"Sentence","text":"x"}},
          {"code":"NotEnoughDevices","object":"","facts":{"type":"Sentence","text":"y"}}])";
  CHECK_THAT(RenderStatus(data, Settings()).out, ContainsSubstring(" (and 2 more reasons)\n"));
}

TEST_CASE("json counts what stands against a blocked job, and says it of no other") {
  const auto document =
      testing::HeldDocument(RenderStatus(FleetStatus(), Settings(Format::kJson)).out);
  for (const nlohmann::json& job : document["jobs"]) {
    CAPTURE(job["name"]);
    const nlohmann::json reasons = job.value("reasons", nlohmann::json());
    CHECK(reasons.dump() == (job["state"] == "Blocked"
                                 ? R"([{"code":"TemplateMissing","workers":2},)"
                                   R"({"code":"ClusterUnreachable","workers":1}])"
                                 : "null"));
  }
}

TEST_CASE("a manager that is not connected is said first") {
  report::FleetRows data = FleetStatus();
  data.manager = LostWorker("manager", -1, minutes(5));
  data.manager->phase = "Rejected";
  data.manager->why = "401 Unauthorized";
  for (const auto render : {&RenderStatus, &RenderWorkers, &RenderJobs}) {
    CHECK(render(data, Settings())
              .out.starts_with("MANAGER  Rejected for 5m: 401 Unauthorized; nothing is dispatched "
                               "meanwhile, and "));
    const auto json = testing::HeldDocument(render(data, Settings(Format::kJson)).out);
    CHECK(json["manager"]["state"] == "Rejected");
    CHECK(json["manager"]["why"] == "401 Unauthorized");
  }
  data.manager = Worker("manager", -1, "1.36.3");
  CHECK(RenderStatus(data, Settings()).out.starts_with("WORKERS"));
  data.manager->why = "not allowed to list or watch clusterqueues.kueue.x-k8s.io (403): no order";
  const std::string limited = RenderStatus(data, Settings()).out;
  CHECK(limited.starts_with("MANAGER  Connected for "));
  CHECK_THAT(limited, ContainsSubstring(": " + data.manager->why));
  CHECK(limited.find("nothing is dispatched") == std::string::npos);
  const auto json = testing::HeldDocument(RenderStatus(data, Settings(Format::kJson)).out);
  CHECK(json["manager"]["state"] == "Connected");
  CHECK(json["manager"]["why"] == data.manager->why);
}

TEST_CASE("whether a daemon runs, for programs") {
  report::FleetRows data = FleetStatus();
  const auto daemon = [&] {
    return testing::HeldDocument(RenderStatus(data, Settings(Format::kJson)).out)["daemon"];
  };
  CHECK(daemon()["running"] == true);
  CHECK(daemon()["ageSeconds"] == 2);
  data.daemon.heartbeat = Beat(minutes(12));
  CHECK(daemon()["running"] == false);
  CHECK(daemon()["ageSeconds"] == 720);
  data.daemon.holds_store = true;
  CHECK(daemon()["running"] == true);
  data.daemon = {Beat(seconds(2)), /*holds_store=*/false};
  CHECK(daemon()["running"] == false);
}

TEST_CASE("what a job needs, for programs") {
  report::FleetRows data;
  data.workloads = {Job("a", "Running", "b", hours(1))};
  const auto needs = [&] {
    return testing::HeldDocument(RenderJobs(data, Settings(Format::kJson)).out)["jobs"][0]["needs"];
  };
  data.workloads[0].needs_json = R"({"claims":["shared"],"pods":12,"templates":["one","two"]})";
  CHECK(needs()["queue"] == "gpu");
  CHECK(needs()["templates"] == nlohmann::json::array({"one", "two"}));
  CHECK(needs()["claims"] == nlohmann::json::array({"shared"}));
  CHECK(needs()["pods"] == 12);
  CHECK(needs()["text"] == "queue ml/gpu · template one · template two · claim shared · 12 pods");
  data.workloads[0].needs_json = R"({"claims":[],"pods":1,"templates":[]})";
  CHECK(needs()["pods"] == 1);
  CHECK(needs()["claims"].empty());
  for (const char* unknown : {"{}", "", "[]", R"({"pods":"two"})"}) {
    data.workloads[0].needs_json = unknown;
    CHECK(needs()["queue"] == nlohmann::json(""));
    CHECK(needs()["text"] == nlohmann::json(""));
  }
}

TEST_CASE("--watch: that time passes is no news") {
  report::FleetRows data = FleetStatus();
  const auto news = [&](std::chrono::seconds later) {
    ViewSettings settings = Settings(Format::kJson);
    settings.query.now = kNow + later;
    data.daemon.heartbeat = Beat(-later);
    data.clusters[0].last_contact = settings.query.now;
    return report::WithoutAges(RenderStatus(data, settings).out);
  };
  const std::string before = news(seconds(0));
  CHECK(news(seconds(5)) == before);
  data.workloads[3].state = "Running";
  CHECK(news(seconds(6)) != before);
}

TEST_CASE("the folders of a long path are left out of a note before its cause is") {
  report::FleetRows data;
  data.clusters = {LostWorker("a", 0, seconds(250))};
  data.clusters[0].why =
      "/srv/" + std::string(100, 'f') + "/a.kubeconfig:4:9: users[0].user.token: must not be empty";
  ViewSettings settings = Settings();
  settings.style.width = 120;
  CHECK_THAT(RenderWorkers(data, settings).out,
             ContainsSubstring(".../a.kubeconfig:4:9: users[0].user.token: must not be empty\n"));
  CHECK_THAT(RenderWorkers(data, Settings(Format::kWide)).out, ContainsSubstring("/srv/ffff"));
}

TEST_CASE("status workers, wide") {
  report::FleetRows data = FleetStatus();
  data.clusters[1].note = "watching localqueues is forbidden";
  data.clusters[0].capabilities_json =
      R"({"jobKinds":["Job","JobSet"],"jobKindsMissing":["RayJob"],"kueueVersions":["v1beta2"]})";
  data.clusters[1].capabilities_json = R"({"jobKinds":["Job"],"jobKindsMissing":[]})";
  CHECK(
      RenderWorkers(data, Settings(Format::kWide)).out ==
      R"(WORKERS  3 configured, 2 connected                                                      as of 2s ago
NAME      STATE        SINCE  QUEUES  QUOTA                DEVICES  JOBS  KUBERNETES  DRA  KUEUE    KINDS  LAST CONTACT  NOTE
gpu-east  Connected    3d4h   2       example.com/gpu 6/8  3/8      1     1.36.3      v1   v1beta2  2/3    1s
gpu-west  Connected    3d4h   -       -                    -        1     1.35.4      v1   -        1/1    1s            watching localqueues is forbidden
tpu-lab   Unreachable  4m10s  -       -                    -        1     -           -    -        -      4m10s         connection refused; its job moves in 10m
)");
}

TEST_CASE("status jobs, of one namespace, wide") {
  report::FleetRows data = FleetStatus();
  data.workloads.resize(1);
  data.workloads.push_back(Job("fit", "Blocked", "", minutes(4)));
  data.workloads.back().job.ns = "hpc";
  data.workloads.back().note = "no worker eligible: a: x; b: y";
  data.workloads.back().priority = 1000;
  data.places = {{"uid-fit", ClusterName("gpu-west"), 1, 0, false},
                 {"uid-fit", ClusterName("gpu-e"), 2, 0, false}};
  data.verdicts.clear();
  ViewSettings settings = Settings(Format::kWide);
  settings.query.ns = "hpc";
  CHECK(
      RenderJobs(data, settings).out ==
      R"(JOBS  1 blocked                                                                         as of 2s ago
JOB      STATE    WORKER  AGE  PRIORITY  LINE                           QUEUE  IN STATE  DURATION  KIND  WORKLOAD       NEEDS                                     NOTE
hpc/fit  Blocked  -       4m   1000      1st on gpu-west, 2nd on gpu-e  gpu    4m        -         Job   job-fit-1a2b3  queue ml/gpu · template one-gpu · 2 pods  no worker eligible: a: x; b: y
)");
}

TEST_CASE("status jobs --sort-by queue shows what it sorts by") {
  const report::FleetRows data = FleetStatus();
  ViewSettings settings = Settings();
  CHECK_THAT(RenderJobs(data, settings).out, !ContainsSubstring("QUEUE"));
  settings.query.jobs.order = store::JobOrder::kQueue;
  CHECK_THAT(RenderJobs(data, settings).out, ContainsSubstring("  QUEUE  NOTE"));
}

TEST_CASE("deleted jobs are listed with their last state, and when they were deleted") {
  report::FleetRows data = FleetStatus();
  data.workloads[1].removed_at = data.daemon.heartbeat->at - std::chrono::hours(3);
  ViewSettings settings = Settings();
  settings.query.jobs.states = {"Deleted"};
  CHECK_THAT(RenderJobs(data, settings).out, ContainsSubstring("JOBS  1 deleted") &&
                                                 ContainsSubstring("ml/train-7b  Running") &&
                                                 ContainsSubstring("  deleted 3h ago"));
  settings.format = Format::kJson;
  const auto document = testing::HeldDocument(RenderJobs(data, settings).out);
  CHECK(document["jobs"][0]["state"] == "Running");
  CHECK(document["jobs"][0].contains("removedAt"));
  settings.format = Format::kTable;
  settings.query.jobs.states = {};
  CHECK_THAT(RenderJobs(data, settings).out, !ContainsSubstring("train-7b"));
}

TEST_CASE("a worker that was removed is not counted as configured") {
  report::FleetRows data = FleetStatus();
  data.clusters.back().is_removed = true;
  CHECK_THAT(RenderWorkers(data, Settings()).out,
             ContainsSubstring("2 configured, 1 removed, 2 connected"));
  const auto document = testing::HeldDocument(RenderWorkers(data, Settings(Format::kJson)).out);
  CHECK(document["workers"].back()["removed"] == true);
  CHECK(!document["workers"][0].contains("removed"));
}

TEST_CASE("a worker that is out of service says so beside its state") {
  report::FleetRows data = FleetStatus();
  data.clusters.front().cordon = "Draining";
  data.clusters.front().why = "drained: firmware";
  const std::string table = RenderWorkers(data, Settings()).out;
  CHECK_THAT(table, ContainsSubstring("Connected,Draining"));
  CHECK_THAT(table, ContainsSubstring("drained: firmware"));
  const auto document = testing::HeldDocument(RenderWorkers(data, Settings(Format::kJson)).out);
  CHECK(document["workers"][0]["cordon"] == "Draining");
  CHECK(!document["workers"][1].contains("cordon"));
}

TEST_CASE("the wide table says how long a job has run, or ran, on its worker") {
  report::FleetRows data = FleetStatus();
  const WallTime now = Settings().query.now;
  data.workloads = {Job("runs", "Running", "gpu-east", hours(2)),
                    Job("ran", "Finished", "gpu-east", hours(3))};
  data.workloads[1].finished_at = now - hours(1);
  data.attempts = {
      {data.workloads[0].uid, 2, ClusterName("gpu-east"), now - minutes(30), {}, "", ""},
      {data.workloads[0].uid, 1, ClusterName("gpu-west"), now - hours(2), {}, "", ""},
      {data.workloads[1].uid, 1, ClusterName("gpu-east"), now - minutes(150), {}, "", ""}};
  ViewSettings settings = Settings(Format::kWide);
  settings.query.jobs.all = true;
  const std::string out = RenderJobs(data, settings).out;
  const auto line_of = [&](const std::string& job) {
    const size_t begin = out.find(job);
    return begin == std::string::npos ? "" : out.substr(begin, out.find('\n', begin) - begin);
  };
  CHECK_THAT(line_of("ml/runs"), ContainsSubstring("  30m"));
  CHECK_THAT(line_of("ml/ran "), ContainsSubstring("  90m"));
}

TEST_CASE("a worker's jobs are counted over all namespaces, ended ones are not") {
  report::FleetRows data = FleetStatus();
  data.workloads.push_back(Job("other", "Running", "gpu-east", hours(1)));
  data.workloads.back().job.ns = "hpc";
  ViewSettings settings = Settings();
  settings.query.ns = "hpc";
  settings.style.headers = false;
  CHECK_THAT(RenderStatus(data, settings).out,
             ContainsSubstring("gpu-east  Connected    3d4h   2  75%  3/8  2"));
}

TEST_CASE("a worker's queues, quota and devices, for people and for programs") {
  report::FleetRows data = FleetStatus();
  data.clusters.resize(1);
  verify::Capacity capacity = verify::QueuesOf(3, {{"LocalQueue ml/gpu", "gpu", "stopped"}});
  capacity.quota = {{"gpu", "default", "cpu", Quantity(4), Quantity(6)},
                    {"ml", "default", "cpu", Quantity(64), Quantity(0)}};
  data.clusters[0].capacity_json = verify::ToJsonText(capacity);
  ViewSettings settings = Settings();
  settings.style.headers = false;
  CHECK_THAT(RenderWorkers(data, settings).out, ContainsSubstring("3d4h  2/3  150%  -  1"));
  settings.format = Format::kWide;
  CHECK_THAT(RenderWorkers(data, settings).out, ContainsSubstring("2/3  cpu 6/4 (gpu)  -"));
  const auto worker =
      testing::HeldDocument(RenderWorkers(data, Settings(Format::kJson)).out)["workers"][0];
  CHECK(worker["queues"]["active"] == 2);
  CHECK(worker["queues"]["stopped"][0]["why"] == "stopped");
  CHECK(worker["quota"][0]["reserved"] == "6");
  CHECK(worker["quota"].size() == 2);
  CHECK_FALSE(worker.contains("devices"));
  // As an older daemon, or a broken one, wrote it.
  data.clusters[0].capacity_json = GENERATE("", "{}", "[1]", R"({"quota":[{"nominal":"0"}]})");
  CHECK_THAT(RenderWorkers(data, settings).out, ContainsSubstring("3d4h  -  -  -  1"));
}

TEST_CASE("copies that could not be removed from a lost worker are said") {
  report::FleetRows data;
  data.clusters = {LostWorker("a", 0, hours(1))};
  store::ResidueRow residue;
  residue.cluster = ClusterName("a");
  data.residues = {residue};
  CHECK_THAT(RenderWorkers(data, Settings()).out,
             ContainsSubstring("0     connection refused; the copy of a job that was requeued or "
                               "deleted may still run there\n"));
  data.residues.push_back(residue);
  data.residues.back().uid = "another";  // a store has one of each
  CHECK_THAT(RenderWorkers(data, Settings()).out, ContainsSubstring("copies of 2 jobs"));
  const auto document = testing::HeldDocument(RenderWorkers(data, Settings(Format::kJson)).out);
  CHECK(document["workers"][0]["jobsLeftBehind"] == 2);
  // One that ended there cannot run there; one that ended elsewhere may have a copy that does.
  data.workloads = {Job("done", "Finished", "a", hours(2)),
                    Job("moved", "Finished", "b", hours(2))};
  data.residues[0].uid = data.workloads[0].uid;
  data.residues[1].uid = data.workloads[1].uid;
  CHECK_THAT(RenderWorkers(data, Settings()).out, ContainsSubstring("the copy of a job that"));
}

TEST_CASE("what the loss of a worker means for its jobs") {
  report::FleetRows data;
  data.clusters = {LostWorker("a", 0, seconds(250))};
  ViewSettings settings = Settings();
  settings.style.headers = false;
  const auto note = [&] {
    const std::string line = RenderWorkers(data, settings).out;
    const size_t start = line.find("connection refused") + 18;
    return line.substr(start, line.find('\n') - start);
  };
  CHECK(note().empty());
  data.workloads = {Job("x", "Running", "a", hours(1)), Job("y", "Running", "a", hours(1))};
  CHECK(note() == "; its 2 jobs move in 10m");
  settings.query.worker_lost_timeout = minutes(4);
  CHECK(note() == "; its 2 jobs are being moved");
  settings.query.worker_lost_timeout.reset();
  CHECK(note().empty());
}

TEST_CASE("jobs of a worker that rejects our credentials stay, and the note says what to do") {
  report::FleetRows data;
  data.clusters = {LostWorker("a", 0, seconds(250))};
  data.clusters[0].phase = "Rejected";
  data.clusters[0].why = "GET /version: Unauthorized";
  data.clusters[0].lost_since.reset();
  data.workloads = {Job("x", "Running", "a", hours(1)), Job("y", "Running", "a", hours(1))};
  CHECK_THAT(RenderWorkers(data, Settings()).out,
             ContainsSubstring("Unauthorized; its 2 jobs stay there; renew the credentials in its "
                               "kubeconfig\n"));
  data.clusters[0].lost_since = Ago(seconds(250));  // dispatch.rejectedWorkers: Move
  CHECK_THAT(RenderWorkers(data, Settings()).out,
             ContainsSubstring("Unauthorized; its 2 jobs move in 10m; renew"));
}

TEST_CASE("the note of a job whose turn comes says what it waits for") {
  report::FleetRows data = FleetStatus();
  data.verdicts[0].reasons_json = R"([{"code":"DevicesAllocated"}])";
  CHECK_THAT(RenderJobs(data, Settings()).out,
             ContainsSubstring("  waits for " + data.verdicts[0].cluster.value + ": "));
  CHECK_THAT(RenderJobs(FleetStatus(), Settings()).out, !ContainsSubstring("waits for"));
}

TEST_CASE("on a narrow terminal the note gives way") {
  ViewSettings settings = Settings();
  settings.style.width = 60;
  const std::string jobs = RenderJobs(FleetStatus(), settings).out;
  const size_t row = jobs.find("ml/sweep-3");
  REQUIRE(row != std::string::npos);
  CHECK(jobs.find('\n', row) - row <= 60);
}

TEST_CASE("old data is said to be old") {
  report::FleetRows data = FleetStatus();
  data.daemon.heartbeat = Beat(minutes(12));
  const auto begins = [&](const std::string& text) {
    return RenderStatus(data, Settings()).out.starts_with(text) &&
           RenderWorkers(data, Settings()).out.starts_with(text) &&
           RenderJobs(data, Settings()).out.starts_with(text);
  };
  CHECK(begins("DAEMON  not running: what follows is as of 2026-11-21T15:59:19Z, 12m ago\n"));
  data.daemon.holds_store = true;
  CHECK(begins("DAEMON  runs, but has written nothing for 12m (it is starting, or its log says"));
  data.daemon = {Beat(seconds(2)), /*holds_store=*/false};
  CHECK(begins("DAEMON  not running: what follows is as of 2026-11-21T16:11:17Z, 2s ago\n"));
  ViewSettings settings = Settings();
  settings.style.headers = false;
  CHECK_THAT(RenderStatus(data, settings).out, !ContainsSubstring("DAEMON"));
  data.daemon.heartbeat.reset();
  CHECK_THAT(RenderStatus(data, Settings()).out,
             ContainsSubstring("  no daemon has written here yet\n"));
}

TEST_CASE("long notes end in dots, but for the wide table") {
  report::FleetRows data = FleetStatus();
  data.workloads = {Job("a", "Dispatching", "b", hours(1))};
  data.workloads[0].note = std::string(119, 'x') + "größe";
  ViewSettings settings = Settings();
  settings.style.width = 130;
  const std::string narrow = RenderJobs(data, settings).out;
  CHECK_THAT(narrow, ContainsSubstring(" " + std::string(95, 'x') + "...\n"));
  // A pipe has no edge.
  CHECK_THAT(RenderJobs(data, Settings()).out, ContainsSubstring("xgröße\n"));
  CHECK_THAT(RenderJobs(data, Settings(Format::kWide)).out, ContainsSubstring("xgröße\n"));
  CHECK_THAT(narrow, ContainsSubstring("as of 2s ago\n"));
  CHECK(narrow.find('\n') == 100);
}

TEST_CASE("without headers there are only rows") {
  ViewSettings settings = Settings();
  settings.style.headers = false;
  report::FleetRows data = FleetStatus();
  data.workloads.resize(1);
  CHECK(RenderJobs(data, settings).out == "ml/done  Finished  gpu-east  30h\n");
  CHECK(RenderStatus(data, settings).out.find("WORK") == std::string::npos);
}

TEST_CASE("nothing to show is a note, not an error") {
  const report::FleetRows empty;
  CHECK(RenderStatus(empty, Settings()).out.empty());
  CHECK(RenderStatus(empty, Settings()).note ==
        "No workers found: no daemon has recorded any here yet.");
  CHECK(RenderJobs(empty, Settings()).note == "No jobs found.");
  ViewSettings settings = Settings();
  settings.query.ns = "hpc";
  CHECK(RenderJobs(FleetStatus(), settings).note == "No jobs found in namespace hpc.");
  CHECK(RenderJobs(FleetStatus(), settings).out.empty());
  // Programs get a document all the same.
  CHECK(RenderJobs(empty, Settings(Format::kYaml)).out ==
        "apiVersion: fedra.dev/v1alpha1\nkind: JobReport\njobs: []\nremaining: 0\nended: 0\n");
  // A fleet without workloads is not nothing.
  report::FleetRows idle = FleetStatus();
  idle.workloads.clear();
  CHECK(RenderStatus(idle, Settings()).note.empty());
  CHECK_THAT(RenderStatus(idle, Settings()).out, ContainsSubstring("\nJOBS  none\n"));
  ViewSettings filtered = Settings();
  filtered.query.jobs.states = {"Failed"};
  CHECK_THAT(RenderStatus(idle, filtered).out, ContainsSubstring("\nJOBS  none match\n"));
  ViewSettings of_namespace = Settings();
  of_namespace.query.ns = "nope";
  CHECK_THAT(RenderStatus(idle, of_namespace).out,
             ContainsSubstring("\nJOBS  none in namespace nope\n"));
}

TEST_CASE("names are what the other commands take") {
  CHECK(RenderWorkers(FleetStatus(), Settings(Format::kName)).out ==
        "gpu-east\ngpu-west\ntpu-lab\n");
  CHECK(RenderJobs(FleetStatus(), Settings(Format::kName)).out ==
        "ml/sweep-3\nml/new\nml/train-1b\nml/train-7b\nml/done\n");
}

TEST_CASE("json has whole times, every field and a version") {
  report::FleetRows data = FleetStatus();
  data.clusters.erase(data.clusters.begin(), data.clusters.begin() + 2);
  data.workloads = {Job("done", "Finished", "tpu-lab", hours(2))};
  data.workloads[0].finished_at = Ago(hours(1));
  CHECK(RenderStatus(data, Settings(Format::kJson)).out == R"({
  "apiVersion": "fedra.dev/v1alpha1",
  "kind": "StatusReport",
  "asOf": "2026-11-21T16:11:17Z",
  "daemon": {
    "running": true,
    "ageSeconds": 2,
    "version": "0.1.0",
    "pid": 4711,
    "startedAt": "2026-11-18T12:11:19Z",
    "order": "",
    "restartNeeded": ""
  },
  "workers": [
    {
      "name": "tpu-lab",
      "state": "Unreachable",
      "since": "2026-11-21T16:07:09Z",
      "why": "connection refused",
      "lostSince": "2026-11-21T16:07:09Z",
      "lastContact": "2026-11-21T16:07:09Z",
      "kubernetesVersion": "",
      "draVersion": "",
      "jobs": 0,
      "jobsLeftBehind": 0,
      "note": ""
    }
  ],
  "jobs": [
    {
      "namespace": "ml",
      "name": "done",
      "kind": "Job",
      "uid": "uid-done",
      "workload": "job-done-1a2b3",
      "queue": "gpu",
      "clusterQueue": "",
      "priority": 0,
      "state": "Finished",
      "worker": "tpu-lab",
      "note": "",
      "needs": {
        "queue": "gpu",
        "templates": [
          "one-gpu"
        ],
        "claims": [],
        "pods": 2,
        "text": "queue ml/gpu · template one-gpu · 2 pods"
      },
      "createdAt": "2026-11-21T14:11:19Z",
      "stateSince": "2026-11-21T14:11:19Z",
      "finishedAt": "2026-11-21T15:11:19Z"
    }
  ],
  "remaining": 0,
  "ended": 0
}
)");
  const auto parsed = testing::HeldDocument(RenderWorkers(data, Settings(Format::kJson)).out);
  CHECK(parsed["kind"] == "WorkerReport");
  CHECK_FALSE(parsed.contains("jobs"));
}

TEST_CASE("status says which of several replicas it is, and who leads") {
  report::FleetRows data = FleetStatus();
  data.daemon.holds_store = true;
  store::HeartbeatRow& row = *data.daemon.heartbeat;
  const auto line = [&] {
    const std::string out = RenderStatus(data, Settings()).out;
    return out.starts_with("REPLICA") ? out.substr(0, out.find('\n')) : std::string();
  };
  const auto json = [&] {
    return testing::HeldDocument(RenderStatus(data, Settings(Format::kJson)).out)["daemon"];
  };
  CHECK(line().empty());
  CHECK_FALSE(json().contains("replica"));

  row.role = "Leader";
  row.identity = "fedra-0_1f";
  row.leader = "fedra-0_1f";
  row.leader_since = Ago(minutes(5));
  row.takeovers = 1;
  CHECK(line() == "REPLICA  leads since 5m, after 1 take-over");
  CHECK(json()["replica"] == nlohmann::json({{"role", "Leader"},
                                             {"identity", "fedra-0_1f"},
                                             {"leader", "fedra-0_1f"},
                                             {"leaderSince", "2026-11-21T16:06:19Z"},
                                             {"takeovers", 1}}));
  row.role = "Standby";
  row.leader = "fedra-1_2e";
  row.takeovers = 3;
  CHECK(line() ==
        "REPLICA  no job is known to this standby (replica fedra-0_1f), which has never led; the "
        "leader is fedra-1_2e since 5m, after 3 take-overs");
  CHECK_FALSE(json()["replica"].contains("jobsAsOf"));
  row.decided_at = Ago(minutes(7));
  CHECK(line() ==
        "REPLICA  jobs are as of 7m ago, by a standby (replica fedra-0_1f); the leader is "
        "fedra-1_2e since 5m, after 3 take-overs");
  CHECK(json()["replica"]["jobsAsOf"] == "2026-11-21T16:04:19Z");
  row.leader.clear();
  row.leader_since.reset();
  const std::string unled =
      "REPLICA  jobs are as of 7m ago, by a standby (replica fedra-0_1f); no replica leads, after "
      "3 take-overs";
  CHECK(line() == unled);
  row.lead_problem = "it waits for its lists";
  CHECK(line() == unled + "; this one does not lead: it waits for its lists");
  CHECK(json()["replica"]["problem"] == row.lead_problem);
  CHECK_FALSE(json()["replica"].contains("configDiffers"));
  row.config_differs = "dispatch, workers";
  CHECK(json()["replica"]["configDiffers"] == "dispatch, workers");
  CHECK_THAT(RenderStatus(data, Settings()).out,
             ContainsSubstring("\nREPLICA  its configuration is not the leader's in dispatch, "
                               "workers: give both the same"));
  data.daemon.holds_store = false;
  row.leader = "fedra-1_2e";
  const std::string ended =
      "jobs are as of 7m ago, by a standby (replica fedra-0_1f); the leader was fedra-1_2e";
  CHECK_THAT(RenderStatus(data, Settings()).out,
             ContainsSubstring("\nREPLICA  " + ended + ", after 3 take-overs\n"));
  CHECK_THAT(RenderStatus(data, Settings()).out, !ContainsSubstring("its configuration is not"));
  CHECK(RenderStatus(data, Settings(Format::kName)).note ==
        "the daemon is not running, and " + ended);
  row.role = "Leader";  // what it was among others is nothing that it is
  CHECK_THAT(RenderStatus(data, Settings()).out, !ContainsSubstring("REPLICA"));
}

TEST_CASE(
    "a standby's documents about jobs are as of when it led last, that of workers as of now") {
  report::FleetRows data = FleetStatus();
  data.daemon.holds_store = true;
  store::HeartbeatRow& row = *data.daemon.heartbeat;
  row.role = "Standby";
  const auto as_of = [&](Output (*render)(const report::FleetRows&, const ViewSettings&)) {
    return testing::HeldDocument(render(data, Settings(Format::kJson)).out).value("asOf", "");
  };
  data.workloads.clear();
  const std::string never =
      "no job is known to this standby (replica ), which has never led; no replica leads. ";
  CHECK(RenderJobs(data, Settings()).note == never + "No jobs found.");
  ViewSettings counted = Settings();
  counted.query.jobs.grouping = store::JobGrouping::kState;
  CHECK(RenderJobCounts(data, counted).note == never + "No jobs to count.");
  CHECK(RenderJobs(data, Settings()).code == report::kUnknown);
  CHECK(RenderJobCounts(data, counted).code == report::kUnknown);
  const auto workers = [&] {
    return testing::HeldDocument(RenderWorkers(data, Settings(Format::kJson)).out).at("workers");
  };
  CHECK_FALSE(workers().at(0).contains("jobs"));
  CHECK_FALSE(workers().at(0).contains("jobsLeftBehind"));
  CHECK(as_of(&RenderStatus).empty());
  CHECK(as_of(&RenderJobs).empty());
  row.decided_at = Ago(minutes(7));
  CHECK(as_of(&RenderStatus) == "2026-11-21T16:04:19Z");
  CHECK(as_of(&RenderJobs) == "2026-11-21T16:04:19Z");
  CHECK(as_of(&RenderWorkers) == "2026-11-21T16:11:17Z");
  CHECK(workers().at(0).contains("jobs"));
  CHECK(RenderJobs(data, Settings()).code == report::kUnknown);
  row.role = "Leader";
  CHECK(RenderJobs(data, Settings()).code == 0);
}

TEST_CASE("a standby that has never led has no number of jobs on a worker, not none") {
  report::FleetRows data = FleetStatus();
  const auto jobs_of_east = [&] {
    std::istringstream words(RenderWorkers(data, Settings()).out);
    for (std::string line; std::getline(words, line);)
      if (line.starts_with("gpu-east ")) return line;
    return std::string();
  };
  const std::string leads = jobs_of_east();
  data.daemon.heartbeat->role = "Standby";
  const std::string stands_by = jobs_of_east();
  CHECK_THAT(leads, EndsWith(" 3/8      1"));
  CHECK_THAT(stands_by, EndsWith(" 3/8      -"));
}

TEST_CASE("workers that a user may not see are not counted as none") {
  report::FleetRows data = FleetStatus();
  data.daemon.omitted = {"workers"};
  data.clusters.clear();
  CHECK_THAT(RenderStatus(data, Settings()).out,
             ContainsSubstring("WORKERS  not shown: that is a right in the ClusterRole "
                               "fedra-fleet-viewer"));
}

TEST_CASE("a standby says as of when its jobs are, and the workers are as of now") {
  report::FleetRows data = FleetStatus();
  data.daemon.holds_store = true;
  store::HeartbeatRow& row = *data.daemon.heartbeat;
  const auto heading = [&](const Output& output, const std::string& title) {
    const size_t at = output.out.find("\n" + title + "  ") + 1;
    REQUIRE(at != 0);
    return output.out.substr(at, output.out.find('\n', at) - at);
  };
  const auto ends = [&](const std::string& title, const std::string& text) {
    const std::string line = heading(RenderStatus(data, Settings()), title);
    INFO(line);
    return line.ends_with(text);
  };
  CHECK_FALSE(ends("JOBS", "by a standby"));
  row.role = "Standby";
  row.identity = "fedra-0_1f";
  row.leader = "fedra-1_2e";
  CHECK(ends("JOBS", "by a standby, which has never led"));
  row.decided_at = Ago(minutes(5));
  CHECK(ends("JOBS", "as of 5m ago, by a standby"));
  CHECK_FALSE(ends("WORKERS", "by a standby"));
  const std::string jobs = heading(RenderJobs(data, Settings()), "JOBS");
  CHECK(jobs.ends_with("as of 5m ago, by a standby"));
  CHECK(RenderJobs(data, Settings(Format::kName)).note ==
        "jobs are as of 5m ago, by a standby (replica fedra-0_1f); the leader is fedra-1_2e");
}

TEST_CASE("status: what the manager's queues and the configuration want from an operator") {
  report::FleetRows data = FleetStatus();
  const auto begins = [&](const std::string& text, Format format = Format::kTable) {
    const std::string out = RenderStatus(data, Settings(format)).out;
    INFO(out);
    return out.starts_with(text + "WORKERS  ");
  };
  data.daemon.heartbeat->dispatch_order = "Backfill";
  CHECK(begins(""));
  CHECK(begins("ORDER  Backfill\n", Format::kWide));

  data.daemon.heartbeat->restart_needed = "dispatch.order";
  CHECK(
      begins("DAEMON  does not apply every change of the configuration yet: restart it for "
             "dispatch.order\n"));
  data.daemon.heartbeat->restart_needed.clear();

  verify::Capacity queues = verify::QueuesOf(3, {{"ClusterQueue ml", "ml", "is stopped."}});
  queues.orders = {{"hpc", "strict", false}, {"ml", "Strict", true}};
  data.manager = Worker("manager", -1, "1.36.3");
  data.manager->capacity_json = verify::ToJsonText(queues);
  CHECK(
      begins("QUEUE  ClusterQueue ml of the manager is not active: is stopped.\n"
             "QUEUE  ClusterQueue hpc of the manager: its annotation fedra.dev/order \"strict\" is "
             "ignored, it must be Strict, Backfill or BestEffort\n"
             "ORDER  Backfill, Strict for ClusterQueue ml\n"));

  const auto document = testing::HeldDocument(RenderStatus(data, Settings(Format::kJson)).out);
  CHECK(document["daemon"]["order"] == "Backfill");
  CHECK(document["daemon"]["restartNeeded"].get<std::string>().empty());
  CHECK(document["manager"]["queues"]["orders"].dump() ==
        R"([{"clusterQueue":"hpc","order":"strict","valid":false},)"
        R"({"clusterQueue":"ml","order":"Strict","valid":true}])");
}

TEST_CASE("colours follow urgency, only where they are wanted") {
  ViewSettings settings = Settings();
  CHECK(RenderStatus(FleetStatus(), settings).out.find('\x1b') == std::string::npos);
  settings.style.color = true;
  const std::string out = RenderStatus(FleetStatus(), settings).out;
  CHECK_THAT(out, ContainsSubstring("\x1b[32mConnected\x1b[0m"));
  CHECK_THAT(out, ContainsSubstring("\x1b[31mUnreachable\x1b[0m"));
  CHECK_THAT(out, ContainsSubstring("\x1b[31mBlocked\x1b[0m"));
  CHECK_THAT(out, ContainsSubstring("\x1b[33mDispatching\x1b[0m"));
}

TEST_CASE("an unknown state of a newer daemon is shown, last") {
  report::FleetRows data = FleetStatus();
  data.workloads = {Job("a", "Levitating", "gpu-east", hours(1)),
                    Job("b", "Finished", "gpu-east", hours(1))};
  CHECK(RenderJobs(data, Settings(Format::kName)).out == "ml/b\nml/a\n");
  CHECK_THAT(RenderJobs(data, Settings()).out, ContainsSubstring("1 finished, 1 levitating"));
}

report::WorkloadData One(const store::WorkloadRow& row) {
  report::WorkloadData data;
  data.daemon.heartbeat = Beat(seconds(2));
  data.configured_workers = 3;
  data.incarnations.push_back({row, {}, {}, {}});
  return data;
}

TEST_CASE("status of one workload") {
  report::WorkloadData data = One(Job("train-7b", "Running", "gpu-east", hours(5)));
  data.incarnations[0].row.state_since = Ago(hours(3));
  data.incarnations[0].attempts = {
      {"uid-train-7b", 1, ClusterName("tpu-lab"), Ago(hours(5)), Ago(hours(4)), "WorkerLost",
       "no contact for 15m"},
      {"uid-train-7b", 2, ClusterName("gpu-east"), Ago(hours(4)), std::nullopt, "", ""}};
  CHECK(RenderWorkload(data, Settings()).out ==
        R"(ml/train-7b is running on gpu-east (for 3h; as of 2s ago)
needs     queue ml/gpu · template one-gpu · 2 pods
kind      Job
workload  ml/job-train-7b-1a2b3 (uid-train-7b)
created   5h ago
ATTEMPT  WORKER    BEGAN  ENDED  OUTCOME     MESSAGE
1        tpu-lab   5h     4h     WorkerLost  no contact for 15m
2        gpu-east  4h     -      -
)");
  const auto json = testing::HeldDocument(RenderWorkload(data, Settings(Format::kJson)).out);
  CHECK(json["kind"] == "JobReport");
  CHECK(json["jobs"][0]["attempts"][0]["outcome"] == "WorkerLost");
  CHECK_FALSE(json["jobs"][0]["attempts"][1].contains("endedAt"));
  CHECK(RenderWorkload(data, Settings(Format::kName)).out == "ml/train-7b\n");
}

TEST_CASE("every state has its sentence") {
  const auto line = [](store::WorkloadRow row, const std::string& note) {
    row.note = note;
    const std::string out = RenderWorkload(One(row), Settings()).out;
    return out.substr(0, out.find(" (for"));
  };
  const hours age(1);
  CHECK(line(Job("a", "Blocked", "", age), "no worker eligible: x") ==
        "ml/a is blocked: no worker eligible: x");
  CHECK(line(Job("a", "Dispatching", "b", age), "dispatched to b") ==
        "ml/a is being dispatched: dispatched to b");
  CHECK(line(Job("a", "Requeued", "", age), "worker b was lost") ==
        "ml/a is queued again: worker b was lost");
  CHECK(line(Job("a", "Waiting", "", age), "waiting for quota") ==
        "ml/a is waiting: waiting for quota");
  CHECK(line(Job("a", "Suspended", "", age), "") == "ml/a is suspended");
  CHECK(line(Job("a", "Running", "b", age), "") == "ml/a is running on b");
  CHECK(line(Job("a", "Finished", "b", age), "done") == "ml/a has finished on b: done");
  CHECK(line(Job("a", "Failed", "b", age), "backoff limit") ==
        "ml/a has failed on b: backoff limit");
}

TEST_CASE("status of a blocked job ends with the command that says why, and of no other job") {
  const std::string why = "\nmore      fedra why ml/a\n";
  for (const char* state : {"Blocked", "Waiting", "Dispatching", "Requeued", "Suspended", "Running",
                            "Finished", "Failed"}) {
    INFO(state);
    const std::string out = RenderWorkload(One(Job("a", state, "", hours(1))), Settings()).out;
    CHECK(out.ends_with(why) == (std::string_view(state) == "Blocked"));
  }
  store::WorkloadRow gone = Job("a", "Blocked", "", hours(1));
  gone.removed_at = Ago(minutes(5));
  CHECK_THAT(RenderWorkload(One(gone), Settings()).out, !ContainsSubstring("fedra why"));
}

TEST_CASE("the living incarnation is meant; without one, the last") {
  report::WorkloadData data = One(Job("a", "Running", "b", hours(1)));
  store::WorkloadRow old = Job("a", "Finished", "c", hours(9));
  old.removed_at = Ago(hours(8));
  data.incarnations.push_back({old, {}, {}, {}});
  CHECK(RenderWorkload(data, Settings()).out.find("removed") == std::string::npos);
  data.incarnations.erase(data.incarnations.begin());
  CHECK_THAT(
      RenderWorkload(data, Settings()).out,
      ContainsSubstring("ml/a was removed from the manager 8h ago, last seen Finished on c\n"));
}

}  // namespace
}  // namespace fedra::text::status_view_test
