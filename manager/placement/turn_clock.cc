#include "manager/placement/turn_clock.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace fedra::placement {

std::weak_ordering TurnClock::Place::operator<=>(const Place& other) const {
  if (before != other.before) return std::weak_order(before, other.before);
  if (since != other.since) return since <=> other.since;
  return workload <=> other.workload;
}

// Turns of a flow only grow along it.
double TurnClock::LeastTurn() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [name, flow] : flows_) {
    if (!flow.waiting.empty() && flow.overtaken < kStalled)
      least = std::min(least, flow.waiting.begin()->second.turn);
  }
  return least;
}

void TurnClock::CountOvertaken(double turn) {
  for (auto& [name, flow] : flows_)
    if (!flow.waiting.empty() && flow.waiting.begin()->second.turn < turn) ++flow.overtaken;
}

void TurnClock::Reorder(Queue& queue, Queue::iterator from, Turns& changed) {
  for (auto at = from; at != queue.end(); ++at) {
    double turn = at->second.begin;
    if (at != queue.begin()) turn = std::max(turn, std::prev(at)->second.Next());
    if (turn == at->second.turn) return;
    changed[at->first.workload] = at->second.turn = turn;
  }
}

// One that joins in the middle of its flow takes the turn of the next one, which takes a later one.
void TurnClock::Insert(Flow& flow, const Place& place, Waiting waiting, Turns& changed) const {
  const auto at = flow.waiting.try_emplace(place, waiting).first;
  const auto next = std::next(at);
  if (next != flow.waiting.end()) {
    at->second.begin = next->second.begin;
  } else if (at != flow.waiting.begin()) {
    at->second.begin = std::max(waiting.begin, std::prev(at)->second.begin);
  }
  Reorder(flow.waiting, at, changed);
}

void TurnClock::Add(const std::string& name, const Place& place, double step, Turns& changed) {
  Flow& flow = flows_[name];
  Insert(flow, place, {.begin = std::max(now_, flow.next), .turn = -1, .step = step}, changed);
}

void TurnClock::Move(const std::string& name, const Place& from, const Place& to, Turns& changed) {
  const auto flow = flows_.find(name);
  if (flow == flows_.end()) return;
  Queue& queue = flow->second.waiting;
  const auto place = queue.find(from);
  if (place == queue.end()) return;
  Waiting waiting = place->second;
  const auto behind = queue.erase(place);
  if (behind != queue.end()) behind->second.begin = std::max(behind->second.begin, waiting.begin);
  Reorder(queue, behind, changed);
  waiting.turn = -1;
  Insert(flow->second, to, waiting, changed);
}

void TurnClock::Remove(const std::string& name, const Place& place, bool served, Turns& changed) {
  const auto found = flows_.find(name);
  if (found == flows_.end()) return;
  Flow& flow = found->second;
  const auto at = flow.waiting.find(place);
  if (at == flow.waiting.end()) return;
  const Waiting its = at->second;
  if (at == flow.waiting.begin()) flow.overtaken = 0;
  const auto behind = flow.waiting.erase(at);
  if (behind != flow.waiting.end()) {
    const double least = served ? its.Next() : its.begin;
    behind->second.begin = std::max(behind->second.begin, least);
    Reorder(flow.waiting, behind, changed);
  }
  if (served) {
    flow.next = std::max(flow.next, its.Next());
    CountOvertaken(its.turn);
    now_ = std::max(now_, std::min(its.turn, LeastTurn()));
  }
  // A flow without debt and without jobs is forgotten: its next job starts it afresh.
  std::erase_if(flows_, [&](const auto& each) {
    return each.second.waiting.empty() && each.second.next <= now_;
  });
}

}  // namespace fedra::placement
