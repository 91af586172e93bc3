#include "manager/reconcile/records.h"

#include <algorithm>

#include "verdict/reason.h"

namespace fedra::reconcile {

Records::Records(store::Store& store) : store_(store) {}

Result<std::vector<ObjectKey>> Records::Load() {
  FEDRA_ASSIGN_OR_RETURN(const auto reader, store_.Read());
  FEDRA_ASSIGN_OR_RETURN(auto placements, reader->Placements());
  FEDRA_ASSIGN_OR_RETURN(auto residues, reader->Residues());
  state_.With([&](State& state) {
    for (store::PlacementRow& row : placements) {
      const ObjectKey key = row.key;
      state.placements[key] = std::move(row);
    }
    state.residues = std::move(residues);
  });
  FEDRA_ASSIGN_OR_RETURN(const auto intents, reader->Intents());
  std::vector<ObjectKey> keys;
  for (const store::IntentRow& intent : intents) {
    keys.push_back(intent.key);
    store_.Enqueue(store::EndIntent{intent.id});
  }
  return keys;
}

store::PlacementRow Records::Find(const ObjectKey& workload) const {
  return state_.With([&](const State& state) {
    const auto found = state.placements.find(workload);
    return found == state.placements.end() ? store::PlacementRow{} : found->second;
  });
}

Result<void> Records::Commit(store::PlacementRow row, std::vector<store::Change> more) {
  more.emplace_back(store::PutPlacement{row});
  FEDRA_RETURN_IF_ERROR(store_.Commit(std::move(more)));
  state_.With([&](State& state) { state.placements[row.key] = std::move(row); });
  return {};
}

void Records::Put(store::PlacementRow row) {
  store_.Enqueue(store::PutPlacement{row});
  state_.With([&](State& state) { state.placements[row.key] = std::move(row); });
}

void Records::Forget(const ObjectKey& workload) {
  const std::string uid = state_.With([&](State& state) {
    state.placings.erase(workload);
    state.renderings.erase(workload);
    const auto found = state.placements.find(workload);
    if (found == state.placements.end()) return std::string();
    std::string gone = found->second.uid;
    state.placements.erase(found);
    return gone;
  });
  if (!uid.empty()) store_.Enqueue(store::RemovePlacement{uid});
}

void Records::RememberRendering(const ObjectKey& workload, uint64_t rendering) {
  state_.With([&](State& state) { state.renderings[workload] = rendering; });
}

uint64_t Records::Rendering(const ObjectKey& workload) const {
  return state_.With([&](const State& state) {
    const auto found = state.renderings.find(workload);
    return found == state.renderings.end() ? uint64_t{0} : found->second;
  });
}

void Records::RememberPlacing(const ObjectKey& workload, placement::Placing placing) {
  state_.With([&](State& state) { state.placings[workload] = std::move(placing); });
}

std::optional<placement::Placing> Records::Placing(const ObjectKey& workload, WallTime now) {
  return state_.With([&](State& state) -> std::optional<placement::Placing> {
    const auto found = state.placings.find(workload);
    if (found == state.placings.end()) return std::nullopt;
    found->second.since = std::min(found->second.since, now);
    return found->second;
  });
}

Result<void> Records::AddResidue(store::ResidueRow row) {
  const auto same = [&](const store::ResidueRow& other) {
    return other.cluster == row.cluster && other.uid == row.uid;
  };
  const bool known = state_.With([&](const State& state) {
    return std::any_of(state.residues.begin(), state.residues.end(), same);
  });
  if (known) return {};
  FEDRA_RETURN_IF_ERROR(store_.Commit({store::PutResidue{row}}));
  state_.With([&](State& state) { state.residues.push_back(std::move(row)); });
  return {};
}

void Records::EndResidue(const ClusterName& cluster, const ObjectKey& workload) {
  std::vector<std::string> uids;
  state_.With([&](State& state) {
    std::erase_if(state.residues, [&](const store::ResidueRow& row) {
      const bool ended = row.cluster == cluster && row.key == workload;
      if (ended) uids.push_back(row.uid);
      return ended;
    });
  });
  for (const std::string& uid : uids) store_.Enqueue(store::RemoveResidue{cluster, uid});
}

std::set<ClusterName> Records::ResidueClusters(const ObjectKey& workload) const {
  return state_.With([&](const State& state) {
    std::set<ClusterName> clusters;
    for (const store::ResidueRow& row : state.residues) {
      if (row.key == workload) clusters.insert(row.cluster);
    }
    return clusters;
  });
}

std::vector<ObjectKey> Records::ResiduesOn(const ClusterName& cluster) const {
  return state_.With([&](const State& state) {
    std::vector<ObjectKey> keys;
    for (const store::ResidueRow& row : state.residues) {
      if (row.cluster == cluster) keys.push_back(row.key);
    }
    return keys;
  });
}

bool BringBack(store::PlacementRow& row, WallTime now) {
  bool changed = false;
  const auto bring = [&](WallTime& time) {
    if (time <= now) return;
    time = now;
    changed = true;
  };
  if (row.nominated_at) bring(*row.nominated_at);
  for (store::PlacementFailure& failure : row.failures) bring(failure.at);
  return changed;
}

placement::PlacementRecord ToRecord(const store::PlacementRow& row) {
  placement::PlacementRecord record;
  record.attempt = row.attempt;
  record.nominated = row.nominated;
  record.nominated_at = row.nominated_at;
  if (row.reported_in)
    record.reported = {*row.reported_in, static_cast<uint64_t>(row.reported_facts)};
  for (const store::PlacementFailure& failure : row.failures) {
    record.failures.push_back(
        {failure.cluster,
         verdict::ParseReasonCode(failure.reason).value_or(verdict::ReasonCode::kRecentlyFailed),
         failure.at, failure.message, failure.refused, failure.times});
  }
  return record;
}

}  // namespace fedra::reconcile
