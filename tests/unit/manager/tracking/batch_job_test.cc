// batch/v1 Jobs: what is copied to a worker, and which status comes back when.

#include <nlohmann/json.hpp>

#include "manager/tracking/job.h"
#include "tests/support/catch.h"

namespace fedra::tracking::batch_job_test {

using nlohmann::json;

namespace {

json Local() {
  return json::parse(R"({"apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"namespace": "ml", "name": "train", "uid": "j1", "resourceVersion": "5", "labels": {"kueue.x-k8s.io/queue-name": "gpu"},
                 "ownerReferences": [{"kind": "Pipeline"}]},
    "spec": {"managedBy": "kueue.x-k8s.io/multikueue", "suspend": false, "parallelism": 2, "ttlSecondsAfterFinished": 10,
             "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "j1"}},
             "template": {"metadata": {"labels": {"app": "x", "controller-uid": "j1", "batch.kubernetes.io/job-name": "train"}},
                          "spec": {"containers": []}}},
    "status": {}})");
}

json Remote(const char* status, bool suspend = false) {
  json remote = Local();
  remote["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"] = "fedra";
  remote["metadata"]["annotations"] = {{"fedra.dev/workload-uid", "u1"},
                                       {"kueue.x-k8s.io/prebuilt-workload-name", "w"}};
  remote["spec"].erase("managedBy");
  remote["spec"]["suspend"] = suspend;
  remote["status"] = json::parse(status);
  return remote;
}

Job Parsed(const json& object) {
  auto job = BatchJobAdapter().Parse(object);
  REQUIRE(job.has_value());
  return *std::move(job);
}

std::optional<json> Mirror(const json& local, const json& remote) {
  const auto patch = BatchJobAdapter().MirrorPatch(Parsed(local), Parsed(remote));
  return patch ? std::optional(json::parse(*patch)) : std::nullopt;
}

}  // namespace

TEST_CASE(
    "the remote job names its clone, starts suspended, and leaves behind what is the manager's") {
  Workload workload;
  workload.key = {"ml", "job-train-1a2b3"};
  workload.uid = "u1";
  const json body =
      json::parse(*BatchJobAdapter().RemoteBody(Parsed(Local()), workload, {"fedra", "m1"}));
  CHECK(body["metadata"]["annotations"]["kueue.x-k8s.io/prebuilt-workload-name"] ==
        "job-train-1a2b3");
  // Of a Kueue that reads no annotation.
  CHECK(body["metadata"]["labels"]["kueue.x-k8s.io/prebuilt-workload-name"] == "job-train-1a2b3");
  CHECK(body["metadata"]["annotations"]["fedra.dev/workload-uid"] == "u1");
  CHECK(body["metadata"]["annotations"]["fedra.dev/manager-uid"] == "m1");
  CHECK(body["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"] == "fedra");
  CHECK(body["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "gpu");
  CHECK_FALSE(body["metadata"].contains("ownerReferences"));
  CHECK(body["spec"]["suspend"] == true);
  CHECK(body["spec"]["parallelism"] == 2);
  for (const char* field : {"managedBy", "selector", "ttlSecondsAfterFinished"})
    CHECK_FALSE(body["spec"].contains(field));
  CHECK(body["spec"]["template"]["metadata"]["labels"] == json{{"app", "x"}});
}

TEST_CASE("the label that names the clone is no longer than a label may be, and never another's") {
  Workload workload;
  workload.uid = "u1";
  json local = Local();
  local["metadata"]["labels"]["kueue.x-k8s.io/prebuilt-workload-name"] = "of-another";
  for (const size_t length : {size_t{63}, size_t{64}}) {
    workload.key = {"ml", std::string(length, 'w')};
    const json metadata = json::parse(
        *BatchJobAdapter().RemoteBody(Parsed(local), workload, {"fedra", "m1"}))["metadata"];
    CHECK(metadata["annotations"]["kueue.x-k8s.io/prebuilt-workload-name"] == workload.key.name);
    CHECK(metadata["labels"].value("kueue.x-k8s.io/prebuilt-workload-name", "") ==
          (length == 63 ? workload.key.name : ""));
  }
}

TEST_CASE("a job that was copied back from a worker, labels and all, is sent like any other") {
  Workload workload;
  workload.uid = "u1";
  json again = Local();
  again["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"] = "fedra";
  again["metadata"]["labels"]["kueue.x-k8s.io/prebuilt-workload-name"] = "of-another";
  again["metadata"]["annotations"]["fedra.dev/workload-uid"] = "of-another";
  again["metadata"]["annotations"]["fedra.dev/manager-uid"] = "of-another";
  again["metadata"]["annotations"]["fedra.dev/member-uid"] = "of-another";
  const auto body = BatchJobAdapter().RemoteBody(Parsed(again), workload, {"fedra", "m1"});
  REQUIRE(body.has_value());
  CHECK(json::parse(*body)["spec"]["parallelism"] == 2);
  // A user who writes our marks names no other user's workload with them.
  CHECK_THAT(*body, !ContainsSubstring("of-another"));
  CHECK(json::parse(*body)["metadata"]["annotations"]["fedra.dev/workload-uid"] == "u1");
  // Nor when we may not know our own.
  const auto unknown = BatchJobAdapter().RemoteBody(Parsed(again), workload, {"fedra", ""});
  REQUIRE(unknown.has_value());
  CHECK_THAT(*unknown, !ContainsSubstring("of-another"));
  // Of a copy only the status is kept.
  CHECK_FALSE(BatchJobAdapter().RemoteBody(Parsed(Remote("{}")), workload, {"fedra", "m1"}));
}

TEST_CASE("a running status is copied to a resumed job only") {
  const json remote = Remote(R"({"active": 2, "ready": 1, "startTime": "2026-11-21T16:00:00Z"})");
  const auto patch = Mirror(Local(), remote);
  REQUIRE(patch.has_value());
  CHECK((*patch)["status"] == remote["status"]);
  CHECK((*patch)["metadata"]["resourceVersion"] == "5");
  json suspended = Local();
  suspended["spec"]["suspend"] = true;
  CHECK_FALSE(Mirror(suspended, remote).has_value());
  CHECK(Mirror(suspended, Remote(R"({"conditions": [{"type": "Complete", "status": "True"}]})"))
            .has_value());
  CHECK(Mirror(suspended, Remote(R"({"failed": 1})", true)).has_value());
}

TEST_CASE("equal statuses need no write, and what is gone remotely goes locally") {
  json local = Local();
  local["status"] =
      json::parse(R"({"active": 2, "uncountedTerminatedPods": {"succeeded": ["p1"]}})");
  CHECK_FALSE(
      Mirror(local, Remote(R"({"active": 2, "uncountedTerminatedPods": {"succeeded": ["p1"]}})"))
          .has_value());
  const auto patch = Mirror(local, Remote(R"({"succeeded": 2, "uncountedTerminatedPods": {}})"));
  REQUIRE(patch.has_value());
  CHECK((*patch)["status"]["active"].is_null());
  CHECK((*patch)["status"]["succeeded"] == 2);
  CHECK((*patch)["status"]["uncountedTerminatedPods"]["succeeded"].is_null());
}

TEST_CASE("a worker's status is copied within bounds, however much it sends") {
  json remote = Remote(R"({"active": 2, "startTime": "2026-11-21T16:00:00Z"})");
  json& status = remote["status"];
  for (int i = 0; i < 100; ++i) {
    status["conditions"].push_back(
        {{"type", "T" + std::to_string(i)}, {"message", std::string(1 << 16, 'm')}});
  }
  json mirrored = (*Mirror(Local(), remote))["status"];
  CHECK(mirrored["conditions"].size() == 20);
  CHECK(mirrored.dump().size() < 100'000);
  // Once copied, it is not copied again.
  json local = Local();
  local["status"] = mirrored;
  CHECK_FALSE(Mirror(local, remote).has_value());

  status.erase("conditions");
  status["invented"] = std::string(1 << 20, 'x');
  mirrored = (*Mirror(Local(), remote))["status"];
  CHECK(mirrored == json{{"active", 2}, {"startTime", "2026-11-21T16:00:00Z"}});
  status["startTime"] = std::string(1 << 20, 'x');
  CHECK_FALSE(Mirror(Local(), remote).has_value());
}

TEST_CASE("pods that ended on an earlier worker stay counted: an API server takes no count back") {
  json local = Local();
  local["status"] = {{"failed", 1}, {"succeeded", 2}};
  const auto fewer = Mirror(local, Remote(R"({"active": 1, "succeeded": 1})"));
  REQUIRE(fewer.has_value());
  CHECK((*fewer)["status"] == json{{"active", 1}});
  const auto more = Mirror(local, Remote(R"({"active": 1, "succeeded": 3, "failed": 2})"));
  REQUIRE(more.has_value());
  CHECK((*more)["status"] == json{{"active", 1}, {"succeeded", 3}, {"failed", 2}});
}

TEST_CASE("a running job keeps its start, although the worker has started it again") {
  json local = Local();
  local["status"] = {{"startTime", "2026-11-21T16:00:00Z"}, {"active", 1}};
  const json again = Remote(R"({"active": 1, "ready": 1, "startTime": "2026-11-21T16:05:00Z"})");
  CHECK((*Mirror(local, again))["status"] == json{{"ready", 1}});
  CHECK((*Mirror(local, Remote("{}", true)))["status"] == json{{"active", nullptr}});
  const auto suspended = [](const char* status) {
    return json::array({{{"type", "Suspended"}, {"status", status}}});
  };
  // The manager shows that it was stopped: only with the news that it runs again does it start
  // anew.
  local["status"]["conditions"] = suspended("True");
  CHECK((*Mirror(local, again))["status"] == json{{"ready", 1}, {"conditions", nullptr}});
  json resumed = again;
  resumed["status"]["conditions"] = suspended("False");
  CHECK((*Mirror(local, resumed))["status"]["startTime"] == "2026-11-21T16:05:00Z");
  json stopped = Remote("{}", true);
  stopped["status"]["conditions"] = suspended("True");
  CHECK((*Mirror(local, stopped))["status"] == json{{"active", nullptr}});
  // Of a worker whose clock was set back.
  const json ended = Remote(R"({"completionTime": "2026-11-21T15:59:00Z", "conditions": [
    {"type": "Complete", "status": "True"}], "startTime": "2026-11-21T15:58:00Z"})");
  CHECK((*Mirror(local, ended))["status"]["completionTime"] == "2026-11-21T16:00:00Z");
}

TEST_CASE("a worker's decision is copied when it is final") {
  const auto mirrored = [](const char* status) {
    const auto patch = Mirror(Local(), Remote(status));
    return patch ? (*patch)["status"] : json();
  };
  CHECK(mirrored(R"({"conditions": [{"type": "FailureTarget", "status": "True"}]})").is_null());
  const char* const going = R"({"active": 1, "conditions": [
    {"type": "Suspended", "status": "False"}, {"type": "SuccessCriteriaMet", "status": "True"}]})";
  CHECK(mirrored(going)["conditions"] ==
        json::array({{{"type", "Suspended"}, {"status", "False"}}}));
  const char* const ended = R"({"conditions": [
    {"type": "SuccessCriteriaMet", "status": "True"}, {"type": "Complete", "status": "True"}]})";
  CHECK(mirrored(ended) == json::parse(ended));
}

TEST_CASE("what the pods do is progress; what decides about the job is not") {
  const Job running = Parsed(Remote(R"({"active": 2})"));
  CHECK(IsProgress(running, Parsed(Remote(R"({"active": 1, "succeeded": 1})"))));
  CHECK(IsProgress(Parsed(Remote("{}")), running));
  const json complete = Remote(R"({"conditions": [{"type": "Complete", "status": "True"}]})");
  CHECK_FALSE(IsProgress(running, Parsed(complete)));
  CHECK_FALSE(IsProgress(running, Parsed(Remote(R"({"active": 2})", true))));
  json changed = Remote(R"({"active": 2})");
  changed["metadata"]["uid"] = "j2";
  CHECK_FALSE(IsProgress(running, Parsed(changed)));
  changed = Remote(R"({"active": 2})");
  changed["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  CHECK_FALSE(IsProgress(running, Parsed(changed)));
  changed = Remote(R"({"active": 2})");
  changed["metadata"]["annotations"].erase("kueue.x-k8s.io/prebuilt-workload-name");
  CHECK_FALSE(IsProgress(running, Parsed(changed)));
}

TEST_CASE("activity is cleared where it is shown, never on a finished job") {
  json local = Local();
  CHECK_FALSE(BatchJobAdapter().ClearActivityPatch(Parsed(local)).has_value());
  local["status"] = {{"active", 2}, {"ready", 2}};
  const auto patch = BatchJobAdapter().ClearActivityPatch(Parsed(local));
  REQUIRE(patch.has_value());
  CHECK(json::parse(*patch)["status"] ==
        json{{"active", nullptr}, {"ready", nullptr}, {"terminating", nullptr}});
  local["status"]["conditions"] = json::array({{{"type", "Failed"}, {"status", "True"}}});
  CHECK_FALSE(BatchJobAdapter().ClearActivityPatch(Parsed(local)).has_value());
}

TEST_CASE("a foreign job is known by its name and uid only") {
  json foreign = Local();
  foreign["spec"].erase("managedBy");
  const Job job = Parsed(foreign);
  CHECK(job.marks.origin.empty());
  CHECK(job.text == nullptr);
}

TEST_CASE("what an operator makes for a copy of ours is not ours, whatever marks it was given") {
  json remote = Remote("{}");
  CHECK(Parsed(remote).marks.origin == "fedra");
  // As KubeRay copies a RayJob's labels and annotations to its RayCluster.
  remote["metadata"]["ownerReferences"] =
      json::array({{{"kind", "RayJob"}, {"name", "train"}, {"controller", true}}});
  const Job child = Parsed(remote);
  CHECK(child.marks.origin.empty());
  CHECK(child.marks.source_uid.empty());
  CHECK(child.prebuilt_workload.empty());
}

TEST_CASE("a job whose suspend is of another type is not read: it is never taken for running") {
  json local = Local();
  local["spec"]["suspend"] = "yes";
  const auto job = BatchJobAdapter().Parse(local);
  REQUIRE_FALSE(job.has_value());
  CHECK(job.error().message == "suspend must be true or false, not \"yes\"");
}

}  // namespace fedra::tracking::batch_job_test
