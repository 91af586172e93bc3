// Carrying out decisions against a simulated manager and worker.

#include "manager/reconcile/execute.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <nlohmann/json.hpp>

#include "base/guarded.h"
#include "manager/reconcile/remove_copy.h"
#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected_executor.h"

namespace fedra::reconcile::execute_test {

using namespace fedra::placement;
using nlohmann::json;

namespace {

const ClusterName kEast("east");
const ObjectKey kKey{"ml", "job-train"};

ConnectedOptions East() {
  ConnectedOptions options;
  options.workers = {kEast.value};
  return options;
}

struct Fixture : ConnectedExecutor {
  explicit Fixture(const ExecutorOptions& with = {}) : ConnectedExecutor(East(), with) {
    const json cpu = {{"requests", {{"cpu", "1"}}}};
    AddWaitingWorkload(
        fleet.manager_server(), kKey,
        {{"containers", json::array({{{"name", "c"}, {"image", "i"}, {"resources", cpu}}})}});
    fleet.Start();
    REQUIRE(fleet.WaitUntil([&] { return gatherer.Gather(kKey, {}).view.job != nullptr; }));
  }

  Result<void> Execute(std::vector<Action> actions) {
    return Carry(gatherer.Gather(kKey, {}), std::move(actions));
  }
  std::vector<store::AttemptRow> Attempts() {
    REQUIRE(store->Flush());
    return store->Read().value()->Attempts(gatherer.Gather(kKey, {}).view.workload->uid).value();
  }
  ConnectionPhase ManagerPhase() { return fleet.manager().cluster().state().phase; }
  bool HasClone() { return east().objects().Get("workloads", kKey).has_value(); }
};

const std::vector<Action> kDispatch{Nominate{{kEast}, "sent to east", true}, CreateClone{kEast}};

json ForeignWorkload() {
  return {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "Workload"},
          {"metadata", {{"name", kKey.name}, {"namespace", kKey.ns}}},
          {"spec", {{"queueName", "gpu"}}}};
}

sim::Faults Answer(const std::string& method, int code) {
  sim::Faults faults;
  faults.answers.push_back({.method = method, .path_contains = "/workloads", .code = code});
  return faults;
}

}  // namespace

TEST_CASE("a clone is made once, however often it is asked for, and can be removed again") {
  Fixture f;
  for (int i = 0; i < 2; ++i) CHECK(f.Execute({CreateClone{kEast}}));
  CHECK(f.HasClone());
  REQUIRE(f.fleet.WaitUntil(
      [&] { return f.gatherer.Gather(kKey, {}).clusters.at(0).clone != nullptr; }));
  CHECK(f.Execute({DeleteRemote{kEast, AttemptEnd::kDeleted}}));
  CHECK_FALSE(f.HasClone());
}

TEST_CASE("where Kueue copies the jobs nothing is written on workers, whatever was decided") {
  Fixture f;
  REQUIRE(f.Execute({CreateClone{kEast}}));
  REQUIRE(f.fleet.WaitUntil(
      [&] { return f.gatherer.Gather(kKey, {}).clusters.at(0).clone != nullptr; }));
  Gathered gathered = f.gatherer.Gather(kKey, {});
  gathered.view.kueue_copies = true;
  const std::vector<Action> actions = {
      CreateClone{kEast}, CreateJob{kEast},  SetClonePriority{kEast},
      AdoptClone{kEast},  UpdateCopy{kEast}, RemoveSurplus{kEast},
      UpdateClone{kEast}, KeepLog{kEast},    DeleteRemote{kEast, AttemptEnd::kDeleted}};
  for (const Action& action : actions) {
    const Result<void> done = f.Carry(gathered, {action});
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::kInternal);
  }
  CHECK(f.HasClone());
}

TEST_CASE("a foreign object in the way is a failure of that worker, and it is not touched") {
  Fixture f;
  const auto foreign = f.east().objects().Create(ForeignWorkload());
  REQUIRE(foreign);
  const Result<void> done = f.Execute({CreateClone{kEast}});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kConflict);
  const auto failures = f.placements.Find(kKey).failures;
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].reason == verdict::ToString(verdict::ReasonCode::kNameConflict));
  CHECK((*f.east().objects().Get("workloads", kKey))["metadata"]["uid"] ==
        (*foreign)["metadata"]["uid"]);
}

TEST_CASE("an object that was in the way and is gone when asked for is no refusal") {
  Fixture f;
  f.east().SetFaults(Answer("POST", 409));  // and nothing is there
  const Result<void> done = f.Execute({CreateClone{kEast}});
  REQUIRE_FALSE(done);
  CHECK(done.error().code == ErrorCode::kConflict);
  CHECK(f.placements.Find(kKey).failures.empty());
}

TEST_CASE("a queue that is full of the job's own copy is not full for the job") {
  Fixture f;
  const json resources = json::array({{{"name", "cpu"}, {"nominalQuota", "4"}}});
  const json groups =
      json::array({{{"coveredResources", json::array({"cpu"})},
                    {"flavors", json::array({{{"name", "default"}, {"resources", resources}}})}}});
  REQUIRE(f.east().objects().Patch("clusterqueues", {"", "gpu"},
                                   {{"spec", {{"resourceGroups", groups}}}}));
  const json used = json::array({{{"name", "cpu"}, {"total", "4"}}});
  const json reserved = json::array({{{"name", "default"}, {"resources", used}}});
  REQUIRE(f.east().objects().Patch("clusterqueues", {"", "gpu"},
                                   {{"status", {{"flavorsReservation", reserved}}}}, "status"));
  const auto is_full = [&] {
    const auto reasons = f.gatherer.Gather(kKey, {}).clusters.at(0).verdict.reasons;
    return std::any_of(reasons.begin(), reasons.end(), [](const verdict::Reason& reason) {
      return reason.code == verdict::ReasonCode::kQueueFull;
    });
  };
  REQUIRE(f.fleet.WaitUntil(is_full));
  CHECK(f.Execute({CreateClone{kEast}}));
  const json quota = json::parse(R"({"status": {
      "admission": {"clusterQueue": "gpu", "podSetAssignments": [{"name": "main"}]},
      "conditions": [
      {"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": "",
       "lastTransitionTime": "2026-11-21T16:00:00Z"}]}})");
  const auto patched = f.east().objects().Patch("workloads", kKey, quota, "status");
  INFO((patched ? std::string() : patched.error().message));
  REQUIRE(patched);
  CHECK(f.fleet.WaitUntil([&] { return !is_full(); }));
}

TEST_CASE("what a worker refuses is remembered, what it could not do just now is not") {
  Fixture f;
  f.east().SetFaults(Answer("POST", 500));
  CHECK_FALSE(f.Execute({CreateClone{kEast}}));
  CHECK(f.placements.Find(kKey).failures.empty());
  f.east().SetFaults(Answer("POST", 403));
  CHECK_FALSE(f.Execute({CreateClone{kEast}}));
  CHECK(f.placements.Find(kKey).failures.size() == 1);
}

TEST_CASE(
    "a residue is for a worker that is away: of one that is back the decision is made again") {
  Fixture f;
  REQUIRE(f.Execute({Nominate{{kEast}, "sent to east", true}}));
  const Result<void> back = f.Execute({RecordResidue{kEast}, SetCheck{}});
  REQUIRE_FALSE(back);
  CHECK(back.error().code == ErrorCode::kConflict);
  sim::Faults gone;
  gone.refuse = true;
  f.east().SetFaults(gone);
  REQUIRE(f.fleet.WaitUntil([&] { return f.fleet.worker(0).contact() == Contact::kNone; }));
  CHECK(f.Execute({RecordResidue{kEast}}));
  CHECK(f.placements.ResiduesOn(kEast) == std::vector{kKey});
}

TEST_CASE("what the check says is remembered once it was written, until the placement is cleared") {
  Fixture f;
  const CheckReport reported{WallTime(std::chrono::seconds(7)), 11, 12};
  const auto remembered = [&] { return ToRecord(f.placements.Find(kKey)).reported; };
  f.fleet.manager_server().SetFaults(Answer("PATCH", 500));
  CHECK_FALSE(f.Execute({Nominate{{}, "none eligible", false, reported}}));
  CHECK_FALSE(f.Execute({SetCheck{tracking::CheckState::kPending, "two checks", reported}}));
  CHECK_FALSE(remembered());
  f.fleet.manager_server().SetFaults({});
  REQUIRE(f.Execute({Nominate{{}, "none eligible", false, reported}}));
  REQUIRE(remembered());
  CHECK(*remembered() == CheckReport{reported.reserved_at, reported.facts, 0});
  CHECK(f.placements.Rendering(kKey) == reported.rendering);
  REQUIRE(f.store->Flush());
  PlacementStore restarted(*f.store);
  REQUIRE(restarted.Load());
  CHECK(ToRecord(restarted.Find(kKey)).reported == remembered());
  CHECK(restarted.Rendering(kKey) == 0);
  REQUIRE(f.Execute({ClearPlacement{"waiting"}}));
  CHECK(remembered() == CheckReport{});
  REQUIRE(f.Execute({SetCheck{tracking::CheckState::kPending, "two checks", reported}}));
  CHECK(remembered()->facts == reported.facts);
  REQUIRE(f.Execute({RecordReport{{reported.reserved_at, 13, 14}}}));
  CHECK(remembered()->facts == 13);
  CHECK(f.placements.Rendering(kKey) == 14);
}

TEST_CASE(
    "what the check says of a nominated workload costs no row: the nomination shows whose it is") {
  Fixture f;
  const CheckReport waiting{WallTime(std::chrono::seconds(7)), 11, 12};
  const CheckReport sent{WallTime(std::chrono::seconds(7)), 13, 14};
  const auto in_memory = [&] { return ToRecord(f.placements.Find(kKey)).reported; };
  const auto in_store = [&] {
    REQUIRE(f.store->Flush());
    PlacementStore restarted(*f.store);
    REQUIRE(restarted.Load());
    return ToRecord(restarted.Find(kKey)).reported;
  };
  REQUIRE(f.Execute({Nominate{{}, "none eligible", false, waiting}}));
  CHECK(in_store()->facts == waiting.facts);
  REQUIRE(f.Execute({Nominate{{kEast}, "sent to east", true, sent}}));
  CHECK(in_memory()->facts == sent.facts);
  // Not what it said before: that would be taken for a message that has to be written again.
  CHECK_FALSE(in_store());
}

TEST_CASE("a job that is deleted while it runs on a worker is in the history") {
  Fixture f;
  REQUIRE(f.Execute(kDispatch));
  REQUIRE(f.Execute({CreateJob{kEast}}));
  const ObjectKey job = f.gatherer.Gather(kKey, {}).job;
  REQUIRE(f.east().objects().Patch("jobs", job, {{"spec", {{"suspend", false}}}}));
  REQUIRE(f.fleet.WaitUntil([&] {
    const auto seen = f.gatherer.Gather(kKey, {}).clusters.at(0).job;
    return seen != nullptr && !seen->suspended;
  }));
  REQUIRE(f.Execute({DeleteRemote{kEast, AttemptEnd::kEvicted, "preempted"}}));
  REQUIRE(f.store->Flush());
  const std::string uid = f.gatherer.Gather(kKey, {}).view.workload->uid;
  const auto events = f.store->Read().value()->Events(uid).value();
  REQUIRE(events.size() == 1);
  CHECK(events[0].reason == "StoppedOnWorker");
  CHECK(events[0].cluster == kEast);
  CHECK_THAT(events[0].message, ContainsSubstring("was running on east and was deleted there: "
                                                  "it was evicted"));
  REQUIRE(f.Attempts().size() == 1);
  CHECK(f.Attempts()[0].message == "preempted");
}

namespace {

const char* const kFinalizer = "kueue.x-k8s.io/resource-in-use";

// A fedra that has looked, and acts when another one leads and has let east have the workload.
struct Stale : Fixture {
  Gathered seen;

  json Clone() { return *east().objects().Get("workloads", kKey); }
  void Send(std::vector<Action> actions) {
    actions.insert(actions.begin(), {Nominate{{kEast}, "sent to east", true}, CreateClone{kEast}});
    const auto sent = Execute(std::move(actions));
    REQUIRE(sent);
    const json held{{"metadata", {{"finalizers", {kFinalizer}}}}};
    REQUIRE(east().objects().Patch("workloads", kKey, held));
  }
  // As of now.
  void Look() {
    const std::string version = Clone()["metadata"]["resourceVersion"];
    REQUIRE(fleet.WaitUntil([&] {
      seen = gatherer.Gather(kKey, {});
      return seen.clusters.at(0).clone != nullptr &&
             seen.clusters.at(0).clone->version.value == version;
    }));
  }
  void Change(const char* resource, const ObjectKey& key) {
    const json changed{{"metadata", {{"annotations", {{"example.com/changed", "meanwhile"}}}}}};
    REQUIRE(east().objects().Patch(resource, key, changed));
  }
  Result<void> Act(Action action) {
    Decision decision;
    decision.actions.push_back(std::move(action));
    return executor.Execute(seen, decision);
  }
  bool HasJob() { return east().objects().Get("jobs", seen.job).has_value(); }
};

}  // namespace

TEST_CASE_METHOD(Stale, "a clone is removed as it is, but for the finalizers of others") {
  Send({});
  Look();
  const char* const of_others = "example.com/backup";
  const json held{{"metadata", {{"finalizers", {kFinalizer, of_others}}}}};
  REQUIRE(east().objects().Patch("workloads", kKey, held));
  REQUIRE(RemoveClone(fleet.worker(0).cluster(), *seen.clusters.at(0).clone, /*only_if=*/{}));
  CHECK(Clone()["metadata"]["finalizers"] == json{of_others});
  CHECK(Clone()["metadata"].contains("deletionTimestamp"));
}

TEST_CASE_METHOD(Stale, "a copy that has changed since it was looked at is not removed") {
  const DeleteRemote remove{kEast, AttemptEnd::kLostRace};
  SECTION("a clone") {
    Send({});
    Look();
    Change("workloads", kKey);
    CHECK(Act(remove).error().code == ErrorCode::kConflict);
    CHECK(Clone()["metadata"]["finalizers"] == json{kFinalizer});
  }
  SECTION("a clone without a finalizer") {
    Send({});
    const json free{{"metadata", {{"finalizers", nullptr}}}};
    REQUIRE(east().objects().Patch("workloads", kKey, free));
    Look();
    Change("workloads", kKey);
    CHECK(Act(remove).error().code == ErrorCode::kConflict);
    CHECK(HasClone());
  }
  SECTION("a job, and with it its clone") {
    Send({CreateJob{kEast}});
    Look();
    REQUIRE(HasJob());
    Change("jobs", seen.job);
    CHECK(Act(remove).error().code == ErrorCode::kConflict);
    CHECK(HasJob());
    CHECK(HasClone());
  }
  SECTION("but the next look does it") {
    Send({CreateJob{kEast}});
    Look();
    CHECK(Act(remove));
    CHECK_FALSE(HasJob());
    CHECK_FALSE(HasClone());
  }
}

TEST_CASE_METHOD(Stale,
                 "the copies of a Workload that is over are removed, whatever happens to them") {
  Send({CreateJob{kEast}});
  const json finished = json::parse(R"({"status": {"conditions": [
      {"type": "Finished", "status": "True", "reason": "Succeeded", "message": "",
       "lastTransitionTime": "2026-11-21T17:00:00Z"}]}})");
  REQUIRE(fleet.manager_server().objects().Patch("workloads", kKey, finished, "status"));
  REQUIRE(fleet.WaitUntil([&] {
    const auto workload = gatherer.Gather(kKey, {}).view.workload;
    return workload != nullptr && workload->Finished();
  }));
  Look();
  Change("jobs", seen.job);
  Change("workloads", kKey);
  CHECK(Act(DeleteRemote{kEast, AttemptEnd::kFinished}));
  CHECK_FALSE(HasJob());
  CHECK_FALSE(HasClone());
}

TEST_CASE_METHOD(Stale, "the priority of a clone that has changed is left as it is") {
  Send({});
  Look();
  CHECK(Act(SetClonePriority{kEast}));
  Look();
  Change("workloads", kKey);
  CHECK(Act(SetClonePriority{kEast}).error().code == ErrorCode::kConflict);
}

TEST_CASE("removing what is in the way does not end the attempt that it is in the way of") {
  Fixture f;
  REQUIRE(f.Execute(kDispatch));
  REQUIRE(f.fleet.WaitUntil(
      [&] { return f.gatherer.Gather(kKey, {}).clusters.at(0).clone != nullptr; }));
  REQUIRE(f.Execute({DeleteRemote{kEast, {}}}));
  REQUIRE(f.Attempts().size() == 1);
  CHECK_FALSE(f.Attempts()[0].ended_at);
  REQUIRE(f.Execute({DeleteRemote{kEast, AttemptEnd::kTimedOut}}));
  CHECK(f.Attempts()[0].outcome == "TimedOut");
}

TEST_CASE("the first end of an attempt stands, and a round after it does not change it") {
  Fixture f;
  REQUIRE(f.Execute({Nominate{{kEast}, "sent to east", true}}));
  const Failure evicted{
      kEast, verdict::ReasonCode::kRecentlyFailed, {}, "evicted on east: preempted"};
  REQUIRE(f.Execute({RecordFailure{evicted, AttemptEnd::kEvicted}}));
  REQUIRE(f.Execute({DeleteRemote{kEast, AttemptEnd::kWithdrawn}}));
  REQUIRE(f.Execute({Nominate{{ClusterName("west")}, "sent to west", true}}));
  REQUIRE(f.Execute({DeleteRemote{kEast, AttemptEnd::kLostRace}}));  // it was not in this attempt
  const auto attempts = f.Attempts();
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].outcome == "Evicted");
  CHECK(attempts[0].message == "evicted on east: preempted");
  CHECK(attempts[1].cluster == ClusterName("west"));
  CHECK_FALSE(attempts[1].ended_at);
}

TEST_CASE("a nomination that could not be written is no attempt") {
  Fixture f;
  const ClusterName west("west");
  REQUIRE(f.Execute({Nominate{{kEast}, "sent to east", true}}));
  const auto since = f.placements.Find(kKey).nominated_at;
  REQUIRE(since);
  const Gathered stale = f.gatherer.Gather(kKey, {});
  const bool conflict = GENERATE(true, false);
  if (conflict) {
    REQUIRE(f.fleet.manager_server().objects().Patch(
        "workloads", kKey, {{"metadata", {{"labels", {{"seen", "no"}}}}}}));
  } else {
    f.fleet.manager_server().SetFaults(Answer("PATCH", 500));
  }
  Decision decision;
  decision.actions = {Nominate{{west}, "sent to west", true}};
  for (int i = 0; i < 3; ++i) {
    const Result<void> done = f.executor.Execute(stale, decision);
    REQUIRE_FALSE(done);
    CHECK((done.error().code == ErrorCode::kConflict) == conflict);
  }
  CHECK(f.placements.Find(kKey).attempt == 1);
  CHECK(f.placements.Find(kKey).nominated == std::vector{kEast});
  // Whether a 500 was written is not known: then the time-out counts anew.
  CHECK((f.placements.Find(kKey).nominated_at == since) == conflict);
  f.fleet.manager_server().SetFaults({});
  const json now = *f.fleet.manager_server().objects().Get("workloads", kKey);
  REQUIRE(f.fleet.WaitUntil([&] {
    return now["metadata"]["resourceVersion"] ==
           f.gatherer.Gather(kKey, {}).view.workload->version.value;
  }));
  REQUIRE(f.Execute({Nominate{{kEast, west}, "sent to both", true}}));
  CHECK(f.placements.Find(kKey).attempt == 2);
  const auto attempts = f.Attempts();
  REQUIRE(attempts.size() == 3);
  CHECK(attempts[0].outcome == "Requeued");
  CHECK(attempts[1].number == 2);
  CHECK(attempts[2].number == 2);
}

TEST_CASE("the manager hears of an attempt while it is being stored, a worker when it has been") {
  // Of a first one: a later one must not pass for the round before.
  const bool is_first = GENERATE(true, false);
  Guarded<bool> is_slow;
  ExecutorOptions options;
  options.on_transaction = [&] { is_slow.Wait([](bool slow) { return !slow; }, [](bool) {}); };
  Fixture f(options);
  if (!is_first) REQUIRE(f.Execute({Nominate{{ClusterName("west")}, "sent to west", true}}));
  const int before = f.transactions;
  is_slow.With([](bool& slow) { slow = true; });
  store::PlacementRow other;
  other.uid = "uid-other";
  other.key = {"ml", "other"};
  f.placements.Put(other);
  CHECK(WaitUntil([&] { return f.transactions > before; }));  // and none after it
  Result<void> done;
  std::thread carrier([&] { done = f.Execute(kDispatch); });
  const auto is_nominated = [&] {
    const json workload = *f.fleet.manager_server().objects().Get("workloads", kKey);
    const json names = workload["status"].value("nominatedClusterNames", json::array());
    return names == json::array({kEast.value});
  };
  if (is_first) CHECK(WaitUntil(is_nominated));
  CHECK_FALSE(HappensWithin([&] { return f.HasClone() || (!is_first && is_nominated()); },
                            std::chrono::milliseconds(100)));
  is_slow.With([](bool& slow) { slow = false; });
  is_slow.Notify();
  carrier.join();
  CHECK(done);
  CHECK(is_nominated());
  CHECK(f.HasClone());
  CHECK(f.placements.Find(kKey).attempt == (is_first ? 1 : 2));
}

TEST_CASE("a copy is made while the manager is still answering to its nomination") {
  Fixture f;
  sim::Faults silent;
  silent.answers.push_back({.kind = sim::InjectedAnswer::Kind::kHang,
                            .method = "PATCH",
                            .path_contains = "/workloads",
                            .times = 1});
  f.manager().SetFaults(silent);
  Result<void> done;
  std::thread carrier([&] { done = f.Execute(kDispatch); });
  CHECK(WaitUntil([&] { return f.HasClone(); }));
  const json status = (*f.manager().objects().Get("workloads", kKey))["status"];
  CHECK_FALSE(status.contains("nominatedClusterNames"));
  // The call ends with its connection.
  sim::Faults away;
  away.refuse = true;
  f.manager().SetFaults(away);
  f.Await([&] { return f.ManagerPhase() != ConnectionPhase::kConnected; });
  f.manager().SetFaults({});
  carrier.join();
  f.Await([&] { return f.ManagerPhase() == ConnectionPhase::kConnected; });
  if (!done) REQUIRE(f.Execute(kDispatch));
  CHECK(f.east().objects().List("workloads").size() == 1);
}

// It is made again only when a nomination has been written, for without one it is removed.
TEST_CASE("once a nomination was refused a copy waits for the answer to the next one") {
  Fixture f;
  f.manager().SetFaults(Answer("PATCH", 409));
  REQUIRE_FALSE(f.Execute(kDispatch));
  REQUIRE(f.HasClone());
  REQUIRE(f.Execute({DeleteRemote{kEast, std::nullopt}}));
  CHECK_FALSE(f.Execute(kDispatch));
  CHECK_FALSE(f.HasClone());
  f.manager().SetFaults({});
  CHECK(f.Execute(kDispatch));
  CHECK(f.HasClone());
}

TEST_CASE("without contact to the manager no copy is made") {
  Fixture f;
  sim::Faults away;
  away.refuse = true;
  f.manager().SetFaults(away);
  f.Await([&] { return f.ManagerPhase() != ConnectionPhase::kConnected; });
  CHECK_FALSE(f.Execute(kDispatch));
  CHECK_FALSE(f.HasClone());
}

TEST_CASE("a worker that fails holds up neither others nor records, but the job and the winner") {
  Fixture f;
  f.east().SetFaults(Answer("POST", 500));
  const Result<void> done =
      f.Execute({CreateClone{kEast}, SetCheck{tracking::CheckState::kPending, "told all the same"},
                 CreateJob{kEast}});
  REQUIRE_FALSE(done);
  const json workload = *f.fleet.manager_server().objects().Get("workloads", kKey);
  CHECK(workload["status"]["admissionChecks"][0]["message"] == "told all the same");
  CHECK(f.east().objects().List("jobs", "ml").empty());
}

TEST_CASE("the attempt of a failed job whose copies stay ends once, not at every look") {
  Fixture f;
  REQUIRE(f.Execute({Nominate{{kEast}, "sent to east", true}}));
  const std::vector<Action> look{KeepRemote{kEast, AttemptEnd::kFailed, "exit code 1"}};
  REQUIRE(f.Execute(look));
  REQUIRE(f.store->Flush());
  REQUIRE(f.Attempts().size() == 1);
  CHECK(f.Attempts()[0].message == "exit code 1");
  const int before = f.transactions;
  REQUIRE(f.Execute(look));
  REQUIRE(f.store->Flush());
  CHECK(f.transactions == before);
}

// What comes behind it deletes the pods.
TEST_CASE("a log is read later when the worker is busy, and what is behind it waits") {
  Fixture f;
  REQUIRE(f.Execute(kDispatch));
  REQUIRE(f.Execute({CreateJob{kEast}}));
  const ObjectKey job = f.gatherer.Gather(kKey, {}).job;
  const json exited = {{"name", "c"}, {"state", {{"terminated", {{"exitCode", 1}}}}}};
  REQUIRE(f.east().objects().Create(
      {{"apiVersion", "v1"},
       {"kind", "Pod"},
       {"metadata",
        {{"namespace", "ml"},
         {"name", "train-0"},
         {"labels", {{"batch.kubernetes.io/job-name", job.name}}}}},
       {"spec", {{"containers", json::array({{{"name", "c"}, {"image", "i"}}})}}}}));
  REQUIRE(f.east().objects().Patch(
      "pods", {"ml", "train-0"},
      {{"status", {{"phase", "Failed"}, {"containerStatuses", json::array({exited})}}}}, "status"));
  const verify::DeviceState& devices = *f.fleet.worker(0).objects().devices();
  REQUIRE(f.fleet.WaitUntil(
      [&] { return devices.pods().FailedContainerOf({"Job.batch", job}).has_value(); }));
  REQUIRE(
      f.fleet.WaitUntil([&] { return f.gatherer.Gather(kKey, {}).clusters.at(0).job != nullptr; }));

  std::vector<std::unique_ptr<ConcurrencyLimiter::Permit>> permits;
  while (auto permit = f.limiter.TryEnter(kEast)) permits.push_back(std::move(permit));
  const std::vector<Action> end{KeepLog{kEast, 10}, DeleteRemote{kEast, AttemptEnd::kFailed}};
  CHECK_FALSE(f.Execute(end));
  permits.clear();
  REQUIRE(f.HasClone());
  REQUIRE(f.Execute(end));
  CHECK_FALSE(f.HasClone());
  REQUIRE(f.store->Flush());
  const std::string uid = f.gatherer.Gather(kKey, {}).view.workload->uid;
  const auto events = f.store->Read().value()->Events(uid).value();
  REQUIRE_FALSE(events.empty());
  CHECK(events[0].reason == "PodLog");
}

}  // namespace fedra::reconcile::execute_test
