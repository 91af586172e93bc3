// Nodes, devices and claims of one simulated worker, seen as an administrator sees them.

#include <set>
#include <thread>

#include "tests/sim/fleet.h"
#include "tests/sim/scheduling/selector.h"
#include "tests/support/catch.h"

namespace fedra::sim::scheduler_test {
namespace {

Json Node(const std::string& name, const Json& labels = Json::object()) {
  const Json allocatable = {{"cpu", "8"}, {"memory", "32Gi"}, {"pods", "10"}};
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}, {"labels", labels}}},
          {"status", {{"allocatable", allocatable}}}};
}

// A pool of one slice on `node`, with counters if there are any.
Json Slice(const std::string& node, const Json& devices, const Json& more = Json::object()) {
  Json spec = {{"driver", "gpu.example.com"},
               {"nodeName", node},
               {"pool", {{"name", node}, {"generation", 1}, {"resourceSliceCount", 1}}},
               {"devices", devices}};
  spec.update(more);
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceSlice"},
          {"metadata", {{"name", node}}},
          {"spec", spec}};
}

Json Gpu(const std::string& name, const std::string& parent) {
  return {{"name", name},
          {"attributes", {{"parent", {{"string", parent}}}}},
          {"capacity", {{"memory", {{"value", "80Gi"}}}}}};
}

Json Template(const std::string& name, const Json& devices) {
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaimTemplate"},
          {"metadata", {{"name", name}, {"namespace", "ml"}}},
          {"spec", {{"spec", {{"devices", devices}}}}}};
}

Json Exactly(const std::string& name, const Json& more = Json::object()) {
  Json exactly = {{"deviceClassName", "gpu.example.com"}};
  exactly.update(more);
  return {{"name", name}, {"exactly", exactly}};
}

// A worker with its usual class, and Jobs that Kueue has nothing to do with.
class Worker final {
 public:
  // `alpha_on`: "worker"; empty: no cluster.
  explicit Worker(const std::string& alpha_on = "")
      : fleet_({.workers = {"worker"},
                .alpha_on = alpha_on,
                .jobs = {.run_for = std::chrono::milliseconds(-1)}}) {}

  Objects& objects() { return fleet_.Find("worker")->server.objects(); }

  void Install(const Json& object) { REQUIRE(objects().Create(object)); }
  // gpu-0 and gpu-1, of different parents, on the node n1.
  void InstallTwoGpus() {
    Install(Node("n1"));
    Install(Slice("n1", Json::array({Gpu("gpu-0", "a"), Gpu("gpu-1", "b")})));
  }

  // `pods` pods with a claim from the template.
  void Submit(const std::string& name, int pods = 1, const std::string& claim_template = "one-gpu",
              const std::string& pod_group = "") {
    Json job = MakeJob(name, claim_template);
    job["spec"].erase("managedBy");
    job["spec"]["suspend"] = false;
    job["spec"]["parallelism"] = pods;
    job["spec"]["completions"] = pods;
    job["metadata"].erase("labels");
    if (!pod_group.empty())
      job["spec"]["template"]["spec"]["schedulingGroup"]["podGroupName"] = pod_group;
    Install(job);
  }

  void End(const std::string& name) {
    REQUIRE(objects().Patch("jobs", {"ml", name},
                            {{"metadata", {{"annotations", {{"sim.fedra.dev/run-for", "0s"}}}}}}));
  }

  bool Ready(const std::string& name, int pods) {
    return objects().WaitFor("jobs", {"ml", name}, [pods](const Json& job) {
      return IntAt(job, {"status", "ready"}) == pods;
    });
  }

  // Waits until the only pod of the Job was refused; why.
  std::string Refusal(const std::string& name) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (std::chrono::steady_clock::now() < deadline) {
      for (const Json& pod : objects().List("pods", "ml")) {
        if (StringAt(pod, {"metadata", "labels", "batch.kubernetes.io/job-name"}) != name) continue;
        const Json& conditions = ArrayAt(pod, {"status", "conditions"});
        const Json* condition = EntryNamed(conditions, "type", "PodScheduled");
        if (condition != nullptr) return std::string(StringAt(*condition, {"message"}));
      }
      std::this_thread::yield();
    }
    return "";
  }

  // The devices that claims of the namespace hold.
  std::multiset<std::string> Held() {
    std::multiset<std::string> held;
    for (const Json& claim : objects().List("resourceclaims", "ml")) {
      for (const Json& result : ArrayAt(claim, {"status", "allocation", "devices", "results"})) {
        held.insert(std::string(StringAt(result, {"device"})));
      }
    }
    return held;
  }

 private:
  Fleet fleet_;
};

using Devices = std::multiset<std::string>;

TEST_CASE("pods get claims, claims get devices, and the end of the job gives them back") {
  Worker worker;
  worker.InstallTwoGpus();
  worker.Submit("first", 2);
  REQUIRE(worker.Ready("first", 2));
  CHECK(worker.Held() == Devices{"gpu-0", "gpu-1"});
  const Json claim = worker.objects().List("resourceclaims", "ml").front();
  CHECK(StringAt(claim, {"metadata", "annotations", "resource.kubernetes.io/pod-claim-name"}) ==
        "gpu");
  CHECK(StringAt(claim, {"metadata", "name"}).starts_with("first-"));
  CHECK(ArrayAt(claim, {"status", "reservedFor"}).size() == 1);

  worker.Submit("second");
  CHECK(worker.Refusal("second").starts_with("0/1 nodes are available"));
  worker.End("first");
  CHECK(worker.Ready("second", 1));
  CHECK(worker.Held() == Devices{"gpu-0"});
}

TEST_CASE("a PodGroup has one claim for its pods, which wait for the group") {
  Worker worker("worker");
  worker.InstallTwoGpus();
  worker.Submit("gang", 2, "one-gpu", "training");
  worker.Submit("other");
  REQUIRE(worker.Ready("other", 1));
  CHECK(worker.Held() == Devices{"gpu-0"});
  worker.Install(
      {{"apiVersion", "scheduling.k8s.io/v1alpha2"},
       {"kind", "PodGroup"},
       {"metadata", {{"name", "training"}, {"namespace", "ml"}}},
       {"spec",
        {{"resourceClaims",
          Json::array({{{"name", "gpu"}, {"resourceClaimTemplateName", "one-gpu"}}})}}}});
  REQUIRE(worker.Ready("gang", 2));
  CHECK(worker.Held() == Devices{"gpu-0", "gpu-1"});
  // The claim is the group's: it outlives the pods.
  worker.End("gang");
  worker.Submit("again", 2, "one-gpu", "training");
  CHECK(worker.Ready("again", 2));
  CHECK(worker.Held() == Devices{"gpu-0", "gpu-1"});
}

TEST_CASE("without the API each pod of a group has a claim of its own") {
  Worker worker;
  worker.InstallTwoGpus();
  worker.Submit("gang", 2, "one-gpu", "training");
  REQUIRE(worker.Ready("gang", 2));
  CHECK(worker.Held() == Devices{"gpu-0", "gpu-1"});
}

TEST_CASE("a named claim is shared and is free again after its last user") {
  Worker worker;
  worker.Install(Node("n1"));
  worker.Install(Slice("n1", Json::array({Gpu("gpu-0", "a")})));
  Json job = MakeJob("shared", "");
  job["spec"].erase("managedBy");
  job["spec"].update({{"suspend", false}, {"parallelism", 2}, {"completions", 2}});
  job["metadata"].erase("labels");
  job["spec"]["template"]["spec"]["resourceClaims"] =
      Json::array({{{"name", "gpu"}, {"resourceClaimName", "pinned"}}});
  worker.Install(job);
  CHECK(worker.Ready("shared", 0));
  worker.Install({{"apiVersion", "resource.k8s.io/v1"},
                  {"kind", "ResourceClaim"},
                  {"metadata", {{"name", "pinned"}, {"namespace", "ml"}}},
                  {"spec", {{"devices", {{"requests", Json::array({Exactly("gpu")})}}}}}});
  REQUIRE(worker.Ready("shared", 2));
  CHECK(worker.Held() == Devices{"gpu-0"});
  worker.End("shared");
  CHECK(worker.objects().WaitFor("resourceclaims", {"ml", "pinned"}, [](const Json& claim) {
    return At(claim, {"status", "allocation"}) == nullptr;
  }));
}

TEST_CASE("constraints, counters and capacities are kept") {
  Worker worker;
  worker.Install(Node("n1"));
  SECTION("a pair with the same parent") {
    worker.Install(
        Slice("n1", Json::array({Gpu("gpu-0", "a"), Gpu("gpu-1", "b"), Gpu("gpu-2", "b")})));
    worker.Install(Template(
        "pair", {{"requests", Json::array({Exactly("gpu", {{"count", 2}})})},
                 {"constraints", Json::array({{{"matchAttribute", "gpu.example.com/parent"}}})}}));
    worker.Submit("job", 1, "pair");
    REQUIRE(worker.Ready("job", 1));
    CHECK(worker.Held() == Devices{"gpu-1", "gpu-2"});
  }
  SECTION("two halves use up the parent's counters") {
    Json devices = Json::array();
    for (const char* name : {"half-0", "half-1", "half-2"}) {
      Json half = Gpu(name, "a");
      half["consumesCounters"] =
          Json::array({{{"counterSet", "card"}, {"counters", {{"slots", {{"value", "1"}}}}}}});
      devices.push_back(half);
    }
    worker.Install(
        Slice("n1", devices,
              {{"sharedCounters",
                Json::array({{{"name", "card"}, {"counters", {{"slots", {{"value", "2"}}}}}}})}}));
    worker.Submit("two", 2);
    REQUIRE(worker.Ready("two", 2));
    worker.Submit("third");
    CHECK_FALSE(worker.Refusal("third").empty());
  }
  SECTION("a device that many may have is shared until its memory is gone") {
    Json gpu = Gpu("gpu-0", "a");
    gpu["allowMultipleAllocations"] = true;
    worker.Install(Slice("n1", Json::array({gpu})));
    const Json capacity = {{"capacity", {{"requests", {{"memory", "40Gi"}}}}}};
    worker.Install(Template("share", {{"requests", Json::array({Exactly("gpu", capacity)})}}));
    worker.Submit("two", 2, "share");
    REQUIRE(worker.Ready("two", 2));
    CHECK(worker.Held() == Devices{"gpu-0", "gpu-0"});
    worker.Submit("third", 1, "share");
    CHECK_FALSE(worker.Refusal("third").empty());
  }
}

TEST_CASE("all means every matching device, and alternatives come in order") {
  Worker worker;
  worker.InstallTwoGpus();
  const Json all = Exactly("all", {{"allocationMode", "All"}});
  worker.Install(Template("all", {{"requests", Json::array({all})}}));
  const Json three = {{"name", "three"}, {"deviceClassName", "gpu.example.com"}, {"count", 3}};
  const Json one = {{"name", "one"}, {"deviceClassName", "gpu.example.com"}, {"count", 1}};
  worker.Install(
      Template("choice",
               {{"requests", Json::array({{{"name", "gpu"}, {"firstAvailable", {three, one}}}})}}));
  worker.Submit("choosy", 1, "choice");
  REQUIRE(worker.Ready("choosy", 1));
  const Json claim = worker.objects().List("resourceclaims", "ml").front();
  CHECK(StringAt(claim["status"]["allocation"]["devices"]["results"][0], {"request"}) == "gpu/one");
  worker.Submit("greedy", 1, "all");
  CHECK_FALSE(worker.Refusal("greedy").empty());
  worker.End("choosy");
  REQUIRE(worker.Ready("greedy", 1));
  CHECK(worker.Held() == Devices{"gpu-0", "gpu-1"});
}

TEST_CASE("a selector that fails on one node ends the attempt for all") {
  Worker worker;
  worker.Install(Node("n1"));
  worker.Install(Slice("n1", Json::array({Gpu("gpu-0", "a")})));
  worker.Install(Node("n2"));
  worker.Install(Slice("n2", Json::array({{{"name", "gpu-0"}}})));
  const Json selector = {
      {"cel", {{"expression", R"(device.attributes["gpu.example.com"].parent == "a")"}}}};
  const Json request = Exactly("gpu", {{"selectors", Json::array({selector})}});
  worker.Install(Template("picky", {{"requests", Json::array({request})}}));
  worker.Submit("job", 1, "picky");
  CHECK(worker.Refusal("job").ends_with("fails"));
  REQUIRE(worker.objects().Delete("resourceslices", {"", "n2"}));
  CHECK(worker.Ready("job", 1));
}

TEST_CASE("an extended resource comes from the class of that name") {
  Worker worker;
  worker.Install(Node("n1"));
  worker.Install(Slice("n1", Json::array({Gpu("gpu-0", "a")})));
  Json job = MakeJob("extended", "");
  job["spec"].erase("managedBy");
  job["spec"]["suspend"] = false;
  job["metadata"].erase("labels");
  job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"] = {
      {"deviceclass.resource.kubernetes.io/gpu.example.com", "1"}};
  worker.Install(job);
  REQUIRE(worker.Ready("extended", 1));
  CHECK(worker.Held() == Devices{"gpu-0"});
}

TEST_CASE("selectors of the scenarios") {
  const Json device =
      SelectorView("gpu.example.com", {{"name", "gpu-0"},
                                       {"attributes",
                                        {{"model", {{"string", "A100-SXM4"}}},
                                         {"index", {{"int", 6}}},
                                         {"other.example.com/healthy", {{"bool", true}}}}},
                                       {"capacity", {{"memory", {{"value", "80Gi"}}}}}});
  const auto evaluate = [&device](std::string_view text) { return EvaluateSelector(text, device); };
  for (
      const char* text : {
          R"(device.driver == "gpu.example.com")",
          R"(device.attributes["gpu.example.com"].model.lowerAscii().matches('^.*a100.*$') &&
              (device.attributes["gpu.example.com"].index == 0 ||
               device.attributes["gpu.example.com"].index == 6))",
          R"(device.capacity['gpu.example.com'].memory == quantity('81920Mi'))",
          R"(device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0)",
          R"(device.attributes["other.example.com"].healthy)",
          R"(!device.allowMultipleAllocations)",
          R"(device.attributes["gpu.example.com"].model in ["x", "A100-SXM4"])",
          R"(device.attributes["gpu.example.com"].missing == 1 || device.driver.startsWith("gpu"))",
      }) {
    INFO(text);
    CHECK(evaluate(text) == true);
  }
  CHECK(evaluate(R"(device.attributes["gpu.example.com"].index > 6)") == false);
  CHECK(evaluate(R"(device.attributes["gpu.example.com"].missing == 1 && device.driver == "x")") ==
        false);
  for (const char* text : {R"(device.attributes["gpu.example.com"].missing == 1)", "device.name",
                           "device.driver ==", R"(device.driver.matches("[ab]+"))", ""}) {
    INFO(text);
    CHECK_FALSE(evaluate(text));
  }
}

}  // namespace
}  // namespace fedra::sim::scheduler_test
