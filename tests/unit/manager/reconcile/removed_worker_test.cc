// When a worker that was removed from the configuration can be let go.

#include "manager/reconcile/removed_worker.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "manager/tracking/kueue_api.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::removed_worker_test {

using namespace std::chrono_literals;
using nlohmann::json;

namespace {

const ObjectKey kTrain{"ml", "job-train"};
constexpr auto kTimeout = std::chrono::milliseconds(15min);

ConnectedOptions East() {
  ConnectedOptions options;
  options.workers = {"east"};
  options.server.job_kinds = true;
  options.token = "no-jobsets-token";
  options.devices = false;
  return options;
}

struct Fixture {
  Connected fleet{East()};

  Fixture() {
    sim::User reader = sim::Administrator("no-jobsets", "no-jobsets-token");
    reader.groups = {"system:authenticated"};
    reader.allow = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}};
    reader.deny = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"jobsets"}}};
    fleet.server(0).SetUser(reader);
    AddWaitingWorkload(fleet.manager_server(), kTrain);
    fleet.Start();
    REQUIRE(WaitUntil([&] { return fleet.manager().identity().IdentifySoon(); }));
  }

  tracking::Identity Us() { return {"fedra", fleet.manager().identity().uid()}; }
  bool CanGo(const tracking::Identity& us, bool with_templates = true,
             WallTime now = SystemClock().Now()) {
    Owners owners{us, std::nullopt};
    if (with_templates) owners.templates = Us();
    return CanBeReleased(fleet.worker(0), fleet.manager().jobs(), fleet.manager().templates(),
                         owners, kTimeout, now);
  }

  // The manager's Workload, as it is known.
  void Patch(const json& status, const std::function<bool(const tracking::Workload&)>& holds) {
    REQUIRE(fleet.manager_server().objects().Patch("workloads", kTrain, {{"status", status}},
                                                   "status"));
    REQUIRE(
        fleet.WaitUntil([&] { return holds(*fleet.manager().jobs().workloads().Find(kTrain)); }));
  }
  void Finish() {
    Patch(json::parse(R"({"conditions": [
              {"type": "Finished", "status": "True", "reason": "Succeeded", "message": "",
               "lastTransitionTime": "2026-11-21T17:00:00Z"}]})"),
          [](const auto& workload) { return workload.Finished(); });
  }
  // On the worker; made by the fedra of this manager.
  void Create(json object, std::string_view label, std::string_view source,
              const std::string& manager) {
    object["metadata"]["labels"][label] = "fedra";
    object["metadata"]["annotations"][source] = "uid-gone";
    object["metadata"]["annotations"][tracking::kManagerUidAnnotation] = manager;
    const auto created = fleet.server(0).objects().Create(object);
    REQUIRE(created);
  }
  void AddClone(const std::string& manager) {
    const json original = *fleet.manager_server().objects().Get("workloads", kTrain);
    Create({{"apiVersion", original["apiVersion"]},
            {"kind", "Workload"},
            {"metadata", {{"name", "left"}, {"namespace", "ml"}}},
            {"spec", original["spec"]}},
           tracking::kOriginLabel, tracking::kWorkloadUidAnnotation, manager);
    REQUIRE(fleet.WaitUntil(
        [&] { return fleet.worker(0).objects().clones().Find({"ml", "left"}) != nullptr; }));
  }
  void AddJob() {
    Create(sim::MakeJob("left"), tracking::kOriginLabel, tracking::kWorkloadUidAnnotation,
           fleet.manager().identity().uid());
    REQUIRE(fleet.WaitUntil([&] { return fleet.ToldOfJob({"ml", "left"}) > 0; }));
  }
  void AddTemplate() {
    json copy = *fleet.server(0).objects().Get("resourceclaimtemplates", {"ml", "one-gpu"});
    copy["metadata"] = {{"name", "left"}, {"namespace", "ml"}};
    Create(copy, tracking::kCopyOriginLabel, tracking::kTemplateUidAnnotation,
           fleet.manager().identity().uid());
    REQUIRE(fleet.WaitUntil(
        [&] { return fleet.worker(0).objects().templates().Find({"ml", "left"}) != nullptr; }));
  }
  void RefuseConnections() {
    sim::Faults away;
    away.refuse = true;
    fleet.server(0).SetFaults(away);
    REQUIRE(
        fleet.WaitUntil([&] { return fleet.worker(0).contact() == placement::Contact::kNone; }));
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a removed worker is let go when nothing of ours is left there") {
  SECTION("nothing ever was") { CHECK(CanGo(Us())); }
  SECTION("a workload that is being placed there keeps it") {
    Patch({{"nominatedClusterNames", {"east"}}},
          [](const auto& workload) { return !workload.nominated.empty(); });
    CHECK_FALSE(CanGo(Us()));
    Finish();
    CHECK(CanGo(Us()));
  }
  SECTION("a clone") {
    AddClone(fleet.manager().identity().uid());
    CHECK_FALSE(CanGo(Us()));
    // It names its maker, and whether that is us cannot be read: it is never removed.
    CHECK(CanGo({"fedra", ""}));
  }
  SECTION("a clone that another manager's fedra made") {
    AddClone("uid-of-another-manager");
    CHECK(CanGo(Us()));
  }
  SECTION("a job") {
    AddJob();
    CHECK_FALSE(CanGo(Us()));
  }
  SECTION("a copy of a template") {
    AddTemplate();
    CHECK_FALSE(CanGo(Us()));
    CHECK(CanGo(Us(), /*with_templates=*/false));
    // In kueue.mode multikueue copies of jobs have Kueue's origin, and those of templates ours.
    tracking::Identity in_place{"multikueue", fleet.manager().identity().uid(),
                                tracking::Mode::kMultiKueue};
    CHECK_FALSE(CanGo(in_place));
    CHECK(CanGo(in_place, /*with_templates=*/false));
  }
}

TEST_CASE_METHOD(Fixture, "a removed worker out of reach is let go when its jobs count as lost") {
  AddClone(fleet.manager().identity().uid());
  RefuseConnections();
  const WallTime lost = fleet.worker(0).Status().lost_since.value();
  CHECK_FALSE(CanGo(Us(), true, lost + kTimeout - 1s));
  CHECK(CanGo(Us(), true, lost + kTimeout + 1s));
}

TEST_CASE_METHOD(Fixture, "a kind that a removed worker refuses to show is waited for as long") {
  Worker& east = fleet.worker(0);
  const tracking::JobAdapter* job_set = east.objects().kinds().FindName("JobSet");
  REQUIRE(job_set != nullptr);
  east.kinds().Use({job_set});
  REQUIRE(fleet.WaitUntil(
      [&] { return east.kinds().ContactOf(job_set) == placement::Contact::kNone; }));
  REQUIRE(east.contact() == placement::Contact::kFull);
  const WallTime lost = east.kinds().StatusOf(job_set).lost_since.value();
  CHECK_FALSE(CanGo(Us(), true, lost + kTimeout - 1s));
  CHECK(CanGo(Us(), true, lost + kTimeout + 1s));
}

}  // namespace fedra::reconcile::removed_worker_test
