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
    for (const auto& [key, sent] : found->second) {
      if (key != except && !sent.overdue) all.push_back(sent);
    }
  });
  std::stable_sort(all.begin(), all.end(),
                   [](const Sent& a, const Sent& b) { return a.since < b.since; });
  return all;
}

std::optional<ClusterName> InFlight::HolderOf(const ObjectKey& claim,
                                              const ObjectKey& except) const {
  return state_.With([&](const State& state) -> std::optional<ClusterName> {
    for (const auto& [worker, workloads] : state.workers) {
      for (const auto& [key, sent] : workloads) {
        if (key == except || key.ns != claim.ns) continue;
        if (std::find(sent.claims.begin(), sent.claims.end(), claim.name) != sent.claims.end())
          return worker;
      }
    }
    return std::nullopt;
  });
}

InFlight::Settled InFlight::Settle(Sent sent, const std::set<ClusterName>& workers, uint64_t seen) {
  return state_.With([&](State& state) -> Settled {
    const bool adds = std::any_of(workers.begin(), workers.end(), [&](const ClusterName& worker) {
      const auto found = state.workers.find(worker);
      return found == state.workers.end() || !found->second.contains(sent.workload);
    });
    if (adds && state.version != seen) return {Outcome::kOutdated, std::nullopt};
    bool freed = false;
    for (auto& [worker, workloads] : state.workers) {
      const auto known = workloads.find(sent.workload);
      if (known == workloads.end()) continue;
      const bool overdue = sent.since - known->second.since >= kKeptFor;
      freed |= !known->second.overdue && (overdue || !workers.contains(worker));
      known->second.overdue |= overdue;
      if (!workers.contains(worker)) workloads.erase(known);
    }
    Settled settled;
    for (const ClusterName& worker : workers) {
      const Sent& entry = state.workers[worker].try_emplace(sent.workload, sent).first->second;
      if (!entry.overdue) settled.overdue_at = entry.since + kKeptFor;
    }
    if (adds) ++state.version;
    settled.outcome = freed ? Outcome::kTakenBack : adds ? Outcome::kSent : Outcome::kUnchanged;
    return settled;
  });
}

}  // namespace fedra::reconcile
