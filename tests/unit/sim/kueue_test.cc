#include "tests/sim/actors/conditions.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/support.h"

namespace fedra::sim::kueue_test {
namespace {

const std::string kWorkloads = "/apis/kueue.x-k8s.io/v1beta2/namespaces/ml/workloads/";
const std::string kJobs = "/apis/batch/v1/namespaces/ml/jobs/";

const Json& StatusOf(const Json& object) {
  static const Json none = Json::object();
  const Json* status = At(object, {"status"});
  return status == nullptr ? none : *status;
}

// What a federation does, by hand and in the test's own thread.
class Hand {
 public:
  explicit Hand(Fleet& fleet) : fleet_(fleet), manager_(fleet.manager().server) {
    REQUIRE(manager_.objects().Patch("admissionchecks", {"", "fedra"}, ActiveCheck(), "status"));
  }

  // Submits a Job and waits until it has quota; its Workload's key.
  ObjectKey Submit(const Json& job) {
    const auto created = manager_.objects().Create(job);
    REQUIRE(created);
    const std::string name = (*created)["metadata"]["name"];
    ObjectKey key{"ml", ""};
    REQUIRE(manager_.objects().WaitFor("jobs", {"ml", name},
                                       [](const Json& j) { return j.is_object(); }));
    Await([&] {
      for (const Json& workload : manager_.objects().List("workloads", "ml")) {
        if (workload["metadata"]["ownerReferences"][0]["name"] == name) {
          key.name = workload["metadata"]["name"];
        }
      }
      return !key.name.empty();
    });
    REQUIRE(manager_.objects().WaitFor("workloads", key, [](const Json& workload) {
      return IsTrue(StatusOf(workload), "QuotaReserved") &&
             StatusOf(workload).contains("admissionChecks");
    }));
    return key;
  }

  // Nominates the worker, clones the Workload there and waits until it is admitted.
  void Dispatch(const ObjectKey& key, const std::string& worker) {
    REQUIRE(Merge(manager_, kWorkloads + key.name + "/status",
                  {{"status", {{"nominatedClusterNames", {worker}}, {"clusterName", nullptr}}}})
                .status == 200);
    const Json workload = *manager_.objects().Get("workloads", key);
    const Json clone = {{"apiVersion", workload["apiVersion"]},
                        {"kind", "Workload"},
                        {"metadata", {{"name", key.name}, {"namespace", key.ns}}},
                        {"spec", workload["spec"]}};
    Server& server = fleet_.Find(worker)->server;
    REQUIRE(server.objects().Create(clone));
    REQUIRE(server.objects().WaitFor(
        "workloads", key, [](const Json& w) { return IsTrue(StatusOf(w), "Admitted"); }));
  }

  // Creates the remote Job and tells the manager that the check is ready.
  void Win(const ObjectKey& key, const std::string& job, const std::string& worker) {
    Json remote = *manager_.objects().Get("jobs", {"ml", job});
    Json labels = {{"kueue.x-k8s.io/queue-name", "gpu"}};
    remote["metadata"] = {{"name", job},
                          {"namespace", "ml"},
                          {"labels", labels},
                          {"annotations", remote["metadata"].value("annotations", Json::object())}};
    remote["metadata"]["annotations"]["kueue.x-k8s.io/prebuilt-workload-name"] = key.name;
    remote["spec"].erase("managedBy");
    remote["spec"].erase("selector");
    remote["spec"]["template"].erase("metadata");
    remote.erase("status");
    REQUIRE(fleet_.Find(worker)->server.objects().Create(remote));
    REQUIRE(Merge(manager_, kWorkloads + key.name + "/status",
                  {{"status", {{"clusterName", worker}, {"nominatedClusterNames", nullptr}}}})
                .status == 200);
    SetCheck(key, "Ready");
  }

  void SetCheck(const ObjectKey& key, const std::string& state) {
    const Json check = {{"name", "fedra"},
                        {"state", state},
                        {"message", "set to " + state},
                        {"lastTransitionTime", Timestamp()}};
    const JsonReply reply = Apply(manager_, kWorkloads + key.name + "/status", "fedra",
                                  {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                                   {"kind", "Workload"},
                                   {"metadata", {{"name", key.name}}},
                                   {"status", {{"admissionChecks", {check}}}}},
                                  "&force=true");
    INFO(reply.body);
    REQUIRE(reply.status == 200);
  }

  template <class F>
  static void Await(const F& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!holds()) {
      REQUIRE(std::chrono::steady_clock::now() < deadline);
      std::this_thread::yield();
    }
  }

  bool ManagerWorkload(const ObjectKey& key, const std::function<bool(const Json&)>& holds) {
    return manager_.objects().WaitFor("workloads", key, holds);
  }

 private:
  static Json ActiveCheck() {
    Json status = Json::object();
    SetCondition(status, {"Active", true, "Active", "The admission check is active"}, 1);
    return {{"status", status}};
  }

  Fleet& fleet_;
  Server& manager_;
};

Json CheckOf(const Json& workload) {
  const Json* check = EntryNamed(ArrayAt(StatusOf(workload), {"admissionChecks"}), "name", "fedra");
  return check == nullptr ? Json() : *check;
}

TEST_CASE("a ClusterQueue says in powers of 1024 how much memory is reserved") {
  Fleet fleet({.workers = {"worker1"}});
  Hand hand(fleet);
  Json job = MakeJob("train");
  job["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", "500m"},
                                                                               {"memory", "192Mi"}};
  (void)hand.Submit(job);
  CHECK(
      fleet.manager().server.objects().WaitFor("clusterqueues", {"", "gpu"}, [](const Json& queue) {
        const Json& flavors = ArrayAt(StatusOf(queue), {"flavorsReservation"});
        if (flavors.empty()) return false;
        const auto total = [&](const char* resource) {
          const Json* entry = EntryNamed(ArrayAt(flavors[0], {"resources"}), "name", resource);
          return entry == nullptr ? std::string() : std::string(StringAt(*entry, {"total"}));
        };
        return total("memory") == "192Mi" && total("cpu") == "500m";
      }));
}

TEST_CASE("a ClusterQueue is active only with its admission check") {
  Fleet fleet({.workers = {"worker1"}});
  Objects& objects = fleet.manager().server.objects();
  REQUIRE(objects.WaitFor("clusterqueues", {"", "gpu"},
                          [](const Json& queue) { return IsFalse(StatusOf(queue), "Active"); }));
  const Json status = StatusOf(*objects.Get("clusterqueues", {"", "gpu"}));
  CHECK((*FindCondition(status, "Active"))["reason"] == "AdmissionCheckInactive");
  CHECK((*FindCondition(status, "Active"))["message"] ==
        "Can't admit new workloads: references inactive AdmissionCheck(s): fedra.");
  const Hand hand(fleet);
  CHECK(objects.WaitFor("localqueues", {"ml", "gpu"},
                        [](const Json& queue) { return IsTrue(StatusOf(queue), "Active"); }));
}

TEST_CASE("a Job gets a Workload with quota and a pending check") {
  Fleet fleet;
  Hand hand(fleet);
  const ObjectKey key = hand.Submit(MakeJob("train"));
  CHECK(key.name.substr(0, 10) == "job-train-");
  CHECK(key.name.size() == 15);
  const Json workload = *fleet.manager().server.objects().Get("workloads", key);
  CHECK(workload["metadata"]["finalizers"] == Json{"kueue.x-k8s.io/resource-in-use"});
  CHECK(workload["spec"]["queueName"] == "gpu");
  CHECK(workload["spec"]["podSets"][0]["template"]["spec"]["resourceClaims"][0]
                ["resourceClaimTemplateName"] == "one-gpu");
  CHECK(CheckOf(workload)["state"] == "Pending");
  CHECK(CheckOf(workload)["message"].get<std::string>().empty());
  CHECK(StatusOf(workload)["admission"]["clusterQueue"] == "gpu");
}

TEST_CASE("a Job runs on a worker and finishes on the manager") {
  Fleet fleet({.jobs = {.run_for = std::chrono::milliseconds(50)}});
  Hand hand(fleet);
  const ObjectKey key = hand.Submit(MakeJob("train"));
  hand.Dispatch(key, "worker1");
  hand.Win(key, "train", "worker1");
  Objects& manager = fleet.manager().server.objects();
  CHECK(manager.WaitFor("jobs", {"ml", "train"},
                        [](const Json& job) { return job["spec"]["suspend"] == false; }));
  CHECK(hand.ManagerWorkload(key, [](const Json& w) { return IsTrue(StatusOf(w), "Admitted"); }));

  Objects& worker = fleet.Find("worker1")->server.objects();
  REQUIRE(worker.WaitFor("jobs", {"ml", "train"},
                         [](const Json& job) { return IsTrue(StatusOf(job), "Complete"); }));
  REQUIRE(worker.WaitFor("workloads", key,
                         [](const Json& w) { return IsTrue(StatusOf(w), "Finished"); }));
  const Json remote = StatusOf(*worker.Get("workloads", key));
  CHECK((*FindCondition(remote, "Finished"))["reason"] == "Succeeded");
  CHECK((*FindCondition(remote, "Finished"))["message"] ==
        "Reached expected number of succeeded pods");

  const Json status = StatusOf(*worker.Get("jobs", {"ml", "train"}));
  REQUIRE(Merge(fleet.manager().server, kJobs + "train/status", {{"status", status}}).status ==
          200);
  CHECK(hand.ManagerWorkload(key, [](const Json& w) { return IsTrue(StatusOf(w), "Finished"); }));
  CHECK(hand.ManagerWorkload(key,
                             [](const Json& w) { return !w["metadata"].contains("finalizers"); }));
}

TEST_CASE("Retry evicts, resets the check and keeps a clusterName that somebody else owns") {
  Fleet fleet;
  Hand hand(fleet);
  Json job = MakeJob("train");
  job["metadata"]["annotations"]["sim.fedra.dev/run-for"] = "forever";
  const ObjectKey key = hand.Submit(job);
  hand.Dispatch(key, "worker1");
  hand.Win(key, "train", "worker1");
  REQUIRE(hand.ManagerWorkload(key, [](const Json& w) { return IsTrue(StatusOf(w), "Admitted"); }));

  SECTION("without mirrored activity it is requeued at once") {
    hand.SetCheck(key, "Retry");
    REQUIRE(hand.ManagerWorkload(key, [](const Json& w) {
      return CheckOf(w)["state"] == "Pending" && IsFalse(StatusOf(w), "Evicted") &&
             IsTrue(StatusOf(w), "QuotaReserved");
    }));
    const Json workload = *fleet.manager().server.objects().Get("workloads", key);
    CHECK(CheckOf(workload)["message"] == "Reset to Pending after eviction. Previously: Retry");
    CHECK(CheckOf(workload)["retryCount"] == 1);
    CHECK(StatusOf(workload)["clusterName"] == "worker1");
    CHECK(IsTrue(StatusOf(workload), "Requeued"));
    CHECK((*FindCondition(StatusOf(workload), "Evicted"))["message"] ==
          "Previously: Evicted due to AdmissionCheck in Retry state: \"fedra\" (set to Retry)");
    CHECK((*fleet.manager().server.objects().Get("jobs", {"ml", "train"}))["spec"]["suspend"] ==
          true);
  }
  SECTION("mirrored activity holds the eviction up until it is gone") {
    REQUIRE(fleet.manager().server.objects().WaitFor(
        "jobs", {"ml", "train"}, [](const Json& j) { return j["spec"]["suspend"] == false; }));
    REQUIRE(Merge(fleet.manager().server, kJobs + "train/status",
                  {{"status", {{"active", 1}, {"ready", 1}, {"startTime", Timestamp()}}}})
                .status == 200);
    hand.SetCheck(key, "Retry");
    REQUIRE(
        hand.ManagerWorkload(key, [](const Json& w) { return IsTrue(StatusOf(w), "Evicted"); }));
    REQUIRE(fleet.manager().server.objects().WaitFor(
        "jobs", {"ml", "train"}, [](const Json& j) { return j["spec"]["suspend"] == true; }));
    const Json held = StatusOf(*fleet.manager().server.objects().Get("workloads", key));
    CHECK(IsTrue(held, "QuotaReserved"));
    CHECK(IsTrue(held, "Admitted"));
    REQUIRE(Merge(fleet.manager().server, kJobs + "train/status",
                  {{"status", {{"active", 0}, {"ready", 0}}}})
                .status == 200);
    CHECK(hand.ManagerWorkload(key, [](const Json& w) {
      return IsFalse(StatusOf(w), "Evicted") && IsTrue(StatusOf(w), "QuotaReserved") &&
             IsFalse(StatusOf(w), "Admitted");
    }));
  }
}

TEST_CASE("a nomination can be cleared by a merge patch although Kueue owns it too") {
  Fleet fleet;
  Hand hand(fleet);
  const ObjectKey key = hand.Submit(MakeJob("train"));
  hand.Dispatch(key, "worker1");
  hand.Win(key, "train", "worker1");
  REQUIRE(hand.ManagerWorkload(key, [](const Json& w) { return IsTrue(StatusOf(w), "Admitted"); }));
  REQUIRE(Merge(fleet.manager().server, kWorkloads + key.name + "/status",
                {{"status", {{"clusterName", nullptr}}}})
              .status == 200);
  CHECK_FALSE(
      StatusOf(*fleet.manager().server.objects().Get("workloads", key)).contains("clusterName"));
}

TEST_CASE("Rejected deactivates the Workload") {
  Fleet fleet;
  Hand hand(fleet);
  const ObjectKey key = hand.Submit(MakeJob("train"));
  hand.SetCheck(key, "Rejected");
  REQUIRE(hand.ManagerWorkload(key, [](const Json& w) {
    return w["spec"]["active"] == false && IsTrue(StatusOf(w), "Evicted") &&
           IsFalse(StatusOf(w), "QuotaReserved");
  }));
  const Json workload = *fleet.manager().server.objects().Get("workloads", key);
  CHECK((*FindCondition(StatusOf(workload), "Evicted"))["reason"] ==
        "DeactivatedDueToAdmissionCheck");
  CHECK(CheckOf(workload)["state"] == "Pending");
}

TEST_CASE("deactivation evicts and reactivation reserves again") {
  Fleet fleet;
  Hand hand(fleet);
  const ObjectKey key = hand.Submit(MakeJob("train"));
  Objects& objects = fleet.manager().server.objects();
  REQUIRE(objects.Patch("workloads", key, {{"spec", {{"active", false}}}}));
  REQUIRE(hand.ManagerWorkload(key, [](const Json& w) {
    return IsTrue(StatusOf(w), "Evicted") && IsFalse(StatusOf(w), "QuotaReserved");
  }));
  CHECK((*FindCondition(StatusOf(*objects.Get("workloads", key)), "Evicted"))["reason"] ==
        "Deactivated");
  REQUIRE(objects.Patch("workloads", key, {{"spec", {{"active", true}}}}));
  CHECK(hand.ManagerWorkload(key, [](const Json& w) {
    return IsTrue(StatusOf(w), "QuotaReserved") && IsFalse(StatusOf(w), "Evicted");
  }));
}

TEST_CASE("deleting a Job takes its Workload along") {
  Fleet fleet;
  Hand hand(fleet);
  const ObjectKey key = hand.Submit(MakeJob("train"));
  REQUIRE(fleet.manager().server.objects().Delete("jobs", {"ml", "train"}));
  CHECK(hand.ManagerWorkload(key, [](const Json& w) { return w.is_null(); }));
}

TEST_CASE("a remote Job deleted before its clone leaves a Finished that means nothing") {
  Fleet fleet;
  Hand hand(fleet);
  Json job = MakeJob("train");
  job["metadata"]["annotations"]["sim.fedra.dev/run-for"] = "forever";
  const ObjectKey key = hand.Submit(job);
  hand.Dispatch(key, "worker1");
  hand.Win(key, "train", "worker1");
  Objects& worker = fleet.Find("worker1")->server.objects();
  REQUIRE(worker.WaitFor("workloads", key, [](const Json& w) {
    return w.is_object() && w["metadata"].contains("ownerReferences");
  }));
  std::string reason;
  REQUIRE(worker.Delete("jobs", {"ml", "train"}));
  CHECK(worker.WaitFor("workloads", key, [&reason](const Json& w) {
    const Json* finished = FindCondition(StatusOf(w), "Finished");
    if (finished != nullptr) reason = (*finished)["reason"];
    return w.is_null();
  }));
  CHECK(reason == "OwnerNotFound");
}

TEST_CASE("a Job that does not match its prebuilt Workload is out of sync") {
  Fleet fleet;
  Hand hand(fleet);
  const ObjectKey key = hand.Submit(MakeJob("train"));
  hand.Dispatch(key, "worker1");
  Json remote = MakeJob("train");
  remote["spec"].erase("managedBy");
  remote["spec"]["parallelism"] = 3;
  remote["spec"]["completions"] = 3;
  remote["metadata"]["annotations"]["kueue.x-k8s.io/prebuilt-workload-name"] = key.name;
  Objects& worker = fleet.Find("worker1")->server.objects();
  REQUIRE(worker.Create(remote));
  CHECK(worker.WaitFor("workloads", key, [](const Json& w) {
    const Json status = StatusOf(w);
    return IsTrue(status, "Finished") &&
           (*FindCondition(status, "Finished"))["reason"] == "OutOfSync";
  }));
}

TEST_CASE("a job carries its cluster's labels while it runs, and cannot start with another's") {
  Fleet fleet;
  Hand hand(fleet);
  Json job = MakeJob("train");
  job["metadata"]["annotations"]["sim.fedra.dev/run-for"] = "forever";
  const ObjectKey key = hand.Submit(job);
  hand.Dispatch(key, "worker1");
  hand.Win(key, "train", "worker1");
  Objects& manager = fleet.manager().server.objects();
  const auto label = [](const Json& j, std::string_view name) {
    return StringAt(j, {"spec", "template", "metadata", "labels", name});
  };
  REQUIRE(manager.WaitFor("jobs", {"ml", "train"}, [&](const Json& j) {
    return label(j, "kueue.x-k8s.io/podset") == "main" &&
           !label(j, "kueue.x-k8s.io/cluster-queue-name").empty();
  }));
  hand.SetCheck(key, "Retry");
  CHECK(manager.WaitFor("jobs", {"ml", "train"}, [&](const Json& j) {
    return j["spec"]["suspend"] == true && label(j, "kueue.x-k8s.io/podset").empty();
  }));

  const ObjectKey other = hand.Submit(MakeJob("other"));
  hand.Dispatch(other, "worker2");
  Json remote = MakeJob("other");
  remote["spec"].erase("managedBy");
  remote["spec"]["template"]["metadata"]["labels"]["kueue.x-k8s.io/podset"] = "foreign";
  remote["metadata"]["annotations"]["kueue.x-k8s.io/prebuilt-workload-name"] = other.name;
  Objects& worker = fleet.Find("worker2")->server.objects();
  REQUIRE(worker.Create(remote));
  CHECK(worker.WaitFor("workloads", other, [](const Json& w) {
    const Json status = StatusOf(w);
    return IsTrue(status, "Finished") &&
           (*FindCondition(status, "Finished"))["reason"] == "FailedToStart";
  }));
}

TEST_CASE("RayJobs: what the CRD fills in, the submitter's pod set, and what Kueue refuses") {
  Fleet fleet({.server = {.job_kinds = true}});
  Server& manager = fleet.manager().server;
  const std::string path = "/apis/ray.io/v1/namespaces/ml/rayjobs";
  const Json pods = MakeJob("x")["spec"]["template"];
  Json job = {{"apiVersion", "ray.io/v1"},
              {"kind", "RayJob"},
              {"metadata", {{"name", "ray"}, {"labels", {{"kueue.x-k8s.io/queue-name", "gpu"}}}}},
              {"spec",
               {{"rayClusterSpec",
                 {{"headGroupSpec", {{"template", pods}}},
                  {"workerGroupSpecs", {{{"groupName", "Small"}, {"template", pods}}}}}}}}};
  JsonReply reply = Post(manager, path, job);
  CHECK(reply.status == 422);
  CHECK_THAT(
      reply.body["message"].get<std::string>(),
      ContainsSubstring("spec.shutdownAfterJobFinishes") && ContainsSubstring("rayStartParams"));
  job["spec"]["shutdownAfterJobFinishes"] = true;
  job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["rayStartParams"] = Json::object();
  reply = Post(manager, path, job);
  REQUIRE(reply.status == 201);
  CHECK(reply.body["spec"]["submissionMode"] == "K8sJobMode");
  CHECK(reply.body["spec"]["ttlSecondsAfterFinished"] == 0);
  Json pod_sets;
  Hand::Await([&] {
    for (const Json& workload : manager.objects().List("workloads", "ml"))
      pod_sets = workload["spec"]["podSets"];
    return pod_sets.is_array();
  });
  REQUIRE(pod_sets.size() == 3);
  CHECK(pod_sets[1]["name"] == "small");
  CHECK(pod_sets[1]["count"] == 0);
  CHECK(pod_sets[2]["name"] == "submitter");
}

TEST_CASE("quota that is used up makes Workloads wait their turn") {
  Fleet fleet({.workers = {"worker1"}});
  Objects& worker = fleet.Find("worker1")->server.objects();
  const Json resources = {{{"name", "cpu"}, {"nominalQuota", "100m"}},
                          {{"name", "memory"}, {"nominalQuota", "1Gi"}},
                          {{"name", "pods"}, {"nominalQuota", 10}}};
  REQUIRE(worker.Patch("clusterqueues", {"", "gpu"},
                       {{"spec",
                         {{"resourceGroups",
                           {{{"coveredResources", {"cpu", "memory", "pods"}},
                             {"flavors", {{{"name", "default"}, {"resources", resources}}}}}}}}}}));
  const auto workload = [](const std::string& name) {
    Json job = MakeJob(name);
    return Json{
        {"apiVersion", "kueue.x-k8s.io/v1beta2"},
        {"kind", "Workload"},
        {"metadata", {{"name", name}, {"namespace", "ml"}}},
        {"spec",
         {{"queueName", "gpu"},
          {"podSets", {{{"name", "main"}, {"count", 1}, {"template", job["spec"]["template"]}}}}}}};
  };
  REQUIRE(worker.Create(workload("first")));
  REQUIRE(worker.WaitFor("workloads", {"ml", "first"},
                         [](const Json& w) { return IsTrue(StatusOf(w), "Admitted"); }));
  REQUIRE(worker.Create(workload("second")));
  REQUIRE(worker.WaitFor("workloads", {"ml", "second"},
                         [](const Json& w) { return IsFalse(StatusOf(w), "QuotaReserved"); }));
  const Json waiting = StatusOf(*worker.Get("workloads", {"ml", "second"}));
  CHECK((*FindCondition(waiting, "QuotaReserved"))["reason"] == "Pending");
  CHECK((*FindCondition(waiting, "QuotaReserved"))["message"] ==
        "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor "
        "default, 100m more needed");
  REQUIRE(worker.Delete("workloads", {"ml", "first"}));
  CHECK(worker.WaitFor("workloads", {"ml", "second"},
                       [](const Json& w) { return IsTrue(StatusOf(w), "Admitted"); }));
}

TEST_CASE("claims that Kueue cannot count are refused before the checks are written") {
  Fleet fleet(
      {.workers = {"worker1"}, .kueue = {.device_classes = {{"gpu.example.com", "devices"}}}});
  Objects& manager = fleet.manager().server.objects();
  Json job = MakeJob("train");
  job["spec"]["template"]["spec"]["resourceClaims"] = {
      {{"name", "gpu"}, {"resourceClaimName", "shared"}}};
  REQUIRE(manager.Create(job));
  Hand::Await([&] { return !manager.List("workloads", "ml").empty(); });
  const ObjectKey key{"ml", manager.List("workloads", "ml")[0]["metadata"]["name"]};
  REQUIRE(manager.WaitFor("workloads", key, [](const Json& workload) {
    return IsFalse(StatusOf(workload), "QuotaReserved");
  }));
  const Json status = StatusOf(*manager.Get("workloads", key));
  CHECK((*FindCondition(status, "QuotaReserved"))["message"] ==
        "KueueDRAIntegration feature does not support use of resource claims");
  CHECK_FALSE(status.contains("admissionChecks"));
}

TEST_CASE("a job that asks for nothing that its queue covers is admitted without its check") {
  Fleet fleet({.workers = {"worker1"}});
  const Hand hand(fleet);  // the check is active
  Objects& manager = fleet.manager().server.objects();
  const Json cpu = {{{"name", "cpu"}, {"nominalQuota", "10"}}};
  REQUIRE(manager.Patch("clusterqueues", {"", "gpu"},
                        {{"spec",
                          {{"resourceGroups",
                            {{{"coveredResources", {"cpu"}},
                              {"flavors", {{{"name", "default"}, {"resources", cpu}}}}}}}}}}));
  Json job = MakeJob("train");
  job["spec"]["template"]["spec"]["containers"][0]["resources"].erase("requests");
  REQUIRE(manager.Create(job));
  Hand::Await([&] { return !manager.List("workloads", "ml").empty(); });
  const ObjectKey key{"ml", manager.List("workloads", "ml")[0]["metadata"]["name"]};
  REQUIRE(manager.WaitFor("workloads", key, [](const Json& workload) {
    return IsTrue(StatusOf(workload), "Admitted");
  }));
  CHECK_FALSE(StatusOf(*manager.Get("workloads", key)).contains("admissionChecks"));
}

TEST_CASE("pods wait for a DeviceClass that is missing on the worker") {
  Fleet fleet({.jobs = {.run_for = std::chrono::milliseconds(10)}});
  Objects& worker = fleet.Find("worker1")->server.objects();
  REQUIRE(worker.Delete("deviceclasses", {"", "gpu.example.com"}));
  Hand hand(fleet);
  const ObjectKey key = hand.Submit(MakeJob("train"));
  hand.Dispatch(key, "worker1");
  hand.Win(key, "train", "worker1");
  REQUIRE(worker.WaitFor("jobs", {"ml", "train"},
                         [](const Json& j) { return StatusOf(j).value("active", 0) == 1; }));
  CHECK(StatusOf(*worker.Get("jobs", {"ml", "train"}))["ready"] == 0);
  REQUIRE(worker.Create({{"apiVersion", "resource.k8s.io/v1"},
                         {"kind", "DeviceClass"},
                         {"metadata", {{"name", "gpu.example.com"}}},
                         {"spec", Json::object()}}));
  CHECK(worker.WaitFor("jobs", {"ml", "train"},
                       [](const Json& j) { return IsTrue(StatusOf(j), "Complete"); }));
}

TEST_CASE("a worker's Kueue evicts on demand and the job stops") {
  Fleet fleet;
  Hand hand(fleet);
  Json job = MakeJob("train");
  job["metadata"]["annotations"]["sim.fedra.dev/run-for"] = "forever";
  const ObjectKey key = hand.Submit(job);
  hand.Dispatch(key, "worker1");
  hand.Win(key, "train", "worker1");
  Cluster& worker = *fleet.Find("worker1");
  REQUIRE(worker.server.objects().WaitFor(
      "jobs", {"ml", "train"}, [](const Json& j) { return StatusOf(j).value("ready", 0) == 1; }));
  worker.kueue.SetOptions({.admit = false});
  REQUIRE(worker.kueue.Evict(key, "Preempted", "Preempted to accommodate a workload"));
  CHECK(worker.server.objects().WaitFor("workloads", key, [](const Json& w) {
    return IsTrue(StatusOf(w), "Evicted") && IsFalse(StatusOf(w), "QuotaReserved");
  }));
  CHECK(worker.server.objects().WaitFor("jobs", {"ml", "train"}, [](const Json& j) {
    return j["spec"]["suspend"] == true && StatusOf(j).value("active", 0) == 0;
  }));
}

// Of the group "train" of two.
Json GroupPod(const std::string& name) {
  const Json container = {{"name", "c"},
                          {"image", "i"},
                          {"resources", {{"requests", {{"cpu", "1"}, {"memory", "1Mi"}}}}}};
  return {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", name},
        {"namespace", "ml"},
        {"labels",
         {{"kueue.x-k8s.io/queue-name", "gpu"}, {"kueue.x-k8s.io/pod-group-name", "train"}}},
        {"annotations",
         {{"kueue.x-k8s.io/pod-group-total-count", "2"}, {"sim.fedra.dev/run-for", "forever"}}}}},
      {"spec", {{"restartPolicy", "Never"}, {"containers", {container}}}}};
}

// Where no federation is: the pods run where they are.
struct GroupScene {
  Fleet fleet;
  Server& server = fleet.Find("worker1")->server;
  const ObjectKey key{"ml", "train"};

  void Create(const std::string& name) { REQUIRE(server.objects().Create(GroupPod(name))); }
  std::string PhaseOf(const Json& pod) { return StatusOf(pod).value("phase", ""); }
  bool WaitPhase(const std::string& name, const std::string& phase) {
    return server.objects().WaitFor("pods", {"ml", name},
                                    [&](const Json& pod) { return PhaseOf(pod) == phase; });
  }
  void End(const std::string& name, const std::string& phase) {
    REQUIRE(
        server.objects().Patch("pods", {"ml", name}, {{"status", {{"phase", phase}}}}, "status"));
  }
  bool HoldsFinalizer(const std::string& name) {
    const auto pod = server.objects().Get("pods", {"ml", name});
    return pod && !ArrayAt(*pod, {"metadata", "finalizers"}).empty();
  }
  bool WaitWorkload(const std::function<bool(const Json&)>& holds) {
    return server.objects().WaitFor("workloads", key, holds);
  }
};

TEST_CASE("a group of pods has one Workload, waits for replacements and ends as one") {
  GroupScene scene;
  scene.Create("a");
  Hand::Await([&] { return scene.HoldsFinalizer("a"); });
  CHECK_FALSE(scene.server.objects().Get("workloads", scene.key));  // it is not complete
  scene.Create("b");
  REQUIRE(scene.WaitPhase("a", "Running"));
  REQUIRE(scene.WaitPhase("b", "Running"));
  const Json workload = *scene.server.objects().Get("workloads", scene.key);
  CHECK(workload["metadata"]["ownerReferences"].size() == 2);
  REQUIRE(workload["spec"]["podSets"].size() == 1);
  CHECK(workload["spec"]["podSets"][0]["count"] == 2);
  scene.End("a", "Failed");
  scene.Create("c");
  REQUIRE(scene.WaitPhase("c", "Running"));
  Hand::Await([&] { return !scene.HoldsFinalizer("a"); });
  scene.Create("d");  // one too many
  REQUIRE(scene.server.objects().WaitFor("pods", {"ml", "d"},
                                         [](const Json& pod) { return !pod.is_object(); }));
  scene.End("b", "Succeeded");
  scene.End("c", "Succeeded");
  REQUIRE(scene.WaitWorkload([](const Json& w) { return IsTrue(StatusOf(w), "Finished"); }));
  const Json ended = *scene.server.objects().Get("workloads", scene.key);
  CHECK((*FindCondition(StatusOf(ended), "Finished"))["message"] == "Pods succeeded: 2/2.");
  Hand::Await([&] { return !scene.HoldsFinalizer("b") && !scene.HoldsFinalizer("c"); });
}

TEST_CASE("the pods of an evicted group are stopped, and say so; a deleted Workload lets them go") {
  GroupScene scene;
  for (const char* name : {"a", "b"}) scene.Create(name);
  REQUIRE(scene.WaitPhase("a", "Running"));
  REQUIRE(scene.WaitPhase("b", "Running"));
  Kueue& kueue = scene.fleet.Find("worker1")->kueue;
  kueue.SetOptions({.admit = false});
  REQUIRE(kueue.Evict(scene.key, "Preempted", "Preempted to accommodate a workload"));
  REQUIRE(scene.WaitPhase("a", "Failed"));
  const Json pod = *scene.server.objects().Get("pods", {"ml", "a"});
  CHECK(pod["metadata"].contains("deletionTimestamp"));
  const Json* condition = FindCondition(StatusOf(pod), "TerminationTarget");
  REQUIRE(condition != nullptr);
  CHECK((*condition)["reason"] == "WorkloadEvictedDueToPreempted");
  REQUIRE(scene.WaitWorkload([](const Json& w) { return IsFalse(StatusOf(w), "QuotaReserved"); }));
  REQUIRE(scene.server.objects().Delete("workloads", scene.key));
  CHECK(scene.server.objects().WaitFor("pods", {"ml", "a"},
                                       [](const Json& each) { return !each.is_object(); }));
}

}  // namespace
}  // namespace fedra::sim::kueue_test
