// MultiKueue with an external dispatcher, as the simulation plays it.

#include "tests/sim/multi_kueue.h"

#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"

namespace fedra::sim::multi_kueue_test {

namespace {

constexpr const char* kKueue = "kueue.x-k8s.io/v1beta2";

struct Fixture {
  Fleet fleet{{.workers = {"east", "west"}, .multi_kueue = true}};
  Objects& manager = fleet.manager().server.objects();
  ObjectKey workload;

  Fixture() {
    KueueOptions options;
    options.default_managed_by = true;
    fleet.manager().kueue.SetOptions(options);
    for (const char* worker : {"east", "west"})
      Make({{"kind", "MultiKueueCluster"},
            {"metadata", {{"name", worker}}},
            {"spec", Json::object()}});
    Make({{"kind", "MultiKueueConfig"},
          {"metadata", {{"name", "all"}}},
          {"spec", {{"clusters", {"east", "west"}}}}});
    Make({{"kind", "AdmissionCheck"},
          {"metadata", {{"name", "mk"}}},
          {"spec",
           {{"controllerName", "kueue.x-k8s.io/multikueue"},
            {"parameters",
             {{"apiGroup", "kueue.x-k8s.io"}, {"kind", "MultiKueueConfig"}, {"name", "all"}}}}}});
    const Json checks = {{"admissionChecks", Json::array({{{"name", "mk"}}})}};
    REQUIRE(manager.Patch("clusterqueues", {"", "gpu"},
                          {{"spec", {{"admissionChecksStrategy", checks}}}}));
    REQUIRE(manager.Create(MakeJob("train")));
    REQUIRE(
        manager.WaitFor("jobs", {"ml", "train"}, [](const Json& job) { return !job.is_null(); }));
    REQUIRE(WaitUntil([&] {
      for (const Json& found : manager.List("workloads", "ml"))
        workload = {"ml", found["metadata"]["name"]};
      return !workload.name.empty();
    }));
    REQUIRE(Becomes([](const Json& it) {
      return it.contains("status") && it["status"].contains("admissionChecks") &&
             it["status"].contains("admission");
    }));
  }

  void Make(Json object) {
    object["apiVersion"] = kKueue;
    REQUIRE(manager.Create(object));
  }
  bool Becomes(const std::function<bool(const Json&)>& holds) {
    return manager.WaitFor("workloads", workload, holds);
  }
  // As kueue-admission, and with all of the status.
  void Nominate(const Json& names) {
    const Json there = *manager.Get("workloads", workload);
    Json body = {{"apiVersion", kKueue},
                 {"kind", "Workload"},
                 {"metadata", {{"name", workload.name}, {"namespace", "ml"}}},
                 {"status", there["status"]}};
    body["status"]["nominatedClusterNames"] = names;
    const Reply reply = fleet.manager().server.Call(
        "PATCH",
        "/apis/kueue.x-k8s.io/v1beta2/namespaces/ml/workloads/" + workload.name +
            "/status?fieldManager=kueue-admission&force=true",
        body.dump(), "application/apply-patch+yaml");
    INFO(reply.body);
    REQUIRE(reply.status == 200);
  }
  bool HasCopy(const std::string& worker, bool there) {
    return fleet.Find(worker)->server.objects().WaitFor(
        "workloads", workload, [&](const Json& copy) { return copy.is_null() != there; });
  }
};

}  // namespace

TEST_CASE("MultiKueue copies to what is nominated, removes from what is not, and takes the first") {
  Fixture f;
  KueueOptions full;
  full.admit = false;
  f.fleet.Find("east")->kueue.SetOptions(full);
  CHECK_FALSE(f.fleet.Find("east")->server.objects().Get("workloads", f.workload));
  f.Nominate({"east"});
  CHECK(f.HasCopy("east", true));
  f.Nominate({"west"});
  CHECK(f.HasCopy("east", false));
  CHECK(f.HasCopy("west", true));
  CHECK(f.Becomes([](const Json& it) {
    return it["status"].value("clusterName", "") == "west" &&
           !it["status"].contains("nominatedClusterNames") &&
           it["status"]["admissionChecks"][0]["state"] == "Ready";
  }));
  CHECK(f.fleet.Find("west")->server.objects().WaitFor(
      "jobs", {"ml", "train"}, [](const Json& job) { return !job.is_null(); }));
}

TEST_CASE("a worker whose server keeps clients out is not connected") {
  Fixture f;
  f.fleet.Find("east")->server.SetFaults({.refuse = true});
  CHECK(f.manager.WaitFor("multikueueclusters", {"", "east"}, [](const Json& cluster) {
    return cluster["status"]["conditions"][0]["status"] == "False";
  }));
}

}  // namespace fedra::sim::multi_kueue_test
