// Decide(), and what the executor asks of job_members.h, through thousands of random histories of a
// group of pods: its user replaces pods, the workers' Kueues start and stop them, a user deletes
// copies or has taken their names. At every step GroupWorld checks that no copy stands for another
// pod, that nothing runs twice and that no end is lost; once the outside is quiet the group is in
// one place, runs, and ends.

#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/histories.h"
#include "tests/unit/manager/placement/group_world.h"
#include "tests/unit/manager/placement/history.h"

namespace fedra::placement::group_history_test {

using fedra::placement::testing::GroupWorld;
using fedra::placement::testing::History;
using PodPhase = GroupWorld::PodPhase;

namespace {

class GroupHistory final : public History {
 public:
  GroupHistory(unsigned seed, tracking::Mode mode)
      : History(seed),
        world_(Workers(), RandomPolicy(), 1 + static_cast<int>(seed % 3), seed % 4 != 0, mode) {}

  GroupWorld& world() override { return world_; }

  // In one place, pod by pod, and nowhere else.
  void CheckPlace() {
    INFO(world_.PrintAll());
    const std::vector<std::string> places = world_.WorkersWithJob();
    REQUIRE(places.size() == 1);
    REQUIRE(world_.WorkersWithClone() == places);
    REQUIRE(world_.workload().cluster_name == places.front());
    for (const auto& [name, pod] : world_.here()) {
      if (pod.deleting || pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed)
        continue;
      INFO(name);
      const auto copy = world_.on(places.front()).find(name);
      REQUIRE(copy != world_.on(places.front()).end());
      REQUIRE(copy->second.copy_of == pod.uid);
      REQUIRE(copy->second.phase == PodPhase::kRunning);
      REQUIRE(pod.phase == PodPhase::kRunning);
    }
  }
  // All of it succeeds where it is.
  void End() {
    const std::string worker = world_.workload().cluster_name;
    for (int i = 0; i < 4 && !world_.workload().Finished(); ++i) {
      GoOn();
      world_.Settle();
      world_.Finish(worker);
      world_.Settle();
    }
    REQUIRE(world_.workload().Finished());
  }

 private:
  using Pods = GroupWorld::Pods;

  // Empty: there is none.
  std::string AnyOf(const Pods& pods) {
    if (pods.empty()) return {};
    return std::next(pods.begin(), static_cast<ptrdiff_t>(Draw() % pods.size()))->first;
  }

  Events MoreEvents() override {
    return {
        [&] { world_.RunKueueOn(AnyWorker()); },
        [&] { world_.RunKueueOn(AnyWorker()); },
        [&] { world_.RunKueueOn(AnyWorker()); },
        [&] { EndAnyOn(AnyWorker()); },
        [&] { EndAnyOn(AnyWorker()); },
        [&] { EndAll(); },
        [&] { world_.Replace(Chance(2)); },
        [&] {
          if (Chance(4)) world_.DeletePod(AnyOf(world_.here()));
        },
        [&] {
          const std::string& worker = AnyWorker();
          if (Chance(4)) world_.DeletePodOn(worker, AnyOf(world_.on(worker)));
        },
        [&] {
          const std::string& worker = AnyWorker();
          if (Chance(8) && !world_.here().empty())
            world_.PutForeignPod(worker, AnyOf(world_.here()));
        },
        [&] {
          if (Chance(4)) world_.RemoveForeignPods(AnyWorker());
        },
    };
  }
  // All of it succeeds wherever it runs.
  void EndAll() {
    if (!Chance(4)) return;
    GoOn();
    world_.Settle();
    for (const std::string& worker : Workers()) world_.Finish(worker);
    world_.Settle();
  }
  void EndAnyOn(const std::string& worker) {
    const std::string pod = AnyOf(world_.on(worker));
    world_.EndPodOn(worker, pod, !Chance(3));
  }

  // Invariant 2.
  void CheckMore() override {
    std::set<std::string> found;
    for (const std::string& worker : Workers())
      for (const auto& [name, pod] : world_.on(worker))
        if (!pod.is_ours) found.insert(pod.uid);
    REQUIRE(found == world_.foreign());
  }
  void QuietMore() override {
    for (const std::string& worker : Workers()) world_.RemoveForeignPods(worker);
  }
  // The user replaces what is missing, and every Kueue does what it must.
  void GoOn() override {
    for (size_t i = 0; i < 3; ++i) world_.Replace(Chance(2));
    for (int pass = 0; pass < 2; ++pass)
      for (const std::string& worker : Workers()) world_.RunKueueOn(worker);
  }

  GroupWorld world_;
};

void Play(int histories, tracking::Mode mode) {
  int ended_before = 0;
  int gone = 0;
  int ran = 0;
  for (int seed = 0; seed < histories; ++seed) {
    INFO("seed " << seed);
    GroupHistory history(static_cast<unsigned>(seed), mode);
    history.Run();
    history.CalmDown();
    GroupWorld& world = history.world();
    if (!world.WorkloadExists()) {
      ++gone;
    } else if (world.workload().Finished()) {
      ++ended_before;
    } else {
      ++ran;
      history.CheckPlace();
      history.End();
    }
    // Invariant 3.
    REQUIRE(world.WorkersWithJob().empty());
    REQUIRE(world.WorkersWithClone().empty());
  }
  // The histories must be worth something.
  CHECK(ran > histories / 10);
  CHECK(ended_before > histories / 50);
  CHECK(gone > histories / 50);
}

}  // namespace

TEST_CASE("a group of pods is in one place through random histories, and then runs to its end") {
  Play(static_cast<int>(Histories(2'000)), tracking::Mode::kAdmissionCheck);
}

// Where Kueue clears the name of the worker with the eviction (WorkloadView::kueue_clears).
TEST_CASE("a group of pods is in one place in mode multikueue, too, and then runs to its end") {
  Play(static_cast<int>(Histories(1'000)), tracking::Mode::kMultiKueue);
}

}  // namespace fedra::placement::group_history_test
