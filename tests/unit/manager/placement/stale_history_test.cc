// Random histories in which the leader changes, and what the one before had decided arrives later,
// at any write: nothing that the new one has done is undone, and once the outside is quiet the job
// is in one place. Without the conditions that its writes carry that is not so.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/support/histories.h"
#include "tests/unit/manager/placement/history.h"

namespace fedra::placement::stale_history_test {

using fedra::placement::testing::History;
using fedra::placement::testing::World;

namespace {

class StaleHistory final : public History {
 public:
  StaleHistory(unsigned seed, bool fenced)
      : History(seed),
        fenced_(fenced),
        world_(Workers(), RandomPolicy(), {.holds_check = seed % 3 == 2}) {}

  World& world() override { return world_; }
  // Actions that arrived late.
  size_t late() const { return late_; }

 private:
  Events MoreEvents() override {
    return {[&] { TakeOver(); }, [&] { TakeOver(); }, [&] { Arrive(); }, [&] { Arrive(); },
            [&] { PlaceAnew(); }};
  }
  // The leader is gone in the middle of a decision; another one has its own store, and what the
  // manager keeps.
  void TakeOver() {
    World::Late late = world_.Interrupt(Draw() % 3);
    if (!late.actions.empty()) on_their_way_.push_back(std::move(late));
    if (Chance(2))
      world_.LoseStore();
    else
      world_.Restart();
  }
  // The job is evicted, and the next leader has placed it before the last requests of the one
  // before arrive.
  void PlaceAnew() {
    world_.EvictOnManager(std::string(tracking::kPreempted));
    TakeOver();
    for (int i = 0; i < 2; ++i) {
      world_.Settle();
      world_.ReserveQuota();
      world_.Settle();
      for (const std::string& worker : Workers()) world_.Admit(worker);
    }
    world_.Settle();
  }
  void Arrive() {
    if (on_their_way_.empty()) return;
    const size_t which = Draw() % on_their_way_.size();
    World::Late late = std::move(on_their_way_[which]);
    on_their_way_.erase(on_their_way_.begin() + static_cast<std::ptrdiff_t>(which));
    late_ += late.actions.size();
    world_.CarryOut(std::move(late), fenced_);
  }
  void CheckMore() override {
    if (!fenced_ || world_.harm().empty()) return;
    INFO(world_.harm().front());
    REQUIRE(world_.harm().empty());
  }
  void QuietMore() override {
    while (!on_their_way_.empty()) Arrive();
  }
  bool IsOver() const override { return !world_.harm().empty(); }

  const bool fenced_;
  World world_;
  std::vector<World::Late> on_their_way_;
  size_t late_ = 0;
};

}  // namespace

TEST_CASE("what a deposed leader had decided arrives late, and undoes nothing") {
  const unsigned histories = Histories(3'000);
  size_t late = 0;
  int placed = 0;
  for (unsigned seed = 0; seed < histories; ++seed) {
    INFO("seed " << seed);
    StaleHistory history(seed, /*fenced=*/true);
    history.Run();
    history.CalmDown();
    World& world = history.world();
    REQUIRE(world.harm().empty());
    late += history.late();
    if (!world.WorkloadExists() || world.workload().Finished()) {
      REQUIRE(world.WorkersWithJob().empty());
      REQUIRE(world.WorkersWithClone().empty());
      continue;
    }
    ++placed;
    REQUIRE(world.WorkersWithJob().size() == 1);
    REQUIRE(world.WorkersWithClone() == world.WorkersWithJob());
    REQUIRE(world.workload().cluster_name == world.WorkersWithJob().front());
  }
  CHECK(late > histories);
  CHECK(placed > static_cast<int>(histories) / 10);
}

TEST_CASE("without the conditions of its writes a deposed leader does harm") {
  const unsigned histories = Histories(3'000);
  std::map<std::string, int> harm;
  for (unsigned seed = 0; seed < histories; ++seed) {
    StaleHistory history(seed, /*fenced=*/false);
    history.Run();
    for (const std::string& each : history.world().harm()) ++harm[each];
  }
  CHECK(harm["a running job was removed"] > 0);
  CHECK(harm["its place was overwritten"] > 0);
}

}  // namespace fedra::placement::stale_history_test
