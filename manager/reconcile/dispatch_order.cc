#include "manager/reconcile/dispatch_order.h"

#include <algorithm>
#include <utility>

namespace fedra::reconcile {

void DispatchOrder::State::BringUpToDate(placement::Bids& bids) {
  for (auto& [worker, bid] : bids) {
    if (bid.chance == placement::Bid::Chance::kFits) bid.as_of = devices[worker];
  }
}

uint64_t DispatchOrder::State::Change(const ClusterName& worker) {
  published = nullptr;
  return ++devices[worker];
}

std::vector<ObjectKey> DispatchOrder::Join(const placement::Contender& contender) {
  return state_.With([&](State& state) { return state.lines.Join(contender); });
}

std::vector<ObjectKey> DispatchOrder::Leave(const ObjectKey& workload, const Versions& seen) {
  return state_.With([&](State& state) { return state.lines.Leave(workload, seen.lines); });
}

std::vector<ObjectKey> DispatchOrder::Refresh() {
  return state_.With([](State& state) { return state.lines.Refresh(); });
}

void DispatchOrder::Invalidate(const std::vector<ObjectKey>& workloads,
                               const std::optional<ClusterName>& worker) {
  state_.With([&](State& state) {
    for (const ObjectKey& workload : workloads) state.lines.Invalidate(workload, worker);
  });
}

void DispatchOrder::InvalidateAll(const ClusterName& worker) {
  state_.With([&](State& state) { state.lines.InvalidateAll(worker); });
}

void DispatchOrder::Freed(const ClusterName& worker) {
  state_.With([&](State& state) { state.Change(worker); });
}

void DispatchOrder::Offered(const ClusterName& worker) {
  state_.With([&](State& state) { state.lines.Offered(worker, state.Change(worker)); });
}

DispatchOrder::Versions DispatchOrder::Now() const {
  return state_.With([](State& state) {
    if (state.published == nullptr)
      state.published = std::make_shared<const std::map<ClusterName, uint64_t>>(state.devices);
    return Versions{.devices = state.published, .lines = state.lines.version()};
  });
}

placement::Lines::Answer DispatchOrder::Offer(const placement::Contender& contender,
                                              placement::Bids bids, const Versions& seen,
                                              WallTime now) {
  return state_.With([&](State& state) {
    state.BringUpToDate(bids);
    return state.lines.Offer(contender, std::move(bids), seen.lines, now);
  });
}

std::map<ClusterName, placement::LineAnswer> DispatchOrder::Foresee(
    const placement::Contender& contender, placement::Bids bids, WallTime now) {
  return state_.With([&](State& state) {
    state.BringUpToDate(bids);
    return state.lines.Foresee(contender, bids, now);
  });
}

std::vector<ObjectKey> DispatchOrder::Conclude(const ObjectKey& workload,
                                               const std::set<ClusterName>& dispatched) {
  return state_.With([&](State& state) { return state.lines.Conclude(workload, dispatched); });
}

std::map<ClusterName, placement::LineFacts> DispatchOrder::Facts(WallTime now) const {
  return state_.With([&](State& state) { return state.lines.Facts(now); });
}

std::vector<placement::Standing> DispatchOrder::Standings(WallTime now, size_t most_places) const {
  return state_.With([&](State& state) {
    const size_t waiting = std::max<size_t>(state.lines.size(), 1);
    return state.lines.Standings(now, std::max(most_places / waiting, kFewPlaces));
  });
}

}  // namespace fedra::reconcile
