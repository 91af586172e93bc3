#include "manager/reconcile/line_rows.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fedra::reconcile {
namespace {

constexpr std::chrono::seconds kInterval{1};

std::vector<store::PlaceRow> RowsOf(const placement::Standing& standing, const std::string& uid) {
  std::vector<store::PlaceRow> rows;
  for (const auto& [worker, place] : standing.places)
    rows.push_back({uid, worker, place, standing.passes, standing.kept == worker});
  return rows;
}

}  // namespace

Result<void> LineRows::Load() {
  FEDRA_ASSIGN_OR_RETURN(const auto reader, store_.Read());
  FEDRA_ASSIGN_OR_RETURN(std::vector<store::PlaceRow> rows, reader->Places({}));
  for (store::PlaceRow& row : rows) written_[row.uid].push_back(std::move(row));
  return {};
}

void LineRows::Record(const std::function<std::vector<placement::Standing>()>& standings,
                      const ManagerCluster& manager) {
  const SteadyTime now = clock_.Steady();
  if (now - last_ < kInterval) return;
  last_ = now;
  std::map<std::string, std::vector<store::PlaceRow>> rows;
  for (const placement::Standing& standing : standings()) {
    const auto workload = manager.workloads().cache().Find(standing.rank.workload);
    if (workload == nullptr || standing.places.empty()) continue;
    rows[workload->uid] = RowsOf(standing, workload->uid);
  }
  for (const auto& [uid, old] : written_)
    if (!rows.contains(uid)) store_.Enqueue(store::PutPlaces{uid, {}});
  for (const auto& [uid, current] : rows) {
    const auto before = written_.find(uid);
    if (before == written_.end() || before->second != current)
      store_.Enqueue(store::PutPlaces{uid, current});
  }
  written_ = std::move(rows);
}

std::map<ClusterName, LineFacts> FactsOf(const std::vector<placement::Standing>& standings,
                                         WallTime now) {
  std::map<ClusterName, LineFacts> facts;
  for (const placement::Standing& standing : standings) {
    const auto waits = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(now - standing.reserved_at, WallTime::duration(0)));
    for (const auto& [worker, place] : standing.places) {
      LineFacts& line = facts[worker];
      ++line.length;
      if (place == 1) line.head_waits = std::max(line.head_waits, waits);
    }
  }
  return facts;
}

}  // namespace fedra::reconcile
