#include "manager/text/why_view.h"

#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/report/status_model.h"
#include "manager/text/history_view.h"
#include "manager/text/workload_view.h"
#include "manager/verify/capacity.h"
#include "manager/verify/reason_json.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/contract.h"
#include "tests/unit/manager/text/settings.h"

namespace fedra::text::why_view_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

report::WorkloadData Sweep() {
  report::WorkloadData data;
  data.daemon.heartbeat = Beat(seconds(2));
  data.configured_workers = 3;
  data.incarnations.push_back({Job("sweep-3", "Blocked", "", minutes(4)), SweepVerdicts(), {}, {}});
  return data;
}

TEST_CASE("why: each worker, each reason, and what would help") {
  CHECK(RenderWhy(Sweep(), Settings()).out ==
        R"(ml/sweep-3 is blocked: 0 of 3 workers can run it, 1 unknown (for 4m; as of 2s ago)
needs  queue ml/gpu · template one-gpu · 2 pods
WORKER              VERDICT  REASON              DETAIL
gpu-east, gpu-west  No       TemplateMissing     ResourceClaimTemplate ml/one-gpu does not exist there
tpu-lab             Unknown  ClusterUnreachable  no contact for 4m10s (connection refused)
next   the job is judged again as soon as one of these changes
       TemplateMissing: Create the template in the job's namespace on the worker; or, where the manager has it, let fedra copy it (verification.templates.sync, docs/templates.md). The job is dispatched at once, without a restart or resubmission.
       ClusterUnreachable: See `fedra status workers` for the exact error and since when. fedra reconnects; it moves the jobs of a worker that is unreachable longer than workerLostTimeout.
       more: fedra explain TemplateMissing
)");
}

TEST_CASE("why: what would help is said as far as it applies") {
  report::WorkloadData data = Sweep();
  auto& verdicts = data.incarnations[0].verdicts;
  verdicts.resize(2);
  const auto lacks = [&](size_t worker, verdict::Missing::Copy copy) {
    verdicts[worker].reasons_json = verify::KeptReasons(
        {{verdict::ReasonCode::kTemplateMissing, "ResourceClaimTemplate ml/one-gpu",
          verdict::Missing{
              .kind = "ResourceClaimTemplate", .key = {"ml", "one-gpu"}, .copy = copy}}});
  };
  const std::string either = "where the manager has it, let fedra copy it";
  lacks(0, verdict::Missing::Copy::kNowhere);
  lacks(1, verdict::Missing::Copy::kNowhere);
  CHECK_THAT(
      RenderWhy(data, Settings()).out,
      ContainsSubstring("TemplateMissing: Create the template") && !ContainsSubstring(either));
  CHECK(testing::HeldDocument(RenderWhy(data, Settings(Format::kJson)).out)["jobs"][0]["next"]
            .dump()
            .find(either) == std::string::npos);
  lacks(1, verdict::Missing::Copy::kNone);
  CHECK_THAT(RenderWhy(data, Settings()).out, ContainsSubstring(either));
}

TEST_CASE("why and history on a standby: as of when it led last") {
  report::WorkloadData data = Sweep();
  data.daemon.holds_store = true;
  data.daemon.heartbeat->role = "Standby";
  data.daemon.heartbeat->identity = "fedra-0_1f";
  data.daemon.heartbeat->leader = "fedra-1_2e";
  data.daemon.heartbeat->decided_at = data.daemon.heartbeat->at - hours(3);
  for (const Output& output : {RenderWhy(data, Settings()), RenderHistory(data, Settings())}) {
    CHECK(output.out.starts_with(
        "REPLICA  jobs are as of 3h ago, by a standby (replica fedra-0_1f); the leader is "
        "fedra-1_2e"));
    CHECK_THAT(output.out, ContainsSubstring("(for 4m; as of 3h ago, by a standby)"));
  }
}

TEST_CASE("why: a job that waits and one that can run nowhere read differently") {
  report::WorkloadData data = Sweep();
  auto& verdicts = data.incarnations[0].verdicts;
  verdicts.resize(2);
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("next   waiting does not help: one of these has to change\n"));
  verdicts[1].reasons_json = R"([{"code":"DevicesAllocated"},{"code":"PodsDoNotFit"}])";
  CHECK_THAT(
      RenderWhy(data, Settings()).out,
      ContainsSubstring("next   it waits for gpu-west, and is dispatched in its turn, once enough "
                        "is free there\n"));
  data.incarnations[0].places = {{"u", ClusterName("gpu-east"), 1, 0, false},
                                 {"u", ClusterName("gpu-west"), 2, 0, false}};
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("next   it waits for its turn on gpu-west (2nd in line): jobs "
                               "ahead in line are served first\n"));
  verdicts[1].reasons_json = R"([{"code":"CountersExhausted"}])";
  CHECK_THAT(RenderWhy(data, Settings()).out, ContainsSubstring("next   the job is judged again"));
}

TEST_CASE("why: the first line of a job whose turn comes says what it waits for") {
  report::WorkloadData data = Sweep();
  data.incarnations[0].verdicts[1].reasons_json = R"([{"code":"DevicesAllocated"}])";
  CHECK(RenderWhy(data, Settings())
            .out.starts_with(
                "ml/sweep-3 is blocked: it waits for gpu-west (for 4m; as of 2s ago)\n"));
}

TEST_CASE("why: on a narrow terminal every line is broken below where its text begins") {
  report::WorkloadData data = Sweep();
  data.incarnations[0].verdicts[1].reasons_json = R"([{"code":"DevicesAllocated"}])";
  ViewSettings settings = Settings();
  settings.style.width = 60;
  const std::string out = RenderWhy(data, settings).out;
  CHECK_THAT(out,
             ContainsSubstring("\nnext   it waits for gpu-west, and is dispatched in its turn,\n"
                               "       once enough is free there\n"));
  CHECK_THAT(out,
             ContainsSubstring("is blocked: it waits for gpu-west (for 4m; as\n  of 2s ago)\n"));
  for (size_t start = 0; start < out.size(); start = out.find('\n', start) + 1)
    CHECK(out.find('\n', start) - start <= 60);
}

TEST_CASE("why: on a narrow terminal the details stand below the workers") {
  ViewSettings settings = Settings();
  settings.style.width = 66;
  CHECK_THAT(RenderWhy(Sweep(), settings).out, ContainsSubstring(R"(
WORKER              VERDICT  REASON
  DETAIL
gpu-east, gpu-west  No       TemplateMissing
  ResourceClaimTemplate ml/one-gpu does not exist there
tpu-lab             Unknown  ClusterUnreachable
  no contact for 4m10s (connection refused)
next )"));
}

TEST_CASE("why: a job that failed says how its pods ended, and what keeps more next time") {
  report::WorkloadData data = Sweep();
  data.incarnations[0].row = Job("sweep-3", "Failed", "gpu-east", minutes(4));
  data.incarnations[0].row.note = "Job has reached the specified backoff limit";
  store::AttemptRow attempt;
  attempt.cluster = ClusterName("gpu-east");
  attempt.message = "Job has reached the specified backoff limit; its pods: exit code 1 (3 pods)";
  data.incarnations[0].attempts = {attempt};
  const std::string out = RenderWhy(data, Settings()).out;
  CHECK_THAT(out, ContainsSubstring("\nend    Job has reached the specified backoff limit; its "
                                    "pods: exit code 1 (3 pods)\n"));
  CHECK_THAT(out, ContainsSubstring("dispatch.failureLogLines") &&
                      ContainsSubstring("dispatch.keepFailed"));
  store::EventRow log;
  log.reason = "PodLog";
  data.incarnations[0].events = {log};
  CHECK_THAT(RenderWhy(data, Settings()).out, !ContainsSubstring("dispatch.failureLogLines"));
  // With policy race another one was tried with it, and lost.
  store::AttemptRow lost;
  lost.cluster = ClusterName("gpu-west");
  data.incarnations[0].attempts = {attempt, lost};
  CHECK_THAT(RenderWhy(data, Settings()).out, ContainsSubstring("exit code 1 (3 pods)"));
  CHECK_THAT(RenderWhy(Sweep(), Settings()).out, !ContainsSubstring("\nend "));
}

TEST_CASE("why: a job that is not first in line is told who is, and by which order") {
  report::WorkloadData data = Sweep();
  report::WorkloadData::Incarnation& incarnation = data.incarnations[0];
  incarnation.row.priority = 5;
  incarnation.row.cluster_queue = "ml";
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("\norder  it is in no line; its priority is 5\n"));

  incarnation.verdicts.resize(2);
  incarnation.verdicts[0].reasons_json = R"([{"code":"InLine"}])";
  incarnation.verdicts[1].reasons_json = verify::KeptReasons(
      {{verdict::ReasonCode::kDevicesAllocated, "DeviceClass gpu.example.com",
        verdict::DeviceCounts{.requested = {.device_class = "gpu.example.com"}}},
       {verdict::ReasonCode::kDevicesAllocated, "ResourceClaim ml/shared",
        verdict::Sentence{"y"}}});
  const auto place = [](const char* worker, int number, const char* first) {
    return store::PlaceRow{"uid-sweep-3", ClusterName(worker), number, 0, false, first, "Strict"};
  };
  incarnation.places = {place("gpu-west", 1, ""), place("gpu-east", 2, "ml/job-big4-1a2b3")};
  report::FirstJob& first = incarnation.first["ml/job-big4-1a2b3"];
  first = {Job("big4", "Blocked", "", minutes(9)), "Strict", ClusterName("gpu-east")};
  first.row.priority = 1000;
  std::string out = RenderWhy(data, Settings()).out;
  // In the order of the configuration, as everywhere.
  CHECK_THAT(out, ContainsSubstring("\nline   2nd in line for gpu.example.com on gpu-east, 1st on "
                                    "gpu-west\n"));
  CHECK_THAT(out, ContainsSubstring(
                      "\norder  Strict; its priority is 5; first in line on gpu-east is ml/big4 "
                      "(priority 1000, 2 pods, order Strict; gpu-east is kept for it)\n"));
  first.places[ClusterName("gpu-east")] = 2;
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("; held back on gpu-east by ml/big4 (priority 1000"));
  first.places.clear();
  CHECK_THAT(out,
             ContainsSubstring(
                 "next   it waits for its turn on gpu-east (2nd in line): jobs ahead in line are "
                 "served first. It also waits for gpu-west, and is dispatched in its turn, once "
                 "enough is free there\n"));
  const std::string may_pass =
      "2nd in line): it may pass jobs ahead in line that have to wait for more";
  incarnation.verdicts[0].reasons_json = R"([{"code":"DevicesAllocated","message":"x"}])";
  first.dispatch_order = "BestEffort";
  CHECK_THAT(RenderWhy(data, Settings()).out, ContainsSubstring(may_pass));
  first.dispatch_order = "Backfill";
  CHECK_THAT(RenderWhy(data, Settings()).out, !ContainsSubstring(may_pass));  // gpu-east is kept
  first.kept = ClusterName("gpu-west");
  CHECK_THAT(RenderWhy(data, Settings()).out, ContainsSubstring(may_pass));
  first.is_bound_reached = true;
  CHECK_THAT(RenderWhy(data, Settings()).out, !ContainsSubstring(may_pass));
  incarnation.places[0].is_bound_reached = true;
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("; no other job passes it any more: the bound of its order"));
  incarnation.verdicts[0].reasons_json = R"([{"code":"InLine"}])";
  CHECK_THAT(RenderWhy(data, Settings()).out, !ContainsSubstring(may_pass));
  const auto document = testing::HeldDocument(RenderWhy(data, Settings(Format::kJson)).out);
  const auto& item = document["jobs"][0];
  CHECK(item["priority"] == 5);
  CHECK(item["line"]["order"] == "Strict");
  CHECK(item["line"]["places"][1]["first"]["name"] == "big4");

  verify::Capacity queues;
  queues.queues = 1;
  queues.orders = {{"ml", "Strict", true}};
  data.manager = Worker("manager", -1, "1.36.3");
  data.manager->capacity_json = verify::ToJsonText(queues);
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("\norder  Strict (annotation of ClusterQueue ml); its priority"));
  queues.weights = {{"ml", 2.5}};
  data.manager->capacity_json = verify::ToJsonText(queues);
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("; ClusterQueue ml has weight 2.5 among queues that share by "
                               "weight; first in line on gpu-east is "));
  queues.orders = {{"ml", "strict", false}};
  data.manager->capacity_json = verify::ToJsonText(queues);
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("\norder  Strict (the annotation fedra.dev/order of ClusterQueue ml "
                               "is ignored: \"strict\"); its priority"));
}

TEST_CASE("why: what is against a job in line names the one that goes first") {
  report::WorkloadData data = Sweep();
  report::WorkloadData::Incarnation& incarnation = data.incarnations[0];
  incarnation.verdicts.resize(2);
  for (store::VerdictRow& row : incarnation.verdicts)
    row.reasons_json = verify::KeptReasons({{verdict::ReasonCode::kInLine, "", verdict::InLine{}}});
  incarnation.places = {
      {"uid-sweep-3", ClusterName("gpu-east"), 3, 0, false, "ml/job-gang4-1a2b3", "Strict"},
      {"uid-sweep-3", ClusterName("gpu-west"), 2, 0, false, "", "Strict"}};
  report::FirstJob& gang = incarnation.first["ml/job-gang4-1a2b3"];
  gang = {Job("gang4", "Blocked", "", minutes(9)), "Strict", {}};
  gang.row.priority = 100;
  gang.places[ClusterName("gpu-east")] = 1;
  const std::string out = RenderWhy(data, Settings()).out;
  const std::string others = "other jobs are ahead of it in line for the devices there";
  CHECK_THAT(out, ContainsSubstring("gpu-east  No       InLine  " + others +
                                    ", first ml/gang4 (priority 100, order Strict)\n"));
  CHECK_THAT(out, ContainsSubstring("gpu-west  No       InLine  " + others + "\n"));
  CHECK_THAT(out, ContainsSubstring("InLine: No action needed: the job is dispatched in its turn. "
                                    "The line `order` of `fedra why` names "));
  const auto document = testing::HeldDocument(RenderWhy(data, Settings(Format::kJson)).out);
  const auto& facts = document["jobs"][0]["workers"][0]["reasons"][0]["facts"];
  CHECK(facts["first"]["name"] == "gang4");
  CHECK(facts["priority"] == 100);
}

TEST_CASE("why: with BestEffort everywhere nothing is promised to the jobs ahead") {
  report::WorkloadData data = Sweep();
  report::WorkloadData::Incarnation& incarnation = data.incarnations[0];
  incarnation.verdicts.resize(1);
  incarnation.verdicts[0].reasons_json = R"([{"code":"DevicesAllocated"}])";
  incarnation.places = {{"uid-sweep-3", ClusterName("gpu-east"), 3, 0, false, "", "BestEffort"}};
  data.daemon.heartbeat->dispatch_order = "BestEffort";
  data.manager = Worker("manager", -1, "1.36.3");
  verify::Capacity queues;
  queues.queues = 2;
  const auto says = [&] {
    data.manager->capacity_json = verify::ToJsonText(queues);
    return RenderWhy(data, Settings()).out;
  };
  const std::string may_pass =
      "next   it waits for enough to be free on gpu-east (3rd in line): it may pass jobs ahead in "
      "line that have to wait for more\n";
  const std::string turn = "jobs ahead in line are served first\n";
  CHECK_THAT(says(), ContainsSubstring(may_pass));
  SECTION("a queue whose order is another one may be among those ahead") {
    queues.orders = {{"ml", "Strict", true}};
    CHECK_THAT(says(), ContainsSubstring(turn));
  }
  SECTION("an annotation that is ignored changes nothing") {
    queues.orders = {{"ml", "strict", false}};
    CHECK_THAT(says(), ContainsSubstring(may_pass));
  }
  SECTION("one that fits, and waits for those ahead, is served after them") {
    incarnation.verdicts[0].reasons_json = R"([{"code":"InLine"}])";
    CHECK_THAT(says(), ContainsSubstring(turn));
  }
  SECTION("with another order in general") {
    data.daemon.heartbeat->dispatch_order = "Backfill";
    CHECK_THAT(says(), ContainsSubstring(turn));
  }
}

TEST_CASE("why: a job that waits for the manager's Kueue names who decides") {
  report::WorkloadData data = Sweep();
  auto& incarnation = data.incarnations[0];
  incarnation.row = Job("sweep-3", "Waiting", "", minutes(4));
  incarnation.row.waits_for = "Quota";
  incarnation.row.note = "couldn't assign flavors to pod set main: insufficient unused quota";
  incarnation.verdicts.clear();
  const std::string out = RenderWhy(data, Settings()).out;
  CHECK_THAT(out, ContainsSubstring("insufficient unused quota"));
  CHECK_THAT(out, ContainsSubstring("next   the manager's Kueue decides, by the quota of the "
                                    "ClusterQueue behind LocalQueue ml/gpu: "));
  CHECK_THAT(out, ContainsSubstring("kubectl describe workload -n ml job-sweep-3-1a2b3;"));
  // The fact decides, however the note is worded.
  incarnation.row.note = "waiting for quota on the manager";
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("next   the manager's Kueue decides, by the quota of the "));
  const auto json = testing::HeldDocument(RenderWhy(data, Settings(Format::kJson)).out);
  CHECK(json["jobs"][0]["waitsFor"] == "Quota");
  incarnation.row.waits_for = "Kueue";
  CHECK_THAT(
      RenderWhy(data, Settings()).out,
      ContainsSubstring("next   the manager's Kueue does not ask fedra about it as it is: ") &&
          // It has other reasons, too, such as an admission gate.
          ContainsSubstring("does. If it says so of DRA, docs/kueue-setup.md, step 1, ") &&
          ContainsSubstring("kubectl describe workload -n ml job-sweep-3-1a2b3\n") &&
          !ContainsSubstring("by the quota"));
  CHECK(testing::HeldDocument(
            RenderWhy(data, Settings(Format::kJson)).out)["jobs"][0]["waitsFor"] == "Kueue");
  incarnation.row.waits_for = "AdmissionCheck";
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("next   the controller of that AdmissionCheck decides: "));
  for (const char* const nobody : {"Job", ""}) {
    incarnation.row.waits_for = nobody;
    CHECK_THAT(RenderWhy(data, Settings()).out, !ContainsSubstring("next "));
  }
  incarnation.row.waits_for = "Quota";
  incarnation.row.cluster_queue = "team";
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("queue  LocalQueue ml/gpu of the manager, ClusterQueue team\n") &&
                 ContainsSubstring("by the quota of ClusterQueue team: ") &&
                 ContainsSubstring("kubectl describe clusterqueue team\n"));
  data.manager = Worker("manager", -1, "1.36.3");
  data.manager->capacity_json = verify::ToJsonText(
      verify::QueuesOf(2, {{"ClusterQueue team", "team", "missing ResourceFlavor a100"}}));
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("team, which is not active: missing ResourceFlavor a100\n") &&
                 ContainsSubstring("next   ClusterQueue team of the manager has to be active ") &&
                 !ContainsSubstring("by the quota"));
  incarnation.row.state = "Failed";
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring(
                 "next   kubectl describe job -n ml sweep-3 (on the manager); fedra history"));
}

TEST_CASE("why, wide: pods and objects; several reasons against one worker") {
  report::WorkloadData data = Sweep();
  auto& verdicts = data.incarnations[0].verdicts;
  verdicts.resize(1);
  verdicts[0].reasons_json =
      R"([{"code":"QueueMissing","object":"LocalQueue ml/gpu","facts":{"type":"Sentence","text":"LocalQueue ml/gpu does not exist there"}},
          {"code":"NotEnoughDevices","object":"","facts":{"type":"Sentence","text":"1 of 2 pods fit"}}])";
  verdicts[0].pods_fitting = 1;
  const std::string out = RenderWhy(data, Settings(Format::kWide)).out;
  CHECK_THAT(
      out, ContainsSubstring(
               "WORKER    VERDICT  PODS  REASON            OBJECT             DETAIL\n"
               "gpu-east  No       1/2   QueueMissing      LocalQueue ml/gpu  LocalQueue ml/gpu "
               "does not exist there\n"
               "                         NotEnoughDevices  -                  1 of 2 pods fit\n"));
  CHECK_THAT(out, ContainsSubstring("shown  1 of 3 configured workers\n"));
}

// PODS of the only worker, as `why -o wide` has it.
std::string PodsInText(const report::WorkloadData& data) {
  const std::string out = RenderWhy(data, Settings(Format::kWide)).out;
  std::istringstream row(out.substr(out.find("\ngpu-east ")));
  std::string worker, outcome, pods;
  row >> worker >> outcome >> pods;
  return pods;
}

// The same of the document.
std::string PodsInJson(const report::WorkloadData& data) {
  const auto json = testing::HeldDocument(RenderWhy(data, Settings(Format::kJson)).out);
  const auto& worker = json["jobs"][0]["workers"][0];
  CHECK(worker.contains("podsFitting") == worker.contains("podsWanted"));
  if (!worker.contains("podsFitting")) return "-";
  return fmt::format("{}/{}", worker["podsFitting"].get<int>(), worker["podsWanted"].get<int>());
}

TEST_CASE("why: text and JSON count the same pods, and none where a template is missing") {
  struct Row {
    const char* code;
    int fitting, wanted;
    const char* pods;
  };
  const Row rows[] = {
      {"TemplateMissing", 0, 0, "-"},  // devices were not judged
      {"NotEnoughDevices", 0, 1, "0/1"},
      {"NotEnoughDevices", 1, 2, "1/2"},
  };
  for (const Row& row : rows) {
    INFO(row.code << " " << row.pods);
    report::WorkloadData data = Sweep();
    auto& verdicts = data.incarnations[0].verdicts;
    verdicts.resize(1);
    verdicts[0].reasons_json = fmt::format(
        R"([{{"code":"{}","object":"","facts":{{"type":"Sentence","text":"x"}}}}])", row.code);
    verdicts[0].pods_fitting = row.fitting;
    verdicts[0].pods_wanted = row.wanted;
    CHECK(PodsInText(data) == row.pods);
    CHECK(PodsInJson(data) == row.pods);
  }
}

TEST_CASE("why: what was judged before a job was dispatched is not as of now") {
  report::WorkloadData data = Sweep();
  auto& running = data.incarnations[0];
  for (const char* const state : {"Running", "Finished", "Failed"}) {
    running.row = Job("sweep-3", state, "gpu-east", minutes(9));
    running.attempts = {{"uid-sweep-3", 1, ClusterName("gpu-east"), Ago(minutes(5)), {}, "", ""}};
    CHECK_THAT(RenderWhy(data, Settings()).out,
               ContainsSubstring("2 pods\njudged 5m ago, when it was dispatched\nWORKER "));
    running.attempts.clear();
    CHECK_THAT(RenderWhy(data, Settings()).out,
               ContainsSubstring("\njudged 4m ago, when it was dispatched\nWORKER "));
  }
  CHECK_THAT(RenderWhy(Sweep(), Settings()).out, !ContainsSubstring("\njudged "));
}

TEST_CASE("why: a manager that is not connected, and a job that was deleted") {
  report::WorkloadData data = Sweep();
  data.manager = LostWorker("manager", -1, minutes(5));
  CHECK_THAT(
      RenderWhy(data, Settings()).out,
      ContainsSubstring("MANAGER  Unreachable for 5m: connection refused; nothing is dispatched "
                        "meanwhile, and jobs submitted since are not seen\nml/sweep-3 is"));
  data.incarnations[0].row.state = "Deleted";
  data.incarnations[0].row.worker = ClusterName("gpu-east");
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("ml/sweep-3 was deleted on gpu-east (for"));
  data.incarnations[0].row.removed_at = Ago(minutes(2));
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("ml/sweep-3 was deleted 2m ago while it was on gpu-east"));
}

TEST_CASE("why: a worker that refused the job is no Yes, and says when it is asked again") {
  report::WorkloadData data = Sweep();
  auto& incarnation = data.incarnations[0];
  incarnation.row.note = "no worker eligible: gpu-east refused the job: quota of jobs";
  incarnation.verdicts[0].outcome = "Yes";
  incarnation.verdicts[0].reasons_json = "[]";
  incarnation.failures = {{ClusterName("gpu-east"), "RecentlyFailed", Ago(seconds(12)),
                           "gpu-east refused the job: quota of jobs", /*refused=*/true, 2}};
  const std::string out = RenderWhy(data, Settings()).out;
  CHECK_THAT(out, ContainsSubstring(
                      "gpu-east  No       RecentlyFailed      gpu-east refused the job: quota "
                      "of jobs (12s ago); tried again in 8s\n"));
  CHECK_THAT(out, !ContainsSubstring("everything it needs is there"));
  CHECK_THAT(out, ContainsSubstring("       RecentlyFailed: fedra tries it again, after"));
  const auto report = testing::HeldDocument(RenderWhy(data, Settings(Format::kJson)).out);
  const auto& east = report["jobs"][0]["workers"][0];
  CHECK(east["verdict"] == "No");
  CHECK(east["reasons"][0]["code"] == "RecentlyFailed");
  CHECK_THAT(east["reasons"][0]["message"].get<std::string>(),
             ContainsSubstring("; tried again at 2026-11-21T16:11:27Z"));
  // The pause is over: it is asked again, behind the others.
  incarnation.failures[0].at = Ago(seconds(40));
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("gpu-east  Yes      -                   everything it needs"));
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("quota of jobs (40s ago); tried again after the other workers\n"));
  incarnation.failures[0].at = Ago(minutes(6));
  CHECK_THAT(RenderWhy(data, Settings()).out, !ContainsSubstring("RecentlyFailed"));
  // Once it has its worker none is asked.
  incarnation.failures[0].at = Ago(seconds(12));
  incarnation.row.state = "Running";
  CHECK_THAT(RenderWhy(data, Settings()).out, !ContainsSubstring("RecentlyFailed"));
}

TEST_CASE("why: a worker that did not admit the job in time is tried after the others") {
  report::WorkloadData data = Sweep();
  auto& incarnation = data.incarnations[0];
  incarnation.row = Job("sweep-3", "Dispatching", "gpu-west", minutes(4));
  for (auto& verdict : incarnation.verdicts) {
    verdict.outcome = "Yes";
    verdict.reasons_json = "[]";
  }
  incarnation.attempts = {
      {"uid-sweep-3", 2, ClusterName("gpu-west"), Ago(seconds(77)), {}, "", ""}};
  incarnation.failures = {{ClusterName("gpu-east"), "RecentlyFailed", Ago(seconds(77)),
                           "gpu-east did not admit the workload in time: no quota for cpu"}};
  ViewSettings settings = Settings();
  settings.query.admission_timeout = minutes(2);
  const std::string out = RenderWhy(data, settings).out;
  CHECK_THAT(out,
             ContainsSubstring("          RecentlyFailed  gpu-east did not admit the workload in "
                               "time: no quota for cpu (77s ago); tried again after the other"));
  CHECK_THAT(out, ContainsSubstring("another worker is tried in 43s\n"));
}

TEST_CASE("why: the counts of devices stand on a line of their own, wrapped below themselves") {
  report::WorkloadData data = Sweep();
  auto& verdicts = data.incarnations[0].verdicts;
  verdicts.resize(1);
  verdict::CountedCause held{.rule = verdict::Rule::kAllocated, .devices = 2};
  held.holders = {{false, {"ml", "a"}}, {false, {"ml", "b"}}};
  verdict::DeviceCounts counts{
      .requested = {.request = "gpu", .claim = "claim ml/g", .device_class = "gpu", .count = 1},
      .devices = 3,
      .parts = {{.rule = verdict::Rule::kOtherDriver, .devices = 1}, std::move(held)}};
  verdicts[0].reasons_json = verify::KeptReasons(
      {{verdict::ReasonCode::kDevicesAllocated, "DeviceClass gpu", std::move(counts)}});
  ViewSettings settings = Settings();
  settings.style.width = 80;
  CHECK_THAT(
      RenderWhy(data, settings).out,
      ContainsSubstring(
          "gpu-east  No       DevicesAllocated  request gpu of claim ml/g wants 1 device of\n"
          "                                     class gpu\n"
          "                                     3 devices: 1 other driver, 2 allocated\n"
          "                                     (ml/a, ml/b)\n"));
}

TEST_CASE(
    "why: JSON has the facts; of facts that only a later release knows, what the code means") {
  report::WorkloadData data = Sweep();
  auto& verdicts = data.incarnations[0].verdicts;
  verdicts.resize(1);
  const auto reason_of = [&](const std::string& facts) {
    verdicts[0].reasons_json =
        R"([{"code":"PodsDoNotFit","object":"pod set main","facts":)" + facts + "}]";
    ViewSettings settings = Settings();
    settings.format = Format::kJson;
    const auto document = testing::HeldDocument(RenderWhy(data, settings).out);
    return document["jobs"][0]["workers"][0]["reasons"][0];
  };
  const std::string good = R"({"type":"PodsFit","fitting":1,"wanted":4})";
  CHECK(reason_of(good)["facts"] == nlohmann::json::parse(good));
  CHECK(reason_of(good)["message"] == "1 of 4 pods fit");
  for (const char* unknown : {"3", "{}", R"({"type":"Later"})", R"({"type":7})",
                              R"({"type":"PodsFit","fitting":"1","wanted":4})"}) {
    INFO(unknown);
    const auto reason = reason_of(unknown);
    CHECK(reason["facts"]["type"] == "Sentence");
    CHECK(reason["message"] == "some of the pods fit, but not all of them");
  }
}

TEST_CASE("why: a job blocked although a worker could run it, or by more workers than are kept") {
  report::WorkloadData data = Sweep();
  auto& incarnation = data.incarnations[0];
  incarnation.row.note = "no worker eligible: gpu-east: refused the job: quota";
  incarnation.verdicts[0].outcome = "Yes";
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("is blocked: no worker eligible: gpu-east: refused the job: quota"));
  incarnation.verdicts[0].outcome = "No";
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("0 of 3 workers can run it, 1 unknown"));
  incarnation.verdicts[2].outcome = "No";
  CHECK_THAT(RenderWhy(data, Settings()).out, ContainsSubstring("none of 3 workers can run it"));
  incarnation.row.note = "no worker eligible: 200 workers: TemplateMissing on 200";
  data.configured_workers = 200;
  const std::string out = RenderWhy(data, Settings()).out;
  CHECK_THAT(out, ContainsSubstring("is blocked: no worker eligible: 200 workers: "));
  CHECK_THAT(out, ContainsSubstring("shown  3 of 200 configured workers\n"));
  CHECK_THAT(out, !ContainsSubstring("none of 3 "));
}

TEST_CASE("why: another worker is promised only to a job that one is left for") {
  const auto promises = [](const report::WorkloadData& data, const ViewSettings& settings) {
    return RenderWhy(data, settings).out.find("another worker is tried") != std::string::npos;
  };
  report::WorkloadData data = Sweep();
  auto& incarnation = data.incarnations[0];
  incarnation.row = Job("sweep-3", "Dispatching", "gpu-east", minutes(1));
  incarnation.verdicts[0].outcome = "Yes";
  CHECK_FALSE(promises(data, Settings()));
  incarnation.verdicts[1].outcome = "Yes";
  CHECK(promises(data, Settings()));
  ViewSettings race = Settings();
  race.query.race = true;
  CHECK_FALSE(promises(data, race));
  incarnation.attempts = {{"uid-sweep-3", 1, ClusterName("gpu-west"), Ago(minutes(1)), {}, "", ""}};
  CHECK_FALSE(promises(data, Settings()));
}

TEST_CASE("why: which worker comes first among those that can run it") {
  report::WorkloadData data = Sweep();
  auto& verdicts = data.incarnations[0].verdicts;
  verdicts.resize(1);
  data.incarnations[0].row = Job("sweep-3", "Dispatching", "gpu-east", minutes(4));
  verdicts[0].outcome = "Yes";
  verdicts[0].reasons_json = "[]";
  verdicts[0].pods_fitting = 2;
  verdicts[0].alternatives_json = "[1,0]";
  verdicts[0].headroom = 3;
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("everything it needs is there; second and first alternative, 3 "
                               "devices to spare\n"));
  const auto json = testing::HeldDocument(RenderWhy(data, Settings(Format::kJson)).out);
  CHECK(json["jobs"][0]["workers"][0]["alternatives"] == nlohmann::json::array({2, 1}));
  CHECK(json["jobs"][0]["workers"][0]["headroom"] == 3);
  verdicts[0].alternatives_json = "[";
  verdicts[0].headroom = 1;
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("everything it needs is there; 1 device to spare\n"));
}

TEST_CASE("why of a running workload still shows every worker") {
  report::WorkloadData data = Sweep();
  data.incarnations[0].row = Job("sweep-3", "Running", "gpu-east", hours(3));
  data.incarnations[0].verdicts.resize(2);
  data.incarnations[0].verdicts[0].outcome = "Yes";
  data.incarnations[0].verdicts[0].reasons_json = "[]";
  data.configured_workers = 2;
  CHECK(RenderWhy(data, Settings()).out ==
        R"(ml/sweep-3 is running on gpu-east (for 3h; as of 2s ago)
needs  queue ml/gpu · template one-gpu · 2 pods
judged 4m ago, when it was dispatched
WORKER    VERDICT  REASON           DETAIL
gpu-east  Yes      -                everything it needs is there
gpu-west  No       TemplateMissing  ResourceClaimTemplate ml/one-gpu does not exist there
)");
}

TEST_CASE("why of a workload that nobody has judged yet, or that is gone") {
  report::WorkloadData data = Sweep();
  data.incarnations[0].row = Job("sweep-3", "Waiting", "", seconds(5));
  data.incarnations[0].row.note = "waiting for quota";
  data.incarnations[0].verdicts.clear();
  CHECK(RenderWhy(data, Settings()).out ==
        "ml/sweep-3 is waiting: waiting for quota (for 5s; as of 2s ago)\n"
        "needs  queue ml/gpu · template one-gpu · 2 pods\n");
  data.incarnations[0].row.removed_at = Ago(minutes(3));
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("\nnext   fedra history ml/sweep-3\n"));
}

TEST_CASE("why, history: without a daemon the first line says as of when all is") {
  report::WorkloadData data = Sweep();
  data.daemon = {Beat(minutes(12)), /*holds_store=*/false};
  const std::string line =
      "DAEMON  not running: what follows is as of 2026-11-21T15:59:19Z, 12m ago\n";
  CHECK(RenderWhy(data, Settings()).out.starts_with(line + "ml/sweep-3 is blocked: 0 of 3"));
  CHECK(RenderHistory(data, Settings()).out.starts_with(line + "ml/sweep-3 "));
  CHECK(RenderWorkload(data, Settings()).out.starts_with(line + "ml/sweep-3 "));
  data.incarnations.push_back(data.incarnations[0]);
  const std::string two = RenderWhy(data, Settings()).out;
  CHECK(two.find("DAEMON") == two.rfind("DAEMON"));
  CHECK(RenderWhy(data, Settings(Format::kName)).out == "ml/sweep-3\nml/sweep-3\n");
}

TEST_CASE("verdicts that make no sense are shown as far as they go") {
  report::WorkloadData data = Sweep();
  auto& verdicts = data.incarnations[0].verdicts;
  verdicts[0].reasons_json = "{not json";
  verdicts[1].reasons_json =
      R"([1, {"code": 5}, {"code": "NewerReason", "facts": {"type": "Sentence", "text": "a\nb"}}])";
  verdicts[2].reasons_json = R"({"code": "x"})";
  const std::string out = RenderWhy(data, Settings()).out;
  CHECK_THAT(out, ContainsSubstring("gpu-east  No       -            no reason was recorded\n"));
  CHECK_THAT(out, ContainsSubstring("NewerReason  a b\n"));
}

TEST_CASE("why as json and by name") {
  const auto json = testing::HeldDocument(RenderWhy(Sweep(), Settings(Format::kJson)).out);
  CHECK(json["apiVersion"] == "fedra.dev/v1alpha1");
  CHECK(json["kind"] == "WhyReport");
  REQUIRE(json["jobs"].size() == 1);
  const auto& verdict = json["jobs"][0]["workers"][0];
  CHECK(verdict["name"] == "gpu-east");
  CHECK(verdict["verdict"] == "No");
  CHECK(verdict["podsWanted"] == 2);
  CHECK(verdict["changedAt"] == "2026-11-21T16:07:19Z");
  CHECK(verdict["reasons"][0]["code"] == "TemplateMissing");
  CHECK(verdict["reasons"][0]["object"] == "ResourceClaimTemplate ml/one-gpu");
  const auto& next = json["jobs"][0]["next"];
  CHECK(next["text"] == "the job is judged again as soon as one of these changes");
  CHECK(next["remedies"][0]["code"] == "TemplateMissing");
  CHECK(next["remedies"][0]["workers"] == 2);
  CHECK_FALSE(next["remedies"][0]["remedy"].get<std::string>().empty());
  CHECK(RenderWhy(Sweep(), Settings(Format::kName)).out == "ml/sweep-3\n");
}

report::WorkloadData Past() {
  report::WorkloadData data;
  data.daemon.heartbeat = Beat(seconds(2));
  store::WorkloadRow now = Job("train", "Running", "gpu-east", hours(3));
  store::WorkloadRow before = Job("train", "Failed", "tpu-lab", hours(30));
  before.uid = "uid-before";
  before.removed_at = Ago(hours(20));
  const auto event = [](std::chrono::seconds age, const char* reason, const char* worker,
                        const char* message) {
    return store::EventRow{1,      "u", {"ml", "job-train"}, Ago(age), reason, ClusterName(worker),
                           message};
  };
  data.incarnations = {{now,
                        {},
                        {},
                        {{"u", 1, ClusterName("gpu-east"), Ago(hours(3)), std::nullopt, "", ""}},
                        {event(hours(3), "Dispatched", "gpu-east", "dispatched to gpu-east"),
                         event(minutes(130), "Placed", "gpu-east", "admitted")}},
                       {before,
                        {},
                        {},
                        {},
                        {event(hours(29), "WorkerLost", "tpu-lab", "no contact\x1b[2J"),
                         event(hours(25), "PlacementRejected", "", "no worker eligible")}}};
  return data;
}

TEST_CASE("history: every incarnation as it happened, the last one first") {
  CHECK(RenderHistory(Past(), Settings()).out ==
        R"(ml/train is running on gpu-east (for 3h; as of 2s ago)
ATTEMPT  WORKER    BEGAN  ENDED  OUTCOME  MESSAGE
1        gpu-east  3h     -      -

AGE   REASON      WORKER    MESSAGE
3h    Dispatched  gpu-east  dispatched to gpu-east
130m  Placed      gpu-east  admitted

ml/train was removed from the manager 20h ago, last seen Failed on tpu-lab
AGE  REASON             WORKER   MESSAGE
29h  WorkerLost         tpu-lab  no contact [2J
25h  PlacementRejected  -        no worker eligible
)");
}

TEST_CASE("history without headers is rows only; wide has times; warnings stand out") {
  ViewSettings settings = Settings(Format::kWide);
  settings.style.headers = false;
  settings.style.color = true;
  CHECK(RenderHistory(Past(), settings).out ==
        "2026-11-20T11:11:19Z  \x1b[33mWorkerLost\x1b[0m         tpu-lab  no contact [2J\n"
        "2026-11-20T15:11:19Z  \x1b[33mPlacementRejected\x1b[0m  -        no worker eligible\n"
        "2026-11-21T13:11:19Z  Dispatched  gpu-east  dispatched to gpu-east\n"
        "2026-11-21T14:01:19Z  Placed      gpu-east  admitted\n");
}

TEST_CASE("why, history: the last lines of a failed pod stand below, harmless on a terminal") {
  report::WorkloadData data = Sweep();
  auto& incarnation = data.incarnations[0];
  incarnation.row = Job("sweep-3", "Failed", "gpu-east", minutes(4));
  incarnation.events = {
      {1, "uid-sweep-3", incarnation.row.key, Ago(minutes(1)), "PodLog", ClusterName("gpu-east"),
       "last lines of container main of pod ml/sweep-3-x:\nloss 0.1\n\x1b[2Jout"}};
  const std::string shown =
      "log    last lines of container main of pod ml/sweep-3-x:\n"
      "       loss 0.1\n"
      "        [2Jout\n";
  CHECK_THAT(RenderWhy(data, Settings()).out, ContainsSubstring(shown));
  const std::string history = RenderHistory(data, Settings()).out;
  CHECK_THAT(history, ContainsSubstring(shown));
  CHECK_THAT(history, ContainsSubstring("PodLog  gpu-east  last lines of container main of pod "
                                        "ml/sweep-3-x:\nlog"));
}

TEST_CASE("history as json, and of a workload without one") {
  const auto json = testing::HeldDocument(RenderHistory(Past(), Settings(Format::kJson)).out);
  CHECK(json["kind"] == "HistoryReport");
  REQUIRE(json["jobs"].size() == 2);
  CHECK(json["jobs"][0]["removedAt"] == "2026-11-20T20:11:19Z");
  CHECK(json["jobs"][0]["events"][0]["reason"] == "WorkerLost");
  CHECK(json["jobs"][1]["attempts"][0]["worker"] == "gpu-east");
}

TEST_CASE("history of a workload without events: none happened, or they were recorded elsewhere") {
  struct Row {
    const char* state;
    const char* worker;
    bool is_removed;
    bool has_happened;
  };
  const Row row =
      GENERATE(Row{"Waiting", "", false, false}, Row{"Blocked", "", false, false},
               Row{"Running", "gpu-east", false, true}, Row{"Finished", "gpu-east", false, true},
               Row{"Failed", "", false, true}, Row{"Waiting", "", true, true});
  CAPTURE(row.state, row.worker, row.is_removed);
  report::WorkloadData silent = Past();
  silent.incarnations.resize(1);
  silent.incarnations[0].row = Job("train", row.state, row.worker, hours(3));
  if (row.is_removed) silent.incarnations[0].row.removed_at = Ago(hours(1));
  silent.incarnations[0].events.clear();
  CHECK_THAT(RenderHistory(silent, Settings()).out,
             ContainsSubstring(row.has_happened ? "\nno events are recorded here: another replica"
                                                : "\nnothing has happened to it yet\n"));
}

TEST_CASE("why: the caret below a selector that does not compile keeps its line") {
  report::WorkloadData data = Sweep();
  auto& verdicts = data.incarnations[0].verdicts;
  verdicts.resize(1);
  verdicts[0].reasons_json =
      R"([{"code":"SelectorError","object":"","facts":{"type":"Sentence","text":)"
      R"("does not compile: ERROR: 1:3\n | a >= b\n | ..^\nwrite compareTo"}}])";
  const std::string below = "\n" + std::string(sizeof("gpu-east  No       SelectorError"), ' ');
  CHECK_THAT(RenderWhy(data, Settings()).out,
             ContainsSubstring("SelectorError  does not compile: ERROR: 1:3" + below +
                               "  | a >= b" + below + "  | ..^" + below + " write compareTo\n"));
}

}  // namespace
}  // namespace fedra::text::why_view_test
