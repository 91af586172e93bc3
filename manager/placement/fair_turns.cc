#include "manager/placement/fair_turns.h"

#include <algorithm>
#include <utility>

namespace fedra::placement {
namespace {

// Kueue lets a queue of weight 0 come last for ever; here it waits long, but not for ever.
constexpr double kLeastWeight = 0.001;

double StepOf(double cost, double weight) { return cost / std::max(weight, kLeastWeight); }

}  // namespace

TurnClock::Place FairTurns::PlaceOf(const ObjectKey& workload, const Member& member) {
  return {.before = member.local_turn, .since = member.since, .workload = workload};
}

void FairTurns::Follow(Level& level, const Turns& local_turns, Turns& changed) {
  for (const auto& [workload, turn] : local_turns) {
    Member& member = members_.at(workload);
    const TurnClock::Place from = PlaceOf(workload, member);
    member.local_turn = turn;
    level.queues.Move(member.share.queue, from, PlaceOf(workload, member), changed);
  }
}

Turns FairTurns::Add(int priority, WallTime since, const ObjectKey& workload, const Share& share) {
  Level& level = levels_[priority];
  Member& member =
      members_[workload] = {.priority = priority, .since = since, .share = share, .local_turn = 0};
  Turns changed;
  if (share.local) {
    Turns local;
    level.locals[share.queue].Add(share.local->queue, {0, since, workload},
                                  StepOf(share.cost, share.local->weight), local);
    member.local_turn = local.extract(workload).mapped();
    Follow(level, local, changed);
  }
  level.queues.Add(share.queue, PlaceOf(workload, member), StepOf(share.cost, share.weight),
                   changed);
  return changed;
}

Turns FairTurns::Remove(const ObjectKey& workload, bool served) {
  const auto found = members_.find(workload);
  if (found == members_.end()) return {};
  const Member its = std::move(found->second);
  members_.erase(found);
  Level& level = levels_.at(its.priority);
  Turns changed;
  level.queues.Remove(its.share.queue, PlaceOf(workload, its), served, changed);
  if (its.share.local) {
    TurnClock& locals = level.locals.at(its.share.queue);
    Turns local;
    locals.Remove(its.share.local->queue, {0, its.since, workload}, served, local);
    Follow(level, local, changed);
    if (locals.empty()) level.locals.erase(its.share.queue);
  }
  if (level.queues.empty() && level.locals.empty()) levels_.erase(its.priority);
  return changed;
}

}  // namespace fedra::placement
