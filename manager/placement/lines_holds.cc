// Which workloads hold which others, who is first in which line, and the workers that are kept.

#include <algorithm>
#include <utility>

#include "manager/placement/lines.h"

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

}  // namespace

bool WaitsAnywhere(const Bids& bids) {
  return std::any_of(bids.begin(), bids.end(),
                     [](const auto& bid) { return bid.second.chance == Chance::kWaits; });
}

std::optional<ClusterName> Lines::Nearest(const Entry& entry,
                                          const std::set<ClusterName>& workers) {
  std::optional<ClusterName> nearest;
  int least = 0;
  for (const ClusterName& worker : workers) {
    const Bid& bid = entry.bids.at(worker);
    if (bid.chance != Chance::kWaits || (nearest && bid.missing >= least)) continue;
    nearest = worker;
    least = bid.missing;
  }
  return nearest;
}

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

std::set<ClusterName> Lines::FirstOn(const Order::value_type& entry) {
  std::set<ClusterName> workers;
  // One that fits wherever it bids goes at once.
  if (!entry.second.Waits() || !WaitsAnywhere(entry.second.bids)) return workers;
  for (const auto& [worker, bid] : entry.second.bids) {
    if (bid.chance == Chance::kNone) continue;
    const bool is_behind =
        std::any_of(heads_.begin(), heads_.end(), [&](const Order::value_type* head) {
          return head->first < entry.first && head->second.first_on.contains(worker) &&
                 Compete(head->second, worker, bid);
        });
    if (!is_behind) workers.insert(worker);
  }
  return workers;
}

// Who is first in a line, and has to wait, reserves of those workers the one where it lacks least,
// and keeps it: what has become free there would be lost on a way to another one.
void Lines::FindHeads(std::vector<ObjectKey>& look_at) {
  if (!std::exchange(heads_outdated_, false)) return;
  heads_.clear();
  for (Order::value_type& each : order_) {
    Entry& entry = each.second;
    std::set<ClusterName> first_on = FirstOn(each);
    std::optional<ClusterName> kept;
    if (entry.settings.policy == OrderPolicy::kBackfill)
      kept = entry.kept && first_on.contains(*entry.kept) && WaitsOn(entry.bids, *entry.kept)
                 ? entry.kept
                 : Nearest(entry, first_on);
    if (kept != entry.kept || first_on != entry.first_on) WakeFollowers(entry, look_at);
    entry.kept = std::move(kept);
    entry.first_on = std::move(first_on);
    if (!entry.first_on.empty()) heads_.push_back(&each);
  }
}

Lines::Hold Lines::HoldOf(const Entry& ahead, const ClusterName& worker, const Bid& bid,
                          uint64_t as_of, WallTime now) {
  if (!ahead.Waits()) return Hold::kNo;
  if (!ahead.is_known) return Hold::kUntilLookedAt;
  if (ahead.IsInDoubt(worker) && MayWant(ahead, worker, bid)) return Hold::kUntilLookedAt;
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

bool Lines::IsBoundReached(const Entry& entry, WallTime now) {
  return entry.passes >= entry.settings.max_passes ||
         now - entry.reserved_at >= entry.settings.max_wait;
}

// Whether the bound of kBackfill counts there.
bool Lines::HasBound(const Entry& entry, const ClusterName& worker) {
  return entry.first_on.contains(worker) || entry.held.contains(worker);
}

bool Lines::HasBoundSomewhere(const Entry& entry) {
  return entry.settings.policy == OrderPolicy::kBackfill &&
         (!entry.first_on.empty() || !entry.held.empty());
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
  return entry.kept != worker && !(HasBound(entry, worker) && IsBoundReached(entry, now));
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

}  // namespace fedra::placement
