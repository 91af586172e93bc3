// Decide() where Kueue's MultiKueue makes the copies (kueue.mode dispatcher): by situations, and
// through random histories.

#include <functional>
#include <random>

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/support/histories.h"
#include "tests/unit/manager/placement/kueue_copies.h"

namespace fedra::placement::nominations_test {

using fedra::placement::testing::KueueCopies;
using tracking::CheckState;
using verdict::Outcome;
using Names = std::vector<std::string>;
using namespace std::chrono_literals;

namespace {

// Nominated and not admitted yet.
KueueCopies Sent(const Names& workers, Policy policy = {}) {
  KueueCopies world(workers, policy);
  world.ReserveQuota();
  world.Settle();
  return world;
}

}  // namespace

TEST_CASE("the best worker is nominated, and Kueue does the rest") {
  KueueCopies world = Sent({"a", "b"});
  CHECK(world.nominated() == Names{"a"});
  CHECK(world.WorkersWithClone() == Names{"a"});
  CHECK(world.writes() == 1);
  CHECK(world.Look().phase == Phase::kDispatching);
  world.Admit("a");
  world.Settle();
  CHECK(world.workload().cluster_name == "a");
  CHECK(world.Look().phase == Phase::kRunning);
  CHECK(world.Look().worker.value == "a");
  CHECK(world.notes() == Names{"Dispatched", "Placed"});
  world.FinishOn("a");
  world.Settle();
  CHECK(world.Look().phase == Phase::kFinished);
  CHECK(world.notes().back() == "Completed");
  CHECK(world.writes() == 1);
  world.Restart();
  CHECK(world.Step().actions.empty());
}

TEST_CASE(
    "nominations: what Kueue decides about without asking us waits, and people are told why") {
  KueueCopies world({"a"});
  world.workload().checks.clear();
  world.workload().quota_reserved =
      tracking::Condition{.reason = "Inadmissible", .message = "no claims, please"};
  CHECK(world.Look().phase == Phase::kGone);
  world.view().unasked = Unasked::kRefused;
  Decision decision = world.Look();
  CHECK(decision.phase == Phase::kWaiting);
  CHECK(decision.waits_for == WaitsFor::kKueue);
  CHECK(decision.why == "no claims, please");
  CHECK(decision.actions.empty());
  world.ReserveQuota();
  world.view().unasked = Unasked::kAdmitted;
  decision = world.Look();
  CHECK(decision.phase == Phase::kWaiting);
  CHECK_THAT(decision.why, ContainsSubstring("its pods ask for no resource"));
  CHECK(decision.actions.empty());
}

TEST_CASE("a worker that cannot run it is never nominated") {
  KueueCopies world({"a", "b"});
  world.worker("a").outcome = Outcome::kNo;
  world.ReserveQuota();
  world.Settle();
  CHECK(world.nominated() == Names{"b"});
}

TEST_CASE("where none can, it is blocked with the reason, and released when one can") {
  KueueCopies world({"a", "b"});
  world.worker("a").outcome = Outcome::kNo;
  world.worker("b").outcome = Outcome::kNo;
  world.ReserveQuota();
  world.Settle();
  CHECK(world.nominated().empty());
  CHECK(world.writes() == 0);
  CHECK(world.Look().phase == Phase::kBlocked);
  CHECK(world.Look().why == "no worker eligible: a, b: it lacks something");
  CHECK(world.notes() == Names{"PlacementRejected"});
  world.Restart();
  world.Settle();
  CHECK(world.notes().size() == 1);
  world.worker("b").outcome = Outcome::kYes;
  world.Settle();
  CHECK(world.nominated() == Names{"b"});
}

// A JAXJob: Kueue on the worker refuses the copy of each that MultiKueue would make.
TEST_CASE(
    "where Kueue cannot create copies of the kind, nothing is nominated, and an event says so "
    "once") {
  KueueCopies world({"a", "b"});
  SECTION("from the beginning") { world.view().adoption = tracking::Adoption::kOwner; }
  SECTION("also where it was before") {
    world.ReserveQuota();
    world.Settle();
    REQUIRE(world.nominated() == Names{"a"});
    world.view().adoption = tracking::Adoption::kOwner;
  }
  world.ReserveQuota();
  world.Settle();
  CHECK(world.nominated().empty());
  CHECK(world.WorkersWithClone().empty());
  const Decision decision = world.Look();
  CHECK(decision.phase == Phase::kBlocked);
  CHECK_THAT(decision.why, ContainsSubstring("MultiKueue cannot run a"));
  CHECK(decision.actions.empty());
  CHECK(world.notes().back() == "NotDispatchable");
}

TEST_CASE("a worker that does not admit in time gives way to the next one") {
  KueueCopies world = Sent({"a", "b"});
  CHECK(world.Look().wake_at);
  world.Advance(119s);
  CHECK(world.Settle().worker.value == "a");
  world.Advance(1s);
  world.Settle();
  CHECK(world.nominated() == Names{"b"});
  CHECK(world.WorkersWithClone() == Names{"b"});
  CHECK(world.record().failures.front().cluster.value == "a");
  SECTION("and gets it back when that one does not admit either") {
    world.Advance(3min);
    world.Settle();
    CHECK(world.nominated() == Names{"a"});
  }
}

TEST_CASE("alone, a worker keeps its nomination however long it takes") {
  KueueCopies world = Sent({"a"});
  world.Advance(1h);
  world.Settle();
  CHECK(world.nominated() == Names{"a"});
  CHECK(world.writes() == 1);
}

TEST_CASE("policy race nominates all that can run it, and only those") {
  Policy policy;
  policy.kind = DispatchPolicy::kRace;
  KueueCopies world({"a", "b", "c"}, policy);
  world.worker("b").outcome = Outcome::kNo;
  world.ReserveQuota();
  world.Settle();
  CHECK(world.nominated() == Names{"a", "c"});
  world.Admit("c");
  world.Settle();
  CHECK(world.workload().cluster_name == "c");
  CHECK(world.WorkersWithClone() == Names{"c"});
}

TEST_CASE("a nomination is taken back when the worker cannot run it any more") {
  KueueCopies world = Sent({"a", "b"});
  world.worker("a").outcome = Outcome::kNo;
  world.Settle();
  CHECK(world.nominated() == Names{"b"});
  world.worker("b").outcome = Outcome::kNo;
  world.Settle();
  CHECK(world.nominated().empty());
  CHECK(world.WorkersWithClone().empty());
  CHECK(world.Look().phase == Phase::kBlocked);
}

TEST_CASE("where Kueue is not connected nothing is nominated, whatever fedra sees") {
  KueueCopies world({"a", "b"});
  world.worker("a").kueue_connected = false;
  world.ReserveQuota();
  world.Settle();
  CHECK(world.nominated() == Names{"b"});
  world.worker("b").kueue_connected = false;
  world.Settle();
  CHECK(world.nominated().empty());
}

TEST_CASE("a worker that only fedra has lost stays nominated beside the next one") {
  KueueCopies world = Sent({"a", "b"});
  world.SetContact("a", false);
  world.Settle();
  CHECK(world.nominated() == Names{"b", "a"});
  // It may have admitted its copy, and Kueue could not record that otherwise.
  world.Admit("a");
  world.Settle();
  CHECK(world.workload().cluster_name == "a");
  CHECK(world.denied() == 0);
}

TEST_CASE("a copy that is admitted while its nomination is taken back is nominated again") {
  KueueCopies world = Sent({"a", "b"});
  world.Advance(2min);
  world.Step();  // Kueue has not seen it yet
  REQUIRE(world.nominated() == Names{"b"});
  world.Admit("a");
  world.RunMultiKueue();
  CHECK(world.denied() == 1);
  world.Step();
  CHECK(world.nominated() == Names{"a"});
  world.Settle();
  CHECK(world.workload().cluster_name == "a");
}

TEST_CASE("a copy that was switched off on its worker is a refusal") {
  KueueCopies world = Sent({"a", "b"});
  world.SwitchOffOn("a");
  world.Settle();
  CHECK(world.nominated() == Names{"b"});
  CHECK(world.notes()[1] == "DispatchFailed");
}

TEST_CASE("an evicted job is nominated elsewhere first") {
  KueueCopies world = Sent({"a", "b"});
  world.Admit("a");
  world.Settle();
  world.EvictOn("a");
  world.RunMultiKueue();
  REQUIRE(world.check().state == CheckState::kRetry);
  CHECK(world.Step().phase == Phase::kRequeued);
  CHECK(world.Step().actions.empty());
  world.Settle();
  world.ReserveQuota();
  world.Settle();
  CHECK(world.nominated() == Names{"b"});
}

TEST_CASE("an eviction is known from the worker when the check's Retry has passed unseen") {
  KueueCopies world = Sent({"a", "b"});
  world.Admit("a");
  world.Settle();
  world.EvictOn("a");
  CHECK(world.Step().phase == Phase::kRequeued);
  CHECK(world.notes().back() == "EvictedOnWorker");
  CHECK(world.Step().actions.empty());
  SECTION("Retry is seen, and is no second failure") {
    world.RunMultiKueue();
    REQUIRE(world.check().state == CheckState::kRetry);
    CHECK(world.Step().actions.empty());
  }
  SECTION("without a store it is one more failure, and not one at every look") {
    world.LoseStore();
    CHECK_FALSE(world.Step().actions.empty());
    CHECK(world.Step().actions.empty());
  }
  world.RunMultiKueue();
  world.RunKueue();
  world.Settle();
  world.ReserveQuota();
  world.Settle();
  CHECK(world.nominated() == Names{"b"});
}

TEST_CASE("where the admission was not seen before the eviction, it is told first") {
  KueueCopies world = Sent({"a", "b"});
  world.Admit("a");
  world.RunMultiKueue();
  world.EvictOn("a");
  world.Step();
  const std::vector<std::string>& notes = world.notes();
  REQUIRE(notes.size() >= 2);
  CHECK(notes[notes.size() - 2] == "Placed");
  CHECK(notes.back() == "EvictedOnWorker");
}

TEST_CASE("nothing is nominated before other checks are Ready, and for followers never") {
  KueueCopies world({"a"});
  world.ReserveQuota();
  SECTION("another check") {
    world.workload().checks.push_back({"approval", CheckState::kPending, "", {}});
    CHECK(world.Look().waits_for == WaitsFor::kAdmissionCheck);
    world.workload().checks.back().state = CheckState::kReady;
    world.Settle();
    CHECK(world.nominated() == Names{"a"});
  }
  SECTION("the first Workload of a job decides for all") {
    world.workload().follows = true;
    world.Settle();
    CHECK(world.nominated().empty());
    CHECK(world.Look().phase == Phase::kWaiting);
  }
  SECTION("Kueue's choice, as for a slice of an elastic job, stands") {
    world.workload().cluster_name = "b";
    CHECK(world.Look().actions.empty());
    CHECK(world.Look().worker.value == "b");
  }
  SECTION("a kind of job that fedra does not read needs no job object") {
    world.view().job = nullptr;
    CHECK(world.Look().waits_for == WaitsFor::kJob);
    world.view().kind_supported = false;
    world.Settle();
    CHECK(world.nominated() == Names{"a"});
  }
}

TEST_CASE("a rejected workload is Kueue's, and people are told once") {
  KueueCopies world({"a"});
  world.ReserveQuota();
  world.check().state = CheckState::kRejected;
  world.check().message = "No multikueue adapter found";
  world.Settle();
  CHECK(world.Look().phase == Phase::kBlocked);
  CHECK(world.Look().why == "No multikueue adapter found");
  CHECK(world.notes() == Names{"NotDispatchable"});
}

TEST_CASE("a copy that is out of sync before it is placed stops Kueue: that is said") {
  KueueCopies world = Sent({"a", "b"});
  world.Admit("a");
  world.FinishOn("a", std::string(tracking::kOutOfSync));
  world.Settle();
  CHECK(world.Look().phase == Phase::kBlocked);
  CHECK_THAT(world.Look().why, ContainsSubstring("before the Workload ml/job-train-1a2b3 there"));
  CHECK(world.notes().back() == "DispatchFailed");
}

TEST_CASE("another dispatcher is told of, and does not make fedra write again and again") {
  KueueCopies world = Sent({"a", "b"});
  for (int i = 0; i < 10; ++i) {
    world.NominateByOthers({"a", "b"});
    CHECK(world.Step().phase == Phase::kDispatching);
  }
  CHECK(world.writes() == 1);
  CHECK(world.notes().back() == "NominatedByOthers");
  CHECK_THAT(world.Look().why, ContainsSubstring("multiKueue.dispatcherName"));
  world.Advance(31s);
  world.Step();
  CHECK(world.nominated() == Names{"a"});
}

TEST_CASE("after a lost store the nominations that are there are taken for our own") {
  KueueCopies world = Sent({"a", "b"});
  world.LoseStore();
  world.Settle();
  CHECK(world.nominated() == Names{"a"});
}

namespace {

const Names kWorkers = {"a", "b", "c"};

class History {
 public:
  explicit History(unsigned seed) : random_(seed), world_(kWorkers, RandomPolicy()) {}

  void Run() {
    constexpr int kEvents = 60;
    for (int i = 0; i < kEvents; ++i) RandomEvent();
  }

  // Everything is reachable, works, and admits what it is given.
  void CalmDown() {
    for (const std::string& name : kWorkers) {
      world_.SetContact(name, true);
      world_.worker(name).kueue_connected = true;
      world_.worker(name).allowed = true;
      world_.worker(name).outcome = Outcome::kYes;
    }
    for (int i = 0; i < 30 && !IsPlaced(); ++i) {
      world_.Advance(6min);
      world_.ReserveQuota();
      world_.Step();
      world_.RunMultiKueue();
      for (const std::string& name : kWorkers) world_.Admit(name);
      world_.Step();
      world_.Step();  // a refusal is followed by another look at once
      world_.RunMultiKueue();
      world_.RunKueue();
    }
  }
  bool IsPlaced() {
    if (world_.workload().Finished()) return true;
    if (world_.check().state != CheckState::kReady || world_.workload().Evicted()) return false;
    const auto& clone = world_.worker(world_.workload().cluster_name).clone;
    return clone != nullptr && clone->Admitted() && world_.WorkersWithClone().size() == 1;
  }
  KueueCopies& world() { return world_; }

 private:
  Policy RandomPolicy() {
    Policy policy;
    if (Chance(3)) policy.kind = DispatchPolicy::kRace;
    policy.candidates = 1 + static_cast<int>(random_() % 3);
    return policy;
  }
  bool Chance(unsigned one_in) { return random_() % one_in == 0; }
  const std::string& AnyWorker() { return kWorkers[random_() % kWorkers.size()]; }

  void RandomEvent() {
    const std::vector<std::function<void()>> events = {
        [&] { world_.ReserveQuota(); },
        [&] { world_.Admit(AnyWorker()); },
        [&] { world_.Admit(AnyWorker()); },
        [&] { world_.EvictOn(AnyWorker()); },
        [&] {
          if (Chance(6)) world_.FinishOn(AnyWorker());
        },
        [&] {
          if (Chance(6)) world_.SwitchOffOn(AnyWorker());
        },
        [&] {
          const std::string& worker = AnyWorker();
          world_.SetContact(worker, Chance(2));
        },
        [&] {
          const std::string& worker = AnyWorker();
          world_.worker(worker).kueue_connected = Chance(2);
        },
        [&] {
          const std::string& worker = AnyWorker();
          world_.worker(worker).outcome = static_cast<Outcome>(random_() % 4);
        },
        [&] {
          const std::string& worker = AnyWorker();
          world_.worker(worker).allowed = !Chance(4);
        },
        [&] { world_.RunMultiKueue(); },
        [&] { world_.RunMultiKueue(); },
        [&] { world_.RunKueue(); },
        [&] { world_.Advance(Chance(2) ? 10s : 10min); },
        [&] {
          if (Chance(10)) world_.LoseStore();
        },
        [&] { world_.Step(); },
        [&] { world_.Step(); },
        [&] {  // killed in the middle of a decision
          world_.Step(random_() % 3);
          world_.Restart();
        },
    };
    events[random_() % events.size()]();
  }

  std::mt19937 random_;
  KueueCopies world_;
};

}  // namespace

// What may be written is checked by the model at each write.
TEST_CASE("whatever happens, only nominations are written, and no job is stuck for ever") {
  const int histories = static_cast<int>(Histories(10'000));
  int placed = 0;
  int finished = 0;
  for (int seed = 0; seed < histories; ++seed) {
    INFO("seed " << seed);
    History history(static_cast<unsigned>(seed));
    history.Run();
    history.CalmDown();
    KueueCopies& world = history.world();
    INFO(world.Print());
    REQUIRE(history.IsPlaced());
    ++(world.workload().Finished() ? finished : placed);
  }
  // The histories must be worth something.
  CHECK(placed > histories / 10);
  CHECK(finished > histories / 50);
}

}  // namespace fedra::placement::nominations_test
