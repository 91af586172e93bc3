// fedra logs on a simulated worker, from the store's word to what is printed.

#include <cstdlib>
#include <sstream>

#include <nlohmann/json.hpp>

#include "manager/cli/commands.h"
#include "store/store.h"
#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/report/rows.h"

namespace fedra::cli::logs_command_test {
namespace {

using nlohmann::json;

struct Printed {
  int code = 0;
  std::string out;
  std::string err;
};

// One worker, east; on it ml/train runs with the pods that a test adds.
struct LogsFixture {
  LogsFixture() {
    auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
    for (const auto& row : report::FleetStatus().workloads) store->Enqueue(store::PutWorkload{row});
    store->Enqueue(
        store::PutWorkload{report::Job("train", "Running", "east", std::chrono::hours(1))});
    REQUIRE(store->Flush());
    options.view.store = folder.Path("fedra.db");
    options.view.names = {"ml/train"};
    options.config = folder.Path("none.yaml");
    options.worker.kubeconfig = folder.Write("kubeconfig", east.Kubeconfig());
    options.tail = 2;
    Make("/api/v1/namespaces", {{"metadata", {{"name", "ml"}}}});
  }

  void Make(const std::string& path, const json& object) {
    REQUIRE(east.Call("POST", path, object.dump()).status == 201);
  }
  void AddPod(const std::string& name, const std::vector<std::string>& containers,
              const std::string& job = "train") {
    json pod = {{"metadata", {{"name", name}, {"labels", {{"batch.kubernetes.io/job-name", job}}}}},
                {"spec", {{"containers", json::array()}}}};
    for (const std::string& container : containers)
      pod["spec"]["containers"].push_back({{"name", container}, {"image", "x"}});
    Make("/api/v1/namespaces/ml/pods", pod);
  }
  // A pod of the group that is a copy.
  void AddMember(const std::string& name, const std::string& group, const char* where = "labels") {
    json metadata = {{"name", name}, {"labels", {{"kueue.x-k8s.io/multikueue-origin", "fedra"}}}};
    metadata[where]["kueue.x-k8s.io/pod-group-name"] = group;
    const json container = {{"name", "main"}, {"image", "x"}};
    Make("/api/v1/namespaces/ml/pods",
         {{"metadata", metadata}, {"spec", {{"containers", json::array({container})}}}});
  }
  // A job of the store that is on the worker.
  void Know(const std::string& name, const std::string& kind) {
    store::WorkloadRow row = report::Job(name, "Running", "east", std::chrono::hours(1));
    row.job_kind = kind;
    auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
    store->Enqueue(store::PutWorkload{row});
    REQUIRE(store->Flush());
    options.view.names = {"ml/" + name};
  }
  Printed Run(bool on_terminal = false) {
    std::ostringstream out, err;
    Terminal terminal{out, err};
    terminal.out_is_tty = on_terminal;
    const int code = Logs(options, terminal);
    return {code, out.str(), err.str()};
  }
  // The caller may do no more than this there.
  void Restrict(const std::vector<std::string>& resources) {
    sim::User user{.name = "eve", .token = "eve-token"};
    user.allow = {{{"get", "list"}, {""}, resources}};
    east.SetUser(user);
    options.worker.kubeconfig = folder.Write("kubeconfig", east.Kubeconfig("eve"));
  }

  const TempFolder folder;
  sim::Server east{{.name = "east"}};
  LogsOptions options;
};

}  // namespace

TEST_CASE_METHOD(LogsFixture, "one container's last lines are printed as they are") {
  AddPod("train-0", {"main"});
  AddPod("other-0", {"main"}, "other");
  const Printed printed = Run();
  CHECK(printed.code == 0);
  CHECK(printed.out == "line 99 of main\nline 100 of main\n");
  CHECK(printed.err.empty());
}

TEST_CASE_METHOD(LogsFixture, "of several each line says whose it is") {
  AddPod("train-1", {"main"});
  AddPod("train-0", {"main", "log"});
  options.tail = 1;
  CHECK(Run().out ==
        "[train-0/main] line 100 of main\n[train-0/log] line 100 of log\n"
        "[train-1/main] line 100 of main\n");
  options.pod = "train-0";
  options.container = "log";
  CHECK(Run(/*on_terminal=*/true).out == "line 100 of log\n");
  options.limit_bytes = 4;
  CHECK(Run().out == "line\n");
}

TEST_CASE_METHOD(LogsFixture, "a group of pods has the logs of its pods, and of no others") {
  Know("gang", "Pod group");
  AddMember("a", "gang");
  AddMember("b", "gang", "annotations");
  AddMember("c", "another");
  AddPod("gang", {"main"});  // a pod of the group's name is not the group
  options.tail = 1;
  const Printed printed = Run();
  CHECK(printed.code == 0);
  CHECK(printed.out == "[a/main] line 100 of main\n[b/main] line 100 of main\n");
  CHECK(printed.err.empty());
  options.pod = "c";
  CHECK_THAT(Run().err, ContainsSubstring("the job has no pod c there; it has: a, b"));
}

TEST_CASE_METHOD(LogsFixture, "a pod that is a job is got, and a group's pods are listed") {
  Know("gang", "Pod group");
  AddMember("a", "gang");
  AddMember("single", "");
  Restrict({"services"});
  CHECK_THAT(Run().err, ContainsSubstring("the right to list pods in namespace ml"));
  Know("single", "Pod");
  Restrict({"services"});
  CHECK_THAT(Run().err, ContainsSubstring("the right to get pods in namespace ml"));
}

TEST_CASE_METHOD(LogsFixture, "where there is nothing to read it is said why") {
  const Printed none = Run();
  CHECK(none.code == kNothingToRead);
  CHECK_THAT(none.err, ContainsSubstring("ml/train has no pods on east now: it is Running there"));
  options.view.names = {"ml/sweep-3"};
  const Printed nowhere = Run();
  CHECK(nowhere.code == kNothingToRead);
  CHECK_THAT(nowhere.err, ContainsSubstring("has been on no worker: it is Blocked") &&
                              ContainsSubstring("fedra why ml/sweep-3"));
  options.view.names = {"ml/unheard"};
  CHECK(Run().code == kFailed);
}

TEST_CASE_METHOD(LogsFixture, "a worker without a context of its name is asked by another one") {
  AddPod("train-0", {"main"});
  options.view.names = {"ml/train-7b"};
  const Printed unknown = Run();
  CHECK(unknown.code == kFailed);
  CHECK_THAT(unknown.err, ContainsSubstring("your context for worker gpu-east") &&
                              ContainsSubstring("(known: east)") &&
                              ContainsSubstring("--worker-context"));
  options.view.names = {"ml/train"};
  options.worker.context = "east";
  CHECK(Run().code == 0);
}

TEST_CASE_METHOD(LogsFixture, "a right that is missing on the worker is named") {
  AddPod("train-0", {"main"});
  Restrict({"pods"});
  const Printed no_log = Run();
  CHECK(no_log.code == kFailed);
  CHECK_THAT(no_log.err, ContainsSubstring("worker east (context east)") &&
                             ContainsSubstring("the right to get pods/log in namespace ml"));
  Restrict({"services"});
  const Printed no_pods = Run();
  CHECK(no_pods.code == kFailed);
  CHECK_THAT(no_pods.err, ContainsSubstring("the right to list pods in namespace ml"));
  CHECK_THAT(no_pods.err, !ContainsSubstring("eve-token"));
}

TEST_CASE_METHOD(LogsFixture, "a container whose log cannot be read hides no other one") {
  AddPod("train-0", {"main"});
  AddPod("train-1", {"main"});
  sim::Faults faults;
  faults.answers = {{.path_contains = "pods/train-0/log", .code = 400}};
  east.SetFaults(faults);
  const Printed printed = Run();
  CHECK(printed.code == kUnknown);
  CHECK(printed.out == "[train-1/main] line 99 of main\n[train-1/main] line 100 of main\n");
  CHECK_THAT(printed.err, ContainsSubstring("[train-0/main] worker east (context east)"));
}

TEST_CASE_METHOD(LogsFixture, "logs are followed side by side until their containers have ended") {
  AddPod("train-1", {"main"});
  AddPod("train-0", {"main"});
  options.follow = true;
  Printed printed = Run();
  CHECK(printed.code == 0);
  for (const char* line : {"[train-0/main] line 99 of main\n", "[train-0/main] line 100 of main\n",
                           "[train-1/main] line 100 of main\n"})
    CHECK_THAT(printed.out, ContainsSubstring(line));
  CHECK(printed.err.empty());
  CHECK(east.RequestCounts()["get pods/log"] == 2);
  sim::Faults faults;
  faults.answers = {{.path_contains = "pods/train-0/log", .code = 400}};
  east.SetFaults(faults);
  printed = Run();
  CHECK(printed.code == kUnknown);
  CHECK_THAT(printed.err, ContainsSubstring("[train-0/main] worker east (context east)"));
  CHECK_THAT(printed.out, ContainsSubstring("[train-1/main] line 100 of main\n"));
  east.SetFaults({});
  for (int i = 2; i < 25; ++i) AddPod("train-" + std::to_string(i), {"main"});
  printed = Run();
  CHECK(printed.code == kFailed);
  CHECK_THAT(printed.err, ContainsSubstring("of 25 containers, at most 20 can be followed"));
  options.pod = "train-24";
  CHECK(Run().out == "line 99 of main\nline 100 of main\n");
  Restrict({"pods"});
  const Printed refused = Run();
  CHECK(refused.code == kFailed);
  CHECK_THAT(refused.err, ContainsSubstring("the right to get pods/log in namespace ml"));
}

}  // namespace fedra::cli::logs_command_test
