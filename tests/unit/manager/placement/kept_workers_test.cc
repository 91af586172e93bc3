// Who is first where, and what is kept: without the lines around it.

#include "manager/placement/kept_workers.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace fedra::placement::kept_workers_test {
namespace {

using Chance = Bid::Chance;

const ClusterName kEast("east");
const ClusterName kWest("west");

std::shared_ptr<const dra::DeviceSet> Devices(std::vector<uint64_t> devices) {
  return std::make_shared<const dra::DeviceSet>(std::move(devices));
}

class World {
 public:
  Waiting& Add(const std::string& name, Bids bids) {
    Waiting& waiting = all_.emplace_back();
    waiting.next_rank = {.since = WallTime{std::chrono::seconds(all_.size())},
                         .workload = {"ml", name}};
    waiting.is_known = true;
    waiting.bids = std::move(bids);
    order.Place({&waiting});
    kept.OnBids(waiting, overlaps);
    return waiting;
  }
  void MoveTo(Waiting& waiting, int priority) {
    waiting.next_rank.priority = priority;
    order.Place({&waiting});
    kept.OnMoves(order);
  }
  std::vector<std::string> Find() {
    std::vector<std::string> changed;
    for (const Waiting* each : kept.Find(order, overlaps))
      changed.push_back(each->rank.workload.name);
    return changed;
  }

  WaitingOrder order;
  KeptWorkers kept;
  dra::OverlapMemory overlaps;

 private:
  std::deque<Waiting> all_;
};

using Names = std::vector<std::string>;

TEST_CASE("kept workers: the first in each line, and where it lacks least") {
  const auto gpus = Devices({1, 2}), others = Devices({3});
  World world;
  Waiting& first = world.Add(
      "first", {{kEast, {Chance::kWaits, 1, 3, gpus}}, {kWest, {Chance::kWaits, 1, 1, gpus}}});
  Waiting& second = world.Add("second", {{kWest, {Chance::kWaits, 1, 1, gpus}}});
  Waiting& other = world.Add("other", {{kWest, {Chance::kWaits, 1, 1, others}}});
  CHECK(world.Find() == Names{"first", "other"});
  CHECK(first.first_on == std::set{kEast, kWest});
  CHECK(first.kept == kWest);
  CHECK(second.first_on.empty());
  CHECK(other.kept == kWest);
  CHECK(second.heads_ahead == 1);
  CHECK(other.heads_ahead == 1);
  CHECK(world.Find().empty());  // what is not stale is not gone through
}

TEST_CASE("kept workers: one that stands behind is no reason to look for heads") {
  const auto gpus = Devices({1});
  World world;
  world.Add("first", {{kEast, {Chance::kWaits, 1, 1, gpus}}});
  world.Find();
  world.Add("second", {{kEast, {Chance::kWaits, 1, 1, gpus}}});
  CHECK_FALSE(world.kept.IsStale());
  world.Add("elsewhere", {{kWest, {Chance::kWaits, 1, 1, gpus}}});
  CHECK(world.kept.IsStale());
}

TEST_CASE("kept workers: moves count where one of the first is passed, or passes") {
  const auto gpus = Devices({1});
  World world;
  const Bids waits{{kEast, {Chance::kWaits, 1, 1, gpus}}};
  Waiting& first = world.Add("first", waits);
  world.Find();
  Waiting& second = world.Add("second", waits);
  Waiting& third = world.Add("third", waits);
  world.MoveTo(third, -1);
  world.MoveTo(second, -2);  // behind the third
  CHECK_FALSE(world.kept.IsStale());
  world.MoveTo(third, 1);
  CHECK(world.kept.IsStale());
  CHECK(world.Find() == Names{"third", "first"});
  CHECK(third.kept == kEast);
  CHECK(!first.kept);
  world.MoveTo(third, -3);
  CHECK(world.kept.IsStale());
  CHECK(world.Find() == Names{"first", "third"});
}

TEST_CASE("kept workers: when the first leaves the next is the first") {
  const auto gpus = Devices({1});
  World world;
  const Bids waits{{kEast, {Chance::kWaits, 1, 1, gpus}}};
  Waiting& first = world.Add("first", waits);
  world.Find();
  Waiting& second = world.Add("second", waits);
  world.order.Remove(second);
  world.kept.Remove(second);
  CHECK_FALSE(world.kept.IsStale());
  Waiting& third = world.Add("third", waits);
  world.order.Remove(first);
  world.kept.Remove(first);
  CHECK(world.Find() == Names{"third"});
  CHECK(third.kept == kEast);
}

TEST_CASE("waiting order: many at once stand where one by one they would") {
  std::deque<Waiting> all;
  WaitingOrder one_by_one, at_once;
  std::deque<Waiting> copies;
  std::vector<Waiting*> moving;
  for (int i = 0; i < 40; ++i) {
    Waiting& each = all.emplace_back();
    each.next_rank = {.turn = static_cast<double>(i * 7 % 40),
                      .workload = {"ml", std::to_string(i)}};
    moving.push_back(&copies.emplace_back(each));
    one_by_one.Place({&each});
  }
  const auto by_rank = [](const Waiting* a, const Waiting* b) {
    return a->next_rank < b->next_rank;
  };
  std::sort(moving.begin(), moving.end(), by_rank);
  at_once.Place(moving);
  const auto names = [](const WaitingOrder& order) {
    Names found;
    for (const Waiting* each : order) found.push_back(each->rank.workload.name);
    return found;
  };
  REQUIRE(names(at_once) == names(one_by_one));
  // Every second one, some of them past others that move.
  moving.clear();
  for (size_t i = 0; i < all.size(); i += 2) {
    all[i].next_rank.turn = copies[i].next_rank.turn += i % 4 == 0 ? 11.5 : -7.5;
    moving.push_back(&copies[i]);
    one_by_one.Place({&all[i]});
  }
  std::sort(moving.begin(), moving.end(), by_rank);
  at_once.Place(moving);
  CHECK(names(at_once) == names(one_by_one));
  CHECK(names(at_once).size() == 40);
}

}  // namespace
}  // namespace fedra::placement::kept_workers_test
