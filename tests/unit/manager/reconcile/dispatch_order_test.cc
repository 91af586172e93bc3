// Which state of the caches an offer to the lines is based on.

#include "manager/reconcile/dispatch_order.h"

#include <memory>
#include <string>

#include "tests/support/catch.h"

namespace fedra::reconcile::dispatch_order_test {

using placement::Bid;

namespace {

const ClusterName kEast("east");
const ObjectKey kFirst{"ml", "first"}, kSecond{"ml", "second"};

placement::Contender Of(const ObjectKey& workload) {
  placement::Contender contender;
  const std::chrono::seconds since(workload == kFirst ? 1 : 2);
  contender.rank = {.since = WallTime{since}, .workload = workload};
  contender.order.policy = placement::OrderPolicy::kBestEffort;
  return contender;
}

// One worker with cards that both want. Under BestEffort the first holds the second only for as
// long as it must be looked at.
struct Fixture {
  DispatchOrder order;
  std::shared_ptr<const dra::DeviceSet> cards =
      std::make_shared<const dra::DeviceSet>(std::vector<uint64_t>{1});

  Bid On(const DispatchOrder::Versions& seen, Bid::Chance chance) const {
    const auto version = seen.devices->find(kEast);
    const uint64_t as_of = version == seen.devices->end() ? 0 : version->second;
    return {.chance = chance, .as_of = as_of, .missing = 1, .devices = cards};
  }
  void FirstWaits(const DispatchOrder::Versions& seen) {
    order.Offer(Of(kFirst), {{kEast, On(seen, Bid::Chance::kWaits)}}, seen, WallTime{});
  }
  placement::Lines::Answer SecondFits(const DispatchOrder::Versions& seen) {
    return order.Offer(Of(kSecond), {{kEast, On(seen, Bid::Chance::kFits)}}, seen, WallTime{});
  }
  bool IsHeld(const placement::Lines::Answer& answer) const {
    return answer.workers.at(kEast).after == kFirst;
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "one that fits may have seen devices that became free during its look") {
  FirstWaits(order.Now());
  const DispatchOrder::Versions seen = order.Now();
  // The caches show it before it is counted, and the look reads them in between.
  order.Freed(kEast);
  const placement::Lines::Answer answer = SecondFits(seen);
  CHECK(IsHeld(answer));
  CHECK(answer.look_at == std::vector{kFirst});
  FirstWaits(order.Now());
  CHECK(!IsHeld(SecondFits(order.Now())));
}

TEST_CASE_METHOD(Fixture, "one that does not fit has seen what was there when its look began") {
  const DispatchOrder::Versions seen = order.Now();
  order.Freed(kEast);
  FirstWaits(seen);
  CHECK(IsHeld(SecondFits(order.Now())));
  FirstWaits(order.Now());
  CHECK(!IsHeld(SecondFits(order.Now())));
}

TEST_CASE_METHOD(Fixture, "looks share the versions of devices until these change somewhere") {
  order.Freed(kEast);
  const DispatchOrder::Versions seen = order.Now();
  CHECK(order.Now().devices == seen.devices);
  for (const bool free : {true, false}) {
    const DispatchOrder::Versions before = order.Now();
    free ? order.Freed(kEast) : order.Offered(kEast);
    CHECK(order.Now().devices->at(kEast) == before.devices->at(kEast) + 1);
  }
  CHECK(seen.devices->at(kEast) == 1);
}

TEST_CASE_METHOD(Fixture,
                 "a look that began before an event leaves invalidated what the event was about") {
  const DispatchOrder::Versions seen = order.Now();
  FirstWaits(seen);
  order.Invalidate({kFirst}, kEast);
  FirstWaits(seen);
  CHECK(IsHeld(SecondFits(order.Now())));
  FirstWaits(order.Now());
  CHECK(!IsHeld(SecondFits(order.Now())));
}

}  // namespace fedra::reconcile::dispatch_order_test
