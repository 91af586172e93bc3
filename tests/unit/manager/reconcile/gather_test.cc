// A named claim is in one place, and its users go there.

#include "manager/reconcile/gather.h"

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/tracking/job_requests.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected.h"
#include "verdict/reason_text.h"

namespace fedra::reconcile::gather_test {

using nlohmann::json;

namespace {

const ClusterName kEast("east");
const ClusterName kWest("west");
const ObjectKey kKey{"ml", "job-train"};

json SharedClaim() {
  const json request = {
      {"name", "gpu"},
      {"exactly",
       {{"deviceClassName", "gpu.example.com"}, {"allocationMode", "ExactCount"}, {"count", 1}}}};
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaim"},
          {"metadata", {{"name", "shared"}, {"namespace", "ml"}}},
          {"spec", {{"devices", {{"requests", json::array({request})}}}}}};
}

json Allocation() {
  const json result = {
      {"request", "gpu"}, {"driver", "gpu.example.com"}, {"pool", "node-1"}, {"device", "gpu-0"}};
  return {{"status",
           {{"allocation",
             {{"allocationTimestamp", "2026-01-01T00:00:00Z"},
              {"devices", {{"results", json::array({result})}}}}}}}};
}

struct Fixture {
  Connected fleet;
  CopyFailures copy_failures;
  verify::SharedClaims shared = verify::SharedClaims::kRequireTogether;
  Gatherer gatherer = GathererOf(fleet.workers());

  Gatherer GathererOf(const WorkerSet& workers) {
    return Gatherer{{.controller_name = "fedra.dev/federation",
                     .rules = {.shared_claims = shared},
                     .us = {.origin = "fedra"},
                     .devices = true},
                    fleet.manager(),
                    workers,
                    copy_failures};
  }

  explicit Fixture(verify::SharedClaims rule = verify::SharedClaims::kRequireTogether)
      : shared(rule) {
    for (const size_t worker : {size_t{0}, size_t{1}}) {
      AddDevices(fleet.server(worker), 2);
      REQUIRE(fleet.server(worker).objects().Create(SharedClaim()));
    }
    AddWaitingWorkload(
        fleet.manager_server(), kKey,
        {{"resourceClaims", json::array({{{"name", "g"}, {"resourceClaimName", "shared"}}})}});
    fleet.Start();
    const bool both = fleet.WaitUntil([&] {
      const Gathered gathered = gatherer.Gather(kKey, {});
      return gathered.judged && Outcomes(gathered) == "Yes Yes";
    });
    INFO(Reasons());
    REQUIRE(both);
  }

  // "Yes No": of east and west.
  static std::string Outcomes(const Gathered& gathered) {
    std::string text;
    for (const auto& cluster : gathered.clusters)
      text += (text.empty() ? "" : " ") + std::string(verdict::ToString(cluster.verdict.outcome));
    return text;
  }
  std::string Reasons() const {
    std::string text;
    for (const auto& cluster : gatherer.Gather(kKey, {}).clusters)
      for (const verdict::Reason& reason : cluster.verdict.reasons)
        text += cluster.name.value + ": " + verdict::MessageOf(reason) + "\n";
    return text;
  }
  std::string Outcomes() const { return Outcomes(gatherer.Gather(kKey, {})); }
  bool IsElsewhere(size_t worker) const {
    const auto reasons = gatherer.Gather(kKey, {}).clusters.at(worker).verdict.reasons;
    return std::any_of(reasons.begin(), reasons.end(), [](const verdict::Reason& reason) {
      return reason.code == verdict::ReasonCode::kClaimElsewhere;
    });
  }
  void Send(const std::string& name, const std::set<ClusterName>& workers) {
    const placement::Assumption user{.workload = {"ml", name},
                                     .uid = "u",
                                     .job = {"Job.batch", {"ml", name}},
                                     .claims = {"shared"},
                                     .demands = nullptr,
                                     .since = std::nullopt};
    for (size_t i = 0; i < fleet.workers().Now()->size(); ++i) {
      AssumeCache& cache = fleet.worker(i).assumed();
      if (workers.contains(fleet.worker(i).name())) {
        REQUIRE(cache.Reserve(user, {cache.version()}));
      } else {
        cache.Forget(user.workload);
      }
    }
  }
  void Allocate(size_t worker) {
    REQUIRE(fleet.server(worker).objects().Patch("resourceclaims", {"ml", "shared"}, Allocation(),
                                                 "status"));
  }
};

}  // namespace

TEST_CASE("a worker that was removed from the configuration has a reason of its own") {
  Fixture f;
  const auto configured = f.fleet.workers().Now();
  WorkerSet after;
  after.Publish(WorkerList(Workers(configured->begin(), configured->end()), {kWest}));
  const Gathered gathered = f.GathererOf(after).Gather(kKey, {});
  CHECK(f.Outcomes(gathered) == "Yes No");
  CHECK(verdict::Headline(gathered.clusters.at(1).verdict) == "WorkerRemoved");
}

TEST_CASE("users of an allocated claim go where it is allocated") {
  Fixture f;
  f.Allocate(1);
  CHECK(f.fleet.WaitUntil([&] { return f.IsElsewhere(0); }));
  CHECK_FALSE(f.IsElsewhere(1));
  CHECK(f.Outcomes() == "No Yes");
}

TEST_CASE("a claim that is allocated on a lost worker holds nobody back") {
  Fixture f;
  f.Allocate(0);
  REQUIRE(f.fleet.WaitUntil([&] { return f.IsElsewhere(1); }));
  sim::Faults faults;
  faults.refuse = true;
  f.fleet.server(0).SetFaults(faults);
  CHECK(f.fleet.WaitUntil([&] { return !f.IsElsewhere(1); }));
}

TEST_CASE("users of a claim follow the first of them") {
  Fixture f;
  f.Send("other", {kEast});
  CHECK(f.Outcomes() == "Yes No");
  CHECK(f.IsElsewhere(1));
  f.Send("other", {kEast, kWest});  // racing: not known yet
  CHECK(f.IsElsewhere(0));
  CHECK(f.IsElsewhere(1));
  f.Send("other", {});
  CHECK(f.Outcomes() == "Yes Yes");
}

TEST_CASE("users that need not be together: the worker of the claim is preferred, others stay") {
  Fixture f(verify::SharedClaims::kPreferTogether);
  const auto in_use = [&](size_t worker) {
    return f.gatherer.Gather(kKey, {}).clusters.at(worker).claims_in_use;
  };
  f.Allocate(1);
  CHECK(f.fleet.WaitUntil([&] { return in_use(1) == 1; }));
  CHECK(in_use(0) == 0);
  CHECK(f.Outcomes() == "Yes Yes");
  // The claim itself may say that its users must share it.
  REQUIRE(f.fleet.server(1).objects().Patch(
      "resourceclaims", {"ml", "shared"},
      {{"metadata", {{"annotations", {{"fedra.dev/shared", "RequireTogether"}}}}}}));
  CHECK(f.fleet.WaitUntil([&] { return f.IsElsewhere(0); }));
  CHECK(f.Outcomes() == "No Yes");
}

TEST_CASE("a claim may say that its users need not be together") {
  Fixture f;
  f.Allocate(1);
  REQUIRE(f.fleet.WaitUntil([&] { return f.IsElsewhere(0); }));
  REQUIRE(f.fleet.server(0).objects().Patch(
      "resourceclaims", {"ml", "shared"},
      {{"metadata", {{"annotations", {{"fedra.dev/shared", "PreferTogether"}}}}}}));
  CHECK(f.fleet.WaitUntil([&] { return !f.IsElsewhere(0); }));
}

TEST_CASE("a workload's own dispatch pins it nowhere") {
  Fixture f;
  f.Send(kKey.name, {kEast});
  CHECK(f.Outcomes() == "Yes Yes");
}

TEST_CASE("what another manager of our origin has made is foreign") {
  Fixture f;
  REQUIRE(f.fleet.manager().identity().Identify());
  const std::string own = f.fleet.manager().identity().uid();
  REQUIRE_FALSE(own.empty());
  const auto put = [&](const json& made_by) {
    const json copy = {
        {"apiVersion", "kueue.x-k8s.io/v1beta2"},
        {"kind", "Workload"},
        {"metadata",
         {{"name", kKey.name},
          {"namespace", kKey.ns},
          {"labels", {{"kueue.x-k8s.io/multikueue-origin", "fedra"}}},
          {"annotations", {{"fedra.dev/workload-uid", "u"}, {"fedra.dev/manager-uid", made_by}}}}},
        {"spec", {{"queueName", "gpu"}}}};
    auto& objects = f.fleet.server(0).objects();
    (void)objects.Delete("workloads", kKey);
    REQUIRE(objects.Create(copy));
  };
  const auto seen_as = [&](tracking::Ownership whose) {
    return f.fleet.WaitUntil([&] {
      const auto seen = f.gatherer.Gather(kKey, {}).clusters.at(0);
      return seen.clone != nullptr && seen.clone_is == whose;
    });
  };
  put("another-cluster");
  CHECK(seen_as(tracking::Ownership::kOtherManager));
  CHECK(f.Outcomes() == "No Yes");
  put(own);
  CHECK(seen_as(tracking::Ownership::kOursEarlier));
}

TEST_CASE("a workload that is gone cleans up what names it, and not its successor's job") {
  Fixture f;
  REQUIRE(f.fleet.manager_server().objects().Delete("workloads", kKey));
  const auto put = [&](const std::string& workload) {
    auto& objects = f.fleet.server(0).objects();
    (void)objects.Delete("jobs", {"ml", "train"});
    const json metadata = {
        {"name", "train"},
        {"namespace", "ml"},
        {"labels", {{"kueue.x-k8s.io/multikueue-origin", "fedra"}}},
        {"annotations",
         {{"fedra.dev/workload-uid", "u"}, {"kueue.x-k8s.io/prebuilt-workload-name", workload}}}};
    const json container = {{"name", "main"}, {"image", "x"}};
    const json pod = {{"restartPolicy", "Never"}, {"containers", json::array({container})}};
    REQUIRE(objects.Create({{"apiVersion", "batch/v1"},
                            {"kind", "Job"},
                            {"metadata", metadata},
                            {"spec", {{"suspend", true}, {"template", {{"spec", pod}}}}}}));
  };
  const auto sees_a_job = [&] {
    const Gathered gathered =
        f.gatherer.Gather(kKey, {tracking::JobKey{"Job", {"ml", "train"}}, {kEast, kWest}});
    return gathered.view.workload == nullptr && gathered.clusters.at(0).job != nullptr;
  };
  put(kKey.name);
  CHECK(f.fleet.WaitUntil(sees_a_job));
  put("job-train-again");
  CHECK(f.fleet.WaitUntil([&] { return !sees_a_job(); }));
  // Its arrival is seen, and it stays unseen here.
  CHECK(f.fleet.WaitUntil(
      [&] { return !f.fleet.worker(0).copies().JobsOf({"ml", "job-train-again"}).empty(); }));
  CHECK_FALSE(sees_a_job());
}

TEST_CASE("what Kueue decides about without any check is ours where its ClusterQueue has one") {
  using enum placement::Unasked;
  Fixture f;
  sim::Objects& manager = f.fleet.manager_server().objects();
  const auto unasked = [&] { return f.gatherer.Gather(kKey, {}).view.unasked; };
  const auto becomes = [&](placement::Unasked wanted) {
    return f.fleet.WaitUntil([&] { return unasked() == wanted; });
  };
  const auto patch = [&](const char* kind, const ObjectKey& key, const json& change,
                         std::string_view subresource) {
    REQUIRE(manager.Patch(kind, key, change, subresource));
  };
  const auto check = [](const char* name) {
    return json::array({{{"name", name},
                         {"state", "Pending"},
                         {"message", ""},
                         {"lastTransitionTime", "2026-11-21T16:00:00Z"}}});
  };
  const auto set = [&](const json& status) {
    patch("workloads", kKey, {{"status", status}}, "status");
  };
  CHECK(unasked() == kNo);
  // Its quota, which has no flavor, is reserved.
  set({{"admissionChecks", nullptr}});
  REQUIRE(becomes(kAdmitted));
  SECTION("nothing says who runs the job: it runs here") {
    // The field does not change, so it is another job.
    json job = sim::MakeJob("mine");
    job["spec"].erase("managedBy");
    const auto made = manager.Create(job);
    REQUIRE(made);
    const std::string uid = (*made)["metadata"]["uid"];
    json owners = (*manager.Get("workloads", kKey))["metadata"]["ownerReferences"];
    owners[0]["name"] = "mine";
    owners[0]["uid"] = uid;
    patch("workloads", kKey, {{"metadata", {{"ownerReferences", owners}}}}, "");
    CHECK(f.fleet.WaitUntil([&] {
      const auto seen = f.gatherer.Gather(kKey, {}).view;
      return seen.job != nullptr && seen.workload->owner.uid == uid;
    }));
    CHECK(unasked() == kNo);
  }
  SECTION("the job is not known") {
    REQUIRE(manager.Delete("jobs", {"ml", "train"}));
    CHECK(becomes(kNo));
  }
  SECTION("it runs on a worker") {
    set({{"nominatedClusterNames", json::array({"east"})}});
    set({{"nominatedClusterNames", nullptr}, {"clusterName", "east"}});
    CHECK(becomes(kNo));
  }
  const json refused = json::parse(R"({"admission": null, "conditions": [
      {"type": "QuotaReserved", "status": "False", "reason": "Inadmissible",
       "message": "no claims, please", "lastTransitionTime": "2026-11-21T16:00:00Z"}]})");
  SECTION("its quota has a flavor: Kueue is about to write its check") {
    set(refused);  // an admission does not change
    REQUIRE(becomes(kRefused));
    set(json::parse(R"({
        "admission": {"clusterQueue": "gpu",
                      "podSetAssignments": [{"name": "main", "flavors": {"cpu": "default"}}]},
        "conditions": [{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved",
                        "message": "", "lastTransitionTime": "2026-11-21T16:00:00Z"}]})"));
    CHECK(becomes(kNo));
  }
  SECTION("refused") {
    set(refused);
    REQUIRE(becomes(kRefused));
    const Gathered gathered = f.gatherer.Gather(kKey, {});
    CHECK(gathered.view.check.empty());
    CHECK(gathered.view.concerns_us());
    CHECK_FALSE(gathered.judged);
    SECTION("by the queue of another controller's check") {
      patch("clusterqueues", {"", "gpu"},
            {{"spec", {{"admissionChecksStrategy", {{"admissionChecks", check("other")}}}}}}, "");
      CHECK(becomes(kNo));
    }
    SECTION("by a queue that is not known") {
      REQUIRE(manager.Delete("localqueues", {"ml", "gpu"}));
      CHECK(becomes(kNo));
    }
    SECTION("no more: it has said nothing yet") {
      set({{"conditions", nullptr}});
      CHECK(becomes(kNo));
    }
    SECTION("with its checks, of which none is ours") {
      set({{"admissionChecks", check("other")}});
      CHECK(becomes(kNo));
    }
  }
}

TEST_CASE("a workload that looks for no worker is looked at only where it may have copies") {
  Fixture f;
  CHECK(f.gatherer.Gather(kKey, {}).clusters.size() == 2);  // it looks for one
  const ObjectKey gone{"ml", "job-gone"};
  CHECK(f.gatherer.Gather(gone, {}).clusters.empty());
  const Gathered known = f.gatherer.Gather(gone, {std::nullopt, {kWest}});
  REQUIRE(known.clusters.size() == 1);
  CHECK(known.clusters[0].name == kWest);
  CHECK(known.workers->size() == 2);
}

TEST_CASE("other workers are judged for a job that is to be moved, while that is asked for") {
  Fixture f;
  const WallTime since = ParseRfc3339("2026-11-21T16:00:00Z").value();
  const auto patch = [&](const json& change, std::string_view subresource) {
    REQUIRE(f.fleet.manager_server().objects().Patch("workloads", kKey, change, subresource));
  };
  const json ready = {{"name", "fedra"},
                      {"state", "Ready"},
                      {"message", ""},
                      {"lastTransitionTime", FormatRfc3339(since)}};
  patch({{"status", {{"nominatedClusterNames", json::array({"east"})}}}}, "status");
  patch({{"status",
          {{"nominatedClusterNames", nullptr},
           {"clusterName", "east"},
           {"admissionChecks", json::array({ready})}}}},
        "status");
  const WallTime asked = since + std::chrono::minutes(1);
  patch({{"metadata",
          {{"annotations", {{std::string(tracking::kMoveAtAnnotation), FormatRfc3339(asked)}}}}}},
        "");
  const auto at = [&](std::chrono::minutes later) {
    Known known;
    known.now = since + later;
    return f.gatherer.Gather(kKey, known);
  };
  REQUIRE(f.fleet.WaitUntil([&] {
    const Gathered seen = at(std::chrono::minutes(2));
    return !seen.judged && seen.clusters.size() == 2;
  }));
  const Gathered due = at(std::chrono::minutes(2));
  CHECK(due.clusters.at(1).name == kWest);
  CHECK(due.clusters.at(1).verdict.outcome == verdict::Outcome::kYes);
  CHECK(at(std::chrono::minutes(0)).clusters.size() == 1);
  CHECK(at(std::chrono::minutes(30)).clusters.size() == 1);
}

TEST_CASE("what the caches show is assumed, by every instance that looks at them") {
  Fixture f(verify::SharedClaims::kPreferTogether);
  auto& manager = f.fleet.manager_server().objects();
  const auto coming = [&](size_t worker) {
    f.gatherer.Observe(kKey, f.fleet.worker(worker));
    const auto all = f.fleet.worker(worker).assumed().Others({});
    return all->empty() ? 0 : all->front().count;
  };
  CHECK(coming(0) == 0);
  const uint64_t before = f.fleet.worker(0).assumed().version();
  // Another replica has nominated the worker; its clone is still to come.
  REQUIRE(manager.Patch("workloads", kKey,
                        json::parse(R"({"status": {"nominatedClusterNames": ["east"],
                          "admissionChecks": [{"name": "fedra", "state": "Pending",
                                               "message": "sent to east",
                                               "lastTransitionTime": "2026-11-21T16:00:00Z"}]}})"),
                        "status"));
  CHECK(f.fleet.WaitUntil([&] { return coming(0) == 1; }));
  CHECK(f.fleet.worker(0).assumed().version() > before);
  CHECK(coming(1) == 0);
  CHECK(f.gatherer.DispatchedTo(kKey) == std::set<ClusterName>{kEast});
  // Others find one device less, and the workload itself none.
  CHECK(f.fleet.worker(0).assumed().Others({"ml", "other"})->size() == 1);
  CHECK(f.fleet.worker(0).assumed().Others(kKey)->empty());
  REQUIRE(manager.Delete("workloads", kKey));
  CHECK(f.fleet.WaitUntil([&] { return coming(0) == 0; }));
}

TEST_CASE("where devices are not verified nothing is assumed") {
  Fixture f;
  const Gatherer without({.controller_name = "fedra.dev/federation", .us = {.origin = "fedra"}},
                         f.fleet.manager(), f.fleet.workers(), f.copy_failures);
  REQUIRE(f.fleet.manager_server().objects().Patch(
      "workloads", kKey, {{"status", {{"nominatedClusterNames", json::array({"east"})}}}},
      "status"));
  CHECK(f.fleet.WaitUntil([&] { return without.DispatchedTo(kKey).contains(kEast); }));
  CHECK_FALSE(without.Observe(kKey, f.fleet.worker(0)).is_here);
}

}  // namespace fedra::reconcile::gather_test
