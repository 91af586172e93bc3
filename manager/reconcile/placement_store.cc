#include "manager/reconcile/placement_store.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "manager/placement/remembered.h"
#include "manager/placement/setback.h"
#include "verdict/reason.h"

namespace fedra::reconcile {

PlacementStore::PlacementStore(store::Store& store) : store_(store) {}

Result<std::vector<ObjectKey>> PlacementStore::Load() {
  FEDRA_ASSIGN_OR_RETURN(const auto reader, store_.Read());
  FEDRA_ASSIGN_OR_RETURN(auto placements, reader->Placements());
  FEDRA_ASSIGN_OR_RETURN(auto residues, reader->Residues());
  state_.With([&](State& state) {
    for (store::PlacementRow& row : placements) {
      const ObjectKey key = row.key;
      state.placements[key] = std::move(row);
    }
    for (store::ResidueRow& row : residues) {
      const ObjectKey key = row.key;
      state.residues[key].push_back(std::move(row));
    }
  });
  FEDRA_ASSIGN_OR_RETURN(const auto intents, reader->Intents());
  std::vector<ObjectKey> keys;
  for (const store::IntentRow& intent : intents) {
    keys.push_back(intent.key);
    store_.Enqueue(store::EndIntent{intent.id});
  }
  return keys;
}

void PlacementStore::ForgetAll() {
  const State gone = state_.With([](State& state) { return std::exchange(state, State{}); });
  for (const auto& [key, row] : gone.placements) store_.Enqueue(store::RemovePlacement{row.uid});
  for (const auto& [key, rows] : gone.residues)
    for (const store::ResidueRow& row : rows)
      store_.Enqueue(store::RemoveResidue{row.cluster, row.uid});
  const auto reader = store_.Read();
  auto numbers = reader ? (*reader)->LastAttemptNumbers() : tl::make_unexpected(reader.error());
  if (!numbers) {
    log::Warn("attempts are counted anew, and those of before leave the history",
              {{"error", ToString(numbers.error())}});
    return;
  }
  state_.With([&](State& state) { state.attempts_before = *std::move(numbers); });
}

int PlacementStore::AttemptsBefore(const std::string& uid) const {
  return state_.With([&](const State& state) {
    const auto found = state.attempts_before.find(uid);
    return found == state.attempts_before.end() ? 0 : found->second;
  });
}

std::set<std::string> PlacementStore::JobKinds() const {
  return state_.With([](const State& state) {
    std::set<std::string> kinds;
    for (const auto& [key, row] : state.placements) kinds.insert(row.job_kind);
    for (const auto& [key, rows] : state.residues)
      for (const store::ResidueRow& row : rows) kinds.insert(row.job_kind);
    return kinds;
  });
}

store::PlacementRow PlacementStore::Find(const ObjectKey& workload) const {
  return state_.With([&](const State& state) {
    const auto found = state.placements.find(workload);
    return found == state.placements.end() ? store::PlacementRow{} : found->second;
  });
}

PlacementStore::UnderWay PlacementStore::BeginCommit(store::PlacementRow row,
                                                     std::vector<store::Change> more) {
  more.emplace_back(store::PutPlacement{row});
  return {std::move(row), store_.BeginCommit(std::move(more))};
}

Result<void> PlacementStore::EndCommit(UnderWay written) {
  FEDRA_RETURN_IF_ERROR(written.done.get());
  Hold(std::move(written.row));
  return {};
}

void PlacementStore::Put(store::PlacementRow row) {
  store_.Enqueue(store::PutPlacement{row});
  Hold(std::move(row));
}

void PlacementStore::Hold(store::PlacementRow row) {
  state_.With([&](State& state) { state.placements[row.key] = std::move(row); });
}

void PlacementStore::Forget(const ObjectKey& workload) {
  const std::string uid = state_.With([&](State& state) {
    state.placings.erase(workload);
    state.failed_nominations.erase(workload);
    state.renderings.erase(workload);
    state.ended.erase(workload);
    const auto found = state.placements.find(workload);
    if (found == state.placements.end()) return std::string();
    std::string gone = found->second.uid;
    state.placements.erase(found);
    state.attempts_before.erase(gone);
    return gone;
  });
  if (!uid.empty()) store_.Enqueue(store::RemovePlacement{uid});
}

void PlacementStore::RememberRendering(const ObjectKey& workload, uint64_t rendering) {
  state_.With([&](State& state) { state.renderings[workload] = rendering; });
}

uint64_t PlacementStore::Rendering(const ObjectKey& workload) const {
  return state_.With([&](const State& state) {
    const auto found = state.renderings.find(workload);
    return found == state.renderings.end() ? uint64_t{0} : found->second;
  });
}

void PlacementStore::RememberNomination(const ObjectKey& workload, bool failed) {
  state_.With([&](State& state) {
    if (failed)
      state.failed_nominations.insert(workload);
    else
      state.failed_nominations.erase(workload);
  });
}

bool PlacementStore::HasFailedNomination(const ObjectKey& workload) const {
  return state_.With(
      [&](const State& state) { return state.failed_nominations.contains(workload); });
}

void PlacementStore::RememberPlacing(const ObjectKey& workload, placement::Placing placing) {
  state_.With([&](State& state) { state.placings[workload] = std::move(placing); });
}

std::optional<placement::Placing> PlacementStore::Placing(const ObjectKey& workload, WallTime now) {
  return state_.With([&](State& state) -> std::optional<placement::Placing> {
    const auto found = state.placings.find(workload);
    if (found == state.placings.end()) return std::nullopt;
    found->second.since = std::min(found->second.since, now);
    if (found->second.end_seen) found->second.end_seen = std::min(*found->second.end_seen, now);
    return found->second;
  });
}

void PlacementStore::RememberEnd(const ObjectKey& workload, WallTime now) {
  state_.With([&](State& state) {
    placement::Placing& placing = state.placings.try_emplace(workload).first->second;
    if (!placing.end_seen) placing.end_seen = now;
  });
}

void PlacementStore::BeginAttempt(const ObjectKey& workload) {
  state_.With([&](State& state) { state.ended.erase(workload); });
}

bool PlacementStore::EndsAttempt(const ObjectKey& workload, const ClusterName& cluster) {
  return state_.With([&](State& state) { return state.ended[workload].insert(cluster).second; });
}

Result<void> PlacementStore::AddResidue(store::ResidueRow row) {
  const auto same = [&](const store::ResidueRow& other) {
    return other.cluster == row.cluster && other.uid == row.uid;
  };
  const bool known = state_.With([&](const State& state) {
    const auto found = state.residues.find(row.key);
    return found != state.residues.end() &&
           std::any_of(found->second.begin(), found->second.end(), same);
  });
  if (known) return {};
  FEDRA_RETURN_IF_ERROR(store_.Commit({store::PutResidue{row}}));
  state_.With([&](State& state) { state.residues[row.key].push_back(std::move(row)); });
  return {};
}

void PlacementStore::ClearResidue(const ClusterName& cluster, const ObjectKey& workload) {
  std::vector<std::string> uids;
  state_.With([&](State& state) {
    const auto found = state.residues.find(workload);
    if (found == state.residues.end()) return;
    std::erase_if(found->second, [&](const store::ResidueRow& row) {
      const bool ended = row.cluster == cluster;
      if (ended) uids.push_back(row.uid);
      return ended;
    });
    if (found->second.empty()) state.residues.erase(found);
  });
  for (const std::string& uid : uids) store_.Enqueue(store::RemoveResidue{cluster, uid});
}

std::set<ClusterName> PlacementStore::ResidueClusters(const ObjectKey& workload) const {
  return state_.With([&](const State& state) {
    std::set<ClusterName> clusters;
    const auto found = state.residues.find(workload);
    if (found == state.residues.end()) return clusters;
    for (const store::ResidueRow& row : found->second) clusters.insert(row.cluster);
    return clusters;
  });
}

std::vector<ObjectKey> PlacementStore::ResiduesOn(const ClusterName& cluster) const {
  return state_.With([&](const State& state) {
    std::vector<ObjectKey> keys;
    for (const auto& [key, rows] : state.residues) {
      if (std::any_of(rows.begin(), rows.end(),
                      [&](const store::ResidueRow& row) { return row.cluster == cluster; }))
        keys.push_back(key);
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

bool ForgetFailures(store::PlacementRow& row, std::optional<WallTime> retry_at, WallTime now) {
  return std::erase_if(row.failures, [&](const store::PlacementFailure& failure) {
           return placement::IsForgotten(failure.at, retry_at, now);
         }) > 0;
}

placement::PlacementRecord ToRecord(const store::PlacementRow& row) {
  placement::PlacementRecord record;
  record.attempt = row.attempt;
  record.nominated = row.nominated;
  record.nominated_at = row.nominated_at;
  if (row.reported_in)
    record.reported = {*row.reported_in, static_cast<uint64_t>(row.reported_facts)};
  record.failures = placement::FailuresOf(row.failures);
  return record;
}

}  // namespace fedra::reconcile
