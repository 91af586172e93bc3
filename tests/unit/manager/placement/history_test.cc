// Decide() through thousands of random histories of jobs of several kinds: the invariants hold at
// every step (World checks them), and once the outside is quiet the workload ends up in exactly one
// place. In mode multikueue Kueue's own MultiKueue leads for a while, and fedra again.

#include "tests/unit/manager/placement/history.h"

#include <utility>

#include "tests/support/catch.h"
#include "tests/support/histories.h"

namespace fedra::placement::history_test {

using fedra::placement::testing::History;
using fedra::placement::testing::JobTraits;
using fedra::placement::testing::World;
using tracking::Mode;

namespace {

class JobHistory final : public History {
 public:
  JobHistory(unsigned seed, Mode mode)
      : History(seed),
        mode_(mode),
        kind_(KindOf(seed)),
        world_(Workers(), RandomPolicy(), kind_, mode) {}
  // A Job; a pod, which Kueue does not queue again; a JAXJob, whose copy may not name its Workload.
  static JobTraits KindOf(unsigned seed) {
    if (seed % 6 == 4) return {.holds_check = true, .stays_evicted = true};
    if (seed % 6 == 5) return {.holds_check = true, .adoption = tracking::Adoption::kOwner};
    return {};
  }

  World& world() override { return world_; }
  // How often MultiKueue has placed it, and has taken it back.
  int placed_by_kueue() const { return placed_by_kueue_; }
  int taken_back_by_kueue() const { return taken_back_by_kueue_; }

 private:
  Events MoreEvents() override {
    Events events;
    if (kind_.stays_evicted) events.emplace_back([&] { world_.EvictOnManager("Preempted"); });
    if (mode_ == Mode::kMultiKueue)
      for (auto& event : EventsOfMultiKueue()) events.push_back(std::move(event));
    return events;
  }
  Events EventsOfMultiKueue() {
    return {
        [&] { world_.NominateByMultiKueue(); },
        [&] { Place(AnyWorker()); },
        [&] { Lead(); },
        [&] { Lead(); },
        [&] { taken_back_by_kueue_ += world_.TakeBackByMultiKueue() ? 1 : 0; },
        [&] {
          if (Chance(8)) world_.PutLeftOverJob(AnyWorker());
        },
    };
  }
  // All of it, before fedra is there again.
  void Lead() {
    world_.NominateByMultiKueue();
    for (const std::string& worker : Workers()) {
      world_.Admit(worker);
      Place(worker);
    }
  }
  // MultiKueue's pods, whose check it keeps Pending, too, are not played.
  void Place(const std::string& worker) {
    if (kind_.holds_check) return;
    placed_by_kueue_ += world_.PlaceByMultiKueue(worker) ? 1 : 0;
  }

  const Mode mode_;
  const JobTraits kind_;
  World world_;
  int placed_by_kueue_ = 0;
  int taken_back_by_kueue_ = 0;
};

// What has become of many.
struct Ends {
  int placed = 0;
  int finished = 0;
  int gone = 0;
  int crossed = 0;
  int moved = 0;
  int stayed = 0;
  int adopted = 0;
  int requeued = 0;
  int placed_by_kueue = 0;
  int taken_back_by_kueue = 0;
};

// In one place, or nowhere.
void CheckPlace(World& world, tracking::CheckState state, Ends& ends) {
  if (!world.WorkloadExists() || world.workload().Finished()) {
    ++(world.WorkloadExists() ? ends.finished : ends.gone);
    // Invariant 3.
    REQUIRE(world.WorkersWithJob().empty());
    REQUIRE(world.WorkersWithClone().empty());
    return;
  }
  ++ends.placed;
  REQUIRE(world.WorkersWithJob().size() == 1);
  REQUIRE(world.WorkersWithClone() == world.WorkersWithJob());
  REQUIRE(world.workload().cluster_name == world.WorkersWithJob().front());
  REQUIRE(world.State() == state);
  REQUIRE(world.IsAdopted(world.worker(world.WorkersWithJob().front())));
  REQUIRE(world.worker(world.WorkersWithJob().front()).clone->priority ==
          world.workload().priority);
}

Ends Play(unsigned histories, Mode mode) {
  Ends ends;
  for (unsigned seed = 0; seed < histories; ++seed) {
    INFO("seed " << seed);
    JobHistory history(seed, mode);
    history.Run();
    history.CalmDown();
    World& world = history.world();
    ends.crossed += world.crossings() > 0 ? 1 : 0;
    ends.moved += world.moves();
    ends.stayed += world.stays() > 0 ? 1 : 0;
    ends.placed_by_kueue += history.placed_by_kueue();
    ends.taken_back_by_kueue += history.taken_back_by_kueue();
    ends.adopted += world.adoptions() > 0 ? 1 : 0;
    ends.requeued += world.requeues() > 0 ? 1 : 0;
    const bool stays_pending = JobHistory::KindOf(seed).holds_check;
    CheckPlace(world, stays_pending ? tracking::CheckState::kPending : tracking::CheckState::kReady,
               ends);
  }
  // The histories must be worth something: each kind of end is common.
  const int all = static_cast<int>(histories);
  CHECK(ends.placed > all / 10);
  CHECK(ends.finished > all / 50);
  CHECK(ends.gone > all / 50);
  // Moves while jobs stand in line.
  CHECK(ends.crossed > all / 50);
  CHECK(ends.moved > 0);
  CHECK(ends.adopted > all / 20);
  CHECK(ends.requeued > all / 100);
  // Looks in which the other workers were left out, and nothing else was decided.
  CHECK(ends.stayed > all / 10);
  return ends;
}

}  // namespace

TEST_CASE("invariants hold through random histories, and calm leads to one placement") {
  Play(Histories(5'000), Mode::kAdmissionCheck);
}

TEST_CASE("what MultiKueue has nominated or placed is not begun anew, whenever it leads") {
  const unsigned histories = Histories(2'000);
  const Ends ends = Play(histories, Mode::kMultiKueue);
  CHECK(ends.placed_by_kueue > static_cast<int>(histories) / 5);
  CHECK(ends.taken_back_by_kueue > static_cast<int>(histories) / 50);
}

}  // namespace fedra::placement::history_test
