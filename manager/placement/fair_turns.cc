#include "manager/placement/fair_turns.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fedra::placement {
namespace {

// Kueue lets a queue of weight 0 come last for ever; here it waits long, but not for ever.
constexpr double kLeastWeight = 0.001;

double StepOf(double cost, double weight) { return cost / std::max(weight, kLeastWeight); }

}  // namespace

TurnClock::Key FairTurns::KeyOf(const ObjectKey& workload, const Member& member) {
  return {.before = member.local_turn, .since = member.since, .workload = workload};
}

void FairTurns::Add(int priority, WallTime since, const ObjectKey& workload, const Share& share) {
  Level& level = levels_[priority];
  stale_.insert(priority);
  Member& member = members_[workload] = {.priority = priority, .since = since, .share = share};
  if (share.local) {
    member.local_turn = std::numeric_limits<double>::infinity();
    level.locals[share.queue].Add(share.local->queue, {0, since, workload},
                                  StepOf(share.cost, share.local->weight));
    level.stale.insert(share.queue);
  }
  level.queues.Add(share.queue, KeyOf(workload, member), StepOf(share.cost, share.weight));
}

void FairTurns::Leave(const ObjectKey& workload) { Take(workload, /*served=*/false); }

void FairTurns::Serve(const ObjectKey& workload) {
  RefreshAll();
  Take(workload, /*served=*/true);
}

void FairTurns::Take(const ObjectKey& workload, bool served) {
  const auto found = members_.find(workload);
  if (found == members_.end()) return;
  const Member its = std::move(found->second);
  members_.erase(found);
  Level& level = levels_.at(its.priority);
  stale_.insert(its.priority);
  const auto take = [&](TurnClock& clock, const std::string& flow, const TurnClock::Key& key) {
    if (served)
      clock.Serve(flow, key);
    else
      clock.Leave(flow, key);
  };
  take(level.queues, its.share.queue, KeyOf(workload, its));
  if (its.share.local) {
    const auto locals = level.locals.find(its.share.queue);
    take(locals->second, its.share.local->queue, {0, its.since, workload});
    if (locals->second.empty())
      level.locals.erase(locals);
    else
      level.stale.insert(its.share.queue);
  }
  if (!level.queues.empty() || !level.locals.empty()) return;
  levels_.erase(its.priority);
  stale_.erase(its.priority);
}

void FairTurns::RefreshLocals(Level& level, const std::string& queue) {
  const auto locals = level.locals.find(queue);
  if (locals == level.locals.end()) return;
  Turns changed;
  locals->second.Refresh(changed);
  for (const auto& [workload, turn] : changed) {
    Member& member = members_.at(workload);
    const TurnClock::Key from = KeyOf(workload, member);
    member.local_turn = turn;
    level.queues.Move(queue, from, KeyOf(workload, member));
  }
}

void FairTurns::RefreshAll() {
  for (const int priority : std::exchange(stale_, {})) {
    Level& level = levels_.at(priority);
    for (const std::string& queue : std::exchange(level.stale, {})) RefreshLocals(level, queue);
    level.queues.Refresh(changed_);
  }
}

Turns FairTurns::Refresh() {
  RefreshAll();
  std::erase_if(changed_, [&](const auto& each) { return !members_.contains(each.first); });
  return std::exchange(changed_, {});
}

}  // namespace fedra::placement
