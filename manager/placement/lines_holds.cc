// Which workloads hold which others.

#include <algorithm>
#include <utility>

#include "manager/placement/lines.h"

namespace fedra::placement {
namespace {

using Chance = Bid::Chance;

// So often those ahead are waited for because devices have changed since they were looked at. Then
// a workload goes past those that were looked at since they were first asked: what they lose is the
// device that became free since, should it be for them, to one behind them. A stream of jobs that
// end needs many rounds (thirty jobs on four cards: more than eight, found by trying); devices that
// change all the time, and never for those ahead, must not hold the others for ever.
constexpr int kMostRelooks = 32;

// Whether the bound of kBackfill counts there.
bool HasBound(const Waiting& waiting, const ClusterName& worker) {
  return waiting.first_on.contains(worker) || waiting.held.contains(worker);
}

bool MayBePassed(const Waiting& waiting, const ClusterName& worker, WallTime now) {
  switch (waiting.settings.policy) {
    case OrderPolicy::kStrict:
      return false;
    case OrderPolicy::kBestEffort:
      return true;
    case OrderPolicy::kBackfill:
      break;
  }
  return waiting.kept != worker && !(HasBound(waiting, worker) && IsBoundReached(waiting, now));
}

bool IsHeldBy(const Waiting& waiting, const Waiting& holder) {
  return std::ranges::any_of(waiting.held, [&](const auto& held) {
    return *held.second.after == holder.next_rank.workload;
  });
}

}  // namespace

// Whether there is anything to get for them now or not.
bool Lines::WantSameDevices(const Bid& a, const Bid& b) {
  if (a.devices == nullptr || b.devices == nullptr) return false;
  return a.devices == b.devices || overlaps_.Overlap(*a.devices, *b.devices);
}

bool Lines::MissedAnOffer(const Bid* bid, const ClusterName& worker, uint64_t as_of) const {
  if (bid == nullptr) return false;
  const auto offered = offered_.find(worker);
  return offered != offered_.end() && bid->as_of < std::min(offered->second, as_of);
}

Lines::Hold Lines::HoldOf(const Waiting& ahead, const ClusterName& worker, const Bid& bid,
                          uint64_t as_of, WallTime now) {
  if (!ahead.Waits()) return Hold::kNo;
  if (!ahead.is_known) return Hold::kUntilLookedAt;
  const Bid* theirs = ahead.BidOn(worker);
  // One that was never judged there may want anything.
  const bool may_want =
      theirs == nullptr || theirs->devices == nullptr || WantSameDevices(*theirs, bid);
  if (may_want && IsInvalidated(ahead, worker)) return Hold::kUntilLookedAt;
  const bool compete =
      theirs != nullptr && theirs->chance != Chance::kNone && WantSameDevices(*theirs, bid);
  if (!compete) return MissedAnOffer(theirs, worker, as_of) ? Hold::kUntilLookedAt : Hold::kNo;
  if (theirs->chance == Chance::kFits) {
    const auto held = ahead.held.find(worker);
    if (held == ahead.held.end() || !held->second.after_waiting) return Hold::kUntilItGoes;
  }
  if (!MayBePassed(ahead, worker, now)) return Hold::kUntilItFits;
  return theirs->as_of < as_of ? Hold::kUntilLookedAt : Hold::kNo;
}

LineAnswer Lines::AnswerOf(Waiting& waiting, const ClusterName& worker, const Bid& bid,
                           WallTime now, std::set<ClusterName>& passes_unasked) {
  const auto asked = waiting.asked.find(worker);
  const bool asks_on = asked == waiting.asked.end() || asked->second.times < kMostRelooks;
  const uint64_t as_of = asks_on ? bid.as_of : asked->second.as_of;
  std::vector<Waiting*> outdated;
  bool passes = false;
  // From the nearest on: one wakes the next, instead of the first all the others.
  for (auto at = order_.Find(waiting); at != order_.begin();) {
    Waiting& ahead = **--at;
    const Hold hold = HoldOf(ahead, worker, bid, as_of, now);
    if (hold == Hold::kNo) {
      passes = passes || (as_of < bid.as_of &&
                          HoldOf(ahead, worker, bid, bid.as_of, now) == Hold::kUntilLookedAt);
      continue;
    }
    if (hold == Hold::kUntilLookedAt) {
      outdated.push_back(&ahead);
      continue;
    }
    ahead.followers.insert(waiting.rank.workload);
    waiting.asked.erase(worker);
    return {ahead.rank.workload, hold == Hold::kUntilItFits};
  }
  if (!outdated.empty()) return AskThem(outdated, waiting, worker, bid);
  if (passes) passes_unasked.insert(worker);
  waiting.asked.erase(worker);
  return {};
}

QueueRank Lines::RankOf(const Contender& contender) const {
  QueueRank rank = contender.rank;
  if (!contender.share) return rank;
  FairTurns turns = turns_;
  turns.Add(rank.priority, rank.since, rank.workload, *contender.share);
  for (const auto& [workload, turn] : turns.Refresh())
    if (workload == rank.workload) rank.turn = turn;
  return rank;
}

std::map<ClusterName, LineAnswer> Lines::Foresee(const Contender& contender, const Bids& bids,
                                                 WallTime now) {
  RefreshAll();
  const QueueRank rank = RankOf(contender);
  std::map<ClusterName, LineAnswer> answers;
  for (const auto& [worker, bid] : bids) {
    if (bid.chance != Chance::kFits) continue;
    LineAnswer& answer = answers[worker];
    for (const Waiting* ahead : order_) {
      if (!(ahead->rank < rank)) break;
      const Hold hold = HoldOf(*ahead, worker, bid, bid.as_of, now);
      if (hold == Hold::kNo) continue;
      ++answer.ahead;
      answer.after = ahead->rank.workload;
      answer.after_waiting = hold == Hold::kUntilItFits;
    }
  }
  return answers;
}

LineAnswer Lines::AskThem(const std::vector<Waiting*>& outdated, Waiting& waiting,
                          const ClusterName& worker, const Bid& bid) {
  Waiting::Asked& asked = waiting.asked[worker];
  bool answered = true;  // all have been looked at since they were last asked for
  for (Waiting* each : outdated) {
    const Bid* theirs = each->BidOn(worker);
    answered = answered && theirs != nullptr && theirs->as_of >= asked.as_of;
    Look(*each);
  }
  if (asked.times == 0 || answered) asked = {bid.as_of, asked.times + 1};
  Waiting& nearest = *outdated.front();
  nearest.askers.insert(waiting.rank.workload);
  return {nearest.rank.workload, false};
}

// Brings up to date how `follower` is held where `holder` holds it. Where that one had no contact,
// or something is different since its look, all stays as it was until its next look.
Lines::Change Lines::HoldAnew(const Waiting& holder, Waiting& follower) {
  Change change = Change::kNone;
  for (auto& [worker, held] : follower.held) {
    if (*held.after != holder.next_rank.workload || IsInvalidated(holder, worker) ||
        std::ranges::find(holder.away, worker) != holder.away.end())
      continue;
    const Bid* bid = follower.BidOn(worker);
    const Hold hold = bid == nullptr ? Hold::kNo : HoldOf(holder, worker, *bid, bid->as_of, now_);
    const bool waiting = hold == Hold::kUntilItFits;
    if ((!waiting && hold != Hold::kUntilItGoes) || (waiting && !held.told_waiting))
      return Change::kNews;
    if (std::exchange(held.after_waiting, waiting) != waiting) change = Change::kQuiet;
  }
  return change;
}

void Lines::WakeReleased() {
  while (!restless_.empty()) {
    Waiting& holder = **restless_.begin();
    restless_.erase(restless_.begin());
    std::erase_if(holder.followers, [&](const ObjectKey& key) {
      const auto found = entries_.find(key);
      if (found == entries_.end() || !IsHeldBy(found->second, holder)) return true;
      Waiting& follower = found->second;
      // It is looked at in any case.
      if (follower.is_awaited || !(holder.rank < follower.rank)) return false;
      const Change change = HoldAnew(holder, follower);
      if (change == Change::kQuiet) restless_.insert(&follower);
      if (change == Change::kNews) Wake(follower);
      return change == Change::kNews;
    });
  }
}

}  // namespace fedra::placement
