#include "manager/placement/lines.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace fedra::placement {
namespace {

using Chance = Bid::Chance;

// So often those ahead are waited for because devices have changed since they were looked at. A
// stream of jobs that end needs many rounds (thirty jobs on four cards: more than eight); devices
// that change all the time, and never for those ahead, must not hold the others for ever.
constexpr int kMostRelooks = 32;

bool WaitsOn(const Bids& bids, const ClusterName& worker) {
  const auto bid = bids.find(worker);
  return bid != bids.end() && bid->second.chance == Chance::kWaits;
}

bool AreAlike(const Bids& a, const Bids& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) {
                      return left.first == right.first && left.second.IsLike(right.second);
                    });
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

// Whoever they stood behind has changed: until they are looked at, they count as if they could go.
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
  if (entry->second.reserved || Nearest(entry->second.bids)) reservations_outdated_ = true;
  if (entry->first < rank) WakeFollowers(entry->second, look_at);
  auto node = order_.extract(entry);
  node.key() = rank;
  return entries_[rank.workload] = order_.insert(std::move(node)).position;
}

void Lines::MoveTo(const FairTurns::Turn& turn, std::vector<ObjectKey>& look_at) {
  const Order::iterator entry = entries_.at(turn.workload);
  QueueRank rank = entry->first;
  rank.turn = turn.at;
  const bool overtakes = entry != order_.begin() && rank < std::prev(entry)->first;
  if (overtakes) look_at.push_back(turn.workload);
  Move(entry, rank, look_at);
}

double Lines::TakeTurn(const QueueRank& rank, const Share& share, std::vector<ObjectKey>& look_at) {
  const auto turns = turns_.Add(rank.priority, rank.since, rank.workload, share);
  for (size_t i = turns.size(); i-- > 1;) MoveTo(turns[i], look_at);
  return turns.front().at;
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
  if (entry.settings != contender.order) {
    reservations_outdated_ = true;
    WakeFollowers(entry, look_at);
  }
  entry.reserved_at = contender.reserved_at;
  entry.settings = contender.order;
  entry.share = contender.share;
  entry.dispatched = contender.dispatched;
  if (!has_turn) entry.has_paid = false;
  return at;
}

void Lines::LeaveShare(const QueueRank& rank, const Entry& entry, bool served,
                       std::vector<ObjectKey>& look_at) {
  if (!entry.share || entry.has_paid) return;
  const auto earlier =
      turns_.Remove(rank.priority, rank.since, rank.workload, entry.share->queue, served);
  for (const FairTurns::Turn& turn : earlier) MoveTo(turn, look_at);
}

std::vector<ObjectKey> Lines::Join(const Contender& contender) {
  std::vector<ObjectKey> look_at;
  Put(contender, look_at);
  return look_at;
}

void Lines::Invalidate(const ObjectKey& workload) {
  const auto found = entries_.find(workload);
  if (found != entries_.end()) found->second->second.judged = false;
}

void Lines::Offered(const ClusterName& worker, uint64_t as_of) { offered_[worker] = as_of; }

bool Lines::Compete(const Entry& entry, const ClusterName& worker, const Bid& bid) {
  const auto found = entry.bids.find(worker);
  return found != entry.bids.end() && found->second.chance != Chance::kNone &&
         bid.chance != Chance::kNone && WantSameDevices(entry, worker, bid);
}

// Whether there is anything to get for them now or not.
bool Lines::WantSameDevices(const Entry& entry, const ClusterName& worker, const Bid& bid) {
  const auto found = entry.bids.find(worker);
  if (found == entry.bids.end() || found->second.devices == nullptr || bid.devices == nullptr)
    return false;
  return found->second.devices == bid.devices ||
         overlaps_.Overlap(*found->second.devices, *bid.devices);
}

// As far as is known: one that was never judged there may want anything.
bool Lines::MayWant(const Entry& entry, const ClusterName& worker, const Bid& bid) {
  const auto found = entry.bids.find(worker);
  const bool is_known = found != entry.bids.end() && found->second.devices != nullptr;
  return !is_known || WantSameDevices(entry, worker, bid);
}

bool Lines::MissedAnOffer(const Entry& entry, const ClusterName& worker, uint64_t as_of) const {
  const auto found = entry.bids.find(worker);
  const auto offered = offered_.find(worker);
  return found != entry.bids.end() && offered != offered_.end() &&
         found->second.as_of < std::min(offered->second, as_of);
}

bool Lines::CompeteAnywhere(const Entry& a, const Entry& b) {
  return std::any_of(b.bids.begin(), b.bids.end(),
                     [&](const auto& bid) { return Compete(a, bid.first, bid.second); });
}

bool Lines::IsBehindHead(const Order::value_type& entry) {
  return std::any_of(heads_.begin(), heads_.end(), [&](const Order::value_type* head) {
    return head->first < entry.first && CompeteAnywhere(head->second, entry.second);
  });
}

// Who is first in all its lines, and has to wait, reserves the worker where it lacks least, and
// keeps it: what has become free there would be lost on a way to another one.
void Lines::Reserve(std::vector<ObjectKey>& look_at) {
  if (!std::exchange(reservations_outdated_, false)) return;
  heads_.clear();
  for (Order::value_type& each : order_) {
    Entry& entry = each.second;
    std::optional<ClusterName> reserved;
    if (!entry.dispatched && entry.settings.policy == OrderPolicy::kBackfill) {
      reserved = entry.reserved && WaitsOn(entry.bids, *entry.reserved) ? entry.reserved
                                                                        : Nearest(entry.bids);
    }
    if (reserved && IsBehindHead(each)) reserved.reset();
    if (reserved) heads_.push_back(&each);
    if (reserved == entry.reserved) continue;
    WakeFollowers(entry, look_at);
    entry.reserved = std::move(reserved);
  }
}

Lines::Hold Lines::HoldOf(const Entry& ahead, const ClusterName& worker, const Bid& bid,
                          uint64_t as_of, WallTime now) {
  if (ahead.dispatched) return Hold::kNo;
  if (!ahead.is_known) return Hold::kUntilLookedAt;
  if (!ahead.judged && MayWant(ahead, worker, bid)) return Hold::kUntilLookedAt;
  if (!Compete(ahead, worker, bid))
    return MissedAnOffer(ahead, worker, as_of) ? Hold::kUntilLookedAt : Hold::kNo;
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
  if (!entry.reserved) return true;
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
  entry.is_known = true;
  const bool alike = AreAlike(entry.bids, bids);
  entry.bids = std::move(bids);
  if (!alike && (entry.reserved || (Nearest(entry.bids) && !IsBehindHead(*self))))
    reservations_outdated_ = true;
  Reserve(answer.look_at);
  std::map<ClusterName, bool> held;
  for (const auto& [worker, bid] : entry.bids) {
    if (bid.chance != Chance::kFits) continue;
    const Turn& turn = answer.turns[worker] = TurnOf(self, worker, bid, now, answer.look_at);
    if (turn.after) held.emplace(worker, turn.after_waiting);
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
    for (auto at = order_.begin(); at != self; ++at) {
      const bool passed =
          std::any_of(dispatched.begin(), dispatched.end(), [&](const ClusterName& worker) {
            const auto bid = entry.bids.find(worker);
            return bid != entry.bids.end() && Compete(at->second, worker, bid->second);
          });
      if (passed && !at->second.dispatched) ++at->second.passes;
    }
    std::vector<ObjectKey> look_at;
    LeaveShare(self->first, entry, /*served=*/true, look_at);
    entry.has_paid = entry.dispatched = true;
    // If it comes back, it is looked at before anybody passes it.
    entry.is_known = entry.judged = false;
    entry.bids.clear();
    entry.held.clear();
    WakeFollowers(entry, look_at);
    if (entry.reserved) reservations_outdated_ = true;
    Reserve(look_at);
    return look_at;
  }
  std::vector<ObjectKey> look_at;
  for (auto& [worker, bid] : entry.bids) {
    if (bid.chance != Chance::kFits || entry.held.contains(worker)) continue;
    bid.chance = Chance::kNone;
    if (entry.reserved) reservations_outdated_ = true;
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
  if (entry.reserved) reservations_outdated_ = true;
  std::erase(heads_, &*found->second);
  order_.erase(found->second);
  entries_.erase(found);
  Reserve(look_at);
  return look_at;
}

std::vector<Standing> Lines::Standings() {
  // How many so far want each set of devices of a worker.
  std::map<ClusterName, std::vector<std::pair<const dra::DeviceSet*, int>>> before;
  std::vector<Standing> all;
  for (const auto& [rank, entry] : order_) {
    if (entry.dispatched) continue;
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

}  // namespace fedra::placement
