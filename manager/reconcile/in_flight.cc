#include "manager/reconcile/in_flight.h"

#include <algorithm>

namespace fedra::reconcile {

uint64_t InFlight::version() const {
  return state_.With([](const State& state) { return state.version; });
}

std::vector<Sent> InFlight::On(const ClusterName& worker, const ObjectKey& except) const {
  std::vector<Sent> all;
  state_.With([&](const State& state) {
    const auto found = state.workers.find(worker);
    if (found == state.workers.end()) return;
    for (const auto& [key, sent] : found->second.workloads) {
      if (key != except && !sent.is_over) all.push_back(sent);
    }
  });
  std::stable_sort(all.begin(), all.end(),
                   [](const Sent& a, const Sent& b) { return a.since < b.since; });
  return all;
}

std::map<ObjectKey, std::set<ClusterName>> InFlight::UsersOf(const ObjectKey& claim,
                                                             const ObjectKey& except) const {
  std::map<ObjectKey, std::set<ClusterName>> users;
  state_.With([&](const State& state) {
    for (const auto& [name, worker] : state.workers) {
      for (const auto& [key, sent] : worker.workloads) {
        if (key == except || key.ns != claim.ns) continue;
        if (std::find(sent.claims.begin(), sent.claims.end(), claim.name) != sent.claims.end())
          users[key].insert(name);
      }
    }
  });
  return users;
}

InFlight::Settled InFlight::Settle(Sent sent, const std::set<ClusterName>& workers,
                                   const std::set<ClusterName>& settled, uint64_t seen) {
  return state_.With([&](State& state) -> Settled {
    bool adds = false;
    for (const ClusterName& name : workers) {
      const Worker& worker = state.workers[name];
      if (worker.workloads.contains(sent.workload)) continue;
      if (worker.version > seen) return {Outcome::kOutdated, std::nullopt};
      adds = true;
    }
    bool freed = false;
    for (auto& [name, worker] : state.workers) {
      const auto known = worker.workloads.find(sent.workload);
      if (known == worker.workloads.end()) continue;
      Sent& entry = known->second;
      const bool leaves = !workers.contains(name);
      const bool overdue = !entry.is_over && sent.since - entry.since >= kKeptFor;
      freed |= overdue || (leaves && (!entry.is_over || !entry.claims.empty()));
      entry.is_over |= overdue || settled.contains(name);
      if (leaves) worker.workloads.erase(known);
    }
    Settled result;
    if (adds) ++state.version;
    for (const ClusterName& name : workers) {
      Worker& worker = state.workers[name];
      const auto [entry, is_new] = worker.workloads.try_emplace(sent.workload, sent);
      if (is_new) worker.version = state.version;
      if (!entry->second.is_over) result.overdue_at = entry->second.since + kKeptFor;
    }
    result.outcome = freed ? Outcome::kTakenBack : Outcome::kSettled;
    return result;
  });
}

}  // namespace fedra::reconcile
