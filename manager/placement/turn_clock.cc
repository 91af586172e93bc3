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

void TurnClock::Unsettle(Flow& flow, Queue::iterator at) {
  if (at == flow.waiting.end()) return;
  const Place& place = at->first;
  if (flow.is_settled || place < flow.first_unsettled) flow.first_unsettled = place;
  if (flow.is_settled || flow.last_unsettled < place) flow.last_unsettled = place;
  flow.is_settled = false;
}

void TurnClock::Settle(Flow& flow, Turns& changed) {
  flow.is_settled = true;
  Queue& queue = flow.waiting;
  for (auto at = queue.lower_bound(flow.first_unsettled); at != queue.end(); ++at) {
    double turn = at->second.begin;
    if (at != queue.begin()) turn = std::max(turn, std::prev(at)->second.Next());
    if (turn != at->second.turn)
      changed.emplace_back(at->first.workload, at->second.turn = turn);
    else if (flow.last_unsettled < at->first)
      return;
  }
}

void TurnClock::Settle(Turns& changed) {
  for (auto& [name, flow] : flows_)
    if (!flow.is_settled) Settle(flow, changed);
}

// One that joins in the middle of its flow takes the turn of the next one, which takes a later one.
void TurnClock::Insert(Flow& flow, const Place& place, Waiting waiting) {
  const auto at = flow.waiting.try_emplace(place, waiting).first;
  const auto next = std::next(at);
  if (next != flow.waiting.end()) {
    at->second.begin = next->second.begin;
  } else if (at != flow.waiting.begin()) {
    at->second.begin = std::max(waiting.begin, std::prev(at)->second.begin);
  }
  Unsettle(flow, at);
}

void TurnClock::Take(Flow& flow, Queue::iterator at, double least) {
  const auto behind = flow.waiting.erase(at);
  if (behind == flow.waiting.end()) return;
  behind->second.begin = std::max(behind->second.begin, least);
  Unsettle(flow, behind);
}

void TurnClock::Add(const std::string& name, const Place& place, double step) {
  Flow& flow = flows_[name];
  Insert(flow, place, {.begin = std::max(now_, flow.next), .turn = -1, .step = step});
}

void TurnClock::Move(const std::string& name, const Place& from, const Place& to) {
  const auto flow = flows_.find(name);
  if (flow == flows_.end()) return;
  const auto at = flow->second.waiting.find(from);
  if (at == flow->second.waiting.end()) return;
  const Waiting waiting = at->second;
  Take(flow->second, at, waiting.begin);
  Insert(flow->second, to, waiting);
}

void TurnClock::Leave(const std::string& name, const Place& place) {
  const auto flow = flows_.find(name);
  if (flow == flows_.end()) return;
  Queue& queue = flow->second.waiting;
  const auto at = queue.find(place);
  if (at == queue.end()) return;
  if (at == queue.begin()) flow->second.overtaken = 0;
  Take(flow->second, at, at->second.begin);
  if (queue.empty() && flow->second.next <= now_) flows_.erase(flow);
}

void TurnClock::Serve(const std::string& name, const Place& place) {
  const auto found = flows_.find(name);
  if (found == flows_.end()) return;
  Flow& flow = found->second;
  const auto at = flow.waiting.find(place);
  if (at == flow.waiting.end()) return;
  const Waiting its = at->second;
  if (at == flow.waiting.begin()) flow.overtaken = 0;
  Take(flow, at, its.Next());
  flow.next = std::max(flow.next, its.Next());
  CountOvertaken(its.turn);
  now_ = std::max(now_, std::min(its.turn, LeastTurn()));
  // A flow without debt and without jobs is forgotten: its next job starts it afresh.
  std::erase_if(flows_, [&](const auto& each) {
    return each.second.waiting.empty() && each.second.next <= now_;
  });
}

}  // namespace fedra::placement
