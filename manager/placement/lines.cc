#include "manager/placement/lines.h"

#include <algorithm>
#include <utility>

namespace fedra::placement {

namespace {

using Chance = Bid::Chance;

// On the same workers, and by others of the same kind.
bool AreHeldAlike(const std::map<ClusterName, LineAnswer>& a,
                  const std::map<ClusterName, LineAnswer>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.after_waiting == y.second.after_waiting;
  });
}

}  // namespace

// Until it is looked at, it counts as if it could go.
void Lines::Wake(Waiting& waiting) {
  for (auto& [worker, answer] : waiting.held) answer.after_waiting = false;
  woken_.push_back(waiting.next_rank.workload);
}

// What they stood behind has changed.
void Lines::WakeFollowers(Waiting& waiting) {
  for (const ObjectKey& follower : std::exchange(waiting.followers, {})) {
    const auto found = entries_.find(follower);
    if (found != entries_.end()) Wake(found->second);
  }
  WakeAskers(waiting);
}

// Nothing else has changed for them: where they are held they are held still.
void Lines::WakeAskers(Waiting& waiting) {
  for (const ObjectKey& asker : std::exchange(waiting.askers, {}))
    if (entries_.contains(asker)) woken_.push_back(asker);
}

Lines::Looks Lines::Woken() { return std::exchange(woken_, {}); }

void Lines::SetHeld(Waiting& waiting, std::map<ClusterName, LineAnswer> held) {
  held_ -= waiting.held.empty() ? 0 : 1;
  held_ += held.empty() ? 0 : 1;
  waiting.held = std::move(held);
}

bool Lines::IsHeldByOneBehind(const Waiting& waiting) const {
  return std::any_of(waiting.held.begin(), waiting.held.end(), [&](const auto& held) {
    const auto holder = entries_.find(*held.second.after);
    return holder != entries_.end() && holder->second.is_placed &&
           waiting.rank < holder->second.rank;
  });
}

void Lines::WakeMoved(const std::vector<Waiting*>& later, const std::vector<Waiting*>& earlier) {
  for (Waiting* each : later) {
    WakeAskers(*each);
    std::erase_if(each->followers, [&](const ObjectKey& follower) {
      const auto found = entries_.find(follower);
      if (found == entries_.end()) return true;
      if (each->rank < found->second.rank) return false;
      Wake(found->second);
      return true;
    });
  }
  for (Waiting* each : earlier)
    if (IsHeldByOneBehind(*each)) Wake(*each);
}

void Lines::RefreshOrder() {
  for (const auto& [workload, turn] : turns_.Refresh()) {
    Waiting& waiting = entries_.at(workload);
    waiting.next_rank.turn = turn;
    moving_.insert(&waiting);
  }
  std::vector<Waiting*> moving, later, earlier;
  for (Waiting* each : std::exchange(moving_, {})) {
    if (each->is_placed && each->rank == each->next_rank) continue;
    moving.push_back(each);
  }
  if (moving.empty()) return;
  std::sort(moving.begin(), moving.end(),
            [](const Waiting* a, const Waiting* b) { return a->next_rank < b->next_rank; });
  for (Waiting* each : moving)
    if (each->is_placed) (each->rank < each->next_rank ? later : earlier).push_back(each);
  order_.Place(moving);
  if (later.empty() && earlier.empty()) return;
  WakeMoved(later, earlier);
  kept_.OnMoves(order_);
}

void Lines::RefreshAll() {
  RefreshOrder();
  for (Waiting* each : kept_.Find(order_, overlaps_)) WakeFollowers(*each);
}

bool Lines::IsUpToDate() const {
  return moving_.empty() && turns_.IsUpToDate() && !kept_.IsStale();
}

Waiting& Lines::Put(const Contender& contender) {
  const QueueRank& rank = contender.rank;
  const auto [found, is_new] = entries_.try_emplace(rank.workload);
  Waiting& entry = found->second;
  const bool keeps_turn =
      !is_new && entry.next_rank.priority == rank.priority && entry.next_rank.since == rank.since &&
      (entry.has_paid ? contender.share.has_value() : entry.share == contender.share);
  if (!keeps_turn) {
    if (entry.share && !entry.has_paid) turns_.Leave(rank.workload);
    if (contender.share) turns_.Add(rank.priority, rank.since, rank.workload, *contender.share);
    entry.next_rank = rank;
    entry.has_paid = false;
    moving_.insert(&entry);
  }
  if (!is_new && entry.settings != contender.order) {
    kept_.MarkStale();
    WakeFollowers(entry);
  }
  entry.reserved_at = contender.reserved_at;
  entry.settings = contender.order;
  entry.share = contender.share;
  // It comes back: it is looked at before any other passes it.
  if (entry.dispatched && !contender.dispatched) entry.is_known = entry.overdue = false;
  entry.dispatched = contender.dispatched;
  if (entry.dispatched) entry.has_passed = false;
  return entry;
}

std::vector<ObjectKey> Lines::Join(const Contender& contender) {
  Put(contender);
  return Woken();
}

void Lines::Invalidate(const ObjectKey& workload, const std::optional<ClusterName>& worker) {
  const auto found = entries_.find(workload);
  if (found != entries_.end()) found->second.invalidated[worker] = ++invalidations_;
}

void Lines::Offered(const ClusterName& worker, uint64_t as_of) { offered_[worker] = as_of; }

Lines::Answer Lines::Offer(const Contender& contender, Bids bids, uint64_t seen, WallTime now) {
  Waiting& entry = Put(contender);
  RefreshOrder();
  bool changed = !std::exchange(entry.is_known, true) || entry.overdue != contender.overdue;
  const auto is_answered = [&](const auto& each) { return each.second <= seen; };
  if (std::erase_if(entry.invalidated, is_answered) > 0) changed = true;
  const bool waited = entry.Waits();
  entry.overdue = contender.overdue;
  const bool alike = waited == entry.Waits() && AreAlike(entry.bids, bids);
  entry.bids = std::move(bids);
  if (!alike) kept_.OnBids(entry, overlaps_);
  std::erase_if(entry.asked, [&](const auto& each) { return !entry.bids.contains(each.first); });
  RefreshAll();
  Answer answer;
  std::map<ClusterName, LineAnswer> held;
  for (const auto& [worker, bid] : entry.bids) {
    if (bid.chance != Chance::kFits) continue;
    const LineAnswer& here = answer.workers[worker] =
        AnswerOf(entry, worker, bid, now, answer.passes_unasked);
    if (here.after) held.emplace(worker, here);
  }
  if (changed || !alike || !AreHeldAlike(held, entry.held))
    WakeFollowers(entry);
  else
    WakeAskers(entry);
  SetHeld(entry, std::move(held));
  answer.look_at = Woken();
  return answer;
}

void Lines::CountPasses(const Waiting& waiting, const std::set<ClusterName>& dispatched) {
  for (Waiting* ahead : order_) {
    if (ahead == &waiting) return;
    const bool passed =
        ahead->Waits() &&
        std::any_of(dispatched.begin(), dispatched.end(), [&](const ClusterName& worker) {
          const Bid* bid = waiting.BidOn(worker);
          const Bid* theirs = ahead->BidOn(worker);
          return bid != nullptr && theirs != nullptr && bid->chance != Chance::kNone &&
                 theirs->chance != Chance::kNone && WantSameDevices(*theirs, *bid);
        });
    if (passed) ++ahead->passes;
  }
}

std::vector<ObjectKey> Lines::Conclude(const ObjectKey& workload,
                                       const std::set<ClusterName>& dispatched) {
  const auto found = entries_.find(workload);
  if (found == entries_.end()) return {};
  Waiting& entry = found->second;
  if (!dispatched.empty()) {
    RefreshAll();
    if (!entry.has_passed) CountPasses(entry, dispatched);
    if (entry.share && !entry.has_paid) turns_.Serve(workload);
    entry.has_paid = entry.has_passed = entry.dispatched = true;
    entry.is_known = entry.overdue = false;
    entry.bids.clear();
    SetHeld(entry, {});
    WakeFollowers(entry);
    if (!entry.first_on.empty()) kept_.MarkStale();
    RefreshAll();
    return Woken();
  }
  for (auto& [worker, bid] : entry.bids) {
    if (bid.chance != Chance::kFits || entry.held.contains(worker)) continue;
    bid.chance = Chance::kNone;
    if (entry.first_on.contains(worker)) kept_.MarkStale();
    WakeFollowers(entry);
  }
  RefreshAll();
  return Woken();
}

std::vector<ObjectKey> Lines::Leave(const ObjectKey& workload) {
  const auto found = entries_.find(workload);
  if (found == entries_.end()) return Woken();
  Waiting& entry = found->second;
  WakeFollowers(entry);
  for (const auto& [worker, answer] : entry.held) {
    const auto holder = entries_.find(*answer.after);
    if (holder == entries_.end()) continue;
    holder->second.followers.erase(workload);
    holder->second.askers.erase(workload);
  }
  if (entry.share && !entry.has_paid) turns_.Leave(workload);
  SetHeld(entry, {});
  kept_.Remove(entry);
  moving_.erase(&entry);
  order_.Remove(entry);
  entries_.erase(found);
  // The look at any of them refreshes the order, and wakes those that are held no more by that; if
  // it takes long, Refresh does.
  if (woken_.empty() && held_ > 0 && !IsUpToDate() && !order_.empty())
    woken_.push_back((*order_.begin())->rank.workload);
  return Woken();
}

std::vector<ObjectKey> Lines::Refresh() {
  RefreshAll();
  return Woken();
}

std::vector<Standing> Lines::Standings(WallTime now) {
  RefreshAll();
  std::unordered_map<ObjectKey, size_t> held;  // those that are, by their place in `all`
  // How many so far want each set of devices of a worker.
  std::map<ClusterName, std::vector<std::pair<const dra::DeviceSet*, int>>> before;
  std::vector<Standing> all;
  for (const Waiting* entry : order_) {
    if (!entry->Waits()) continue;
    Standing standing{.rank = entry->rank,
                      .reserved_at = entry->reserved_at,
                      .places = {},
                      .passes = entry->passes,
                      .kept = entry->kept,
                      .is_bound_reached = HasBoundSomewhere(*entry) && IsBoundReached(*entry, now),
                      .behind = {}};
    for (const auto& [worker, answer] : entry->held) {
      const auto holder = held.find(*answer.after);
      const ObjectKey* cause = &*answer.after;
      if (holder != held.end()) {
        const auto& its = all[holder->second].behind;
        if (const auto there = its.find(worker); there != its.end()) cause = &there->second;
      }
      standing.behind.emplace(worker, *cause);
    }
    if (!standing.behind.empty()) held.emplace(entry->rank.workload, all.size());
    for (const auto& [worker, bid] : entry->bids) {
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
