#include "manager/placement/lines.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace fedra::placement {
namespace {

using Chance = Bid::Chance;

bool AreAlike(const Bids& a, const Bids& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) {
                      return left.first == right.first && left.second.IsLike(right.second);
                    });
}

}  // namespace

std::optional<OrderPolicy> ParseOrderPolicy(std::string_view text) {
  if (text == "Strict") return OrderPolicy::kStrict;
  if (text == "Backfill") return OrderPolicy::kBackfill;
  if (text == "BestEffort") return OrderPolicy::kBestEffort;
  return std::nullopt;
}

std::weak_ordering QueueRank::operator<=>(const QueueRank& other) const {
  if (priority != other.priority) return other.priority <=> priority;
  if (turn != other.turn) return std::weak_order(turn, other.turn);
  if (since != other.since) return since <=> other.since;
  return workload <=> other.workload;
}

// What they stood behind has changed: until they are looked at, they count as if they could go.
void Lines::WakeFollowers(Entry& entry, std::vector<ObjectKey>& look_at) {
  for (const ObjectKey& follower : entry.followers) {
    const auto found = entries_.find(follower);
    if (found == entries_.end()) continue;
    for (auto& [worker, after_waiting] : found->second->second.held) after_waiting = false;
    look_at.push_back(follower);
  }
  entry.followers.clear();
}

Lines::Order::iterator Lines::Move(Order::iterator entry, const QueueRank& rank,
                                   std::vector<ObjectKey>& look_at) {
  if (entry->first == rank) return entry;
  // One that does not wait for devices is no head, wherever it stands.
  if (WaitsAnywhere(entry->second.bids)) heads_outdated_ = true;
  if (entry->first < rank) WakeFollowers(entry->second, look_at);
  auto node = order_.extract(entry);
  node.key() = rank;
  return entries_[rank.workload] = order_.insert(std::move(node)).position;
}

// Along an order of which only those that move are out of place: the last of those that come later
// first, then the first of those that come earlier. So each of these has to be looked at only where
// it passes one that has not moved with it.
void Lines::Follow(const Turns& turns, std::vector<ObjectKey>& look_at) {
  std::map<QueueRank, double> earlier, later;
  for (const auto& [workload, turn] : turns) {
    const QueueRank& rank = entries_.at(workload)->first;
    (turn < rank.turn ? earlier : later).emplace(rank, turn);
  }
  const auto give = [&](QueueRank rank, double turn) {
    const Order::iterator entry = entries_.at(rank.workload);
    rank.turn = turn;
    if (entry != order_.begin() && rank < std::prev(entry)->first) look_at.push_back(rank.workload);
    Move(entry, rank, look_at);
  };
  for (auto at = later.rbegin(); at != later.rend(); ++at) give(at->first, at->second);
  for (const auto& [rank, turn] : earlier) give(rank, turn);
}

double Lines::TakeTurn(const QueueRank& rank, const Share& share, std::vector<ObjectKey>& look_at) {
  Turns turns = turns_.Add(rank.priority, rank.since, rank.workload, share);
  const double own = turns.extract(rank.workload).mapped();
  Follow(turns, look_at);
  return own;
}

Lines::Order::iterator Lines::Put(const Contender& contender, std::vector<ObjectKey>& look_at) {
  QueueRank rank = contender.rank;
  const auto found = entries_.find(rank.workload);
  const bool is_new = found == entries_.end();
  Order::iterator at = is_new ? order_.end() : found->second;
  const bool has_turn =
      !is_new && at->first.priority == rank.priority && at->first.since == rank.since &&
      (at->second.has_paid ? contender.share.has_value() : at->second.share == contender.share);
  if (has_turn) {
    rank.turn = at->first.turn;
  } else {
    if (!is_new) LeaveShare(at->first, at->second, /*served=*/false, look_at);
    if (contender.share) rank.turn = TakeTurn(rank, *contender.share, look_at);
  }
  if (is_new) {
    at = order_.try_emplace(rank).first;
    entries_.emplace(rank.workload, at);
  } else {
    at = Move(at, rank, look_at);
  }
  Entry& entry = at->second;
  if (!is_new && entry.settings != contender.order) {
    heads_outdated_ = true;
    WakeFollowers(entry, look_at);
  }
  entry.reserved_at = contender.reserved_at;
  entry.settings = contender.order;
  entry.share = contender.share;
  // It comes back: it is looked at before any other passes it.
  if (entry.dispatched && !contender.dispatched) entry.is_known = entry.overdue = false;
  entry.dispatched = contender.dispatched;
  if (entry.dispatched) entry.has_passed = false;
  if (!has_turn) entry.has_paid = false;
  return at;
}

void Lines::LeaveShare(const QueueRank& rank, const Entry& entry, bool served,
                       std::vector<ObjectKey>& look_at) {
  if (entry.share && !entry.has_paid) Follow(turns_.Remove(rank.workload, served), look_at);
}

std::vector<ObjectKey> Lines::Join(const Contender& contender) {
  std::vector<ObjectKey> look_at;
  Put(contender, look_at);
  return look_at;
}

void Lines::Invalidate(const ObjectKey& workload, const std::optional<ClusterName>& worker) {
  const auto found = entries_.find(workload);
  if (found != entries_.end()) found->second->second.doubts[worker] = ++doubts_;
}

void Lines::Offered(const ClusterName& worker, uint64_t as_of) { offered_[worker] = as_of; }

Lines::Answer Lines::Offer(const Contender& contender, Bids bids, uint64_t seen, WallTime now) {
  Answer answer;
  const Order::iterator self = Put(contender, answer.look_at);
  Entry& entry = self->second;
  bool changed = !std::exchange(entry.is_known, true) || entry.bids != bids ||
                 entry.overdue != contender.overdue;
  const auto is_answered = [&](const auto& doubt) { return doubt.second <= seen; };
  if (std::erase_if(entry.doubts, is_answered) > 0) changed = true;
  const bool waited = entry.Waits();
  entry.overdue = contender.overdue;
  const bool alike = waited == entry.Waits() && AreAlike(entry.bids, bids);
  entry.bids = std::move(bids);
  if (!alike && (!entry.first_on.empty() || !FirstOn(*self).empty())) heads_outdated_ = true;
  FindHeads(answer.look_at);
  std::map<ClusterName, bool> held;
  entry.behind.clear();
  for (const auto& [worker, bid] : entry.bids) {
    if (bid.chance != Chance::kFits) continue;
    const Turn& turn = answer.turns[worker] = TurnOf(self, worker, bid, now, answer.look_at);
    if (!turn.after) continue;
    held.emplace(worker, turn.after_waiting);
    entry.behind.emplace(worker, *turn.after);
  }
  changed = changed || held != entry.held;
  entry.held = std::move(held);
  if (changed) WakeFollowers(entry, answer.look_at);
  return answer;
}

std::vector<ObjectKey> Lines::Conclude(const ObjectKey& workload,
                                       const std::set<ClusterName>& dispatched) {
  const auto found = entries_.find(workload);
  if (found == entries_.end()) return {};
  const Order::iterator self = found->second;
  Entry& entry = self->second;
  if (!dispatched.empty()) {
    for (auto at = order_.begin(); at != self && !entry.has_passed; ++at) {
      const bool passed =
          std::any_of(dispatched.begin(), dispatched.end(), [&](const ClusterName& worker) {
            const auto bid = entry.bids.find(worker);
            return bid != entry.bids.end() && Compete(at->second, worker, bid->second);
          });
      if (passed && at->second.Waits()) ++at->second.passes;
    }
    std::vector<ObjectKey> look_at;
    LeaveShare(self->first, entry, /*served=*/true, look_at);
    entry.has_paid = entry.has_passed = entry.dispatched = true;
    entry.is_known = entry.overdue = false;
    entry.bids.clear();
    entry.held.clear();
    entry.behind.clear();
    WakeFollowers(entry, look_at);
    if (!entry.first_on.empty()) heads_outdated_ = true;
    FindHeads(look_at);
    return look_at;
  }
  std::vector<ObjectKey> look_at;
  for (auto& [worker, bid] : entry.bids) {
    if (bid.chance != Chance::kFits || entry.held.contains(worker)) continue;
    bid.chance = Chance::kNone;
    WakeFollowers(entry, look_at);
  }
  return look_at;
}

std::vector<ObjectKey> Lines::Leave(const ObjectKey& workload) {
  const auto found = entries_.find(workload);
  if (found == entries_.end()) return {};
  std::vector<ObjectKey> look_at;
  Entry& entry = found->second->second;
  WakeFollowers(entry, look_at);
  LeaveShare(found->second->first, entry, /*served=*/false, look_at);
  if (!entry.first_on.empty()) heads_outdated_ = true;
  std::erase(heads_, &*found->second);
  order_.erase(found->second);
  entries_.erase(found);
  FindHeads(look_at);
  return look_at;
}

std::vector<Standing> Lines::Standings(WallTime now) {
  // How many so far want each set of devices of a worker.
  std::map<ClusterName, std::vector<std::pair<const dra::DeviceSet*, int>>> before;
  std::vector<Standing> all;
  for (const auto& [rank, entry] : order_) {
    if (!entry.Waits()) continue;
    Standing standing{.rank = rank,
                      .reserved_at = entry.reserved_at,
                      .places = {},
                      .passes = entry.passes,
                      .kept = entry.kept,
                      .is_bound_reached = HasBoundSomewhere(entry) && IsBoundReached(entry, now),
                      .behind = entry.behind};
    for (const auto& [worker, bid] : entry.bids) {
      if (bid.chance == Chance::kNone || bid.devices == nullptr) continue;
      auto& sets = before[worker];
      int& place = standing.places[worker] = 1;
      auto own = sets.end();
      for (auto at = sets.begin(); at != sets.end(); ++at) {
        if (overlaps_.Overlap(*at->first, *bid.devices)) place += at->second;
        if (at->first == bid.devices.get()) own = at;
      }
      if (own == sets.end()) own = sets.insert(own, {bid.devices.get(), 0});
      ++own->second;
    }
    all.push_back(std::move(standing));
  }
  return all;
}

}  // namespace fedra::placement
