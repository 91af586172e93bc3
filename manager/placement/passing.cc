#include "manager/placement/passing.h"

#include <algorithm>

#include "manager/placement/decide.h"
#include "manager/placement/steps.h"

namespace fedra::placement {
namespace {

bool SomeAreResyncing(const Context& context) {
  return std::any_of(context.clusters.begin(), context.clusters.end(),
                     [](const ClusterView& cluster) { return cluster.resyncing; });
}

bool IsInTurnSoon(const Context& context) {
  return std::any_of(context.clusters.begin(), context.clusters.end(),
                     [](const ClusterView& cluster) { return cluster.in_turn_soon; });
}

}  // namespace

std::optional<WallTime> FlapEnd(const Context& context) {
  std::optional<WallTime> end;
  for (const ClusterView& cluster : context.clusters) {
    if (!cluster.allowed || cluster.contact == Contact::kFull || !cluster.lost_since) continue;
    const WallTime until = *cluster.lost_since + kFlap;
    if (until > context.now) end = std::max(end.value_or(until), until);
  }
  return end;
}

std::optional<WallTime> WakeAt(const Context& context, const Choice& choice) {
  std::optional<WallTime> wake_at = choice.wake_at;
  if (SomeAreResyncing(context)) WakeBy(context.now + kSyncingRecheck, wake_at);
  return wake_at;
}

bool MayPass(const Context& context) {
  return SomeAreResyncing(context) || IsInTurnSoon(context) || FlapEnd(context).has_value();
}

}  // namespace fedra::placement
