#include "manager/placement/fair_turns.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace fedra::placement {
namespace {

// Kueue lets a queue of weight 0 come last for ever; here it waits long, but not for ever.
constexpr double kLeastWeight = 0.001;

}  // namespace

// Turns of a queue only grow along it.
double FairTurns::LeastTurn(const Level& level) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [name, queue] : level.queues) {
    if (!queue.waiting.empty()) least = std::min(least, queue.waiting.begin()->second.turn);
  }
  return least;
}

std::vector<FairTurns::Turn> FairTurns::Add(int priority, WallTime since, const ObjectKey& workload,
                                            const Share& share) {
  Level& level = levels_[priority];
  Queue& queue = level.queues[share.queue];
  auto at = queue.waiting.try_emplace({since, workload}).first;
  const auto next = std::next(at);
  at->second.step = share.cost / std::max(share.weight, kLeastWeight);
  if (next != queue.waiting.end()) {
    at->second.turn = next->second.turn;
  } else if (at != queue.waiting.begin()) {
    at->second.turn = std::max(level.now, std::prev(at)->second.Next());
  } else {
    at->second.turn = std::max(level.now, queue.next);
  }
  std::vector<Turn> turns = {{workload, at->second.turn}};
  for (auto later = next; later != queue.waiting.end(); at = later++) {
    if (later->second.turn >= at->second.Next()) break;
    later->second.turn = at->second.Next();
    turns.push_back({later->first.second, later->second.turn});
  }
  return turns;
}

std::vector<FairTurns::Turn> FairTurns::CloseGap(Queue& queue, Waiting::iterator first,
                                                 double now) {
  std::vector<Turn> turns;
  double next = first == queue.waiting.begin() ? queue.next : std::prev(first)->second.Next();
  for (auto at = first; at != queue.waiting.end(); ++at) {
    const double turn = std::max(now, next);
    if (turn >= at->second.turn) break;
    at->second.turn = turn;
    turns.push_back({at->first.second, turn});
    next = at->second.Next();
  }
  return turns;
}

std::vector<FairTurns::Turn> FairTurns::Remove(int priority, WallTime since,
                                               const ObjectKey& workload, const std::string& queue,
                                               bool served) {
  const auto level = levels_.find(priority);
  if (level == levels_.end()) return {};
  const auto found = level->second.queues.find(queue);
  if (found == level->second.queues.end()) return {};
  Queue& own = found->second;
  const auto place = own.waiting.find({since, workload});
  if (place == own.waiting.end()) return {};
  const Place its = place->second;
  const auto behind = own.waiting.erase(place);
  std::vector<Turn> turns;
  if (served) {
    own.next = std::max(own.next, its.Next());
    // Lines are served side by side, so one with a late turn may go before those of another line:
    // who comes now must not wait for all of these.
    level->second.now = std::max(level->second.now, std::min(its.turn, LeastTurn(level->second)));
  } else {
    turns = CloseGap(own, behind, level->second.now);
  }
  if (own.waiting.empty() && own.next <= level->second.now) level->second.queues.erase(found);
  if (level->second.queues.empty()) levels_.erase(level);
  return turns;
}

}  // namespace fedra::placement
