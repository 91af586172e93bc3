// Random histories of an elastic job that grows, shrinks, ends, is deleted, moved and evicted while
// Kueue and fedra see each other late, in the modes admissionCheck and multikueue
// (elastic_world.h). A job that runs is taken from its worker for a cause only, runs on one worker,
// and once all is quiet one Workload, one clone and one copy of its size are left, or nothing on
// the workers.

#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/support/histories.h"
#include "tests/unit/manager/reconcile/elastic_world.h"

namespace fedra::reconcile::elastic_history_test {

using namespace std::chrono_literals;
using testing::ElasticWorld;

namespace {

constexpr int kMostRounds = 3;
constexpr int kMostSteps = 90;  // of a round
constexpr int kStepsToSettle = 4'000;

class ElasticHistory final {
 public:
  // `steps`: of each the words are kept there; null: of none.
  explicit ElasticHistory(unsigned seed, std::vector<std::string>* steps = nullptr)
      : random_(seed),
        world_(HooksOf(steps),
               seed % 2 == 0 ? tracking::Mode::kAdmissionCheck : tracking::Mode::kMultiKueue) {}

  void Run() {
    if (!Chance(4)) Settle();
    const int rounds = 1 + Draw(kMostRounds);
    for (int round = 0; round < rounds && !IsOver(); ++round) PlayRound();
  }
  const ElasticWorld& world() const { return world_; }

 private:
  ElasticWorld::Hooks HooksOf(std::vector<std::string>* steps) {
    ElasticWorld::Hooks hooks;
    hooks.between = [this] { Interrupt(); };
    if (steps != nullptr) hooks.tell = [steps](const std::string& step) { steps->push_back(step); };
    return hooks;
  }
  int Draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  bool Chance(int one_in) { return Draw(one_in) == 0; }
  bool IsOver() const {
    return !world_.violation().empty() || world_.IsGone() || world_.HasEnded();
  }
  const std::string& AnyWorker() {
    return ElasticWorld::WorkerNames()[static_cast<size_t>(Draw(2))];
  }
  std::string AnyOf(const std::vector<std::string>& names) {
    return names.empty() ? std::string()
                         : names[static_cast<size_t>(Draw(static_cast<int>(names.size())))];
  }

  // At most one kind of disturbance, and as often none.
  void PlayRound() {
    const int disturbance = Draw(12);
    is_racing_ = true;
    const int steps = 10 + Draw(kMostSteps);
    const int disturbed_at = Draw(steps);
    for (int i = 0; i < steps && world_.violation().empty(); ++i) {
      if (i == disturbed_at) Disturb(disturbance);
      if (Chance(14)) world_.Scale(1 + Draw(5));
      Step();
    }
    is_racing_ = false;
    if (!world_.violation().empty()) return;
    if (Chance(3)) {
      gives_quota_ = false;
      Settle();
      world_.CheckQuiet(/*has_quota=*/false);
      gives_quota_ = true;
    }
    for (const std::string& worker : ElasticWorld::WorkerNames()) world_.Drain(worker, false);
    Settle();
    world_.CheckQuiet(/*has_quota=*/true);
    world_.ForgetCauses();
  }

  void Disturb(int which) {
    switch (which) {
      case 0:
        return world_.DeleteJob();
      case 1:
        return world_.Move();
      case 2:
        return world_.Drain(AnyWorker(), true);
      case 3:
        return world_.Preempt();
      case 4:
      case 5:
        return world_.EvictOn(AnyWorker());
      case 6:
      case 7:
        for (const std::string& worker : ElasticWorld::WorkerNames()) world_.EndJobOn(worker);
        return;
      default:
        return;
    }
  }

  void Step() {
    switch (Draw(20)) {
      case 0:
        return world_.Advance(std::chrono::milliseconds(Draw(900)));
      case 1:
      case 2:
      case 3:
      case 4:
        return Look();
      case 5:
      case 6:
      case 7:
      case 8:
        return Carry();
      default:
        (void)Outside();
    }
  }
  void Look() {
    if (const std::string slice = AnyOf(world_.Dirty()); !slice.empty()) world_.Look(slice);
  }
  void Carry() {
    if (const std::string slice = AnyOf(world_.InFlight()); !slice.empty()) world_.CarryOne(slice);
  }
  // Anything but fedra's threads. False: it had nothing to do.
  bool Outside() { return Act(Draw(24)); }
  bool Act(int which) {
    const auto& workers = ElasticWorld::WorkerNames();
    if (which < 8) return Hear(Draw(ElasticWorld::kStreams));
    if (which < 11) return world_.ReconcileJob();
    if (which < 13) return gives_quota_ && world_.Reserve(AnyOf(world_.Waiting()));
    if (which < 15) return world_.FinishReplaced();
    if (which < 16) return world_.SyncAdmission();
    const std::string& worker = workers[static_cast<size_t>(which % 2)];
    if (which < 18) return world_.Admit(worker, AnyOf(world_.WaitingOn(worker)));
    if (which < 20) return world_.FinishReplacedOn(worker);
    if (which < 22) return world_.ReconcileJobOn(worker);
    return world_.RunJobOn(worker);
  }
  bool Hear(int stream) {
    bool any = false;
    for (int events = 1 + Draw(3); events > 0; --events) any |= world_.Deliver(stream);
    return any;
  }
  void Interrupt() {
    if (!is_racing_ || is_interrupting_ || !Chance(3)) return;
    is_interrupting_ = true;
    for (int i = 1 + Draw(3); i > 0; --i) Outside();
    is_interrupting_ = false;
  }

  // Until nothing is left to do.
  void Settle() {
    for (int step = 0; step < kStepsToSettle; ++step)
      if (!SettleStep() && !world_.AdvanceToWake()) return;
    world_.GiveUp("it does not settle");
  }
  bool SettleStep() {
    bool any = false;
    for (int stream = 0; stream < ElasticWorld::kStreams; ++stream)
      while (world_.Deliver(stream)) any = true;
    for (const std::string& slice : world_.InFlight()) {
      world_.CarryOne(slice);
      any = true;
    }
    for (const std::string& slice : world_.Dirty()) {
      world_.Look(slice);
      any = true;
    }
    for (int which = 8; which < 24; ++which) any |= Act(which);
    return any;
  }

  std::mt19937 random_;
  bool is_racing_ = false;
  bool is_interrupting_ = false;
  bool gives_quota_ = true;
  ElasticWorld world_;
};

// The history again, step by step.
std::string StepsOf(unsigned seed) {
  std::vector<std::string> steps;
  ElasticHistory history(seed, &steps);
  history.Run();
  std::string text = fmt::format("seed {}: {}\n", seed, history.world().violation());
  for (const std::string& step : steps) text += "  " + step + "\n";
  return text + history.world().Print();
}

}  // namespace

TEST_CASE("an elastic job runs on however late its changes are seen, and leaves nothing behind") {
  const unsigned histories = Histories(4'000);
  int handed_over = 0;
  int given_back = 0;
  int ended = 0;
  int gone = 0;
  for (unsigned seed = 0; seed < histories; ++seed) {
    ElasticHistory history(seed);
    history.Run();
    const ElasticWorld& world = history.world();
    if (!world.violation().empty()) FAIL(StepsOf(seed));
    handed_over += world.handed_over() > 0 ? 1 : 0;
    given_back += world.given_back() > 0 ? 1 : 0;
    ended += world.HasEnded() ? 1 : 0;
    gone += world.IsGone() ? 1 : 0;
  }
  // The histories must be worth something: each kind of end is common.
  const int all = static_cast<int>(histories);
  CHECK(handed_over > all / 4);
  CHECK(given_back > all / 20);
  CHECK(ended > all / 20);
  CHECK(gone > all / 20);
}

}  // namespace fedra::reconcile::elastic_history_test
