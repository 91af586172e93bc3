#include "manager/report/device_walk.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "dra/allocator/candidates.h"
#include "dra/allocator/counters.h"

namespace fedra::report {
namespace {

using dra::PoolState;
using dra::PoolStatus;
using dra::PoolView;
using dra::Symbol;

// Of the newest generation: older slices are about to be replaced.
std::vector<UnseenDevice> Published(const PoolState& pool) {
  int64_t newest = INT64_MIN;
  for (const auto& slice : pool.slices) newest = std::max(newest, slice->generation);
  std::vector<UnseenDevice> devices;
  for (const auto& slice : pool.slices) {
    if (slice->generation != newest) continue;
    for (const dra::Device& device : slice->devices) devices.push_back({slice.get(), &device});
  }
  return devices;
}

void SetProblem(UnseenDevices& unseen, const PoolView* view) {
  if (view == nullptr) {
    unseen.problem = "no node reaches them";
  } else if (view->status == PoolStatus::kIncomplete) {
    unseen.why = WhyUnseen::kIncomplete;
    unseen.problem = "the pool is not completely published";
  } else {
    unseen.why = WhyUnseen::kInvalid;
    unseen.problem = view->problem.empty() ? "the pool is invalid" : view->problem;
  }
}

// The views of the nodes that own slices hold every device once.
void WalkLocal(const dra::Snapshot& snapshot, const PoolState& pool, PoolWalk& walk) {
  const PoolView* unusable = pool.elsewhere.get();
  for (const auto& [name, view] : pool.local_views) {
    if (view == nullptr) continue;
    if (view->status == PoolStatus::kReady)
      walk.seen.push_back({name.str(), snapshot.nodes().Find(name) != nullptr, view});
    else
      unusable = view.get();
  }
  SetProblem(walk.unseen, unusable);
}

// Seen from the node that reaches most of it.
void WalkRoaming(const dra::Snapshot& snapshot, const PoolState& pool, size_t published,
                 PoolWalk& walk) {
  std::shared_ptr<const PoolView> best;
  snapshot.nodes().ForEach([&](const Symbol&, const auto& node) -> bool {
    auto view = dra::MakePoolView(pool, *node);
    if (view != nullptr && (best == nullptr || view->devices.size() > best->devices.size()))
      best = std::move(view);
    return best == nullptr || best->devices.size() < published;
  });
  if (best != nullptr && best->status == PoolStatus::kReady) {
    walk.seen.push_back({"", true, std::move(best)});
    walk.unseen.problem = "no single node reaches them";
  } else {
    SetProblem(walk.unseen, best.get());
  }
}

}  // namespace

std::string_view ToString(DeviceCondition condition) {
  switch (condition) {
    case DeviceCondition::kFree:
      return "Free";
    case DeviceCondition::kAllocated:
      return "Allocated";
    case DeviceCondition::kShared:
      return "Shared";
    case DeviceCondition::kTainted:
      return "Tainted";
    case DeviceCondition::kUnusable:
      break;
  }
  return "Unusable";
}

PoolWalk WalkPool(const dra::Snapshot& snapshot, const PoolState& pool) {
  PoolWalk walk;
  walk.unseen.devices = Published(pool);
  if (pool.roaming)
    WalkRoaming(snapshot, pool, walk.unseen.devices.size(), walk);
  else
    WalkLocal(snapshot, pool, walk);
  std::unordered_set<const dra::Device*> seen;
  for (const PoolSight& sight : walk.seen)
    for (const dra::ViewDevice& device : sight.view->devices) seen.insert(device.device);
  std::erase_if(walk.unseen.devices,
                [&](const UnseenDevice& device) { return seen.contains(device.device); });
  return walk;
}

DeviceNow NowOf(const PoolSight& sight, size_t index, const dra::AllocatorFeatures& features) {
  static const dra::DeviceRequest tolerates_nothing;
  const dra::ViewDevice& device = sight.view->devices[index];
  DeviceNow now;
  now.is_tainted = dra::BlockingTaint(device, tolerates_nothing, features) != nullptr;
  if (device.use != nullptr && device.use->dedicated)
    now.condition = DeviceCondition::kAllocated;
  else if (sight.node_exists && device.use != nullptr && device.use->shared)
    now.condition = DeviceCondition::kShared;
  else if (!sight.node_exists || !dra::HasCounters(*sight.view, index, nullptr, features))
    now.condition = DeviceCondition::kUnusable;
  else if (now.is_tainted)
    now.condition = DeviceCondition::kTainted;
  return now;
}

}  // namespace fedra::report
