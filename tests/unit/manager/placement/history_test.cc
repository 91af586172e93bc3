// Decide() through thousands of random histories: whatever the outside does and the lines say,
// wherever the job is to be moved, and wherever fedra is killed, the invariants hold at every step
// (World checks them), and once the outside is quiet the workload ends up in exactly one place.

#include <functional>
#include <random>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/histories.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::history_test {

using fedra::placement::testing::World;
using namespace std::chrono_literals;

namespace {

constexpr int kEvents = 60;
const std::vector<std::string> kWorkers = {"a", "b", "c"};
const LineAnswer kWaitsAhead{.after = ObjectKey{"ml", "head"}, .after_waiting = true};
const LineAnswer kGoesAhead{.after = ObjectKey{"ml", "head"}};

class History {
 public:
  // Every third is of a kind whose check stays Pending.
  explicit History(unsigned seed)
      : random_(seed), world_(kWorkers, RandomPolicy(), HoldsCheck(seed)) {}
  static bool HoldsCheck(unsigned seed) { return seed % 3 == 2; }

  void Run() {
    if (Chance(2)) BeginWithMove();
    // In half of the histories the outside refuses one action of ten.
    if (Chance(2)) world_.SetFailures([this](const Action&) { return Chance(10); });
    for (int i = 0; i < kEvents; ++i) RandomEvent();
    world_.SetFailures(nullptr);
  }

  // The outside becomes quiet: everything is reachable, everything would work. On one worker others
  // may go on waiting ahead: then no other one is left out for what it refused before.
  void CalmDown() {
    for (const std::string& name : kWorkers) {
      world_.Reconnect(name);
      world_.RemoveCopyOfAnotherManager(name);
      world_.SetVerdict(name, {.outcome = verdict::Outcome::kYes});
      world_.SetLine(name, {});
    }
    const bool has_line = Chance(2);
    if (has_line) world_.SetLine(AnyWorker(), kWaitsAhead);
    for (int i = 0; i < 8; ++i) {
      if (has_line) world_.Retry();
      world_.Settle();
      if (!world_.WorkloadExists() || world_.workload().Finished()) break;
      world_.Activate();
      world_.ReserveQuota();
      world_.Settle();
      for (const std::string& name : kWorkers) world_.Admit(name);
    }
    world_.Settle();
  }

  World& world() { return world_; }

 private:
  Policy RandomPolicy() {
    Policy policy;
    if (Chance(3)) policy.kind = DispatchPolicy::kRace;
    policy.candidates = 1 + static_cast<int>(random_() % 3);
    if (Chance(4)) policy.unknown = UnknownPolicy::kNever;
    return policy;
  }

  bool Chance(unsigned one_in) { return random_() % one_in == 0; }
  const std::string& AnyWorker() { return kWorkers[random_() % kWorkers.size()]; }

  verdict::Verdict AnyVerdict() {
    const auto outcome = static_cast<verdict::Outcome>(random_() % 4);
    return {.outcome = outcome,
            .reasons = {{verdict::ReasonCode::kTemplateMissing, "",
                         verdict::Sentence{"0 of 1 templates"}}}};
  }

  // Half of them let it go there.
  LineAnswer AnyAnswer() {
    if (Chance(2)) return {};
    return Chance(2) ? kWaitsAhead : kGoesAhead;
  }

  void AskToMove() {
    const std::string to = Chance(2) ? std::string() : AnyWorker();
    world_.AskToMove({world_.now(), world_.workload().cluster_name, to});
  }

  // It runs, and is to run elsewhere; the lines may be against that, then and later.
  void BeginWithMove() {
    world_.ReserveQuota();
    world_.Settle();
    for (const std::string& name : kWorkers) world_.Admit(name);
    world_.Settle();
    for (const std::string& name : kWorkers) world_.SetLine(name, AnyAnswer());
    world_.Advance(5s);
    AskToMove();
    world_.Settle();
  }

  void RandomEvent() {
    const std::vector<std::function<void()>> events = {
        [&] { world_.ReserveQuota(); },
        [&] { world_.Admit(AnyWorker()); },
        [&] { world_.Admit(AnyWorker()); },
        [&] { world_.EvictOn(AnyWorker()); },
        [&] { world_.Finish(AnyWorker()); },
        [&] {
          if (Chance(4)) world_.DeleteJobOn(AnyWorker());
        },
        [&] {
          if (Chance(4)) world_.DeleteCloneOn(AnyWorker());
        },
        [&] { world_.Disconnect(AnyWorker()); },
        [&] { world_.Reconnect(AnyWorker()); },
        [&] { world_.SetContact(AnyWorker(), Contact::kSyncing); },
        [&] {
          // One draw at a time: compilers differ in the order of arguments, and every one of them
          // must see the same histories.
          const std::string& worker = AnyWorker();
          world_.SetVerdict(worker, AnyVerdict());
        },
        [&] {
          if (!Chance(8)) return;
          const std::string& worker = AnyWorker();
          if (theirs_.contains(worker)) {
            world_.RemoveCopyOfAnotherManager(worker);
            theirs_.erase(worker);
          } else {
            world_.PutCopyOfAnotherManager(worker);
            if (world_.HasCopyOfAnotherManager(worker)) theirs_.insert(worker);
          }
        },
        [&] {
          if (Chance(8)) world_.Deactivate();
        },
        [&] { world_.Activate(); },
        [&] {
          if (Chance(8)) world_.EvictOnManager("Preempted");
        },
        [&] {
          if (Chance(40)) world_.DeleteWorkload();
        },
        [&] { world_.RunManagerKueue(); },
        [&] { world_.Advance(Chance(2) ? 10s : 10min); },
        [&] {
          if (Chance(10)) world_.LoseStore();
        },
        [&] { world_.ChangePriority(static_cast<int>(random_() % 4)); },
        [&] {
          if (Chance(4)) world_.Retry();
        },
        [&] {
          if (Chance(4) && world_.WorkloadExists()) AskToMove();
        },
        [&] {
          const std::string& worker = AnyWorker();
          world_.SetLine(worker, AnyAnswer());
        },
        [&] { world_.Step(); },
        [&] { world_.Step(); },
        [&] {  // killed in the middle of a decision
          world_.Step(random_() % 3);
          world_.Restart();
        },
    };
    events[random_() % events.size()]();
    // Invariant 2.
    for (const std::string& worker : theirs_) REQUIRE(world_.HasCopyOfAnotherManager(worker));
  }

  std::mt19937 random_;
  World world_;
  std::set<std::string> theirs_;  // workers with a copy of another manager
};

}  // namespace

TEST_CASE("invariants hold through random histories, and calm leads to one placement") {
  const int histories = static_cast<int>(Histories(5'000));
  int placed = 0;
  int finished = 0;
  int gone = 0;
  int crossed = 0;
  int moved = 0;
  for (int seed = 0; seed < histories; ++seed) {
    INFO("seed " << seed);
    History history(static_cast<unsigned>(seed));
    history.Run();
    history.CalmDown();
    World& world = history.world();
    crossed += world.crossings() > 0 ? 1 : 0;
    moved += world.moves();
    if (!world.WorkloadExists() || world.workload().Finished()) {
      ++(world.WorkloadExists() ? finished : gone);
      // Invariant 3.
      REQUIRE(world.WorkersWithJob().empty());
      REQUIRE(world.WorkersWithClone().empty());
      continue;
    }
    ++placed;
    REQUIRE(world.WorkersWithJob().size() == 1);
    REQUIRE(world.WorkersWithClone() == world.WorkersWithJob());
    REQUIRE(world.workload().cluster_name == world.WorkersWithJob().front());
    REQUIRE(world.State() == (History::HoldsCheck(static_cast<unsigned>(seed))
                                  ? tracking::CheckState::kPending
                                  : tracking::CheckState::kReady));
    REQUIRE(world.worker(world.WorkersWithJob().front()).clone->priority ==
            world.workload().priority);
  }
  // The histories must be worth something: each kind of end is common.
  CHECK(placed > histories / 10);
  CHECK(finished > histories / 50);
  CHECK(gone > histories / 50);
  // Moves while jobs stand in line.
  CHECK(crossed > histories / 50);
  CHECK(moved > 0);
}

}  // namespace fedra::placement::history_test
