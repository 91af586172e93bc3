// The ring: what one look at a workload leaves behind in the lines, the assumptions and the
// placements.

#include "manager/reconcile/workload_reconciler.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected_executor.h"

namespace fedra::reconcile::workload_reconciler_test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

const ObjectKey kTrain{"ml", "job-train"};
const ClusterName kEast("east"), kWest("west");

ConnectedOptions On(std::vector<std::string> workers) {
  ConnectedOptions options;
  options.workers = std::move(workers);
  return options;
}

// Its one container wants a device.
json PodWithClaim() {
  return json::parse(R"({
      "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "g"}]}}],
      "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one-gpu"}]})");
}

// Another workload, which takes no device.
placement::Assumption Other(const std::string& name) {
  placement::Assumption assumption;
  assumption.workload = {"ml", name};
  assumption.job = {"Job.batch", {"ml", name}};
  return assumption;
}

// What happens between the verdicts of a look and its reservation.
struct Meanwhile final : NoTelemetry {
  std::function<void(int look)> happens = [](int) {};  // looks are counted from 1
  int looks = 0;
  std::vector<ObjectKey> assumed;  // Assumed() was called with
  std::set<ClusterName> judged;    // Judged() was

  void Verified(std::chrono::nanoseconds) override { happens(++looks); }
  void Judged(const ClusterName& cluster, const verdict::Verdict&) override {
    judged.insert(cluster);
  }
  void Assumed(const ObjectKey& workload) override { assumed.push_back(workload); }
};

// Before the executor, which takes its time from here and reports what it does.
struct Surroundings {
  HandClock clock;  // of the looks; the clusters have the real one
  Meanwhile meanwhile;
};

// "ml/job-train" wants one device; its Workload has quota and waits for fedra's check.
struct Ring : Surroundings, ConnectedExecutor {
  RunLoop<ObjectKey> loop{
      {.subject = "workload"}, clock, [](const ObjectKey&) { return Result<void>(); }};
  WakeIndex wake_index;
  DispatchOrder order;
  CopyPlaces places;
  PhaseCounter phases;
  WorkloadReconciler workloads{{.policy = {}, .devices = true},
                               {gatherer, wake_index, places, order, placements, records,
                                status_writer, executor, loop, phases, meanwhile, clock}};

  // So many devices on each of the workers.
  Ring(const std::vector<std::string>& workers, int devices, bool has_replicas = false)
      : ConnectedExecutor(On(workers), {true, clock, &meanwhile, has_replicas}) {
    for (size_t i = 0; i < workers.size(); ++i) AddDevices(fleet.server(i), devices);
    AddWaitingWorkload(fleet.manager_server(), kTrain, PodWithClaim());
    clock.JumpWall(std::chrono::duration_cast<std::chrono::milliseconds>(
        Parsed("2026-11-21T16:00:01Z") - clock.Now()));
    fleet.Start();
    REQUIRE(WaitUntil([&] {
      return fleet.manager().identity().IdentifySoon() &&
             fleet.manager().jobs().WorkloadOf({"Job.batch", {"ml", "train"}}) && IsJudged();
    }));
  }
  void Annotate(std::string_view name, const std::string& value) {
    Patched({{"metadata", {{"annotations", {{std::string(name), value}}}}}}, "");
  }
  // And waits until that is seen.
  void AskToRetry(WallTime at) {
    Annotate(tracking::kRetryAtAnnotation, FormatRfc3339Micro(at));
    REQUIRE(fleet.WaitUntil(
        [&] { return fleet.manager().jobs().workloads().Find(kTrain)->RetryAt().has_value(); }));
  }
  // East did not want it a moment ago.
  void RememberRefusal() {
    store::PlacementRow row{.uid = fleet.manager().jobs().workloads().Find(kTrain)->uid,
                            .key = kTrain};
    row.failures = {
        {kEast, "RecentlyFailed", clock.Now() - 2s, "east refused it", /*refused=*/true, 5}};
    placements.Put(row);
  }
  Gathered Seen() const {
    Known known;
    known.now = clock.Now();
    return gatherer.Gather(kTrain, known);
  }
  json Checks() {
    return (
        *fleet.manager_server().objects().Get("workloads", kTrain))["status"]["admissionChecks"];
  }
  std::string CheckState() { return Checks()[0]["state"].get<std::string>(); }
  std::string Why() {
    REQUIRE(store->Flush());
    const auto rows = store->Read().value()->Workloads().value();
    return rows.empty() ? std::string() : rows.front().note;
  }

  // The workers that the store has a verdict of.
  std::set<ClusterName> Judged() {
    REQUIRE(store->Flush());
    const auto reader = store->Read().value();
    const auto rows = reader->Workloads().value();
    const auto verdicts = reader->Verdicts(rows.front().uid).value();
    std::set<ClusterName> workers;
    for (const store::VerdictRow& row : verdicts) workers.insert(row.cluster);
    return workers;
  }

  static WallTime Parsed(const std::string& time) { return ParseRfc3339(time).value(); }
  // Everywhere, of devices that have been read.
  bool IsJudged() const {
    const Gathered gathered = gatherer.Gather(kTrain, {});
    return gathered.judged && std::ranges::none_of(gathered.clusters, [](const auto& cluster) {
             return cluster.verdict.outcome == verdict::Outcome::kUnknown;
           });
  }
  // Of how many workloads pods will take devices there.
  size_t Coming(size_t worker) { return fleet.worker(worker).assumed().Others({})->size(); }
  // "QueueMissing: 1 for 5000 ms"
  std::string Blocked() const {
    std::string text;
    for (const auto& [reason, facts] : phases.BlockedByReason(clock.Now()))
      text += fmt::format("{}: {} for {} ms", reason, facts.count, facts.longest.count());
    return text;
  }
  json Patched(const json& patch, std::string_view subresource) {
    const auto patched =
        fleet.manager_server().objects().Patch("workloads", kTrain, patch, subresource);
    REQUIRE(patched);
    return *patched;
  }
};

TEST_CASE("a look that another workload has overtaken is made again, and given up at last") {
  Ring ring({"east"}, 2);
  AssumeCache& cache = ring.fleet.worker(0).assumed();
  int overtaken = 0;
  ring.meanwhile.happens = [&](int look) {
    if (look <= overtaken)
      REQUIRE(cache.Reserve(Other(fmt::format("other-{}", look)), {cache.version()}));
  };
  SECTION("overtaken three times") {
    overtaken = 3;
    CHECK(ring.workloads.Reconcile(kTrain));
    CHECK(ring.meanwhile.looks == 4);
    CHECK(ring.meanwhile.assumed == std::vector{kTrain});
    CHECK(ring.Coming(0) == 1);
    CHECK(ring.places.Of(kTrain) == std::set{kEast});
  }
  SECTION("overtaken each time") {
    overtaken = 1000;
    const Result<void> result = ring.workloads.Reconcile(kTrain);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kConflict);
    CHECK(ring.meanwhile.looks == 20);
    CHECK(ring.meanwhile.assumed.empty());
    CHECK(ring.Coming(0) == 0);
    CHECK_FALSE(ring.fleet.server(0).objects().Get("workloads", kTrain));
  }
}

TEST_CASE(
    "a workload that joins the lines while it is looked at does not leave them by that look") {
  Ring ring({"east"}, 1);
  json checks = ring.Checks();
  checks.push_back(checks.front());
  checks.back()["name"] = "another";
  const auto is_contender = [&] { return ring.gatherer.FindContender(kTrain).has_value(); };
  ring.Patched({{"status", {{"admissionChecks", checks}}}}, "status");
  REQUIRE(ring.fleet.WaitUntil([&] { return !is_contender(); }));
  ring.meanwhile.happens = [&](int) {
    checks.back()["state"] = "Ready";
    ring.Patched({{"status", {{"admissionChecks", checks}}}}, "status");
    REQUIRE(ring.fleet.WaitUntil(is_contender));
    ring.order.Join(*ring.gatherer.FindContender(kTrain));  // as on the event
  };
  CHECK(ring.workloads.Reconcile(kTrain));
  const auto standings = ring.order.Standings(ring.clock.Now());
  REQUIRE(standings.size() == 1);
  CHECK(standings.front().rank.workload == kTrain);
}

TEST_CASE("a dispatched job is judged where it is; elsewhere, too, once it cannot stay there") {
  Ring ring({"east", "west"}, 1);
  REQUIRE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.meanwhile.judged == std::set{kEast, kWest});
  REQUIRE(ring.fleet.WaitUntil([&] {
    const auto workload = ring.fleet.manager().jobs().workloads().Find(kTrain);
    return workload->nominated == std::vector<std::string>{"east"};
  }));
  ring.meanwhile.judged.clear();
  REQUIRE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.meanwhile.judged == std::set{kEast});
  // What the choice was made from is kept.
  CHECK(ring.Judged() == std::set{kEast, kWest});

  REQUIRE(ring.fleet.server(0).objects().Delete("localqueues", {"ml", "gpu"}));
  REQUIRE(ring.fleet.WaitUntil([&] {
    const Gathered seen = ring.gatherer.Gather(kTrain, {});
    return verdict::Headline(seen.clusters.front().verdict) == "QueueMissing";
  }));
  ring.meanwhile.judged.clear();
  REQUIRE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.meanwhile.judged == std::set{kEast, kWest});
  CHECK(ring.places.Of(kTrain).contains(kWest));
}

TEST_CASE("what was reserved on a worker that it is not sent to any more is off") {
  Ring ring({"east", "west"}, 1);
  // An earlier look chose west, and nothing came of it.
  const Gathered seen = ring.gatherer.Gather(kTrain, {});
  AssumeCache& west = ring.fleet.worker(1).assumed();
  REQUIRE(west.Reserve(placement::AssumptionOf(seen.view), {west.version()}));
  REQUIRE(ring.Coming(1) == 1);
  ring.places.Put(kTrain, {kWest});
  REQUIRE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.Coming(0) == 1);
  CHECK(ring.Coming(1) == 0);
  CHECK(ring.places.Of(kTrain) == std::set{kEast});
  // It had left its line by then.
  CHECK(ring.meanwhile.assumed.empty());
}

TEST_CASE("what was left behind on a worker is forgotten when the worker shows that it is gone") {
  Ring ring({"east"}, 1);
  const ObjectKey gone{"ml", "gone"};
  REQUIRE(ring.placements.AddResidue({kEast, gone, "uid-gone", "Job", gone, {}}));
  SECTION("the worker shows nothing of it") {
    REQUIRE(ring.workloads.Reconcile(gone));
    CHECK(ring.placements.ResiduesOn(kEast).empty());
  }
  SECTION("the worker is away") {
    sim::Faults away;
    away.refuse = true;
    ring.fleet.server(0).SetFaults(away);
    REQUIRE(ring.fleet.WaitUntil(
        [&] { return ring.fleet.worker(0).contact() == placement::Contact::kNone; }));
    (void)ring.workloads.Reconcile(gone);
    CHECK(ring.placements.ResiduesOn(kEast) == std::vector{gone});
  }
}

TEST_CASE("a failure that somebody asks to forget is forgotten, and its pause is over") {
  Ring ring({"east"}, 1);
  ring.RememberRefusal();
  REQUIRE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.places.Of(kTrain).empty());
  ring.AskToRetry(ring.clock.Now() - 1s);
  REQUIRE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.places.Of(kTrain) == std::set{kEast});
  CHECK(ring.placements.Find(kTrain).failures.empty());
}

size_t RecordsWritten(Ring& ring) {
  const auto counts = ring.manager().RequestCounts();
  size_t written = 0;
  for (const char* request : {"create placementrecords", "patch placementrecords"})
    if (const auto found = counts.find(request); found != counts.end()) written += found->second;
  return written;
}

// East did not want it this long ago; `uid`: of the Workload that the record is of.
void LeaveRecord(Ring& ring, const std::string& uid, std::chrono::milliseconds ago) {
  tracking::Workload owner;
  owner.key = kTrain;
  owner.uid = uid;
  const tracking::Recorded recorded{.attempt = 4,
                                    .failures = {{.worker = kEast,
                                                  .reason = "RecentlyFailed",
                                                  .message = "east refused it",
                                                  .at = ring.clock.Now() - ago,
                                                  .refused = true}}};
  REQUIRE(ring.manager().objects().Create(json::parse(tracking::RecordBody(owner, recorded))));
  REQUIRE(WaitUntil([&] { return ring.fleet.manager().records().Find(kTrain) != nullptr; }));
}

TEST_CASE("a worker that refused the job under another leader comes last under this one") {
  struct Case {
    const char* what;
    bool has_replicas;
    std::chrono::milliseconds ago;
    ClusterName sent_to;
  };
  const auto each =
      GENERATE(values<Case>({{"a second ago", true, 1s, kWest},
                             {"behind its pause, and not long ago", true, 2min, kWest},
                             {"an hour ago", true, 1h, kEast},
                             {"the other one's clock was ahead", true, -24h, kWest},
                             {"records are not read", false, 1s, kEast}}));
  CAPTURE(each.what);
  Ring ring({"east", "west"}, 1, /*has_replicas=*/true);
  LeaveRecord(ring, ring.fleet.manager().jobs().workloads().Find(kTrain)->uid, each.ago);
  RecordKeeper none(false, ring.fleet.manager().cluster(), ring.fleet.manager().records(),
                    ring.placements, ring.clock);
  WorkloadReconciler workloads(
      {.policy = {}, .devices = true},
      {ring.gatherer, ring.wake_index, ring.places, ring.order, ring.placements,
       each.has_replicas ? ring.records : none, ring.status_writer, ring.executor, ring.loop,
       ring.phases, ring.meanwhile, ring.clock});
  REQUIRE(workloads.Reconcile(kTrain));
  CHECK(ring.places.Of(kTrain) == std::set{each.sent_to});
  CHECK(ring.placements.Find(kTrain).attempt == (each.has_replicas ? 5 : 1));
}

TEST_CASE("a record of an earlier Workload of that name says nothing of this one") {
  Ring ring({"east", "west"}, 1, /*has_replicas=*/true);
  const auto ns = ring.manager().objects().Get("namespaces", {"", "ml"});
  LeaveRecord(ring, (*ns)["metadata"]["uid"], 1s);  // of an owner that lives, or it would go
  REQUIRE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.places.Of(kTrain) == std::set{kEast});
  CHECK(RecordsWritten(ring) == 0);
}

TEST_CASE("what is remembered counts for more than a record") {
  Ring ring({"east", "west"}, 1, /*has_replicas=*/true);
  store::PlacementRow row{.uid = ring.fleet.manager().jobs().workloads().Find(kTrain)->uid,
                          .key = kTrain};
  ring.placements.Put(row);
  LeaveRecord(ring, row.uid, 1s);
  REQUIRE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.places.Of(kTrain) == std::set{kEast});
  CHECK(RecordsWritten(ring) == 1);  // and the record says so from now on
}

TEST_CASE(
    "a refusal is on the manager with the look that met it; a job that is taken costs nothing") {
  Ring ring({"east"}, 1, /*has_replicas=*/true);
  SECTION("it is taken") {
    REQUIRE(ring.workloads.Reconcile(kTrain));
    REQUIRE(ring.workloads.Reconcile(kTrain));
    CHECK(ring.places.Of(kTrain) == std::set{kEast});
    CHECK(RecordsWritten(ring) == 0);
  }
  SECTION("it is refused") {
    sim::Faults faults;
    faults.answers.push_back({.method = "POST", .path_contains = "/workloads", .code = 403});
    ring.fleet.server(0).SetFaults(faults);
    REQUIRE_FALSE(ring.workloads.Reconcile(kTrain));
    const auto record = ring.manager().objects().Get("placementrecords", kTrain);
    REQUIRE(record);
    CHECK((*record)["status"]["attempt"] == 1);
    CHECK((*record)["status"]["failures"][0]["worker"] == "east");
    CHECK((*record)["status"]["failures"][0]["refused"] == true);
    CHECK(RecordsWritten(ring) == 1);
  }
}

TEST_CASE("a look that is given up has changed nothing of what is remembered") {
  Ring ring({"east"}, 2);
  ring.RememberRefusal();
  ring.AskToRetry(ring.clock.Now() - 1s);
  AssumeCache& cache = ring.fleet.worker(0).assumed();
  bool is_overtaken = true;
  ring.meanwhile.happens = [&](int look) {
    if (is_overtaken)
      REQUIRE(cache.Reserve(Other(fmt::format("other-{}", look)), {cache.version()}));
  };
  REQUIRE_FALSE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.placements.Find(kTrain).failures.size() == 1);
  is_overtaken = false;
  REQUIRE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.placements.Find(kTrain).failures.empty());
}

// As the worker's Kueue and the manager would have it.
void RunOnEast(Ring& ring) {
  REQUIRE(ring.workloads.Reconcile(kTrain));
  const auto condition = [](const char* type) {
    return json{{"type", type},
                {"status", "True"},
                {"reason", type},
                {"message", ""},
                {"lastTransitionTime", "2026-11-21T16:00:00Z"}};
  };
  REQUIRE(ring.fleet.server(0).objects().Patch(
      "workloads", kTrain,
      {{"status",
        {{"admission",
          {{"clusterQueue", "gpu"}, {"podSetAssignments", json::array({{{"name", "main"}}})}}},
         {"conditions", json::array({condition("QuotaReserved"), condition("Admitted")})}}}},
      "status"));
  const json ready = {{"name", "fedra"},
                      {"state", "Ready"},
                      {"message", ""},
                      {"lastTransitionTime", "2026-11-21T16:00:01Z"}};
  ring.Patched({{"status",
                 {{"nominatedClusterNames", nullptr},
                  {"clusterName", "east"},
                  {"admissionChecks", json::array({ready})}}}},
               "status");
}

TEST_CASE("a running job is not taken back for a worker that is kept for those ahead in line") {
  Ring ring({"east", "west"}, 1);
  RunOnEast(ring);
  ring.clock.Advance(1min);
  ring.Annotate(tracking::kMoveAtAnnotation, FormatRfc3339Micro(ring.clock.Now()));
  REQUIRE(ring.fleet.WaitUntil([&] {
    const Gathered seen = ring.Seen();
    return !seen.judged && seen.clusters.size() == 2 && seen.clusters[0].clone != nullptr &&
           seen.clusters[0].clone->Admitted() &&
           seen.clusters[1].verdict.outcome == verdict::Outcome::kYes;
  }));
  // It waits for more devices than west has free, and none may pass it.
  placement::Contender head;
  head.rank = {.since = WallTime{}, .workload = {"ml", "head"}};
  head.order.policy = placement::OrderPolicy::kStrict;
  const DispatchOrder::Versions seen = ring.order.Now();
  const auto version = seen.devices->find(kWest);
  ring.order.Offer(head,
                   {{kWest,
                     {.chance = placement::Bid::Chance::kWaits,
                      .as_of = version == seen.devices->end() ? 0 : version->second,
                      .missing = 1,
                      .devices = ring.Seen().clusters[1].serving}}},
                   seen, ring.clock.Now());

  (void)ring.workloads.Reconcile(kTrain);  // whether its copy can be written is another matter
  CHECK(ring.CheckState() == "Ready");
  CHECK_THAT(ring.Why(),
             ContainsSubstring("west, InLine: free devices go to those ahead in line: 1 job"));

  (void)ring.order.Leave({"ml", "head"}, ring.order.Now());
  CHECK(ring.fleet.WaitUntil([&] {
    (void)ring.workloads.Reconcile(kTrain);
    return ring.CheckState() == "Retry";
  }));
}

TEST_CASE("a blocked workload counts by the first reason on most workers") {
  Ring ring({"east", "north", "west"}, 0);
  REQUIRE(ring.fleet.server(0).objects().Delete("localqueues", {"ml", "gpu"}));
  REQUIRE(ring.fleet.WaitUntil([&] {
    const Gathered seen = ring.gatherer.Gather(kTrain, {});
    return verdict::Headline(seen.clusters.front().verdict) == "QueueMissing";
  }));
  ring.clock.Advance(1min);
  REQUIRE(ring.workloads.Reconcile(kTrain));
  CHECK(ring.Blocked() == "DriverMissing: 1 for 61000 ms");
  CHECK(ring.phases.ByPhase().at({"Job", placement::ToString(placement::Phase::kBlocked)}) == 1);

  REQUIRE(ring.fleet.manager_server().objects().Delete("workloads", kTrain));
  REQUIRE(ring.fleet.WaitUntil(
      [&] { return ring.fleet.manager().jobs().workloads().Find(kTrain) == nullptr; }));
  (void)ring.workloads.Reconcile(kTrain);
  CHECK(ring.Blocked().empty());
}

// Its copies of before are being removed; as long as that usually takes, the devices are kept.
TEST_CASE(
    "one that fits and is not sent anywhere holds others until cleaning up has had its time") {
  const std::string quota = "2026-11-21T17:00:00Z";
  Ring ring({"east"}, 1);
  REQUIRE(ring.workloads.Reconcile(kTrain));  // makes a clone, which the eviction leaves behind
  REQUIRE(ring.Coming(0) == 1);
  ring.Patched({{"status",
                 {{"nominatedClusterNames", nullptr},
                  {"conditions", json::array({{{"type", "QuotaReserved"},
                                               {"status", "True"},
                                               {"reason", "QuotaReserved"},
                                               {"message", ""},
                                               {"lastTransitionTime", quota}}})}}}},
               "status");
  REQUIRE(ring.fleet.WaitUntil([&] {
    const auto workload = ring.fleet.manager().jobs().workloads().Find(kTrain);
    return workload != nullptr && workload->nominated.empty() &&
           workload->quota_reserved->since == Ring::Parsed(quota);
  }));
  const bool is_late = GENERATE(false, true);
  CAPTURE(is_late);
  ring.clock.JumpWall(std::chrono::duration_cast<std::chrono::milliseconds>(
      Ring::Parsed(quota) - ring.clock.Now() + (is_late ? 10s : 9s)));
  const auto serving = ring.gatherer.Gather(kTrain, {}).clusters.front().serving;
  REQUIRE(serving != nullptr);
  // That the clone cannot be deleted makes no difference to the line.
  (void)ring.workloads.Reconcile(kTrain);

  placement::Contender last;
  last.rank = {.since = WallTime::max(), .workload = {"ml", "last"}};
  const DispatchOrder::Versions seen = ring.order.Now();
  const auto version = seen.devices->find(kEast);
  const placement::Bids bids{{kEast,
                              {.chance = placement::Bid::Chance::kFits,
                               .as_of = version == seen.devices->end() ? 0 : version->second,
                               .missing = 0,
                               .devices = serving}}};
  const auto answer = ring.order.Offer(last, bids, seen, ring.clock.Now());
  const bool is_held = answer.workers.at(kEast).after == kTrain;
  CHECK(is_held == !is_late);
}

}  // namespace
}  // namespace fedra::reconcile::workload_reconciler_test
