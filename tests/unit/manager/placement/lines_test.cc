#include "manager/placement/lines.h"

#include <algorithm>
#include <set>
#include <string>

#include "tests/support/catch.h"

namespace fedra::placement::lines_test {
namespace {

using Chance = Bid::Chance;
using std::chrono::minutes;

const ClusterName kEast("east");
const ClusterName kWest("west");
const ClusterName kNorth("north");

std::shared_ptr<const dra::DeviceSet> Devices(std::vector<uint64_t> devices) {
  return std::make_shared<const dra::DeviceSet>(std::move(devices));
}

Contender Of(const std::string& name, int second, int priority = 0, OrderSettings order = {}) {
  const WallTime since{std::chrono::seconds(second)};
  return {.rank = {.priority = priority, .since = since, .workload = {"ml", name}},
          .reserved_at = since,
          .order = order};
}

Bids On(const ClusterName& worker, Chance chance, std::shared_ptr<const dra::DeviceSet> devices,
        int missing = 0, uint64_t as_of = 1) {
  return {{worker, {chance, as_of, missing, std::move(devices)}}};
}

// A look that has seen everything.
Lines::Answer Offer(Lines& lines, const Contender& contender, Bids bids, WallTime now) {
  return lines.Offer(contender, std::move(bids), lines.version(), now);
}

std::string AfterWhom(const Lines::Answer& answer, const ClusterName& worker) {
  const LineAnswer& turn = answer.workers.at(worker);
  return turn.after ? turn.after->name : "";
}

constexpr WallTime kNow{std::chrono::seconds(100)};

Standing StandingOf(Lines& lines, const std::string& name) {
  for (Standing& standing : lines.Standings(kNow))
    if (standing.rank.workload.name == name) return standing;
  FAIL(name << " does not wait");
  return {};
}
int PassesOf(Lines& lines, const std::string& name) { return StandingOf(lines, name).passes; }

TEST_CASE("lines: who came first goes first, and wakes the next") {
  Lines lines;
  const auto gpu = Devices({1});
  lines.Join(Of("first", 1));
  const auto second = Offer(lines, Of("second", 2), On(kEast, Chance::kFits, gpu), kNow);
  CHECK(AfterWhom(second, kEast) == "first");
  CHECK(second.look_at == std::vector<ObjectKey>{{"ml", "first"}});
  lines.Conclude({"ml", "second"}, {});

  const auto first = Offer(lines, Of("first", 1), On(kEast, Chance::kFits, gpu), kNow);
  CHECK(AfterWhom(first, kEast).empty());
  CHECK(first.look_at == std::vector<ObjectKey>{{"ml", "second"}});
  Offer(lines, Of("second", 2), On(kEast, Chance::kFits, gpu), kNow);
  CHECK(lines.Conclude({"ml", "first"}, {kEast}) == std::vector<ObjectKey>{{"ml", "second"}});
  CHECK(
      AfterWhom(Offer(lines, Of("second", 2), On(kEast, Chance::kFits, gpu), kNow), kEast).empty());
}

TEST_CASE("lines: a higher priority overtakes") {
  Lines lines;
  const auto gpu = Devices({1});
  Offer(lines, Of("old", 1), On(kEast, Chance::kWaits, gpu), kNow);
  lines.Join(Of("urgent", 9, 100));
  const auto old = Offer(lines, Of("old", 1), On(kEast, Chance::kFits, gpu), kNow);
  CHECK(AfterWhom(old, kEast) == "urgent");
  Offer(lines, Of("urgent", 9, 100), On(kEast, Chance::kWaits, gpu), kNow);
  // Under Backfill, on the worker that it reserves.
  CHECK(AfterWhom(Offer(lines, Of("old", 1), On(kEast, Chance::kFits, gpu), kNow), kEast) ==
        "urgent");
}

TEST_CASE("lines: other devices are another line") {
  Lines lines;
  const OrderSettings strict{.policy = OrderPolicy::kStrict};
  Offer(lines, Of("large", 1, 0, strict), On(kEast, Chance::kWaits, Devices({1, 2})), kNow);
  const auto small =
      Offer(lines, Of("small", 2, 0, strict), On(kEast, Chance::kFits, Devices({3})), kNow);
  CHECK(AfterWhom(small, kEast).empty());
}

TEST_CASE("lines: what a gang that waits means to the smaller ones behind it") {
  const auto gpus = Devices({1, 2, 3, 4});
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const OrderSettings order{.policy = policy, .max_passes = 2};
  Lines lines;
  Bids gang = On(kEast, Chance::kWaits, gpus, 1);
  gang.emplace(kWest, Bid{Chance::kWaits, 1, 3, gpus});
  Offer(lines, Of("gang", 1, 0, order), gang, kNow);
  Bids fits = On(kEast, Chance::kFits, gpus);
  fits.emplace(kWest, Bid{Chance::kFits, 1, 0, gpus});
  const auto offer = [&](const std::string& name) {
    return Offer(lines, Of(name, 2, 0, order), fits, kNow);
  };
  const auto a = offer("a");
  // East is where the gang lacks least.
  CHECK(AfterWhom(a, kEast) == (policy == OrderPolicy::kBestEffort ? "" : "gang"));
  CHECK(AfterWhom(a, kWest) == (policy == OrderPolicy::kStrict ? "gang" : ""));
  if (policy != OrderPolicy::kBackfill) return;
  lines.Conclude({"ml", "a"}, {kWest});
  CHECK(PassesOf(lines, "gang") == 1);
  CHECK(AfterWhom(offer("b"), kWest).empty());
  lines.Conclude({"ml", "b"}, {kWest});
  CHECK(AfterWhom(offer("c"), kWest) == "gang");
}

TEST_CASE("lines: what would be answered to one that is in no line changes nothing") {
  const auto gpus = Devices({1, 2});
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const OrderSettings order{.policy = policy};
  Lines lines;
  Bids gang = On(kEast, Chance::kWaits, gpus, 1);
  gang.emplace(kWest, Bid{Chance::kWaits, 1, 2, gpus});
  Offer(lines, Of("gang", 1, 0, order), gang, kNow);
  Offer(lines, Of("second", 2, 0, order), gang, kNow);
  Offer(lines, Of("behind", 9, 0, order), gang, kNow);
  Bids fits = On(kEast, Chance::kFits, gpus);
  fits.emplace(kWest, Bid{Chance::kFits, 1, 0, gpus});
  fits.emplace(kNorth, Bid{Chance::kWaits, 1, 1, gpus});
  const auto before = lines.Standings(kNow);
  const auto foreseen = lines.Foresee(Of("moved", 3, 0, order), fits, kNow);
  CHECK(lines.Standings(kNow) == before);
  REQUIRE(foreseen.size() == 2);  // where it does not fit, nothing is answered
  const auto offered = Offer(lines, Of("moved", 3, 0, order), fits, kNow);
  for (const ClusterName& worker : {kEast, kWest}) {
    CAPTURE(worker.value);
    CHECK(foreseen.at(worker).after.has_value() == offered.workers.at(worker).after.has_value());
    CHECK(foreseen.at(worker).after_waiting == offered.workers.at(worker).after_waiting);
  }
  const size_t all = policy == OrderPolicy::kStrict ? 2 : 0;
  CHECK(foreseen.at(kEast).ahead == (policy == OrderPolicy::kBackfill ? 1 : all));
  CHECK(foreseen.at(kWest).ahead == all);
}

TEST_CASE("lines: nobody passes one that has waited for too long") {
  const OrderSettings order{.max_passes = 100, .max_wait = minutes(1)};
  Lines lines;
  const auto gpus = Devices({1, 2});
  Bids gang = On(kEast, Chance::kWaits, gpus, 1);
  gang.emplace(kWest, Bid{Chance::kWaits, 1, 1, gpus});
  const Contender first = Of("gang", 50, 0, order);
  Offer(lines, first, gang, kNow);
  const Contender small = Of("small", 60, 0, order);
  const Bids fits = On(kWest, Chance::kFits, gpus);
  CHECK(
      AfterWhom(Offer(lines, small, fits, first.reserved_at + minutes(1) - std::chrono::seconds(1)),
                kWest)
          .empty());
  CHECK(AfterWhom(Offer(lines, small, fits, first.reserved_at + minutes(1)), kWest) == "gang");
}

TEST_CASE("lines: one judged before devices became free is looked at first") {
  const OrderSettings order{.policy = OrderPolicy::kBestEffort};
  Lines lines;
  const auto gpus = Devices({1, 2});
  Offer(lines, Of("first", 1, 0, order), On(kEast, Chance::kWaits, gpus, 1, 1), kNow);
  const auto second =
      Offer(lines, Of("second", 2, 0, order), On(kEast, Chance::kFits, gpus, 0, 2), kNow);
  CHECK(AfterWhom(second, kEast) == "first");
  CHECK(second.look_at == std::vector<ObjectKey>{{"ml", "first"}});
}

TEST_CASE("lines: one that fits and is not dispatched holds nobody") {
  Lines lines;
  const auto gpu = Devices({1});
  Offer(lines, Of("first", 1), On(kEast, Chance::kFits, gpu), kNow);
  const Bids fits = On(kEast, Chance::kFits, gpu);
  CHECK(AfterWhom(Offer(lines, Of("second", 2), fits, kNow), kEast) == "first");
  CHECK(lines.Conclude({"ml", "first"}, {}) == std::vector<ObjectKey>{{"ml", "second"}});
  CHECK(AfterWhom(Offer(lines, Of("second", 2), fits, kNow), kEast).empty());
}

TEST_CASE("lines: the worker that is kept stays kept") {
  Lines lines;
  const auto gpus = Devices({1, 2, 3, 4});
  const auto offer = [&](Chance east, int missing_east, int missing_west) {
    Bids bids = On(kEast, east, gpus, missing_east);
    bids.emplace(kWest, Bid{Chance::kWaits, 1, missing_west, gpus});
    Offer(lines, Of("gang", 1), bids, kNow);
    return StandingOf(lines, "gang").kept;
  };
  CHECK(offer(Chance::kWaits, 2, 3) == kEast);
  // What has become free in the east is not given up for the west.
  CHECK(offer(Chance::kWaits, 2, 1) == kEast);
  CHECK(offer(Chance::kNone, 0, 1) == kWest);
}

TEST_CASE("lines: one that was dispatched gets a further worker in its turn, and holds nobody") {
  Lines lines;
  const auto gpu = Devices({1});
  Offer(lines, Of("first", 1), On(kEast, Chance::kFits, gpu), kNow);
  lines.Conclude({"ml", "first"}, {kEast});
  CHECK(lines.Standings(kNow).empty());
  Contender dispatched = Of("first", 1);
  dispatched.dispatched = true;
  Offer(lines, Of("oldest", 0), On(kWest, Chance::kFits, gpu), kNow);
  const Bids west = On(kWest, Chance::kFits, gpu);
  CHECK(AfterWhom(Offer(lines, dispatched, west, kNow), kWest) == "oldest");
  lines.Conclude({"ml", "first"}, {});
  lines.Leave({"ml", "oldest"});
  CHECK(AfterWhom(Offer(lines, dispatched, west, kNow), kWest).empty());
  CHECK(AfterWhom(Offer(lines, Of("last", 2), west, kNow), kWest).empty());
}

TEST_CASE("lines: one that no worker took has lost neither its place nor its passes") {
  const OrderSettings order{.max_passes = 2};
  Lines lines;
  const auto gpus = Devices({1, 2});
  const Contender gang = Of("gang", 1, 0, order);
  Bids waits = On(kEast, Chance::kWaits, gpus, 1);
  waits.emplace(kWest, Bid{Chance::kWaits, 1, 1, gpus});
  Offer(lines, gang, waits, kNow);
  const Bids west = On(kWest, Chance::kFits, gpus);
  Offer(lines, Of("a", 2, 0, order), west, kNow);
  lines.Conclude({"ml", "a"}, {kWest});
  CHECK(PassesOf(lines, "gang") == 1);
  Offer(lines, gang, On(kEast, Chance::kFits, gpus), kNow);
  lines.Conclude({"ml", "gang"}, {kEast});
  // It refused the gang, which is judged again before any other goes.
  lines.Join(gang);
  CHECK(AfterWhom(Offer(lines, Of("b", 2, 0, order), west, kNow), kWest) == "gang");
  Offer(lines, gang, waits, kNow);
  CHECK(PassesOf(lines, "gang") == 1);
}

TEST_CASE("lines: one that was invalidated holds those that want the same devices, and no others") {
  const OrderSettings order{.policy = OrderPolicy::kBestEffort};
  Lines lines;
  const auto gpu = Devices({1}), tpu = Devices({2});
  Offer(lines, Of("first", 1, 0, order), On(kEast, Chance::kWaits, gpu, 1), kNow);
  lines.Invalidate({"ml", "first"}, std::nullopt);
  const auto same = Offer(lines, Of("same", 2, 0, order), On(kEast, Chance::kFits, gpu), kNow);
  CHECK(AfterWhom(same, kEast) == "first");
  CHECK(same.look_at == std::vector<ObjectKey>{{"ml", "first"}});
  const auto other = Offer(lines, Of("other", 3, 0, order), On(kEast, Chance::kFits, tpu), kNow);
  CHECK(AfterWhom(other, kEast).empty());
}

TEST_CASE("lines: a worker that comes back is nobody's before those ahead were judged there") {
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const OrderSettings order{.policy = policy};
  Lines lines;
  const auto gpu = Devices({1});
  // Nothing was judged in the east while it was out of reach, or while a template was missing.
  Offer(lines, Of("first", 1, 0, order), {}, kNow);
  Offer(lines, Of("second", 2, 0, order), {}, kNow);
  lines.Invalidate({"ml", "first"}, std::nullopt);
  lines.Invalidate({"ml", "second"}, std::nullopt);
  const Bids fits = On(kEast, Chance::kFits, gpu);
  const auto second = Offer(lines, Of("second", 2, 0, order), fits, kNow);
  CHECK(AfterWhom(second, kEast) == "first");
  CHECK(second.look_at == std::vector<ObjectKey>{{"ml", "first"}});
  CHECK(AfterWhom(Offer(lines, Of("first", 1, 0, order), fits, kNow), kEast).empty());
}

TEST_CASE("lines: what can be read of a worker is something else, for all that wait") {
  Lines lines;
  const auto gpu = Devices({1});
  const auto look = [&](const std::string& name, int since, const ClusterName& fits) {
    Bids bids;
    if (!fits.value.empty()) bids = On(fits, Chance::kFits, gpu);
    return Offer(lines, Of(name, since), bids, kNow);
  };
  look("first", 1, {});  // while east is away
  look("second", 2, {});
  lines.InvalidateAll(kEast);
  const auto third = look("third", 3, kEast);
  CHECK_FALSE(AfterWhom(third, kEast).empty());
  CHECK(third.look_at.size() == 2);
  // On another worker it is as it was.
  CHECK(AfterWhom(look("third", 3, kWest), kWest).empty());
  // A look that had begun before does not count.
  const uint64_t seen = lines.version();
  lines.InvalidateAll(kEast);
  lines.Offer(Of("second", 2), {}, seen, kNow);
  look("first", 1, kWest);
  CHECK(AfterWhom(look("third", 3, kEast), kEast) == "second");
  look("second", 2, {});
  CHECK(AfterWhom(look("third", 3, kEast), kEast).empty());
}

TEST_CASE("lines: other devices are nobody's before those ahead were judged with them") {
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const OrderSettings order{.policy = policy};
  Lines lines;
  const auto gpu = Devices({1});
  // A node group of the east has no node yet.
  Offer(lines, Of("first", 1, 0, order), On(kEast, Chance::kNone, Devices({}), 1, 1), kNow);
  lines.Offered(kEast, 2);
  const Contender second = Of("second", 2, 0, order);
  const auto early = Offer(lines, second, On(kEast, Chance::kFits, gpu, 0, 2), kNow);
  CHECK(AfterWhom(early, kEast) == "first");
  CHECK(early.look_at == std::vector<ObjectKey>{{"ml", "first"}});
  SECTION("it fits now") {
    const auto first =
        Offer(lines, Of("first", 1, 0, order), On(kEast, Chance::kFits, gpu, 0, 2), kNow);
    CHECK(AfterWhom(first, kEast).empty());
  }
  SECTION("it can use none of them") {
    Offer(lines, Of("first", 1, 0, order), On(kEast, Chance::kNone, Devices({}), 1, 2), kNow);
    // One that becomes free later is nothing to it.
    const auto late = Offer(lines, second, On(kEast, Chance::kFits, gpu, 0, 3), kNow);
    CHECK(AfterWhom(late, kEast).empty());
  }
}

TEST_CASE(
    "lines: one that was invalidated and has not seen the new devices either is looked at first") {
  const auto policy =
      GENERATE(OrderPolicy::kStrict, OrderPolicy::kBackfill, OrderPolicy::kBestEffort);
  const OrderSettings order{.policy = policy};
  Lines lines;
  Offer(lines, Of("first", 1, 0, order), On(kEast, Chance::kNone, Devices({1}), 1, 1), kNow);
  lines.Invalidate({"ml", "first"}, std::nullopt);
  lines.Offered(kEast, 2);
  const auto second =
      Offer(lines, Of("second", 2, 0, order), On(kEast, Chance::kFits, Devices({2}), 0, 2), kNow);
  CHECK(AfterWhom(second, kEast) == "first");
  CHECK(second.look_at == std::vector<ObjectKey>{{"ml", "first"}});
}

TEST_CASE("lines: those behind are looked at again when their queue gets another order") {
  Lines lines;
  const auto gpus = Devices({1, 2});
  const Bids waits = On(kEast, Chance::kWaits, gpus, 1);
  Offer(lines, Of("gang", 1, 0, {.policy = OrderPolicy::kStrict}), waits, kNow);
  const Contender small = Of("small", 2, 0, {.policy = OrderPolicy::kStrict});
  const Bids fits = On(kEast, Chance::kFits, gpus);
  REQUIRE(AfterWhom(Offer(lines, small, fits, kNow), kEast) == "gang");
  lines.Conclude({"ml", "small"}, {});
  const Contender changed = Of("gang", 1, 0, {.policy = OrderPolicy::kBestEffort});
  CHECK(lines.Join(changed) == std::vector<ObjectKey>{{"ml", "small"}});
  CHECK(AfterWhom(Offer(lines, small, fits, kNow), kEast).empty());
}

TEST_CASE("lines: a queue that comes late does not wait for the backlog of another line") {
  Lines lines;
  const auto h100 = Devices({1}), l4 = Devices({2});
  const auto of = [](const std::string& queue, int second) {
    Contender contender = Of(queue + std::to_string(second), second);
    contender.share = Share{.queue = queue, .weight = 1, .cost = 1};
    return contender;
  };
  for (int i = 0; i < 50; ++i) Offer(lines, of("a", i), On(kEast, Chance::kWaits, h100, 1), kNow);
  Offer(lines, of("a", 50), On(kEast, Chance::kFits, l4), kNow);
  lines.Conclude({"ml", "a50"}, {kEast});
  Offer(lines, of("b", 60), On(kEast, Chance::kWaits, h100, 1), kNow);
  CHECK(StandingOf(lines, "b60").places.at(kEast) <= 2);
}

TEST_CASE("lines: where each stands") {
  Lines lines;
  const OrderSettings backfill;
  const auto both = Devices({1, 2});
  Offer(lines, Of("first", 1, 0, backfill), On(kEast, Chance::kWaits, both, 1), kNow);
  Offer(lines, Of("other", 2, 0, backfill), On(kEast, Chance::kWaits, Devices({3}), 1), kNow);
  Offer(lines, Of("third", 3, 0, backfill), On(kEast, Chance::kWaits, Devices({2, 3}), 1), kNow);
  lines.Join(Of("unseen", 4));
  const std::vector<Standing> all = lines.Standings(kNow);
  REQUIRE(all.size() == 4);
  CHECK(all[0].places.at(kEast) == 1);
  CHECK(all[0].kept == kEast);
  CHECK(all[1].places.at(kEast) == 1);
  CHECK(all[2].places.at(kEast) == 3);
  CHECK(!all[2].kept);
  CHECK(all[3].places.empty());
}

TEST_CASE("lines: who fits is told who holds it, and whether that one may still be passed") {
  Lines lines;
  const auto gpu = Devices({1});
  const OrderSettings once{.policy = OrderPolicy::kBackfill, .max_passes = 1};
  Offer(lines, Of("gang", 1, 0, once), On(kEast, Chance::kWaits, gpu, 3), kNow);
  Offer(lines, Of("strict", 2, 0, {.policy = OrderPolicy::kStrict}),
        On(kWest, Chance::kWaits, gpu, 1), kNow);
  CHECK(AfterWhom(Offer(lines, Of("west", 3), On(kWest, Chance::kFits, gpu), kNow), kWest) ==
        "strict");
  CHECK(StandingOf(lines, "west").behind.at(kWest).name == "strict");
  CHECK(StandingOf(lines, "gang").behind.empty());

  CHECK(!StandingOf(lines, "gang").is_bound_reached);
  // Strict has none; of two with one, the second waits for less long.
  for (Standing& standing : lines.Standings(kNow + once.max_wait - std::chrono::seconds(98)))
    CHECK(standing.is_bound_reached == (standing.rank.workload.name == "gang"));
}

TEST_CASE("lines: of a chain of workloads that hold each other the first one is told") {
  Lines lines;
  const auto gpu = Devices({1, 2, 3, 4});
  const OrderSettings strict{.policy = OrderPolicy::kStrict};
  Offer(lines, Of("gang", 1, 0, strict), On(kEast, Chance::kWaits, gpu, 1), kNow);
  for (const char* const name : {"small-2", "small-3", "small-4"}) {
    const Contender small = Of(name, name[6] - '0', 0, strict);
    CHECK_FALSE(AfterWhom(Offer(lines, small, On(kEast, Chance::kFits, gpu), kNow), kEast).empty());
    CHECK(StandingOf(lines, name).behind.at(kEast).name == "gang");
  }
  // On another worker the nearest is held by none.
  Bids both = On(kEast, Chance::kFits, gpu);
  both.emplace(kWest, both.at(kEast));
  Offer(lines, Of("small-4", 4, 0, strict), both, kNow);
  Offer(lines, Of("small-5", 5, 0, strict), both, kNow);
  CHECK(StandingOf(lines, "small-5").behind.at(kEast).name == "gang");
  CHECK(StandingOf(lines, "small-5").behind.at(kWest).name == "small-4");
}

TEST_CASE("lines: an invalidation that came after a look had begun outlives it") {
  Lines lines;
  const auto gpu = Devices({1});
  Offer(lines, Of("first", 1), On(kEast, Chance::kNone, gpu), kNow);
  const uint64_t seen = lines.version();  // the template is missing still
  lines.Invalidate({"ml", "first"}, std::nullopt);
  lines.Offer(Of("first", 1), On(kEast, Chance::kNone, gpu), seen, kNow);
  const Bids fits = On(kEast, Chance::kFits, gpu);
  CHECK(AfterWhom(Offer(lines, Of("second", 2), fits, kNow), kEast) == "first");
  Offer(lines, Of("first", 1), On(kEast, Chance::kNone, gpu), kNow);
  CHECK(AfterWhom(Offer(lines, Of("second", 2), fits, kNow), kEast).empty());
}

TEST_CASE("lines: one that has joined since a look began does not leave by it, nor is it known") {
  Lines lines;
  const Bids fits = On(kEast, Chance::kFits, Devices({1}));
  const uint64_t seen = lines.version();
  const auto second = [&] { return AfterWhom(Offer(lines, Of("second", 2), fits, kNow), kEast); };
  SECTION("it was no contender then") {
    lines.Join(Of("first", 1));
    lines.Leave({"ml", "first"}, seen);
    CHECK(second() == "first");
    lines.Leave({"ml", "first"}, lines.version());
  }
  SECTION("nor once, between two times that it was one") {
    Offer(lines, Of("first", 1), fits, kNow);
    const uint64_t between = lines.version();
    lines.Join(Of("first", 1));
    lines.Leave({"ml", "first"}, between);
    CHECK(second() == "first");
    lines.Leave({"ml", "first"}, lines.version());
  }
  SECTION("it had another place then") {
    lines.Join(Of("first", 3));
    lines.Join(Of("first", 1));
    lines.Offer(Of("first", 3), On(kEast, Chance::kNone, nullptr), seen, kNow);
    CHECK(second() == "first");
    Offer(lines, Of("first", 1), On(kEast, Chance::kNone, nullptr), kNow);
  }
  SECTION("it was dispatched then, and waits again") {
    Contender dispatched = Of("first", 1);
    dispatched.dispatched = true;
    Offer(lines, dispatched, {}, kNow);
    const uint64_t before = lines.version();
    lines.Join(Of("first", 1));
    lines.Offer(dispatched, {}, before, kNow);
    CHECK(second() == "first");
    Offer(lines, Of("first", 1), {}, kNow);
  }
  // And then by a look that has seen all.
  CHECK(second().empty());
}

TEST_CASE("lines: an invalidation on one worker holds no workload on another") {
  Lines lines;
  const auto gpu = Devices({1});
  const OrderSettings order{.policy = OrderPolicy::kBestEffort};
  Bids waits = On(kEast, Chance::kWaits, gpu, 1);
  waits.merge(On(kWest, Chance::kWaits, gpu, 1));
  Offer(lines, Of("first", 1, 0, order), waits, kNow);
  lines.Invalidate({"ml", "first"}, kWest);
  const Contender second = Of("second", 2, 0, order);
  CHECK(AfterWhom(Offer(lines, second, On(kEast, Chance::kFits, gpu), kNow), kEast).empty());
  CHECK(AfterWhom(Offer(lines, second, On(kWest, Chance::kFits, gpu), kNow), kWest) == "first");
}

TEST_CASE("lines: one that is second on a worker has the bound where it is the first") {
  Lines lines;
  const auto gpus = Devices({1, 2});
  const OrderSettings once{.max_passes = 1};
  Offer(lines, Of("first", 1, 0, once), On(kEast, Chance::kWaits, gpus, 1), kNow);
  Bids both = On(kEast, Chance::kWaits, gpus, 1);
  both.merge(On(kWest, Chance::kWaits, gpus, 2));
  both.merge(On(kNorth, Chance::kWaits, gpus, 2));
  Offer(lines, Of("second", 2, 0, once), both, kNow);
  CHECK(StandingOf(lines, "second").kept == kNorth);  // not the east, where it lacks least
  const Bids west = On(kWest, Chance::kFits, gpus);
  CHECK(AfterWhom(Offer(lines, Of("a", 3), west, kNow), kWest).empty());
  lines.Conclude({"ml", "a"}, {kWest});
  CHECK(AfterWhom(Offer(lines, Of("b", 4), west, kNow), kWest) == "second");
}

TEST_CASE("lines: one that fits, held by one that waits, is passed no more often than its bound") {
  Lines lines;
  const OrderSettings once{.max_passes = 1};
  Offer(lines, Of("large", 1, 0, once), On(kEast, Chance::kWaits, Devices({1, 2}), 1), kNow);
  const Bids flexible = On(kEast, Chance::kFits, Devices({1, 2, 3, 4}));
  CHECK(AfterWhom(Offer(lines, Of("flexible", 2, 0, once), flexible, kNow), kEast) == "large");
  lines.Conclude({"ml", "flexible"}, {});
  const Bids other = On(kEast, Chance::kFits, Devices({3, 4}));
  CHECK(AfterWhom(Offer(lines, Of("a", 3), other, kNow), kEast).empty());
  lines.Conclude({"ml", "a"}, {kEast});
  CHECK(StandingOf(lines, "flexible").is_bound_reached);
  CHECK(AfterWhom(Offer(lines, Of("b", 4), other, kNow), kEast) == "flexible");
}

TEST_CASE("lines: one that is overdue on its worker waits for others in its old place") {
  Lines lines;
  const auto gpus = Devices({1, 2, 3, 4});
  const OrderSettings strict{.policy = OrderPolicy::kStrict};
  Contender gang = Of("gang", 1, 0, strict);
  Offer(lines, gang, On(kEast, Chance::kFits, gpus), kNow);
  lines.Conclude({"ml", "gang"}, {kEast});
  gang.dispatched = true;
  const Contender small = Of("small", 2, 0, strict);
  const Bids fits = On(kWest, Chance::kFits, gpus);
  CHECK(AfterWhom(Offer(lines, small, fits, kNow), kWest).empty());
  lines.Conclude({"ml", "small"}, {});
  gang.overdue = true;
  Offer(lines, gang, On(kWest, Chance::kWaits, gpus, 3), kNow);
  CHECK(StandingOf(lines, "gang").places.at(kWest) == 1);
  CHECK(AfterWhom(Offer(lines, small, fits, kNow), kWest) == "gang");
  // An event joins it again, and does not know what the look knew.
  gang.overdue = false;
  lines.Join(gang);
  CHECK(AfterWhom(Offer(lines, small, fits, kNow), kWest) == "gang");
  // It was evicted, and has its time anew wherever it is dispatched to next.
  gang.dispatched = false;
  lines.Join(gang);
  gang.dispatched = true;
  lines.Join(gang);
  CHECK(AfterWhom(Offer(lines, small, fits, kNow), kWest).empty());
}

TEST_CASE("lines: a nomination that could not be written counts as one pass") {
  Lines lines;
  const auto gpus = Devices({1, 2});
  Bids waits = On(kEast, Chance::kWaits, gpus, 1);
  waits.merge(On(kWest, Chance::kWaits, gpus, 2));
  Offer(lines, Of("gang", 1), waits, kNow);
  const auto try_it = [&](bool was_written) {
    Contender small = Of("small", 2);
    small.dispatched = was_written;
    Offer(lines, small, On(kWest, Chance::kFits, gpus), kNow);
    lines.Conclude({"ml", "small"}, {kWest});
    return PassesOf(lines, "gang");
  };
  CHECK(try_it(false) == 1);
  CHECK(try_it(false) == 1);
  CHECK(try_it(true) == 2);  // the worker refused it, and it takes another one
}

TEST_CASE(
    "lines: jobs pass in the end where devices change faster than jobs are judged, and are "
    "counted") {
  Lines lines;
  const OrderSettings order{.policy = OrderPolicy::kBestEffort};
  const auto gpus = Devices({1, 2});
  const auto judge = [&](uint64_t as_of) {
    Offer(lines, Of("gang", 1, 0, order), On(kEast, Chance::kWaits, gpus, 1, as_of), kNow);
  };
  judge(1);
  int rounds = 0;
  Lines::Answer answer;
  for (uint64_t version = 2; rounds < 100; ++version, ++rounds) {
    answer =
        Offer(lines, Of("small", 2, 0, order), On(kEast, Chance::kFits, gpus, 0, version), kNow);
    if (AfterWhom(answer, kEast).empty()) break;
    CHECK(answer.passes_unasked.empty());
    judge(version);
  }
  CHECK(rounds == 32);
  CHECK(answer.passes_unasked == std::set<ClusterName>{kEast});
}

// The job asks as often as above; but then the one ahead leaves, or is judged in time.
TEST_CASE("lines: a job that passes no unjudged job is not counted") {
  const bool leaves = GENERATE(true, false);
  Lines lines;
  const OrderSettings order{.policy = OrderPolicy::kBestEffort};
  const auto gpus = Devices({1, 2});
  const auto judge = [&](uint64_t as_of) {
    Offer(lines, Of("gang", 1, 0, order), On(kEast, Chance::kWaits, gpus, 1, as_of), kNow);
  };
  const auto try_it = [&](uint64_t version) {
    return Offer(lines, Of("small", 2, 0, order), On(kEast, Chance::kFits, gpus, 0, version), kNow);
  };
  judge(1);
  for (uint64_t version = 2; version < 34; ++version) {
    REQUIRE(AfterWhom(try_it(version), kEast) == "gang");
    judge(version);
  }
  if (leaves) {
    lines.Leave({"ml", "gang"});
  } else {
    judge(34);
  }
  const Lines::Answer answer = try_it(34);
  CHECK(AfterWhom(answer, kEast).empty());
  CHECK(answer.passes_unasked.empty());
}

TEST_CASE("lines: jobs with an order of their own that come do not go through all that wait") {
  Lines lines;
  const auto gpus = Devices({1, 2});
  const OrderSettings own{.max_passes = 3};
  Offer(lines, Of("first", 1, 0, own), On(kEast, Chance::kWaits, gpus, 1), kNow);
  const Contender second = Of("second", 2, 0, own);
  Offer(lines, second, On(kEast, Chance::kFits, gpus), kNow);
  // Would wake it, as a change of the first's order does.
  CHECK(lines.Join(Of("third", 3, 0, own)).empty());
}

// ---- fair turns

Contender In(const std::string& queue, double weight, const std::string& name, int second,
             double cost = 1) {
  Contender contender = Of(name, second);
  contender.share = Share{queue, weight, cost};
  return contender;
}

Contender InLocal(const std::string& local, double weight, const std::string& name, int second,
                  const std::string& queue = "a") {
  Contender contender = In(queue, 1, name, second);
  contender.share->local = LocalShare{local, weight};
  return contender;
}

// Gives one device after the other to the first in line; the initials in that order.
std::string Serve(Lines& lines, int devices) {
  std::string served;
  for (; devices > 0 && !lines.Standings(kNow).empty(); --devices) {
    const QueueRank first = lines.Standings(kNow).front().rank;
    served += first.workload.name.substr(0, 1);
    lines.Conclude(first.workload, {kEast});
  }
  return served;
}

TEST_CASE("lines: queues share by weight, and within a queue time decides") {
  Lines lines;
  for (int i = 0; i < 12; ++i) {
    lines.Join(In("a", 3, "a" + std::to_string(i), i));
    lines.Join(In("b", 1, "b" + std::to_string(i), 100 + i));
  }
  std::string first = Serve(lines, 8);
  CHECK(std::count(first.begin(), first.end(), 'a') == 6);
  // A queue that comes late has its first turn at once, then its share, and nothing for the past.
  for (int i = 0; i < 4; ++i) lines.Join(In("c", 1, "c" + std::to_string(i), 200 + i));
  std::string then = Serve(lines, 10);
  CHECK(std::count(then.begin(), then.end(), 'a') == 5);
  CHECK(std::count(then.begin(), then.end(), 'b') == 2);
  CHECK(std::count(then.begin(), then.end(), 'c') == 3);
}

TEST_CASE("lines: a queue that comes late is not as rich as a job that has waited for long") {
  Lines lines;
  // It waits for cards that are long in use.
  Offer(lines, In("x", 1, "gang", 0), On(kWest, Chance::kWaits, Devices({9}), 1), kNow);
  for (int i = 0; i < 200; ++i) {
    lines.Join(In("a", 1, "a" + std::to_string(i), 1 + i));
    if (i >= 100) lines.Conclude({"ml", "a" + std::to_string(i - 100)}, {kEast});
  }
  for (int i = 0; i < 40; ++i) lines.Join(In("c", 1, "c" + std::to_string(i), 300 + i));
  lines.Leave({"ml", "gang"});
  const std::string served = Serve(lines, 40);
  CHECK(std::count(served.begin(), served.end(), 'c') == 20);
}

TEST_CASE("lines: LocalQueues share the turns of their ClusterQueue, and no others") {
  Lines lines;
  for (int i = 0; i < 12; ++i) {
    lines.Join(InLocal("ml/x", 3, "x" + std::to_string(i), i));
    lines.Join(InLocal("ml/y", 1, "y" + std::to_string(i), 100 + i));
    // A queue of the same weight as both together.
    lines.Join(In("b", 1, "b" + std::to_string(i), 200 + i));
  }
  const std::string served = Serve(lines, 16);
  CHECK(std::count(served.begin(), served.end(), 'b') == 8);
  CHECK(std::count(served.begin(), served.end(), 'x') == 6);
  CHECK(std::count(served.begin(), served.end(), 'y') == 2);
  // A LocalQueue that comes late has its share from now on; b gets no less for it.
  for (int i = 0; i < 4; ++i) lines.Join(InLocal("ops/z", 4, "z" + std::to_string(i), 300 + i));
  const std::string then = Serve(lines, 8);
  CHECK(std::count(then.begin(), then.end(), 'b') == 4);
  CHECK(std::count(then.begin(), then.end(), 'z') >= 2);
}

TEST_CASE("lines: one that would join gets the turn of its queue") {
  const auto gpus = Devices({1});
  Lines lines;
  for (int i = 0; i < 3; ++i)
    Offer(lines, In("a", 1, "a" + std::to_string(i), i), On(kEast, Chance::kFits, gpus), kNow);
  // It is the first of its queue, and has come last.
  const Contender moved = In("b", 1, "moved", 9);
  const size_t ahead = lines.Foresee(moved, On(kEast, Chance::kFits, gpus), kNow).at(kEast).ahead;
  CHECK(ahead < 3);
  lines.Join(moved);
  lines.Refresh();
  size_t place = 0;
  for (const Standing& standing : lines.Standings(kNow)) {
    if (standing.rank.workload.name == "moved") break;
    ++place;
  }
  CHECK(place == ahead);
}

TEST_CASE("lines: the weight of a LocalQueue may change") {
  Lines lines;
  const auto join = [&](double weight_of_x) {
    for (int i = 0; i < 8; ++i) {
      lines.Join(InLocal("ml/x", weight_of_x, "x" + std::to_string(i), i));
      lines.Join(InLocal("ml/y", 1, "y" + std::to_string(i), 100 + i));
    }
  };
  join(1);
  join(3);
  const std::string served = Serve(lines, 8);
  CHECK(std::count(served.begin(), served.end(), 'x') == 6);
}

TEST_CASE("lines: a job that was deleted while it waited is not charged to its queue") {
  Lines lines;
  const bool local = GENERATE(false, true);
  const auto join = [&](const std::string& queue, const std::string& name, int second) {
    lines.Join(local ? InLocal("ml/" + queue, 1, name, second) : In(queue, 1, name, second));
  };
  for (int i = 0; i < 20; ++i) join("a", "a" + std::to_string(i), i);
  for (int i = 0; i < 20; ++i) join("b", "b" + std::to_string(i), 100 + i);
  for (int i = 1; i < 19; ++i) lines.Leave({"ml", "a" + std::to_string(i)});
  CHECK(Serve(lines, 4) == "abab");
}

TEST_CASE("lines: one that moves up because another was deleted is looked at") {
  Lines lines;
  const auto gpu = Devices({1});
  const Bids fits = On(kEast, Chance::kFits, gpu);
  lines.Join(In("a", 1, "a0", 0));
  lines.Join(In("a", 1, "a1", 1));
  Offer(lines, In("b", 1, "b0", 2), fits, kNow);
  lines.Join(In("b", 1, "b1", 3));
  REQUIRE(AfterWhom(Offer(lines, In("a", 1, "a1", 1), fits, kNow), kEast) == "b0");
  // Whichever look comes next finds that out.
  REQUIRE(lines.Leave({"ml", "a0"}) == std::vector<ObjectKey>{{"ml", "b0"}});
  const auto look_at = Offer(lines, In("b", 1, "b0", 2), fits, kNow).look_at;
  CHECK(std::count(look_at.begin(), look_at.end(), ObjectKey{"ml", "a1"}) == 1);
  CHECK(AfterWhom(Offer(lines, In("a", 1, "a1", 1), fits, kNow), kEast).empty());
}

TEST_CASE("lines: without weights time alone decides, and weights may come and go") {
  Lines lines;
  lines.Join(Of("a0", 1));
  lines.Join(Of("a1", 2));
  lines.Join(Of("b0", 3));
  const auto names = [&] {
    std::string all;
    for (const Standing& each : lines.Standings(kNow)) all += each.rank.workload.name + " ";
    return all;
  };
  CHECK(names() == "a0 a1 b0 ");
  lines.Join(In("a", 1, "a0", 1));
  lines.Join(In("a", 1, "a1", 2));
  lines.Join(In("b", 1, "b0", 3));
  CHECK(names() == "a0 b0 a1 ");
  // One that has waited for longer takes the turn of those of its queue.
  lines.Join(In("a", 1, "a-old", 0));
  CHECK(names() == "a-old b0 a0 a1 ");
  lines.Join(Of("a-old", 0));
  for (const char* name : {"a0", "a1"}) lines.Join(Of(name, name[1] - '0' + 1));
  lines.Join(Of("b0", 3));
  CHECK(names() == "a-old a0 a1 b0 ");
}

TEST_CASE("lines: a queue pays once for a job that no worker took at first") {
  Lines lines;
  for (int i = 0; i < 4; ++i) {
    lines.Join(In("a", 1, "a" + std::to_string(i), i));
    lines.Join(In("b", 1, "b" + std::to_string(i), 100 + i));
  }
  for (int refusals = 0; refusals < 3; ++refusals) {
    CHECK(Serve(lines, 1) == "a");
    lines.Join(In("a", 1, "a0", 0));
  }
  CHECK(Serve(lines, 8) == "abababab");
}

TEST_CASE("lines: a job that is deleted costs its queue nothing") {
  Lines lines;
  for (int i = 0; i < 9; ++i) lines.Join(In("a", 1, "a" + std::to_string(i), i));
  for (int i = 0; i < 4; ++i) lines.Join(In("b", 1, "b" + std::to_string(i), 100 + i));
  CHECK(Serve(lines, 2) == "ab");
  for (int i = 2; i < 8; ++i) lines.Leave({"ml", "a" + std::to_string(i)});
  CHECK(Serve(lines, 5) == "ababb");
}

TEST_CASE("lines: a job that is deleted wakes no job that overtakes no other by that") {
  Lines lines;
  const auto gpu = Devices({1});
  const Bids fits = On(kEast, Chance::kFits, gpu);
  const auto offer = [&](int i) {
    return Offer(lines, In("a", 1, "a" + std::to_string(i), i), fits, kNow).look_at;
  };
  for (int i = 0; i < 4; ++i) offer(i);
  // Of those behind a2 the last is held by it, and none by one that it overtakes.
  CHECK(lines.Leave({"ml", "a2"}) == std::vector<ObjectKey>{{"ml", "a3"}});
  CHECK(offer(3).empty());
  CHECK(Serve(lines, 8) == "aaa");
}

TEST_CASE("lines: who moves up is woken, also while the look at the first of all takes long") {
  Lines lines;
  const auto gpu = Devices({1});
  const Bids fits = On(kEast, Chance::kFits, gpu);
  const auto offer = [&](const char* queue, int i, int since) {
    return Offer(lines, In(queue, 1, queue + std::to_string(i), since), fits, kNow);
  };
  // In order: a0 b0 a1 b1; without a0 and a1, a2 takes the turn of a0 and stands before b0.
  lines.Join(In("a", 1, "a0", 0));
  lines.Join(In("a", 1, "a1", 1));
  offer("b", 0, 10);
  offer("b", 1, 11);
  offer("a", 2, 2);
  lines.Leave({"ml", "a0"});
  lines.Leave({"ml", "a1"});
  // No look comes that would decide it.
  const std::vector<ObjectKey> woken = lines.Refresh();
  CHECK(std::find(woken.begin(), woken.end(), ObjectKey{"ml", "a2"}) != woken.end());
  CHECK(lines.Refresh().empty());
}

TEST_CASE("lines: when a job leaves that held no other, no job is looked at") {
  Lines lines;
  for (int i = 0; i < 4; ++i)
    Offer(lines, In("a", 1, "a" + std::to_string(i), i), On(kEast, Chance::kWaits, Devices({1})),
          kNow);
  CHECK(lines.Leave({"ml", "a2"}).empty());
}

TEST_CASE("lines: when the last weight goes, those that wait go back to one order") {
  Lines lines;
  const auto gpu = Devices({1});
  const Bids fits = On(kEast, Chance::kFits, gpu);
  for (int i = 0; i < 3; ++i) {
    lines.Join(In("a", 1, "a" + std::to_string(i), i));
    lines.Join(In("b", 1, "b" + std::to_string(i), 10 + i));
  }
  REQUIRE(Serve(lines, 2) == "ab");  // its queues have paid for these
  const auto after = [&](const Contender& contender) {
    return AfterWhom(Offer(lines, contender, fits, kNow), kEast);
  };
  after(In("a", 1, "a1", 1));
  REQUIRE(after(In("b", 1, "b1", 11)) == "a1");
  REQUIRE(after(In("a", 1, "a2", 2)) == "b1");
  // As events have them join: the queue that has lost its weight, and all others.
  std::vector<ObjectKey> look_at;
  for (const char* name : {"a1", "a2", "b1", "b2"}) {
    const int second = name[1] - '0' + (name[0] == 'b' ? 10 : 0);
    const auto woken = lines.Join(Of(name, second));
    look_at.insert(look_at.end(), woken.begin(), woken.end());
  }
  CHECK(after(Of("a2", 2)) == "a1");
  CHECK(after(Of("b1", 11)) == "a2");
  // One that was dispatched, and comes back, has no turn any more that it could take.
  Contender first = Of("a0", 0);
  lines.Join(first);
  CHECK(after(Of("a1", 1)) == "a0");
  CHECK(Serve(lines, 6) == "aaabb");
  for (const Standing& each : lines.Standings(kNow)) CHECK(each.rank.turn == 0);
}

TEST_CASE("lines: whatever the weights, a job waits for a bounded number of others' pods") {
  constexpr int kLargest = 8;
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int least, int most) {
      return std::uniform_int_distribution<int>(least, most)(random);
    };
    std::map<std::string, double> weights;
    for (const char* queue : {"a", "b", "c", "d"}) weights[queue] = draw(0, 4);
    const auto weight = [&](const std::string& queue) { return std::max(weights[queue], 0.001); };
    Lines lines;
    std::map<std::string, int> pods, waiting;  // of a job; of a queue, that wait
    std::map<std::string, double> bounds;      // of those that wait: pods of all queues before them
    std::map<std::string, std::vector<std::string>> jobs;  // of a queue, that wait, in their order
    const auto cost_behind = [&](const std::string& queue, double pods_ahead) {
      double cost = pods_ahead;
      for (const auto& [other, of_other] : weights)
        if (other != queue) cost += pods_ahead * weight(other) / weight(queue);
      return cost;
    };
    for (int now = 0; now < 300; ++now) {
      const std::string queue(1, static_cast<char>('a' + draw(0, 3)));
      const std::string name = queue + std::to_string(now);
      pods[name] = draw(1, kLargest);
      lines.Join(In(queue, weights[queue], name, now, pods[name]));
      bounds[name] = cost_behind(queue, waiting[queue]) + pods[name];
      for (const auto& [other, of_other] : weights) {
        if (other != queue) bounds[name] += kLargest * weight(other) / weight(queue) + kLargest;
      }
      waiting[queue] += pods[name];
      jobs[queue].push_back(name);
      if (draw(0, 3) == 0) {
        // One that is deleted costs those behind it nothing.
        auto& of_queue = jobs[queue];
        const auto gone = of_queue.begin() + draw(0, static_cast<int>(of_queue.size()) - 1);
        for (auto behind = gone + 1; behind != of_queue.end(); ++behind)
          bounds[*behind] -= cost_behind(queue, pods[*gone]);
        lines.Leave({"ml", *gone});
        waiting[queue] -= pods[*gone];
        bounds.erase(*gone);
        of_queue.erase(gone);
      }
      if (draw(0, 2) == 0 || bounds.empty()) continue;
      const std::string first = lines.Standings(kNow).front().rank.workload.name;
      Serve(lines, 1);
      waiting[first.substr(0, 1)] -= pods[first];
      std::erase(jobs[first.substr(0, 1)], first);
      bounds.erase(first);
      for (auto& [each, bound] : bounds) REQUIRE((bound -= pods[first]) >= -1e-6);
    }
  }
}

TEST_CASE("lines: those ahead that nobody has looked at are asked once, on however many workers") {
  constexpr int kAhead = 500;
  constexpr int kWorkers = 50;
  Lines lines;
  const auto gpu = Devices({1});
  Bids everywhere;
  for (int i = 0; i < kWorkers; ++i)
    everywhere[ClusterName("w" + std::to_string(i))] = {Chance::kFits, 1, 0, gpu};
  for (int i = 0; i < kAhead; ++i) lines.Join(Of("j" + std::to_string(i), i));
  const auto last = Offer(lines, Of("last", kAhead), everywhere, kNow);
  CHECK(last.look_at.size() == kAhead);
  CHECK(last.workers.size() == kWorkers);
}

namespace {

// A job that needs two devices is the first of a line in which all others need one, and on each of
// three workers one is free, and no job goes.
struct StandingLine {
  Lines lines;
  std::shared_ptr<const dra::DeviceSet> gpus = Devices({1, 2});
  std::set<ClusterName> away;
  std::set<int> to_look_at;

  void LookAt(int job) {
    Bids bids;
    for (const ClusterName& worker : {kEast, kNorth, kWest}) {
      bids[worker] = {job == 0 ? Chance::kWaits : Chance::kFits, 1, job == 0 ? 1 : 0, gpus};
      if (away.contains(worker)) bids[worker] = {.chance = Chance::kAway, .devices = nullptr};
    }
    const Contender contender = Of(std::to_string(job), job, 0, {.policy = OrderPolicy::kStrict});
    Add(Offer(lines, contender, std::move(bids), kNow).look_at);
    Add(lines.Conclude(contender.rank.workload, {}));
  }
  void Add(const std::vector<ObjectKey>& jobs) {
    for (const ObjectKey& job : jobs) to_look_at.insert(std::stoi(job.name));
  }
  // The last ones first, so that each is asked about those ahead that were not.
  int LooksFor(std::set<int> jobs) {
    to_look_at = std::move(jobs);
    int looks = 0;
    for (; !to_look_at.empty(); ++looks) {
      const int last = *to_look_at.rbegin();
      to_look_at.erase(last);
      LookAt(last);
    }
    return looks;
  }
};

}  // namespace

TEST_CASE("lines: a worker that goes and comes back is looked at by the first ones, not by all") {
  constexpr int kJobs = 300;
  StandingLine line;
  for (int job = 0; job < kJobs; ++job) line.LookAt(job);
  const std::set<int> first{0, 1, 2};
  for (int outage = 0; outage < 2; ++outage) {
    line.away = {kEast};
    CHECK(line.LooksFor(first) <= 6);
    line.away.clear();
    line.lines.InvalidateAll(kEast);
    CHECK(line.LooksFor(first) <= 6);
  }
  // What holds them is not forgotten: when it goes, the next one is looked at.
  CHECK(line.lines.Conclude({"ml", "0"}, {kEast}) == std::vector<ObjectKey>{{"ml", "1"}});
}

TEST_CASE("lines: of many workers a standing has those where its turn is nearest") {
  Lines lines;
  const auto gpu = Devices({1});
  Bids everywhere;
  for (int i = 0; i < 20; ++i)
    everywhere[ClusterName("w" + std::to_string(10 + i))] = {Chance::kFits, 1, 0, gpu};
  for (int i = 0; i < 5; ++i) {
    Bids some = everywhere;
    some.erase(ClusterName("w29"));
    Offer(lines, Of("j" + std::to_string(i), i), some, kNow);
  }
  Offer(lines, Of("last", 9), everywhere, kNow);
  const std::vector<Standing> all = lines.Standings(kNow, 3);
  REQUIRE(all.size() == 6);
  for (const Standing& standing : all) CHECK(standing.places.size() == 3);
  CHECK(all.back().places.at(ClusterName("w29")) == 1);
  CHECK(all.back().behind.size() == 2);
  CHECK(all.back().behind.at(ClusterName("w10")).name == "j0");
  const auto facts = lines.Facts(kNow);
  CHECK(facts.size() == 20);
  CHECK(facts.at(ClusterName("w10")).length == 6);
  CHECK(facts.at(ClusterName("w29")).length == 1);
}

}  // namespace
}  // namespace fedra::placement::lines_test
