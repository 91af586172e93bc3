// Pods as jobs: what is copied to a worker, and which status comes back.

#include "manager/tracking/kinds/pod.h"

#include <nlohmann/json.hpp>

#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"

namespace fedra::tracking::pod_test {

using nlohmann::json;

namespace {

// As it is on the manager: of a Deployment, managed by Kueue, and gated.
json Local() {
  return json::parse(R"({"apiVersion": "v1", "kind": "Pod",
    "metadata": {"namespace": "ml", "name": "serve-1", "uid": "p1", "resourceVersion": "5",
                 "labels": {"kueue.x-k8s.io/queue-name": "gpu", "kueue.x-k8s.io/managed": "true",
                            "app": "serve", "pod-template-hash": "6c5d"},
                 "annotations": {"kueue.x-k8s.io/role-hash": "a1b2"},
                 "finalizers": ["kueue.x-k8s.io/managed"],
                 "ownerReferences": [{"kind": "ReplicaSet", "name": "serve", "controller": true}]},
    "spec": {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"},
                                 {"name": "kueue.x-k8s.io/topology"}],
             "priorityClassName": "high", "priority": 1000, "preemptionPolicy": "Never",
             "serviceAccountName": "default",
             "containers": [{"name": "c", "image": "i", "volumeMounts": [{"name": "kube-api-access-x"}]}],
             "volumes": [{"name": "kube-api-access-x"}]},
    "status": {"phase": "Pending", "qosClass": "Burstable",
               "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "local"}],
               "conditions": [{"type": "PodScheduled", "status": "False",
                               "reason": "SchedulingGated"}]}})");
}

json Remote(const char* status) {
  json remote = Local();
  remote["metadata"].erase("ownerReferences");
  remote["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"] = "fedra";
  remote["metadata"]["annotations"] = {{"fedra.dev/workload-uid", "u1"},
                                       {"kueue.x-k8s.io/prebuilt-workload-name", "w"}};
  remote["spec"].erase("schedulingGates");
  remote["status"] = json::parse(status);
  return remote;
}

Job Parsed(const json& object) {
  auto job = PodAdapter().Parse(object);
  REQUIRE(job.has_value());
  return *std::move(job);
}

// The status that is patched; null: nothing is.
json Mirror(const json& local, const json& remote) {
  const auto patch = PodAdapter().MirrorPatch(Parsed(local), Parsed(remote));
  if (!patch) return nullptr;
  const json body = json::parse(*patch);
  CHECK(body["metadata"]["resourceVersion"] == "5");
  return body["status"];
}

constexpr const char* kRunning = R"({"phase": "Running", "qosClass": "Guaranteed",
    "hostIP": "10.0.0.1", "hostIPs": [{"ip": "10.0.0.1"}], "podIP": "10.1.0.7",
    "podIPs": [{"ip": "10.1.0.7"}], "startTime": "2026-06-01T00:00:00Z",
    "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "remote"}],
    "extendedResourceClaimStatus": {"resourceClaimName": "more"},
    "containerStatuses": [{"name": "c", "ready": true, "state": {"running": {}}}],
    "conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "True"}]})";

}  // namespace

TEST_CASE(
    "Pod: one that Kueue manages needs no managedBy, a copy of ours is no job of this cluster") {
  const Job local = Parsed(Local());
  CHECK(local.managed_by == kManagedBy);
  CHECK(local.suspended);
  CHECK(local.text != nullptr);
  const Job remote = Parsed(Remote(kRunning));
  CHECK(remote.managed_by.empty());
  CHECK(remote.prebuilt_workload == "w");
  CHECK_FALSE(remote.suspended);
  CHECK(remote.shows_activity);
  json other = Local();
  other["metadata"]["labels"].erase("kueue.x-k8s.io/managed");
  CHECK(Parsed(other).managed_by.empty());
  CHECK(Parsed(other).text == nullptr);
}

TEST_CASE("Pod: it ends by its phase") {
  const auto [phase, finished, failed] =
      GENERATE(table<const char*, bool, bool>({{"Pending", false, false},
                                               {"Running", false, false},
                                               {"Succeeded", true, false},
                                               {"Failed", true, true},
                                               {"Unknown", false, false}}));
  json pod = Local();
  pod["status"]["phase"] = phase;
  CHECK(Parsed(pod).finished == finished);
  CHECK(Parsed(pod).failed == failed);
}

TEST_CASE("Pod: one that Kueue stops has not ended, and what becomes of it is not mirrored") {
  const auto [reason, stopped] =
      GENERATE(table<const char*, bool>({{"WorkloadEvictedDueToPreempted", true},
                                         {"WorkloadEvicted", true},
                                         {"WorkloadDeleted", true},
                                         {"NoMatchingWorkload", true},
                                         {"NotAdmitted", true},
                                         {"SomebodyElses", false}}));
  const char* phase = GENERATE("Failed", "Succeeded");
  json remote = Remote(kRunning);
  remote["status"]["phase"] = phase;
  remote["status"]["conditions"] =
      json::array({{{"type", "TerminationTarget"}, {"status", "True"}, {"reason", reason}}});
  CHECK(Parsed(remote).finished == !stopped);
  CHECK(Parsed(remote).failed == (!stopped && phase == std::string("Failed")));
  CHECK(Mirror(Local(), remote).is_null() == stopped);
  remote["status"]["conditions"][0]["status"] = "False";
  CHECK(Parsed(remote).finished);
}

TEST_CASE(
    "Pod: a copy that fails because it is deleted has not ended, one that has succeeded has") {
  json remote = Remote(kRunning);
  remote["metadata"]["deletionTimestamp"] = "2026-06-01T00:00:00Z";
  CHECK(Mirror(Local(), remote)["phase"] == "Running");
  remote["status"]["phase"] = "Failed";
  CHECK_FALSE(Parsed(remote).finished);
  CHECK(Mirror(Local(), remote).is_null());
  remote["status"]["phase"] = "Succeeded";
  CHECK(Parsed(remote).finished);
  CHECK(Mirror(Local(), remote)["phase"] == "Succeeded");
  json local = Local();  // whose deletion is its user's
  local["metadata"]["deletionTimestamp"] = "2026-06-01T00:00:00Z";
  local["status"]["phase"] = "Failed";
  CHECK(Parsed(local).finished);
}

TEST_CASE("Pod: what one of a group says of it") {
  CHECK(Parsed(Local()).member == nullptr);
  json pod = Local();
  pod["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] = "by-label";
  json& annotations = pod["metadata"]["annotations"];
  annotations["kueue.x-k8s.io/pod-group-total-count"] = "3";
  auto member = Parsed(pod).member;
  REQUIRE(member != nullptr);
  CHECK(member->group == "by-label");
  CHECK(member->total == 3);
  CHECK(member->retriable);
  CHECK_FALSE(member->serves);
  CHECK(member->copy_of.empty());
  CHECK(member->finalizers == std::vector<std::string>{"kueue.x-k8s.io/managed"});
  annotations["kueue.x-k8s.io/pod-group-name"] = "by-annotation";
  annotations["kueue.x-k8s.io/pod-group-total-count"] = "many";
  annotations["kueue.x-k8s.io/pod-group-serving"] = "true";
  annotations["kueue.x-k8s.io/retriable-in-group"] = "false";
  annotations["fedra.dev/member-uid"] = "p0";
  member = Parsed(pod).member;
  CHECK(member->group == "by-annotation");
  CHECK(member->total == 0);
  CHECK_FALSE(member->retriable);
  CHECK(member->serves);
  CHECK(member->copy_of == "p0");
  annotations["kueue.x-k8s.io/pod-group-name"] = std::string(300, 'x');
  CHECK(Parsed(pod).member == nullptr);
}

TEST_CASE("Pod: the copy of one of a group names the pod that it stands for") {
  Workload workload;
  workload.key = {"ml", "train"};
  workload.uid = "u1";
  json local = Local();
  local["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] = "train";
  local["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = "2";
  const auto text = PodAdapter().RemoteBody(Parsed(local), workload, {"fedra", "m1"});
  REQUIRE(text);
  const json metadata = json::parse(*text)["metadata"];
  CHECK(metadata["labels"]["kueue.x-k8s.io/pod-group-name"] == "train");
  CHECK(metadata["annotations"]["kueue.x-k8s.io/pod-group-total-count"] == "2");
  CHECK(metadata["annotations"]["kueue.x-k8s.io/prebuilt-workload-name"] == "train");
  CHECK(metadata["annotations"]["fedra.dev/member-uid"] == "p1");
}

TEST_CASE("Pod: the copy is gated, and has nothing that only this cluster may say") {
  Workload workload;
  workload.key = {"ml", "pod-serve-1-1a2b3"};
  workload.uid = "u1";
  json local = Local();
  local["metadata"]["labels"]["kueue.x-k8s.io/podset"] = "main";
  const auto text = PodAdapter().RemoteBody(Parsed(local), workload, {"fedra", "m1"});
  REQUIRE(text);
  const json body = json::parse(*text);
  CHECK(body["metadata"]["labels"] ==
        json{{"kueue.x-k8s.io/queue-name", "gpu"},
             {"kueue.x-k8s.io/managed", "true"},
             {"kueue.x-k8s.io/multikueue-origin", "fedra"},
             {"kueue.x-k8s.io/prebuilt-workload-name", "pod-serve-1-1a2b3"},
             {"app", "serve"}});
  CHECK(body["metadata"]["annotations"]["kueue.x-k8s.io/prebuilt-workload-name"] ==
        "pod-serve-1-1a2b3");
  CHECK(body["metadata"]["annotations"]["kueue.x-k8s.io/role-hash"] == "a1b2");
  CHECK_FALSE(body["metadata"].contains("finalizers"));
  CHECK_FALSE(body["metadata"].contains("ownerReferences"));
  json spec = Local()["spec"];
  spec.erase("priority");
  spec.erase("preemptionPolicy");
  CHECK(body["spec"] == spec);

  local["spec"].erase("schedulingGates");  // whichever program took it away
  const json ungated =
      json::parse(*PodAdapter().RemoteBody(Parsed(local), workload, {"fedra", "m1"}));
  CHECK(ungated["spec"]["schedulingGates"] == json{{{"name", "kueue.x-k8s.io/admission"}}});
}

TEST_CASE("Pod: status is mirrored but for addresses, claims and what is immutable") {
  CHECK(Mirror(Local(), Remote(kRunning)) ==
        json{{"phase", "Running"},
             {"startTime", "2026-06-01T00:00:00Z"},
             {"containerStatuses",
              {{{"name", "c"}, {"ready", true}, {"state", {{"running", json::object()}}}}}},
             {"conditions",
              {{{"type", "PodScheduled"}, {"status", "True"}},
               {{"type", "Ready"}, {"status", "True"}}}}});
  json mirrored = Local();
  mirrored["status"].merge_patch(Mirror(Local(), Remote(kRunning)));
  CHECK(Mirror(mirrored, Remote(kRunning)).is_null());  // written once
}

TEST_CASE("Pod: one that no node there takes stays gated here, so that no node is added for it") {
  const char* unschedulable = R"({"phase": "Pending", "conditions": [
      {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]})";
  CHECK(Mirror(Local(), Remote(unschedulable)).is_null());
}

TEST_CASE("Pod: nothing is mirrored to one that has ended or is being deleted") {
  json local = Local();
  SECTION("ended") { local["status"]["phase"] = "Succeeded"; }
  SECTION("deleted") { local["metadata"]["deletionTimestamp"] = "2026-06-01T00:00:00Z"; }
  CHECK(Mirror(local, Remote(kRunning)).is_null());
  CHECK_FALSE(PodAdapter().ClearActivityPatch(Parsed(local)));
}

TEST_CASE("Pod: after an eviction its containers are gone, and another copy can be mirrored") {
  CHECK_FALSE(PodAdapter().ClearActivityPatch(Parsed(Local())));
  json local = Local();
  local["status"].merge_patch(Mirror(Local(), Remote(kRunning)));
  const auto patch = PodAdapter().ClearActivityPatch(Parsed(local));
  REQUIRE(patch);
  local["status"].merge_patch(json::parse(*patch)["status"]);
  CHECK(local["status"]["phase"] == "Pending");
  CHECK_FALSE(local["status"].contains("containerStatuses"));
  CHECK_FALSE(local["status"].contains("startTime"));
  for (const json& condition : local["status"]["conditions"]) CHECK(condition["status"] == "False");
  CHECK_FALSE(Parsed(local).shows_activity);
  CHECK(Mirror(local, Remote(kRunning))["phase"] == "Running");
}

TEST_CASE("Pod: a copy of ours is its own job, and is known beside the pods of jobs") {
  const JobKinds kinds({}, /*pods=*/true);
  REQUIRE(kinds.Find("v1", "Pod") == &PodAdapter());
  CHECK(kinds.JobOfPod(Remote(kRunning)["metadata"]) == JobKey{"Pod", {"ml", "serve-1"}});
  CHECK_FALSE(kinds.JobOfPod(Local()["metadata"]));
  json of_job = Remote(kRunning)["metadata"];
  of_job["labels"]["jobset.sigs.k8s.io/jobset-name"] = "train";
  CHECK(kinds.JobOfPod(of_job)->kind == "JobSet.jobset.x-k8s.io");
  CHECK(BuiltInKinds()->Find("v1", "Pod") == nullptr);
}

TEST_CASE("Pod: those of a group are known by its name, which a bare pod may have as well") {
  const JobKinds kinds({}, /*pods=*/true);
  CHECK(kinds.Find("v1", "Pod group") == &PodAdapter());
  CHECK(kinds.FindName("Pod group") == &PodAdapter());
  CHECK(kinds.FindName("Pod") == &PodAdapter());
  json metadata = Remote(kRunning)["metadata"];
  metadata["labels"]["kueue.x-k8s.io/pod-group-name"] = "train";
  const JobKey group{"Pod group", {"ml", "train"}};
  CHECK(kinds.JobOfPod(metadata) == group);
  CHECK(kinds.PodsKeyOf(group) == group);
  CHECK(BuiltInKinds()->Find("v1", "Pod group") == nullptr);
  CHECK(BuiltInKinds()->FindName("") == nullptr);
}

// scheduling.k8s.io has one, and an entry of `kinds` may name it.
TEST_CASE("Pod: a group of pods is of no kind that an API may have") {
  KindRow row;
  row.resource = {"example.com", "v1", "podgroups", "PodGroup"};
  const JobKinds kinds({row}, /*pods=*/true);
  const JobAdapter* configured = kinds.Find("example.com/v1", "PodGroup");
  REQUIRE(configured != nullptr);
  CHECK(configured != &PodAdapter());
  CHECK(kinds.FindName("PodGroup") == configured);
  CHECK(kinds.FindName("PodGroup.example.com") == configured);
  CHECK(kinds.FindName(kGroupOfPods) == &PodAdapter());
  CHECK(kinds.Find("v1", "PodGroup") == nullptr);
  CHECK(kinds.PodsKeyOf({"PodGroup", {"ml", "train"}}) ==
        JobKey{"PodGroup.example.com", {"ml", "train"}});
}

}  // namespace fedra::tracking::pod_test
