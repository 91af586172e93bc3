#include "manager/placement/lines.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace fedra::placement {

namespace {

using Chance = Bid::Chance;

// On the same workers, and by others of the same kind.
template <class HeldByWorker>
bool AreHeldAlike(const HeldByWorker& a, const HeldByWorker& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.after_waiting == y.second.after_waiting;
  });
}

std::vector<ClusterName> TakeAway(Bids& bids) {
  std::vector<ClusterName> away;
  for (const auto& [worker, bid] : bids)
    if (bid.chance == Chance::kAway) away.push_back(worker);
  for (const ClusterName& worker : away) bids.erase(worker);
  return away;
}

}  // namespace

// Until it is looked at, it counts as if it could go.
void Lines::Wake(Waiting& waiting) {
  for (auto& [worker, held] : waiting.held) held.after_waiting = false;
  waiting.is_awaited = true;
  Look(waiting);
}

void Lines::Look(Waiting& waiting) {
  if (!std::exchange(waiting.is_woken, true)) woken_.push_back(waiting.next_rank.workload);
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
  for (const ObjectKey& asker : std::exchange(waiting.askers, {})) {
    const auto found = entries_.find(asker);
    if (found != entries_.end()) Look(found->second);
  }
}

Lines::Looks Lines::Woken() {
  WakeReleased();
  for (const ObjectKey& woken : woken_) {
    const auto found = entries_.find(woken);
    if (found != entries_.end()) found->second.is_woken = false;
  }
  return std::exchange(woken_, {});
}

void Lines::SetHeld(Waiting& waiting, HeldByWorker held) {
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
  for (Waiting* each : kept_.Find(order_, overlaps_)) restless_.insert(each);
}

bool Lines::IsUpToDate() const {
  return moving_.empty() && turns_.IsUpToDate() && !kept_.IsStale();
}

Waiting& Lines::Put(const Contender& contender) {
  const QueueRank& rank = contender.rank;
  const auto [found, is_new] = entries_.try_emplace(rank.workload);
  Waiting& entry = found->second;
  if (is_new) entry.name = std::make_shared<const ObjectKey>(rank.workload);
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
  const bool has_other_order = !is_new && entry.settings != contender.order;
  if (has_other_order) {
    kept_.MarkStale();
    WakeFollowers(entry);
  }
  if (!keeps_turn || has_other_order || entry.dispatched != contender.dispatched ||
      entry.reserved_at != contender.reserved_at)
    entry.changed = ++version_;
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
  Put(contender).joined = ++version_;
  return Woken();
}

void Lines::Invalidate(const ObjectKey& workload, const std::optional<ClusterName>& worker) {
  const auto found = entries_.find(workload);
  if (found != entries_.end()) found->second.invalidated[worker] = ++version_;
}

void Lines::InvalidateAll(const ClusterName& worker) {
  last_invalidated_ = invalidated_[worker] = ++version_;
}

bool Lines::IsInvalidated(const Waiting& waiting, const ClusterName& worker) const {
  if (waiting.IsInvalidated(worker)) return true;
  if (last_invalidated_ <= waiting.seen) return false;
  const auto all = invalidated_.find(worker);
  return all != invalidated_.end() && all->second > waiting.seen;
}

void Lines::Offered(const ClusterName& worker, uint64_t as_of) { offered_[worker] = as_of; }

Lines::Answer Lines::Offer(const Contender& contender, Bids bids, uint64_t seen, WallTime now) {
  const auto found = entries_.find(contender.rank.workload);
  const bool is_outdated = found != entries_.end() && found->second.changed > seen;
  Waiting& entry = is_outdated ? found->second : Put(contender);
  RefreshOrder();
  const bool waited = entry.Waits();
  bool changed = false;
  if (!is_outdated) {
    changed = !std::exchange(entry.is_known, true) || entry.overdue != contender.overdue;
    entry.overdue = contender.overdue;
  }
  std::vector<ClusterName> away = TakeAway(bids);
  const auto is_answered = [&](const auto& each) { return each.second <= seen; };
  if (std::erase_if(entry.invalidated, is_answered) > 0) changed = true;
  const bool alike = waited == entry.Waits() && AreAlike(entry.bids, bids);
  entry.bids = std::move(bids);
  const bool contact_differs = entry.away != away;
  entry.away = std::move(away);
  entry.is_awaited = false;
  entry.seen = seen;
  now_ = now;
  if (!alike) kept_.OnBids(entry, overlaps_);
  std::erase_if(entry.asked, [&](const auto& each) { return !entry.bids.contains(each.first); });
  RefreshAll();
  Answer answer;
  HeldByWorker held;
  for (const auto& [worker, bid] : entry.bids) {
    if (bid.chance != Chance::kFits) continue;
    const LineAnswer& here = answer.workers[worker] =
        AnswerOf(entry, worker, bid, now, answer.passes_unasked);
    if (here.after)
      held.emplace_hint(
          held.end(), worker,
          Held{entries_.at(*here.after).name, here.after_waiting, here.after_waiting});
  }
  held.shrink_to_fit();
  if (!alike || contact_differs || !AreHeldAlike(held, entry.held)) restless_.insert(&entry);
  SetHeld(entry, std::move(held));
  if (changed)
    WakeFollowers(entry);
  else
    WakeAskers(entry);
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

std::vector<ObjectKey> Lines::Leave(const ObjectKey& workload, uint64_t seen) {
  const auto found = entries_.find(workload);
  if (found == entries_.end() || found->second.joined > seen) return Woken();
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
  restless_.erase(&entry);
  order_.Remove(entry);
  entries_.erase(found);
  // The look at any of them refreshes the order, and wakes those that are held no more by that; if
  // it takes long, Refresh does.
  if (woken_.empty() && held_ > 0 && !IsUpToDate() && !order_.empty()) Look(**order_.begin());
  return Woken();
}

std::vector<ObjectKey> Lines::Refresh() {
  RefreshAll();
  return Woken();
}

// Those where it is nearest to its turn, and the one that is kept for it; by name.
void Lines::KeepNearest(std::vector<Place>& places, const Waiting& waiting, size_t most) {
  if (places.size() <= most) return;
  const auto is_kept = [&](const Place& place) { return *place.worker == waiting.kept; };
  const auto nearer = [&](const Place& a, const Place& b) {
    return std::tuple(!is_kept(a), a.place, *a.worker) <
           std::tuple(!is_kept(b), b.place, *b.worker);
  };
  std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(most), places.end(),
                   nearer);
  places.resize(most);
}

// To be asked of all in their order.
std::vector<Lines::Place> Lines::PlacesOf(const Waiting& waiting, PlacesTaken& taken) {
  std::vector<Place> places;
  for (const auto& [worker, bid] : waiting.bids) {
    if (bid.chance == Chance::kNone || bid.devices == nullptr) continue;
    auto& sets = taken[worker];
    int place = 1;
    auto own = sets.end();
    for (auto at = sets.begin(); at != sets.end(); ++at) {
      if (overlaps_.Overlap(*at->first, *bid.devices)) place += at->second;
      if (at->first == bid.devices.get()) own = at;
    }
    if (own == sets.end()) own = sets.insert(own, {bid.devices.get(), 0});
    ++own->second;
    places.push_back({&worker, place});
  }
  return places;
}

// Where it is held: by whom, or by whom that one is held, and so on.
Lines::Causes Lines::CausesOf(const Waiting& waiting,
                              const std::unordered_map<const Waiting*, Causes>& of_others) const {
  Causes causes;
  causes.reserve(waiting.held.size());
  for (const auto& [worker, held] : waiting.held) {
    const ObjectKey* cause = held.after.get();
    const auto holder = entries_.find(*cause);
    const auto its = holder == entries_.end() ? of_others.end() : of_others.find(&holder->second);
    if (its != of_others.end()) {
      const auto there = its->second.find(worker.value);
      if (there != its->second.end()) cause = there->second;
    }
    causes.emplace_hint(causes.end(), worker.value, cause);
  }
  return causes;
}

std::vector<Standing> Lines::Standings(WallTime now, size_t most_workers) {
  RefreshAll();
  std::unordered_map<const Waiting*, Causes> causes;  // of those that are held
  PlacesTaken taken;
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
    std::vector<Place> places = PlacesOf(*entry, taken);
    KeepNearest(places, *entry, most_workers);
    for (const Place& place : places) standing.places.emplace(*place.worker, place.place);
    if (!entry->held.empty()) {
      const bool keeps_all = most_workers >= entry->bids.size();
      const Causes& own = causes.emplace(entry, CausesOf(*entry, causes)).first->second;
      for (const auto& [worker, held] : entry->held) {
        if (keeps_all || standing.places.contains(worker))
          standing.behind.emplace(worker, *own.at(worker.value));
      }
    }
    all.push_back(std::move(standing));
  }
  return all;
}

std::map<ClusterName, LineFacts> Lines::Facts(WallTime now) {
  RefreshAll();
  PlacesTaken taken;
  std::map<ClusterName, LineFacts> facts;
  for (const Waiting* entry : order_) {
    if (!entry->Waits()) continue;
    const auto waits = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(now - entry->reserved_at, WallTime::duration(0)));
    for (const Place& place : PlacesOf(*entry, taken)) {
      LineFacts& line = facts[*place.worker];
      ++line.length;
      if (place.place == 1) line.head_waits = std::max(line.head_waits, waits);
    }
  }
  return facts;
}

}  // namespace fedra::placement
