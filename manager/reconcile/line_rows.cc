#include "manager/reconcile/line_rows.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fedra::reconcile {
namespace {

constexpr std::chrono::seconds kInterval{1};
// After each time so many times as long as it took.
constexpr int kPause = 20;

std::vector<store::PlaceRow> RowsOf(const placement::Standing& standing, const std::string& uid,
                                    const std::map<ClusterName, ObjectKey>& first,
                                    placement::OrderPolicy order) {
  std::vector<store::PlaceRow> rows;
  for (const auto& [worker, place] : standing.places) {
    const auto holder = standing.behind.find(worker);
    const auto ahead = first.find(worker);
    std::string goes_first;
    if (holder != standing.behind.end())
      goes_first = holder->second.ToString();
    else if (ahead != first.end())
      goes_first = ahead->second.ToString();
    rows.push_back({uid, worker, place, standing.passes, standing.kept == worker,
                    std::move(goes_first), std::string(placement::ToString(order)),
                    standing.is_bound_reached});
  }
  return rows;
}

// Whether it is far back in every line, as before, and nothing else of it has changed.
bool MovesFarBack(const std::vector<store::PlaceRow>& before,
                  const std::vector<store::PlaceRow>& now) {
  return std::equal(before.begin(), before.end(), now.begin(), now.end(),
                    [](const store::PlaceRow& was, store::PlaceRow is) {
                      if (std::min(was.place, is.place) <= LineRows::kNear) return false;
                      is.place = was.place;
                      is.first = was.first;
                      return is == was;
                    });
}

}  // namespace

Result<void> LineRows::Load() {
  FEDRA_ASSIGN_OR_RETURN(const auto reader, store_.Read());
  FEDRA_ASSIGN_OR_RETURN(std::vector<store::PlaceRow> rows, reader->Places({}));
  for (store::PlaceRow& row : rows) written_[row.uid].push_back(std::move(row));
  return {};
}

void LineRows::Record(const std::function<std::vector<placement::Standing>()>& standings,
                      const ManagerJobs& jobs, const ManagerQueues& queues) {
  const SteadyTime now = clock_.Steady();
  if (now < next_) return;
  WriteChanges(standings(), jobs, queues, now);
  const SteadyTime end = clock_.Steady();
  next_ = end + std::max<SteadyTime::duration>(kInterval - (end - now), kPause * (end - now));
}

void LineRows::WriteChanges(const std::vector<placement::Standing>& all, const ManagerJobs& jobs,
                            const ManagerQueues& queues, SteadyTime now) {
  std::map<std::string, std::vector<store::PlaceRow>> rows;
  const auto first = FirstInLine(all);
  for (size_t i = 0; i < all.size(); ++i) {
    const placement::Standing& standing = all[i];
    const auto workload = jobs.workloads().cache().Find(standing.rank.workload);
    if (workload == nullptr || standing.places.empty()) continue;
    const auto queue = queues.Find(workload->cluster_queue);
    const auto own = queue == nullptr ? std::nullopt : placement::ParseOrderPolicy(queue->order);
    rows[workload->uid] = RowsOf(standing, workload->uid, first[i], own.value_or(order_));
  }
  for (const auto& [uid, old] : written_)
    if (!rows.contains(uid)) store_.Enqueue(store::PutPlaces{uid, {}});
  const bool with_far = now - last_far_ >= kFarInterval;
  if (with_far) last_far_ = now;
  for (auto& [uid, current] : rows) {
    const auto before = written_.find(uid);
    if (before != written_.end()) {
      if (before->second == current) continue;
      if (!with_far && MovesFarBack(before->second, current)) {
        current = before->second;
        continue;
      }
    }
    store_.Enqueue(store::PutPlaces{uid, current});
  }
  written_ = std::move(rows);
}

// On a worker whose devices are of one kind there is one line, and who is at place 3 has all
// two others ahead that were seen there. Where fewer of them compete it stands in a line of its own
// kind, and whose that is is not known.
std::vector<std::map<ClusterName, ObjectKey>> FirstInLine(
    const std::vector<placement::Standing>& standings) {
  struct Seen {
    ObjectKey first;
    int standing = 0;
  };
  std::map<ClusterName, Seen> seen;
  std::vector<std::map<ClusterName, ObjectKey>> all;
  for (const placement::Standing& standing : standings) {
    std::map<ClusterName, ObjectKey>& first = all.emplace_back();
    for (const auto& [worker, place] : standing.places) {
      Seen& there = seen[worker];
      if (there.standing == 0) there.first = standing.rank.workload;
      if (place > 1 && place == there.standing + 1) first[worker] = there.first;
      ++there.standing;
    }
  }
  return all;
}

}  // namespace fedra::reconcile
