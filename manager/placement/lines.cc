#include "manager/placement/lines.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace fedra::placement {
namespace {

using Chance = Bid::Chance;

// So often those ahead are waited for because devices have changed since they were looked at.
constexpr int kMostRelooks = 8;

void TakeAll(std::set<ObjectKey>& followers, std::vector<ObjectKey>& into) {
  into.insert(into.end(), followers.begin(), followers.end());
  followers.clear();
}

// The worker where the fewest pods are missing.
std::optional<ClusterName> Nearest(const Bids& bids) {
  std::optional<ClusterName> nearest;
  int least = 0;
  for (const auto& [worker, bid] : bids) {
    if (bid.chance != Chance::kWaits || (nearest && bid.missing >= least)) continue;
    nearest = worker;
    least = bid.missing;
  }
  return nearest;
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

Lines::Order::iterator Lines::Move(Order::iterator entry, const QueueRank& rank,
                                   std::vector<ObjectKey>& look_at) {
  if (entry->first == rank) return entry;
  reservations_outdated_ = true;
  if (entry->first < rank) TakeAll(entry->second.followers, look_at);
  auto node = order_.extract(entry);
  node.key() = rank;
  return entries_[rank.workload] = order_.insert(std::move(node)).position;
}

double Lines::TakeTurn(const QueueRank& rank, const Share& share, std::vector<ObjectKey>& look_at) {
  const auto turns = turns_.Add(rank.priority, rank.since, rank.workload, share);
  for (size_t i = turns.size(); i-- > 1;) {
    const Order::iterator later = entries_.at(turns[i].workload);
    QueueRank its = later->first;
    its.turn = turns[i].at;
    Move(later, its, look_at);
  }
  return turns.front().at;
}

Lines::Order::iterator Lines::Put(const Contender& contender, std::vector<ObjectKey>& look_at) {
  QueueRank rank = contender.rank;
  const auto found = entries_.find(rank.workload);
  const bool is_new = found == entries_.end();
  Order::iterator at = is_new ? order_.end() : found->second;
  const bool keeps_turn = !is_new && at->second.share == contender.share &&
                          at->first.priority == rank.priority && at->first.since == rank.since;
  if (keeps_turn) {
    rank.turn = at->first.turn;
  } else {
    if (!is_new) LeaveShare(at->first, at->second, /*served=*/false);
    if (contender.share) rank.turn = TakeTurn(rank, *contender.share, look_at);
  }
  if (is_new) {
    at = order_.try_emplace(rank).first;
    entries_.emplace(rank.workload, at);
  } else {
    at = Move(at, rank, look_at);
  }
  Entry& entry = at->second;
  reservations_outdated_ = reservations_outdated_ || entry.settings != contender.order;
  entry.reserved_at = contender.reserved_at;
  entry.settings = contender.order;
  entry.share = contender.share;
  return at;
}

void Lines::LeaveShare(const QueueRank& rank, const Entry& entry, bool served) {
  if (entry.share)
    turns_.Remove(rank.priority, rank.since, rank.workload, entry.share->queue, served);
}

std::vector<ObjectKey> Lines::Join(const Contender& contender) {
  std::vector<ObjectKey> look_at;
  Put(contender, look_at);
  return look_at;
}

void Lines::Doubt(const ObjectKey& workload) {
  const auto found = entries_.find(workload);
  if (found != entries_.end()) found->second->second.judged = false;
}

bool Lines::Compete(const Entry& entry, const ClusterName& worker, const Bid& bid) {
  const auto found = entry.bids.find(worker);
  return found != entry.bids.end() && found->second.chance != Chance::kNone &&
         bid.chance != Chance::kNone && found->second.devices != nullptr &&
         bid.devices != nullptr && overlaps_.Overlap(*found->second.devices, *bid.devices);
}

bool Lines::CompeteAnywhere(const Entry& a, const Entry& b) {
  return std::any_of(b.bids.begin(), b.bids.end(),
                     [&](const auto& bid) { return Compete(a, bid.first, bid.second); });
}

// Who is first in all its lines, and has to wait, reserves the worker where it lacks least.
void Lines::Reserve(std::vector<ObjectKey>& look_at) {
  if (!std::exchange(reservations_outdated_, false)) return;
  std::vector<const Entry*> heads;
  for (auto& [rank, entry] : order_) {
    std::optional<ClusterName> reserved;
    if (entry.judged && entry.settings.policy == OrderPolicy::kBackfill)
      reserved = Nearest(entry.bids);
    if (reserved && std::any_of(heads.begin(), heads.end(),
                                [&](const Entry* head) { return CompeteAnywhere(*head, entry); }))
      reserved.reset();
    if (reserved) heads.push_back(&entry);
    if (reserved == entry.reserved) continue;
    TakeAll(entry.followers, look_at);
    entry.reserved = std::move(reserved);
  }
}

Lines::Hold Lines::HoldOf(const Entry& ahead, const ClusterName& worker, const Bid& bid,
                          uint64_t as_of, WallTime now) {
  if (!ahead.judged) return Hold::kUntilLookedAt;
  if (!Compete(ahead, worker, bid)) return Hold::kNo;
  const Bid& theirs = ahead.bids.at(worker);
  if (theirs.chance == Chance::kFits) {
    const auto held = ahead.held.find(worker);
    if (held == ahead.held.end() || !held->second) return Hold::kUntilItGoes;
  }
  if (!MayBePassed(ahead, worker, now)) return Hold::kUntilItFits;
  return theirs.as_of < as_of ? Hold::kUntilLookedAt : Hold::kNo;
}

bool Lines::MayBePassed(const Entry& entry, const ClusterName& worker, WallTime now) {
  switch (entry.settings.policy) {
    case OrderPolicy::kStrict:
      return false;
    case OrderPolicy::kBestEffort:
      return true;
    case OrderPolicy::kBackfill:
      break;
  }
  return entry.reserved != worker && entry.passes < entry.settings.max_passes &&
         now - entry.reserved_at < entry.settings.max_wait;
}

Turn Lines::TurnOf(Order::iterator self, const ClusterName& worker, const Bid& bid, WallTime now,
                   std::vector<ObjectKey>& look_at) {
  Asked& asked = self->second.asked[worker];
  const uint64_t as_of = asked.times < kMostRelooks ? bid.as_of : asked.as_of;
  std::vector<Order::value_type*> outdated;
  // From the nearest on: one wakes the next, instead of the first all the others.
  for (auto at = self; at != order_.begin();) {
    auto& [rank, ahead] = *--at;
    const Hold hold = HoldOf(ahead, worker, bid, as_of, now);
    if (hold == Hold::kNo) continue;
    if (hold == Hold::kUntilLookedAt) {
      outdated.push_back(&*at);
      continue;
    }
    ahead.followers.insert(self->first.workload);
    asked = {};
    return {rank.workload, hold == Hold::kUntilItFits};
  }
  if (outdated.empty()) {
    asked = {};
    return {};
  }
  bool answered = true;  // all have been looked at since they were last asked for
  for (auto* const each : outdated) {
    const auto theirs = each->second.bids.find(worker);
    answered = answered && theirs != each->second.bids.end() && theirs->second.as_of >= asked.as_of;
    look_at.push_back(each->first.workload);
  }
  if (asked.times == 0 || answered) asked = {bid.as_of, asked.times + 1};
  outdated.front()->second.followers.insert(self->first.workload);
  return {outdated.front()->first.workload, false};
}

Lines::Answer Lines::Offer(const Contender& contender, Bids bids, WallTime now) {
  Answer answer;
  const Order::iterator self = Put(contender, answer.look_at);
  Entry& entry = self->second;
  bool changed = !std::exchange(entry.judged, true) || entry.bids != bids;
  reservations_outdated_ = reservations_outdated_ || changed;
  entry.bids = std::move(bids);
  Reserve(answer.look_at);
  std::map<ClusterName, bool> held;
  for (const auto& [worker, bid] : entry.bids) {
    if (bid.chance != Chance::kFits) continue;
    const Turn& turn = answer.turns[worker] = TurnOf(self, worker, bid, now, answer.look_at);
    if (turn.after) held.emplace(worker, turn.after_waiting);
  }
  changed = changed || held != entry.held;
  entry.held = std::move(held);
  if (changed) TakeAll(entry.followers, answer.look_at);
  return answer;
}

std::vector<ObjectKey> Lines::Conclude(const ObjectKey& workload,
                                       const std::set<ClusterName>& dispatched) {
  const auto found = entries_.find(workload);
  if (found == entries_.end()) return {};
  const Order::iterator self = found->second;
  Entry& entry = self->second;
  if (!dispatched.empty()) {
    for (auto at = order_.begin(); at != self; ++at) {
      const bool passed =
          std::any_of(dispatched.begin(), dispatched.end(), [&](const ClusterName& worker) {
            const auto bid = entry.bids.find(worker);
            return bid != entry.bids.end() && Compete(at->second, worker, bid->second);
          });
      if (passed) ++at->second.passes;
    }
    return Remove(workload, /*served=*/true);
  }
  std::vector<ObjectKey> look_at;
  for (auto& [worker, bid] : entry.bids) {
    if (bid.chance != Chance::kFits || entry.held.contains(worker)) continue;
    bid.chance = Chance::kNone;
    reservations_outdated_ = true;
    TakeAll(entry.followers, look_at);
  }
  return look_at;
}

std::vector<ObjectKey> Lines::Leave(const ObjectKey& workload) {
  return Remove(workload, /*served=*/false);
}

std::vector<ObjectKey> Lines::Remove(const ObjectKey& workload, bool served) {
  const auto found = entries_.find(workload);
  if (found == entries_.end()) return {};
  std::vector<ObjectKey> look_at;
  TakeAll(found->second->second.followers, look_at);
  LeaveShare(found->second->first, found->second->second, served);
  order_.erase(found->second);
  entries_.erase(found);
  reservations_outdated_ = true;
  Reserve(look_at);
  return look_at;
}

std::vector<Standing> Lines::Standings() {
  // How many so far want each set of devices of a worker.
  std::map<ClusterName, std::vector<std::pair<const dra::DeviceSet*, int>>> before;
  std::vector<Standing> all;
  for (const auto& [rank, entry] : order_) {
    Standing standing{.rank = rank,
                      .reserved_at = entry.reserved_at,
                      .places = {},
                      .passes = entry.passes,
                      .kept = entry.reserved};
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

int Lines::Passes(const ObjectKey& workload) const {
  const auto found = entries_.find(workload);
  return found == entries_.end() ? 0 : found->second->second.passes;
}

}  // namespace fedra::placement
