#include "manager/reconcile/assume_cache.h"

#include <algorithm>
#include <iterator>

namespace fedra::reconcile {
namespace {

using placement::Assumption;

// Whether they will take the same, whenever they were read. A Workload's pod sets do not change
// while its quota is reserved.
bool TakeTheSame(const Assumption& a, const Assumption& b) {
  if (a.uid != b.uid || (a.demands == nullptr) != (b.demands == nullptr) ||
      a.takes_devices != b.takes_devices)
    return false;
  if (a.demands == nullptr) return true;
  return std::equal(a.demands->begin(), a.demands->end(), b.demands->begin(), b.demands->end(),
                    [](const dra::PodDemand& x, const dra::PodDemand& y) {
                      return x.name == y.name && x.count == y.count;
                    });
}

// Many workloads may have the same demands: these are one entry's, to be told apart by their owner.
tracking::Demands OwnedApart(const tracking::Demands& demands) {
  if (demands == nullptr) return nullptr;
  const auto* const list = demands.get();
  return {std::make_shared<const tracking::Demands>(demands), list};
}

// Whether the pods are of these demands.
bool AreOf(const dra::AssumedPods& pods, const tracking::Demands& demands) {
  return !pods.demand.owner_before(demands) && !demands.owner_before(pods.demand);
}

// Of the same entries, so that those of one can be found in either.
bool AreTheSame(const std::vector<dra::AssumedPods>& a, const std::vector<dra::AssumedPods>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x == y && !x.demand.owner_before(y.demand) && !y.demand.owner_before(x.demand);
  });
}

// Adds the pods that are demanded so many times.
void AddDemanded(const tracking::Demands& demands, int times, std::map<std::string, int>& pods) {
  if (demands == nullptr) return;
  for (const dra::PodDemand& demand : *demands) pods[demand.name] += times * demand.count;
}

// Whether each pod set has as many as are wanted.
bool CoversAll(const std::map<std::string, int>& holding,
               const std::map<std::string, int>& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& each) {
    const auto found = holding.find(each.first);
    return (found == holding.end() ? 0 : found->second) >= each.second;
  });
}

}  // namespace

AssumeCache::AssumeCache(Pods pods, const Clock& clock, AssumedQuota::Queues queues)
    : pods_(std::move(pods)),
      clock_(clock),
      state_(State(AssumedQuota(std::move(queues), clock))) {}

AssumeCache::Rank AssumeCache::RankOf(const Entry& entry) {
  return {entry.what.since.value_or(WallTime::max()), entry.what.workload};
}

bool AssumeCache::IsOverdue(const Entry& entry, SteadyTime now) {
  return now - entry.since >= kKeptFor;
}

std::optional<WallTime> AssumeCache::CountsFrom(const Assumption& what) {
  if (!what.since || !what.quota.reserved_at) return what.since;
  return std::max(*what.since, *what.quota.reserved_at);
}

SteadyTime AssumeCache::BeginOf(const Assumption& what, SteadyTime now) const {
  const auto from = CountsFrom(what);
  if (!from) return now;
  const auto age = std::max(WallTime::duration::zero(), clock_.Now() - *from);
  return now - std::chrono::duration_cast<SteadyTime::duration>(age);
}

void AssumeCache::AddComing(const Entry& entry, PodCounts& holding,
                            std::vector<dra::AssumedPods>& list) {
  const tracking::Demands& demands = entry.what.demands;
  if (demands == nullptr) return;
  const auto take = [&](const std::string& pod_set, int most) {
    const auto found = holding.find(pod_set);
    if (found == holding.end()) return 0;
    const int taken = std::min(found->second, most);
    found->second -= taken;
    return taken;
  };
  for (const dra::PodDemand& demand : *demands) {
    int here = take(demand.name, demand.count);
    // Those not reported are taken for the first ones.
    here += take({}, demand.count - here);
    // The demand lives as long as all of them.
    std::shared_ptr<const dra::PodDemand> shared(demands, &demand);
    if (demand.count > here)
      list.push_back({entry.what.workload.ns, std::move(shared), demand.count - here});
  }
}

// Those before it take first, in whatever order: together they take as much.
AssumeCache::PodCounts AssumeCache::HoldingFor(const State& state, const Entry& entry,
                                               SteadyTime now) const {
  PodCounts holding = pods_.holding(entry.what.job);
  const OfJob& of_job = state.of_job.at(entry.what.job);
  const bool none_holds =
      std::ranges::all_of(holding, [](const auto& each) { return each.second == 0; });
  if (none_holds || of_job.workloads.size() == 1 || CoversAll(holding, of_job.wanted))
    return holding;
  const auto place = [&](const Entry& each) {
    return std::pair(!IsOverdue(each, now), RankOf(each));
  };
  std::vector<dra::AssumedPods> theirs;
  for (const ObjectKey& workload : of_job.workloads) {
    const Entry& other = state.entries.at(workload);
    if (place(other) < place(entry)) AddComing(other, holding, theirs);
  }
  return holding;
}

bool AssumeCache::IsComing(const State& state, const Entry& entry, SteadyTime now) const {
  if (entry.what.demands == nullptr || !entry.what.takes_devices) return false;
  std::vector<dra::AssumedPods> coming;
  PodCounts holding = HoldingFor(state, entry, now);
  AddComing(entry, holding, coming);
  return !coming.empty();
}

uint64_t AssumeCache::version() const {
  return state_.With([](const State& state) { return state.version; });
}

const dra::AssumedList& AssumeCache::List(State& state, SteadyTime now) const {
  // First: what changes while the list is made is looked at the next time.
  const uint64_t pods = pods_.version();
  if (state.list != nullptr && state.list_changes == state.changes && state.list_pods == pods &&
      now < state.list_until)
    return state.list;
  auto list = std::make_shared<std::vector<dra::AssumedPods>>();
  state.list_until = SteadyTime::max();
  std::map<tracking::JobKey, PodCounts> holding;  // and not yet counted
  for (auto rank = state.counting.begin(); rank != state.counting.end();) {
    const Entry& entry = state.entries.at(rank->second);
    if (IsOverdue(entry, now)) {
      rank = state.counting.erase(rank);
      continue;
    }
    if (entry.what.demands != nullptr) {
      const auto [of_job, is_new] = holding.try_emplace(entry.what.job);
      if (is_new) of_job->second = HoldingFor(state, entry, now);
      AddComing(entry, of_job->second, *list);
    }
    state.list_until = std::min(state.list_until, entry.since + kKeptFor);
    ++rank;
  }
  state.list_changes = state.changes;
  state.list_pods = pods;
  if (state.list == nullptr || !AreTheSame(*state.list, *list)) state.list = std::move(list);
  return state.list;
}

dra::AssumedList AssumeCache::Others(const ObjectKey& workload) const {
  const SteadyTime now = clock_.Steady();
  return state_.With([&](State& state) {
    const dra::AssumedList& list = List(state, now);
    const auto found = state.entries.find(workload);
    if (found == state.entries.end() || found->second.what.demands == nullptr) return list;
    Entry& own = found->second;
    if (own.others != nullptr && own.all.lock() == list) return own.others;
    const auto is_own = [&](const auto& pods) { return AreOf(pods, own.what.demands); };
    own.all = list;
    if (std::none_of(list->begin(), list->end(), is_own)) return own.others = list;
    auto others = std::make_shared<std::vector<dra::AssumedPods>>();
    std::remove_copy_if(list->begin(), list->end(), std::back_inserter(*others), is_own);
    if (own.others == nullptr || !AreTheSame(*own.others, *others)) own.others = std::move(others);
    return own.others;
  });
}

verify::QuotaAmounts AssumeCache::QuotaOfOthers(const ObjectKey& workload,
                                                const std::string& cluster_queue) const {
  return state_.With([&](State& state) { return state.quota.Others(workload, cluster_queue); });
}

void AssumeCache::OnQueue(const ObjectKey& local_queue) {
  state_.With([&](State& state) { state.quota.Relink(local_queue); });
}

void AssumeCache::OnClusterQueue(const std::string& cluster_queue) {
  state_.With([&](State& state) { state.quota.Reported(cluster_queue); });
}

std::set<ObjectKey> AssumeCache::UsersOf(const ObjectKey& claim) const {
  return state_.With([&](const State& state) {
    const auto found = state.users.find(claim);
    return found == state.users.end() ? std::set<ObjectKey>() : found->second;
  });
}

void AssumeCache::Insert(State& state, Entry entry) const {
  if (!entry.what.takes_devices) {
    state.entries.insert_or_assign(entry.what.workload, std::move(entry));
    return;
  }
  entry.what.demands = OwnedApart(entry.what.demands);
  ++state.version;
  ++state.changes;
  state.counting.insert(RankOf(entry));
  const ObjectKey& key = entry.what.workload;
  for (const std::string& claim : entry.what.claims) state.users[{key.ns, claim}].insert(key);
  OfJob& of_job = state.of_job[entry.what.job];
  of_job.workloads.insert(key);
  AddDemanded(entry.what.demands, 1, of_job.wanted);
  state.entries.insert_or_assign(key, std::move(entry));
}

// Whether that frees anything.
bool AssumeCache::Remove(State& state, const ObjectKey& workload, SteadyTime now) const {
  const auto found = state.entries.find(workload);
  const Entry& entry = found->second;
  if (!entry.what.takes_devices) {
    state.entries.erase(found);
    return false;
  }
  const bool freed =
      !entry.what.claims.empty() || (!IsOverdue(entry, now) && IsComing(state, entry, now));
  for (const std::string& claim : entry.what.claims) {
    const auto users = state.users.find({workload.ns, claim});
    users->second.erase(workload);
    if (users->second.empty()) state.users.erase(users);
  }
  const auto of_job = state.of_job.find(entry.what.job);
  of_job->second.workloads.erase(workload);
  AddDemanded(entry.what.demands, -1, of_job->second.wanted);
  if (of_job->second.workloads.empty()) state.of_job.erase(of_job);
  state.counting.erase(RankOf(entry));
  state.entries.erase(found);
  ++state.changes;
  return freed;
}

bool AssumeCache::Reserve(const Assumption& assumption, Basis judged) {
  const SteadyTime now = clock_.Steady();
  return state_.With([&](State& state) {
    const auto found = state.entries.find(assumption.workload);
    const bool is_here = found != state.entries.end();
    // An overdue reservation that no object shows counts as new.
    if (is_here && !(found->second.reserved && IsOverdue(found->second, now))) return true;
    if (assumption.takes_devices && state.version > judged.version) return false;
    if (judged.had_room && state.quota.IsFull(assumption.workload, assumption.quota)) return false;
    if (is_here) Remove(state, assumption.workload, now);
    state.quota.Put(assumption.workload, assumption.quota);
    Entry entry;
    entry.what = assumption;
    entry.since = now;
    entry.decided = entry.reserved = true;
    entry.observed = ++observations_;  // who read before that has not seen what is decided
    Insert(state, std::move(entry));
    return true;
  });
}

AssumeCache::Change AssumeCache::Update(State& state, Entry& entry, Assumption shown,
                                        SteadyTime now) const {
  entry.reserved = false;
  const bool same = TakeTheSame(entry.what, shown) && entry.what.claims == shown.claims;
  const bool counts_from_then = same && CountsFrom(entry.what) == CountsFrom(shown);
  SteadyTime since = counts_from_then ? entry.since : BeginOf(shown, now);
  if (entry.decided) since = std::max(since, entry.since);
  if (!same) {
    Change change{.is_here = true};
    Entry fresh;
    fresh.since = since;
    fresh.decided = entry.decided;
    fresh.observed = entry.observed;
    change.freed = Remove(state, shown.workload, now);
    fresh.what = std::move(shown);
    Insert(state, std::move(fresh));
    return change;
  }
  if (!counts_from_then || entry.what.since != shown.since) {
    const bool was_overdue = IsOverdue(entry, now), counts = entry.what.takes_devices;
    if (counts) state.counting.erase(RankOf(entry));
    entry.since = since;
    entry.what.since = shown.since;
    if (counts) {
      state.counting.insert(RankOf(entry));
      ++state.changes;
      if (was_overdue && !IsOverdue(entry, now)) ++state.version;
    }
  }
  entry.what.quota = std::move(shown.quota);
  return {.is_here = true};
}

// What the objects show is read outside of the lock, for it takes longer than all that is done
// under it. A thread that began to read later has seen every change that an earlier one has, so an
// earlier one that comes last reads again, under the lock, where no other one can come in between.
AssumeCache::Change AssumeCache::Observe(const ObjectKey& workload, const Shown& shown) {
  const uint64_t number = ++observations_;
  std::optional<Assumption> now_shown = shown();
  return state_.With([&](State& state) {
    auto found = state.entries.find(workload);
    const bool is_here = found != state.entries.end();
    if ((is_here ? found->second.observed : state.removed) > number) now_shown = shown();
    const SteadyTime now = clock_.Steady();
    Change change;
    if (now_shown) state.quota.Put(workload, now_shown->quota);
    if (!is_here) {
      if (!now_shown) return change;
      Entry entry;
      entry.since = BeginOf(*now_shown, now);
      entry.what = *std::move(now_shown);
      Insert(state, std::move(entry));
    } else if (now_shown) {
      change = Update(state, found->second, *std::move(now_shown), now);
    } else if (!found->second.reserved) {
      change.freed = Remove(state, workload, now);
      state.quota.Remove(workload);
      state.removed = std::max(state.removed, number);
      return change;
    }
    change.is_here = true;
    Entry& entry = state.entries.at(workload);
    entry.observed = std::max(entry.observed, number);
    const bool overdue = IsOverdue(entry, now);
    if (!overdue) {
      if (IsComing(state, entry, now)) change.overdue_at = entry.since + kKeptFor;
    } else if (!entry.overdue) {
      change.freed |= IsComing(state, entry, now);
    }
    entry.overdue = overdue;
    return change;
  });
}

AssumeCache::Change AssumeCache::Forget(const ObjectKey& workload) {
  const SteadyTime now = clock_.Steady();
  return state_.With([&](State& state) {
    Change change;
    const auto found = state.entries.find(workload);
    if (found == state.entries.end()) return change;
    change.is_here = !found->second.reserved;
    if (!found->second.reserved) return change;
    change.freed = Remove(state, workload, now);
    state.quota.Remove(workload);
    return change;
  });
}

}  // namespace fedra::reconcile
