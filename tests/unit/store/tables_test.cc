// Every table: what is put comes back unchanged, a second put replaces, a remove removes.
#include <algorithm>

#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::tables_test {
namespace {

struct Fixture {
  TempFolder folder;
  std::unique_ptr<Store> store = MustOpen({.path = folder.Path("fedra.db")});

  std::unique_ptr<Reader> After(std::vector<Change> changes) {
    Must(store->Commit(std::move(changes)));
    return Must(store->Read());
  }
};

// A quote, a NUL, bytes that are no UTF-8, and more than a page.
std::string Odd() { return std::string("a'b\0c\xff\n", 7) + std::string(10'000, 'x') + "·"; }

TEST_CASE_METHOD(Fixture, "clusters") {
  ClusterRow full = Cluster("b", 0);
  full.why = Odd();
  full.lost_since = At(5);
  full.last_contact = At(-6);
  full.kubernetes_version = "1.36.3";
  full.dra_version = "v1";
  full.note = "its job moves in 10m";
  full.capacity_json = R"({"queues":{"total":1}})";
  full.is_removed = true;
  full.cordon = "Draining";
  full.capabilities_json = R"({"jobKinds":["Job"]})";
  const ClusterRow sparse = Cluster("a", 1);
  auto reader = After({PutCluster{sparse}, PutCluster{full}});
  CHECK(Must(reader->Clusters()) == std::vector{full, sparse});  // the configuration's order

  full.lost_since.reset();
  full.position = 2;
  reader = After({PutCluster{full}, RemoveCluster{ClusterName("nobody")}});
  CHECK(Must(reader->Clusters()) == std::vector{sparse, full});
  CHECK(Must(After({RemoveCluster{sparse.name}})->Clusters()) == std::vector{full});
}

TEST_CASE_METHOD(Fixture, "workloads are found by job, by Workload, by namespace and by worker") {
  WorkloadRow train = Workload("u1", "train");
  train.worker = ClusterName("a");
  train.note = Odd();
  train.needs_json = R"({"claims":[],"pods":2,"templates":["one-gpu"]})";
  train.labels_json = R"({"team":"vision"})";
  train.cluster_queue = "team-gpu";
  train.waits_for = "Quota";
  train.priority = -7;
  train.reasons = {"DevicesAllocated", "TemplateMissing"};
  train.finished_at = At(99);
  WorkloadRow other = Workload("u2", "train");
  other.job.ns = other.key.ns = "hpc";
  auto reader = After({PutWorkload{train}, PutWorkload{other}});
  CHECK(Must(reader->Workloads()) == std::vector{other, train});
  CHECK(Must(reader->Workloads({.ns = "ml", .worker = ""})) == std::vector{train});
  CHECK(Must(reader->Workloads({.ns = "", .worker = "a"})) == std::vector{train});
  CHECK(Must(reader->Workloads({.ns = "hpc", .worker = "a"})).empty());
  CHECK(Must(reader->FindWorkloads(train.job)) == std::vector{train});
  CHECK(Must(reader->FindWorkloads(train.key)) == std::vector{train});
  CHECK(Must(reader->FindWorkloads({"", train.job.name})) == std::vector{train, other});
  CHECK(Must(reader->FindWorkloads({"other", train.job.name})).empty());
  CHECK(Must(reader->FindWorkloads({"ml", "nothing"})).empty());
}

TEST_CASE_METHOD(Fixture, "a removed workload leaves the listing, not the history") {
  WorkloadRow old = Workload("u1", "train");
  WorkloadRow living = Workload("u2", "train");
  living.created_at = At(1);  // the clock may have been wrong: living comes first all the same
  After({PutWorkload{old}, PutWorkload{living}, PutVerdicts{"u1", {Verdict("u1", "a", "Yes")}},
         PutVerdicts{"u2", {Verdict("u2", "a", "Yes")}}});
  auto reader = After({RemoveWorkload{"u1", At(50)}, RemoveWorkload{"unknown", At(51)}});
  old.removed_at = At(50);
  CHECK(Must(reader->Workloads()) == std::vector{living});
  CHECK(Must(reader->FindWorkloads(living.job)) == std::vector{living, old});
  CHECK(Must(reader->Verdicts("u1")).empty());
  CHECK(Must(reader->Verdicts("u2")).size() == 1);
}

TEST_CASE_METHOD(Fixture, "placements keep their lists in order") {
  PlacementRow first = Placement("u1");
  PlacementRow second = Placement("u2");
  second.nominated.clear();
  second.failures.clear();
  second.nominated_at.reset();
  auto reader = After({PutPlacement{second}, PutPlacement{first}});
  CHECK(Must(reader->Placements()) == std::vector{first, second});
  CHECK(Must(reader->Failures("u1")) == first.failures);
  CHECK(Must(reader->Failures("u2")).empty());

  first.nominated = {ClusterName("z")};
  first.failures.push_back({ClusterName("a"), "Timeout", At(21)});
  reader = After({PutPlacement{first}, RemovePlacement{"u2"}, RemovePlacement{"u3"}});
  CHECK(Must(reader->Placements()) == std::vector{first});
}

namespace {

PutAttempt Begun(const std::string& uid, int number, const char* cluster) {
  return PutAttempt{{uid, number, ClusterName(cluster), At(1), std::nullopt, "", ""}};
}

EndAttempts Ended(int number, const char* cluster, int at, const std::string& outcome,
                  const std::string& message = {}) {
  return EndAttempts{"u1", {{number, ClusterName(cluster), At(at), outcome, message}}};
}

}  // namespace

TEST_CASE_METHOD(Fixture, "an attempt ends once, and one that never was does not end") {
  const AttemptRow whole{"u1", 1, ClusterName("a"), At(1), At(9), "RecentlyFailed", "preempted"};
  CHECK(Must(After({Begun("u1", 1, "a")})->Attempts("u1")).at(0).outcome.empty());
  CHECK(Must(After({Ended(1, "a", 9, "RecentlyFailed", "preempted")})->Attempts("u1")) ==
        std::vector{whole});
  CHECK(Must(After({Ended(1, "a", 10, "Evicted")})->Attempts("u1")) == std::vector{whole});
  CHECK(
      Must(After({Ended(1, "b", 10, "LostRace"), Ended(2, "a", 10, "LostRace")})->Attempts("u1")) ==
      std::vector{whole});
  CHECK(Must(After({Begun("u1", 1, "a")})->Attempts("u1")) == std::vector{whole});  // not reopened
}

TEST_CASE_METHOD(Fixture, "a new attempt ends what is open of the earlier ones, and nothing else") {
  After({Begun("u1", 1, "a"), Begun("u1", 1, "b"), Ended(1, "a", 3, "TimedOut"),
         Begun("u2", 1, "a")});
  auto reader = After({EndEarlierAttempts{"u1", 2, At(5), "Requeued"}, Begun("u1", 2, "b")});
  const auto attempts = Must(reader->Attempts("u1"));
  REQUIRE(attempts.size() == 3);
  CHECK(attempts[0] == AttemptRow{"u1", 1, ClusterName("a"), At(1), At(3), "TimedOut", ""});
  CHECK(attempts[1] == AttemptRow{"u1", 1, ClusterName("b"), At(1), At(5), "Requeued", ""});
  CHECK_FALSE(attempts[2].ended_at);
  CHECK_FALSE(Must(reader->Attempts("u2")).at(0).ended_at);
}

TEST_CASE_METHOD(Fixture, "attempts that never were leave nothing behind") {
  After({Begun("u1", 1, "a"), Begun("u1", 2, "a"), Begun("u1", 2, "b"), Begun("u2", 2, "a")});
  auto reader = After({RemoveLaterAttempts{"u1", 2}, Begun("u1", 2, "c")});
  const auto attempts = Must(reader->Attempts("u1"));
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[0].cluster == ClusterName("a"));
  CHECK(attempts[1].cluster == ClusterName("c"));
  CHECK(Must(reader->Attempts("u2")).size() == 1);
}

TEST_CASE_METHOD(Fixture, "intents") {
  auto reader = After({AddIntent{Intent(8, "u1")}, AddIntent{Intent(7, "u2")}});
  CHECK(Must(reader->Intents()) == std::vector{Intent(7, "u2"), Intent(8, "u1")});
  CHECK(Must(After({EndIntent{7}, EndIntent{99}})->Intents()) == std::vector{Intent(8, "u1")});
}

TEST_CASE_METHOD(Fixture, "residues") {
  const ResidueRow a{ClusterName("a"), {"ml", "job-x"}, "u1", "Job", {"ml", "x"}, At(2)};
  ResidueRow b = a;
  b.cluster = ClusterName("b");
  CHECK(Must(After({PutResidue{b}, PutResidue{a}, PutResidue{a}})->Residues()) ==
        std::vector{a, b});
  CHECK(Must(After({RemoveResidue{ClusterName("a"), "u1"}})->Residues()) == std::vector{b});
}

TEST_CASE_METHOD(Fixture,
                 "verdicts are replaced as a whole and come in the configuration's order") {
  VerdictRow no = Verdict("u1", "a", "No");
  no.reasons_json = R"([{"code":"TemplateMissing"}])";
  const VerdictRow yes = Verdict("u1", "z", "Yes");
  const VerdictRow gone = Verdict("u1", "b", "Unknown");
  auto reader = After({PutCluster{Cluster("z", 0)}, PutCluster{Cluster("a", 1)},
                       PutVerdicts{"u1", {no, gone, yes}}});
  CHECK(Must(reader->Verdicts("u1")) == std::vector{yes, no, gone});
  CHECK(Must(After({PutVerdicts{"u1", {no}}})->Verdicts("u1")) == std::vector{no});
  CHECK(Must(After({PutVerdicts{"u1", {}}})->Verdicts("u1")).empty());
}

TEST_CASE_METHOD(Fixture, "events are those of one incarnation") {
  WorkloadRow first = Workload("u1", "train");
  WorkloadRow second = Workload("u2", "train");
  EventRow a = Event("u1", At(1), "Dispatched");
  EventRow b = Event("u2", At(2), "Blocked");
  a.key = first.key;
  b.key = second.key;
  After({PutWorkload{first}, PutWorkload{second}, AddEvent{b}, AddEvent{a}});
  auto reader = After({RemoveWorkload{"u1", At(3)}});
  const auto events = Must(reader->Events("u2"));
  REQUIRE(events.size() == 1);
  b.id = events[0].id;
  CHECK(events[0] == b);
  CHECK(b.id == 1);
}

TEST_CASE_METHOD(Fixture, "places in line") {
  const PlaceRow first{"u1", ClusterName("a"), 1, 3, true, "", "Strict", true};
  const PlaceRow second{"u1", ClusterName("b"), 2, 3, false, "ml/job-big", "Strict"};
  auto reader = After({PutPlaces{"u1", {second, first}}});
  CHECK(Must(reader->Places("u1")) == std::vector{first, second});
  CHECK(Must(After({PutPlaces{"u1", {}}})->Places({})).empty());
}

TEST_CASE_METHOD(Fixture, "heartbeat") {
  CHECK_FALSE(Must(Must(store->Read())->Heartbeat()));
  const HeartbeatRow beat{
      At(4),  4711,    "0.1.0", At(3), "Strict",   "dispatch.order, store.path", "Standby",
      "me_1", "you_2", At(1),   3,     "no lists", "dispatch, workers"};
  // Of a store that has known nothing but a standby.
  CHECK(Must(After({SetHeartbeat{beat}})->Heartbeat()) == beat);
  HeartbeatRow kept = beat;
  kept.decided_at = At(2);
  CHECK(Must(After({SetHeartbeat{{At(2), 1, "0", At(1)}}, SetHeartbeat{beat}, SetHeartbeat{beat}})
                 ->Heartbeat()) == kept);
  HeartbeatRow leader = beat;
  leader.role = "Leader";
  CHECK(Must(After({SetHeartbeat{leader}})->Heartbeat())->decided_at == leader.at);
}

}  // namespace
}  // namespace fedra::store::tables_test
