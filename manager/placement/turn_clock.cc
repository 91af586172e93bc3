#include "manager/placement/turn_clock.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace fedra::placement {

std::weak_ordering TurnClock::Key::operator<=>(const Key& other) const {
  if (before != other.before) return std::weak_order(before, other.before);
  if (since != other.since) return since <=> other.since;
  return workload <=> other.workload;
}

// Turns of a flow only grow along it.
double TurnClock::LeastTurn() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [name, flow] : flows_) {
    if (!flow.waiting.empty() && flow.overtaken < kStalled)
      least = std::min(least, flow.waiting.begin()->second.at);
  }
  return least;
}

void TurnClock::CountOvertaken(double turn) {
  for (auto& [name, flow] : flows_) {
    if (flow.waiting.empty()) continue;
    const auto& [key, first] = *flow.waiting.begin();
    if (first.at < turn) ++flow.overtaken;
    if (flow.first != key.workload) flow.first = key.workload;
  }
}

void TurnClock::MarkStale(Flow& flow, Queue::iterator at) {
  if (at == flow.waiting.end()) return;
  const Key& key = at->first;
  if (flow.is_up_to_date || key < flow.first_stale) flow.first_stale = key;
  if (flow.is_up_to_date || flow.last_stale < key) flow.last_stale = key;
  flow.is_up_to_date = false;
}

size_t TurnClock::PlaceOf(const Flow& flow, Queue::const_iterator at) {
  return static_cast<size_t>(std::distance(flow.waiting.begin(), at));
}

void TurnClock::Refresh(Flow& flow, Turns& changed) {
  const double latest = std::exchange(flow.latest_begin, flow.begins.back());
  flow.is_up_to_date = true;
  Queue& queue = flow.waiting;
  auto at = queue.lower_bound(flow.first_stale);
  // Where all begin alike, the place does not matter.
  const bool alike = flow.begins.front() == flow.begins.back();
  for (size_t place = alike ? 0 : PlaceOf(flow, at); at != queue.end(); ++at, ++place) {
    double turn = flow.begins[place];
    if (at != queue.begin()) turn = std::max(turn, std::prev(at)->second.Next());
    if (turn != at->second.at)
      changed.emplace_back(at->first.workload, at->second.at = turn);
    else if (flow.last_stale < at->first && latest <= turn)
      return;
  }
}

void TurnClock::Refresh(Turns& changed) {
  for (auto& [name, flow] : flows_)
    if (!flow.is_up_to_date) Refresh(flow, changed);
}

void TurnClock::Add(const std::string& name, const Key& key, double step) {
  Flow& flow = flows_[name];
  const auto [at, is_new] = flow.waiting.try_emplace(key, Turn{.at = -1, .step = step});
  if (!is_new) return;
  double begin = std::max(now_, flow.next);
  if (!flow.begins.empty()) begin = std::max(begin, flow.begins.back());
  flow.begins.push_back(begin);
  flow.latest_begin = std::max(flow.latest_begin, begin);
  MarkStale(flow, at);
}

void TurnClock::Move(const std::string& name, const Key& from, const Key& to) {
  const auto found = flows_.find(name);
  if (found == flows_.end()) return;
  Flow& flow = found->second;
  const auto at = flow.waiting.find(from);
  if (at == flow.waiting.end()) return;
  MarkStale(flow, std::next(at));
  auto node = flow.waiting.extract(at);
  node.key() = to;
  MarkStale(flow, flow.waiting.insert(std::move(node)).position);
}

void TurnClock::Leave(const std::string& name, const Key& key) {
  const auto found = flows_.find(name);
  if (found == flows_.end()) return;
  Flow& flow = found->second;
  const auto at = flow.waiting.find(key);
  if (at == flow.waiting.end()) return;
  if (flow.first == key.workload) {
    flow.first.reset();
    flow.overtaken = 0;
  }
  flow.begins.pop_back();
  MarkStale(flow, flow.waiting.erase(at));
  if (!flow.waiting.empty()) return;
  flow.is_up_to_date = true;
  if (flow.next <= now_) flows_.erase(found);
}

void TurnClock::TakeServed(Flow& flow, Queue::iterator at) {
  const double next = at->second.Next();
  const auto behind =
      flow.begins.erase(flow.begins.begin() + static_cast<std::ptrdiff_t>(PlaceOf(flow, at)));
  for (auto begin = behind; begin != flow.begins.end() && *begin < next; ++begin) *begin = next;
  if (!flow.begins.empty()) flow.latest_begin = std::max(flow.latest_begin, flow.begins.back());
  MarkStale(flow, flow.waiting.erase(at));
}

void TurnClock::Serve(const std::string& name, const Key& key) {
  const auto found = flows_.find(name);
  if (found == flows_.end()) return;
  Flow& flow = found->second;
  const auto at = flow.waiting.find(key);
  if (at == flow.waiting.end()) return;
  const Turn its = at->second;
  if (at == flow.waiting.begin()) flow.overtaken = 0;
  TakeServed(flow, at);
  flow.next = std::max(flow.next, its.Next());
  CountOvertaken(its.at);
  now_ = std::max(now_, std::min(its.at, LeastTurn()));
  // A flow without debt and without jobs is forgotten: its next job starts it afresh.
  std::erase_if(flows_, [&](const auto& each) {
    return each.second.waiting.empty() && each.second.next <= now_;
  });
}

}  // namespace fedra::placement
