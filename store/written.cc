#include "store/written.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "store/pending.h"

namespace fedra::store {
namespace {

// The workload that the change is about; empty: it is about none.
std::string WorkloadOf(const Change& change) {
  return std::visit(
      [](const auto& one) -> std::string {
        using One = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<One, PutWorkload> || std::is_same_v<One, PutAttempt> ||
                      std::is_same_v<One, AddEvent>) {
          return one.row.uid;
        } else if constexpr (std::is_same_v<One, RemoveWorkload> ||
                             std::is_same_v<One, EndAttempts> ||
                             std::is_same_v<One, EndEarlierAttempts> ||
                             std::is_same_v<One, RemoveLaterAttempts> ||
                             std::is_same_v<One, PutVerdicts> || std::is_same_v<One, PutPlaces>) {
          return one.uid;
        } else {
          return {};
        }
      },
      change);
}

}  // namespace

Written WrittenRows::Of(const Batch& batch) {
  Written written;
  const auto add_queued = [&](const std::vector<Queued>& queued) {
    for (const Queued& each : queued) Add(each.change, written);
  };
  for (const CommitGroup& group : batch.groups) {
    add_queued(group.before);
    for (const Change& change : group.changes) Add(change, written);
  }
  add_queued(batch.queued);
  std::ranges::sort(written.workloads);
  const auto again = std::ranges::unique(written.workloads);
  written.workloads.erase(again.begin(), again.end());
  return written;
}

void WrittenRows::Add(const Change& change, Written& written) {
  if (const auto* const put = std::get_if<PutCluster>(&change)) {
    written.workers |= IsNews(put->row);
  } else if (const auto* const removed = std::get_if<RemoveCluster>(&change)) {
    clusters_.erase(removed->name);
    written.workers = true;
  } else if (std::holds_alternative<PutResidue>(change) ||
             std::holds_alternative<RemoveResidue>(change)) {
    written.workers = true;
  } else if (const auto* const beat = std::get_if<SetHeartbeat>(&change)) {
    written.daemon |= IsNews(beat->row);
  } else if (std::string uid = WorkloadOf(change); !uid.empty()) {
    written.workloads.push_back(std::move(uid));
  }
}

bool WrittenRows::IsNews(ClusterRow row) {
  row.last_contact.reset();
  row.updated_at = {};
  const auto [known, is_new] = clusters_.try_emplace(row.name);
  if (!is_new && known->second == row) return false;
  known->second = std::move(row);
  return true;
}

bool WrittenRows::IsNews(HeartbeatRow row) {
  row.at = {};
  if (heartbeat_ == row) return false;
  heartbeat_ = std::move(row);
  return true;
}

}  // namespace fedra::store
