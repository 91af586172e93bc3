// fedra retry and fedra move on a simulated manager.

#include "manager/cli/job_request.h"

#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/time.h"
#include "manager/cli/commands.h"
#include "store/store.h"
#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::cli::job_request_test {
namespace {

using nlohmann::json;

const std::string kWorkloads = "/apis/kueue.x-k8s.io/v1beta2/namespaces/ml/workloads";

struct Printed {
  int code = 0;
  std::string err;
};

struct RequestFixture {
  RequestFixture() {
    options.manager.kubeconfig = folder.Write("kubeconfig", manager.Kubeconfig());
    options.job = "ml/train";
    owner_uid = Call("POST", "/api/v1/namespaces", {{"metadata", {{"name", "ml"}}}},
                     201)["metadata"]["uid"];
  }

  json Call(const std::string& method, const std::string& path, const json& object, int status) {
    const sim::Reply reply =
        manager.Call(method, path, object.dump(),
                     method == "PATCH" ? "application/merge-patch+json" : "application/json");
    INFO(reply.body);
    REQUIRE(reply.status == status);
    return json::parse(reply.body);
  }
  void Add(const std::string& workload, const std::string& job, const std::string& kind = "Job",
           const json& status = nullptr) {
    const json owner = {{"apiVersion", "batch/v1"},
                        {"kind", kind},
                        {"name", job},
                        {"uid", owner_uid},
                        {"controller", true}};
    const json pod = {{"containers", json::array({{{"name", "main"}, {"image", "x"}}})},
                      {"restartPolicy", "Never"}};
    Call("POST", kWorkloads,
         {{"metadata", {{"name", workload}, {"ownerReferences", json::array({owner})}}},
          {"spec",
           {{"queueName", "gpu"},
            {"podSets",
             json::array({{{"name", "main"}, {"count", 1}, {"template", {{"spec", pod}}}}})}}}},
         201);
    if (status.is_null()) return;
    const std::string path = kWorkloads + "/" + workload + "/status";
    // As the webhook has it: a worker is nominated before it is named.
    if (status.contains("clusterName"))
      Call("PATCH", path,
           {{"status", {{"nominatedClusterNames", json::array({status["clusterName"]})}}}}, 200);
    json written = status;
    written["nominatedClusterNames"] = nullptr;
    Call("PATCH", path, {{"status", written}}, 200);
  }
  // Of several Workloads of its job it is not the first.
  void MakeFollower(const std::string& workload) {
    Call("PATCH", kWorkloads + "/" + workload,
         {{"metadata", {{"annotations", {{"kueue.x-k8s.io/component-workload-index", "1"}}}}}},
         200);
  }
  bool IsAsked(const std::string& workload) {
    return Annotations(workload).contains("retry.fedra.dev/at");
  }
  json Annotations(const std::string& workload) {
    const json object =
        json::parse(manager.Call("GET", kWorkloads + "/" + workload).body, nullptr, false);
    return object["metadata"].value("annotations", json::object());
  }
  template <class Options>
  static Printed Print(int (*command)(const Options&, Terminal&), const Options& given) {
    std::ostringstream out, err;
    Terminal terminal{out, err};
    const int code = command(given, terminal);
    CHECK(out.str().empty());
    return {code, err.str()};
  }
  Printed Run() { return Print(&Retry, options); }
  Printed RunMove(const std::string& to = {}) {
    return Print(&Move, MoveOptions{.request = options, .to = to, .cancel = false});
  }
  // The caller may do no more than this there.
  void Restrict(const std::vector<std::string>& verbs) {
    sim::User user{.name = "eve", .token = "eve-token"};
    user.allow = {{verbs, {"kueue.x-k8s.io"}, {"workloads"}, {"*"}, {"ml"}}};
    manager.SetUser(user);
    options.manager.kubeconfig = folder.Write("kubeconfig", manager.Kubeconfig("eve"));
  }

  const TempFolder folder;
  sim::Server manager{{.name = "manager"}};
  std::string owner_uid;  // of an object that is there: what has no owner left is collected
  JobRequestOptions options;
};

}  // namespace

TEST_CASE_METHOD(RequestFixture, "retry writes the time on the job's Workload, and on no other") {
  Add("job-train-1", "train");
  Add("job-other-1", "other");
  const WallTime before = SystemClock().Now() - std::chrono::milliseconds(1);
  const Printed printed = Run();
  INFO(printed.err);
  REQUIRE(printed.code == 0);
  CHECK_THAT(printed.err, ContainsSubstring("fedra why ml/train"));
  const auto at = ParseRfc3339(Annotations("job-train-1").value("retry.fedra.dev/at", ""));
  REQUIRE(at);
  CHECK(*at >= before);
  CHECK(*at <= SystemClock().Now());
  CHECK(Annotations("job-other-1").empty());
}

TEST_CASE_METHOD(RequestFixture, "a job may be named as for the other commands") {
  Add("job-train-1", "train");
  for (const char* name :
       {"ml/train", "job/ml/train", "Jobs/ml/train", "workload/ml/job-train-1", "ml/job-train-1"}) {
    CAPTURE(name);
    options.job = name;
    CHECK(Run().code == 0);
  }
  options.ns = "ml";
  for (const char* name : {"train", "job/train", "workload/job-train-1"}) {
    CAPTURE(name);
    options.job = name;
    CHECK(Run().code == 0);
  }
}

TEST_CASE_METHOD(RequestFixture, "what is not clear, not there or over is said") {
  struct Row {
    const char* job;
    const char* words;
  };
  const json finished = {
      {"conditions", json::array({{{"type", "Finished"},
                                   {"status", "True"},
                                   {"reason", "Succeeded"},
                                   {"message", "x"},
                                   {"lastTransitionTime", "2026-11-21T16:11:19Z"}}})}};
  Add("job-train-1", "train");
  Add("jobset-train-1", "train", "JobSet");
  Add("job-done-1", "done", "Job", finished);
  const std::vector<Row> rows = {
      {"train", "names no namespace"},
      {"ml/train", "choose one of job/ml/train, jobset/ml/train"},
      {"ml/done", "ml/done has ended"},
      {"ml/unheard", "the manager (context manager) has no Workload of a job ml/unheard"},
      {"rayjob/ml/train", "has no Workload of a job ml/train"},
      {"a//b", "does not name a job"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.job);
    options.job = row.job;
    const Printed printed = Run();
    CHECK(printed.code == kFailed);
    CHECK_THAT(printed.err, ContainsSubstring(row.words));
  }
  options.job = "jobset/ml/train";
  CHECK(Run().code == 0);
  CHECK(Annotations("job-train-1").empty());
}

TEST_CASE_METHOD(RequestFixture, "of several Workloads of a job the first is asked, or none") {
  const json finished = {
      {"conditions", json::array({{{"type", "Finished"},
                                   {"status", "True"},
                                   {"reason", "Succeeded"},
                                   {"message", "x"},
                                   {"lastTransitionTime", "2026-11-21T16:11:19Z"}}})}};
  const bool first_ended = GENERATE(false, true);
  const int followers = GENERATE(1, 2);
  CAPTURE(first_ended, followers);
  Add("job-train-0", "train", "Job", first_ended ? finished : json(nullptr));
  for (int i = 1; i <= followers; ++i) {
    Add(fmt::format("job-train-{}", i), "train");
    MakeFollower(fmt::format("job-train-{}", i));
  }
  const Printed job = Run();
  INFO(job.err);
  CHECK(job.code == (first_ended ? kFailed : 0));
  CHECK(IsAsked("job-train-0") == !first_ended);
  if (first_ended)
    CHECK_THAT(job.err, ContainsSubstring("which decides for all: that one has ended"));
  options.job = "workload/ml/job-train-1";
  const Printed named = Run();
  INFO(named.err);
  CHECK(named.code == kFailed);
  CHECK_THAT(named.err,
             ContainsSubstring("ml/job-train-1 follows another Workload of the job, which "
                               "decides for all: name job/ml/train"));
  for (int i = 1; i <= followers; ++i) CHECK_FALSE(IsAsked(fmt::format("job-train-{}", i)));
}

TEST_CASE_METHOD(RequestFixture, "a Workload that is named is not looked for among all") {
  Add("job-train-1", "train");
  Restrict({"get", "patch"});
  for (const char* name : {"workload/ml/job-train-1", "wl/ml/job-train-1"}) {
    CAPTURE(name);
    options.job = name;
    CHECK(Run().code == 0);
  }
  options.ns = "ml";
  options.job = "workload/job-train-1";
  CHECK(Run().code == 0);
  options.job = "job/job-train-1";
  CHECK(Run().code == kFailed);
}

// The daemon compares with its own clock, which the API server's agrees with.
TEST_CASE_METHOD(RequestFixture, "the time is the API server's, should the caller's be wrong") {
  const auto ahead = std::chrono::minutes(GENERATE(-15, 0, 15));
  CAPTURE(ahead.count());
  Add("job-train-1", "train");
  sim::Faults faults;
  faults.clock_ahead = ahead;
  manager.SetFaults(faults);
  const WallTime before = SystemClock().Now();
  REQUIRE(Run().code == 0);
  const auto at = ParseRfc3339(Annotations("job-train-1").value("retry.fedra.dev/at", ""));
  REQUIRE(at);
  CHECK(*at >= before + ahead - std::chrono::seconds(1));
  CHECK(*at <= SystemClock().Now() + ahead + std::chrono::seconds(1));
}

TEST_CASE_METHOD(RequestFixture, "a right that is missing on the manager is named") {
  Add("job-train-1", "train");
  Restrict({"get"});
  CHECK_THAT(Run().err, ContainsSubstring("the right to list workloads.kueue.x-k8s.io in "
                                          "namespace ml"));
  Restrict({"list", "patch"});
  options.job = "job/train";  // not of a namespace "job", which this user may not list
  options.ns = "ml";
  CHECK(Run().code == 0);
  options.job = "ml/train";
  Restrict({"list"});
  const Printed printed = Run();
  CHECK(printed.code == kFailed);
  CHECK_THAT(printed.err, ContainsSubstring("the right to patch workloads.kueue.x-k8s.io"));
  CHECK_THAT(printed.err, !ContainsSubstring("eve-token"));
}

namespace {

// On east, since a second that has not passed yet.
json RunningOnEast(WallTime since) {
  const std::string time = FormatRfc3339(since);
  return {{"clusterName", "east"},
          {"admission",
           {{"clusterQueue", "gpu"}, {"podSetAssignments", json::array({{{"name", "main"}}})}}},
          {"conditions", json::array({{{"type", "QuotaReserved"},
                                       {"status", "True"},
                                       {"reason", "QuotaReserved"},
                                       {"message", "x"},
                                       {"lastTransitionTime", time}}})},
          {"admissionChecks", json::array({{{"name", "fedra"},
                                            {"state", "Ready"},
                                            {"message", ""},
                                            {"lastTransitionTime", time}}})}};
}

}  // namespace

TEST_CASE_METHOD(RequestFixture,
                 "move writes when, from where and where to, later than the job's beginning") {
  const WallTime since = SystemClock().Now();
  Add("job-train-1", "train", "Job", RunningOnEast(since));
  const Printed named = RunMove("west");
  INFO(named.err);
  REQUIRE(named.code == 0);
  CHECK_THAT(named.err, ContainsSubstring("ml/train is to be moved from east to west"));
  CHECK_THAT(named.err, ContainsSubstring("within 10 minutes, unless Kueue has it"));
  json annotations = Annotations("job-train-1");
  CHECK(annotations.value("move.fedra.dev/from", "") == "east");
  CHECK(annotations.value("move.fedra.dev/to", "") == "west");
  const auto at = ParseRfc3339(annotations.value("move.fedra.dev/at", ""));
  REQUIRE(at);
  CHECK(*at > std::chrono::floor<std::chrono::seconds>(since));
  REQUIRE(RunMove().code == 0);
  annotations = Annotations("job-train-1");
  CHECK(annotations.contains("move.fedra.dev/at"));
  CHECK_FALSE(annotations.contains("move.fedra.dev/to"));
}

TEST_CASE_METHOD(RequestFixture, "move --cancel takes the request back") {
  Add("job-train-1", "train", "Job", RunningOnEast(SystemClock().Now()));
  REQUIRE(RunMove("west").code == 0);
  REQUIRE_FALSE(Annotations("job-train-1").empty());
  const Printed cancelled = Print(&Move, MoveOptions{.request = options, .to = {}, .cancel = true});
  CHECK(cancelled.code == 0);
  CHECK_THAT(cancelled.err, ContainsSubstring("no move is asked of ml/train any more"));
  CHECK(Annotations("job-train-1").empty());
}

TEST_CASE_METHOD(RequestFixture, "what cannot be moved is said, and nothing is written") {
  Add("job-train-1", "train", "Job", RunningOnEast(SystemClock().Now()));
  Add("job-waits-1", "waits");
  const Printed there = RunMove("east");
  CHECK(there.code == 0);
  CHECK_THAT(there.err, ContainsSubstring("ml/train is on east: nothing to do"));
  const Printed no_name = RunMove("Not A Name");
  CHECK(no_name.code == kFailed);
  CHECK_THAT(no_name.err, ContainsSubstring("a worker's name has"));
  CHECK(Annotations("job-train-1").empty());
  options.job = "ml/waits";
  const Printed waits = RunMove();
  CHECK(waits.code == kFailed);
  CHECK_THAT(waits.err, ContainsSubstring("ml/waits is on no worker"));
  CHECK(Annotations("job-waits-1").empty());
}

namespace {

// The daemon of this machine: its configuration, and its store when it was last seen to write.
struct DaemonFixture : RequestFixture {
  DaemonFixture() {
    options.config = Configuration("manager");
    store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
    store->Enqueue(store::SetHeartbeat{{.at = SystemClock().Now()}});
    for (const char* const name : {"gpu-east", "gpu-west", "gpu-old"}) {
      store::ClusterRow row;
      row.name = ClusterName(name);
      row.is_removed = row.name.value == "gpu-old";
      store->Enqueue(store::PutCluster{row});
    }
    REQUIRE(store->Flush());
  }

  // Of the manager with this kubeconfig.
  std::string Configuration(const std::string& kubeconfig) {
    const sim::Server other{{.name = "other"}};
    folder.Write("manager", manager.Kubeconfig());
    folder.Write("other", other.Kubeconfig());
    std::string text =
        "apiVersion: fedra.dev/v1alpha1\nkind: Configuration\nmanager: {kubeconfig: " +
        folder.Path(kubeconfig) + "}\nstore: {path: " + folder.Path("fedra.db") + "}\nworkers:\n";
    const sim::Server east{{.name = "gpu-east"}};
    const sim::Server west{{.name = "gpu-west"}};
    for (const auto& [name, worker] : {std::pair("gpu-east", &east), std::pair("gpu-west", &west)})
      text += fmt::format("  - {{name: {}, kubeconfig: {}}}\n", name,
                          folder.Write(name, worker->Kubeconfig()));
    return folder.Write("fedra.yaml", text);
  }
  void Remember(const std::string& workload, bool has_failed) {
    const json object = json::parse(manager.Call("GET", kWorkloads + "/" + workload).body);
    store::WorkloadRow row;
    row.uid = object["metadata"]["uid"];
    row.key = {"ml", workload};
    row.job = {"ml", "train"};
    row.state = "Blocked";
    store->Enqueue(store::PutWorkload{row});
    store::PlacementRow placement;
    placement.uid = row.uid;
    placement.key = row.key;
    if (has_failed)
      placement.failures.push_back(
          {ClusterName("gpu-east"), "Forbidden", SystemClock().Now(), "no", true, 1});
    store->Enqueue(store::PutPlacement{placement});
    REQUIRE(store->Flush());
  }

  std::unique_ptr<store::Store> store;
};

}  // namespace

TEST_CASE_METHOD(DaemonFixture, "a worker that there is not gets no job moved to it") {
  struct Row {
    const char* to;
    int code;
    const char* words;
  };
  Add("job-train-1", "train", "Job", RunningOnEast(SystemClock().Now()));
  const Row row =
      GENERATE(Row{"gpu-west", 0, "is to be moved from east to gpu-west"},
               Row{"gpu-wst", kFailed, "there is no worker gpu-wst; did you mean gpu-west?"},
               Row{"tpu", kFailed, "there is no worker tpu; there are gpu-east, gpu-old"},
               Row{"gpu-old", kFailed, "gpu-old was removed from the configuration"});
  CAPTURE(row.to);
  const Printed printed = RunMove(row.to);
  CHECK(printed.code == row.code);
  CHECK_THAT(printed.err, ContainsSubstring(row.words));
  CHECK(Annotations("job-train-1").empty() == (row.code != 0));
}

TEST_CASE_METHOD(DaemonFixture, "a daemon that is another manager's says nothing of the workers") {
  Add("job-train-1", "train", "Job", RunningOnEast(SystemClock().Now()));
  options.config = GENERATE(true, false) ? Configuration("other") : folder.Path("nowhere.yaml");
  CHECK(RunMove("gpu-wst").code == 0);
}

TEST_CASE_METHOD(DaemonFixture, "where no worker has failed a job there is nothing to forget") {
  const bool has_failed = GENERATE(false, true);
  const bool is_known = GENERATE(false, true);
  CAPTURE(has_failed, is_known);
  Add("job-train-1", "train");
  if (is_known) Remember("job-train-1", has_failed);
  const bool is_asked = has_failed || !is_known;
  const Printed printed = Run();
  CHECK(printed.code == 0);
  CHECK_THAT(printed.err,
             ContainsSubstring(is_asked ? "workers that have failed ml/train may be tried again now"
                                        : "no worker has failed ml/train, so there is nothing"));
  CHECK(IsAsked("job-train-1") == is_asked);
}

}  // namespace fedra::cli::job_request_test
