// What is gathered of one of several Workloads of a job, from connected clusters: where it is
// judged, and whose the job's copy is.

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "manager/placement/decide.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected_executor.h"

namespace fedra::reconcile::parts_test {

using namespace fedra::placement;
using nlohmann::json;

namespace {

const ClusterName kEast("east"), kWest("west");
const ObjectKey kFirst{"ml", "train-0"}, kSecond{"ml", "train-1"};

// Its one container wants a device.
json PodThatWantsDevice() {
  return json::parse(R"({
      "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "g"}]}}],
      "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one-gpu"}]})");
}

// The job "train" has two Workloads, with quota and on no worker.
struct Fixture : ConnectedExecutor {
  explicit Fixture(const json& pod = json::object())
      : ConnectedExecutor({}, {.verifies_devices = !pod.empty()}) {
    if (!pod.empty()) AddDevices(fleet.server(1), 1);
    AddWaitingWorkload(manager(), kFirst, pod);
    json second = *manager().objects().Get("workloads", kFirst);
    const json status = second["status"];
    second["metadata"] = {{"name", kSecond.name},
                          {"namespace", kSecond.ns},
                          {"ownerReferences", second["metadata"]["ownerReferences"]}};
    second.erase("status");
    REQUIRE(manager().objects().Create(second));
    REQUIRE(manager().objects().Patch("workloads", kSecond, {{"status", status}}, "status"));
    for (const auto& [key, index] : {std::pair(kFirst, "0"), std::pair(kSecond, "1")}) {
      const json annotations{{"kueue.x-k8s.io/component-workload-index", index}};
      REQUIRE(manager().objects().Patch("workloads", key,
                                        {{"metadata", {{"annotations", annotations}}}}));
    }
    fleet.Start();
    // No event is about it.
    REQUIRE(WaitUntil([&] { return fleet.manager().identity().IdentifySoon(); }));
    Await([&] {
      return Gather(kFirst).view.job != nullptr && Gather(kSecond).view.workload != nullptr;
    });
  }

  Gathered Gather(const ObjectKey& key) { return gatherer.Gather(key, {std::nullopt, {kWest}}); }
  ClusterView West(const ObjectKey& key) {
    const Gathered gathered = Gather(key);
    for (const ClusterView& cluster : gathered.clusters)
      if (cluster.name == kWest) return cluster;
    return {};
  }
  void PlaceOn(const ClusterName& worker, const ObjectKey& key, const ObjectKey& other) {
    const json check{{"name", "fedra"},
                     {"state", "Ready"},
                     {"message", "admitted"},
                     {"lastTransitionTime", "2026-11-21T16:00:01Z"}};
    // Kueue's webhook takes no worker that was not nominated.
    const json nominated{{"nominatedClusterNames", json::array({worker.value})}};
    REQUIRE(manager().objects().Patch("workloads", key, {{"status", nominated}}, "status"));
    const json status{{"nominatedClusterNames", nullptr},
                      {"clusterName", worker.value},
                      {"admissionChecks", json::array({check})}};
    REQUIRE(manager().objects().Patch("workloads", key, {{"status", status}}, "status"));
    Await([&] { return Gather(other).view.siblings.contains(worker); });
  }
  // West's only device is a pod's.
  void TakeDevice() { AddClaimInUse(fleet.server(1), {"ml", "of-pod"}, 1); }
  // As fedra does before it makes a clone there.
  void NominateWest(const ObjectKey& key) {
    const json check{{"name", "fedra"},
                     {"state", "Pending"},
                     {"message", "dispatched to west"},
                     {"lastTransitionTime", "2026-11-21T16:00:01Z"}};
    const json status{{"nominatedClusterNames", json::array({"west"})},
                      {"admissionChecks", json::array({check})}};
    REQUIRE(manager().objects().Patch("workloads", key, {{"status", status}}, "status"));
    Await([&] { return !Gather(key).view.workload->nominated.empty(); });
  }
  // What west's Kueue says of the clone: these conditions are true.
  void SetOnClone(const ObjectKey& key, const std::vector<const char*>& conditions) {
    json all = json::array();
    for (const char* type : conditions)
      all.push_back({{"type", type},
                     {"status", "True"},
                     {"reason", type},
                     {"message", ""},
                     {"lastTransitionTime", "2026-11-21T16:00:02Z"}});
    const json admission =
        json::parse(R"({"clusterQueue": "gpu", "podSetAssignments": [{"name": "main"}]})");
    const json status{{"admission", admission}, {"conditions", all}};
    REQUIRE(fleet.server(1).objects().Patch("workloads", key, {{"status", status}}, "status"));
  }
  // "east west-": those that are judged, and with a minus those that are not.
  std::string Judged(const ObjectKey& key) {
    const Gathered gathered = Gather(key);
    std::string text;
    for (const ClusterView& cluster : gathered.clusters) {
      const bool is_judged = cluster.verdict.outcome != verdict::Outcome::kUnknown;
      CHECK(is_judged == cluster.allowed);
      text += (text.empty() ? "" : " ") + cluster.name.value + (is_judged ? "" : "-");
    }
    return text;
  }
};

}  // namespace

TEST_CASE("while no part is anywhere the first one is judged everywhere, and no other") {
  Fixture f;
  CHECK(f.Judged(kFirst) == "east west");
  CHECK_FALSE(f.Gather(kSecond).judged);
}

TEST_CASE("a part is judged where the first one is, and not where it may have copies") {
  Fixture f;
  f.PlaceOn(kEast, kFirst, kSecond);
  CHECK(f.Gather(kSecond).view.first_on == kEast);
  CHECK(f.Judged(kSecond) == "east west-");
}

TEST_CASE("the first part is judged where the others are, until that worker may not be used") {
  Fixture f;
  f.PlaceOn(kEast, kSecond, kFirst);
  CHECK(f.Judged(kFirst) == "east west-");
  const json cordoned{{"cordon.fedra.dev/east", "new disks"}};
  REQUIRE(f.manager().objects().Patch("admissionchecks", {"", "fedra"},
                                      {{"metadata", {{"annotations", cordoned}}}}));
  f.Await([&] { return f.Judged(kFirst) == "east west"; });
}

TEST_CASE("the copy is the first part's, who leaves it to others that run by it, or deletes it") {
  Fixture f;
  REQUIRE(f.Carry(f.Gather(kFirst), {CreateJob{kWest}}));
  CHECK(HasOwnJob(f.West(kFirst)));
  CHECK(f.West(kSecond).job == nullptr);
  f.PlaceOn(kWest, kSecond, kFirst);
  CHECK(f.West(kFirst).job == nullptr);
  CHECK(f.West(kFirst).spares_job);
  CHECK_FALSE(HasOurs(f.West(kFirst)));
  // What would delete all that is the Workload's leaves it there.
  REQUIRE(f.Carry(f.Gather(kFirst), {DeleteRemote{kWest, std::nullopt}}));
  REQUIRE(f.Carry(f.Gather(kSecond), {DeleteRemote{kWest, std::nullopt}}));
  CHECK(f.fleet.server(1).objects().Get("jobs", {"ml", "train"}));
  // The others are gone: it is the first one's alone again.
  REQUIRE(f.manager().objects().Delete("workloads", kSecond));
  f.Await([&] { return HasOwnJob(f.West(kFirst)); });
  // Of the second one, which is gone, it is not.
  const Known known{tracking::JobKey{"Job.batch", {"ml", "train"}}, {kWest}};
  const Gathered gone = f.gatherer.Gather(kSecond, known);
  CHECK(gone.view.workload == nullptr);
  REQUIRE(gone.clusters.size() == 1);
  CHECK(gone.clusters.front().job == nullptr);
  REQUIRE(f.Carry(f.Gather(kFirst), {DeleteRemote{kWest, std::nullopt}}));
  CHECK_FALSE(f.fleet.server(1).objects().Get("jobs", {"ml", "train"}));
}

TEST_CASE("the copy is assumed for the first part until others run by it without that one") {
  Fixture f(PodThatWantsDevice());
  const auto is_assumed = [&](const ObjectKey& key) {
    return f.gatherer.Observe(key, f.fleet.worker(1)).is_here;
  };
  CHECK_FALSE(is_assumed(kFirst));
  REQUIRE(f.Carry(f.Gather(kFirst), {CreateJob{kWest}}));
  CHECK(is_assumed(kFirst));
  CHECK_FALSE(is_assumed(kSecond));
  f.PlaceOn(kWest, kSecond, kFirst);
  CHECK_FALSE(is_assumed(kFirst));
  CHECK(is_assumed(kSecond));
}

TEST_CASE("a part whose clone is admitted runs by the others' copy: its own pods are in no way") {
  const auto [part, other] =
      GENERATE(values<std::pair<ObjectKey, ObjectKey>>({{kSecond, kFirst}, {kFirst, kSecond}}));
  INFO(part.ToString());
  Fixture f(PodThatWantsDevice());
  const auto becomes = [&](verdict::Outcome outcome) {
    return f.fleet.WaitUntil([&] { return f.West(part).verdict.outcome == outcome; });
  };
  f.PlaceOn(kWest, other, part);
  REQUIRE(becomes(verdict::Outcome::kYes));
  f.NominateWest(part);
  REQUIRE(f.Carry(f.Gather(part), {CreateClone{kWest}}));
  f.SetOnClone(part, {"QuotaReserved"});
  f.TakeDevice();
  // Its pods are still held back: these devices are another job's.
  CHECK(becomes(verdict::Outcome::kNo));
  f.SetOnClone(part, {"QuotaReserved", "Admitted"});
  REQUIRE(becomes(verdict::Outcome::kYes));
  const Gathered gathered = f.Gather(part);
  const Decision decision = Decide(gathered.view, gathered.clusters, {}, {}, f.outside.clock.Now());
  CHECK_FALSE(std::ranges::any_of(decision.actions, [](const Action& action) {
    return std::holds_alternative<DeleteRemote>(action);
  }));
  f.SetOnClone(part, {"QuotaReserved", "Admitted", "Evicted"});
  CHECK(becomes(verdict::Outcome::kNo));
}

}  // namespace fedra::reconcile::parts_test
