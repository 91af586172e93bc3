#include "manager/placement/kept_workers.h"

#include <algorithm>
#include <utility>

namespace fedra::placement {
namespace {

using Chance = Bid::Chance;

bool WaitsOn(const Waiting& waiting, const ClusterName& worker) {
  const Bid* bid = waiting.BidOn(worker);
  return bid != nullptr && bid->chance == Chance::kWaits;
}

// Of the workers where it is first and waits, the one where the fewest pods are missing.
std::optional<ClusterName> Nearest(const Waiting& waiting) {
  std::optional<ClusterName> nearest;
  int least = 0;
  for (const ClusterName& worker : waiting.first_on) {
    const Bid& bid = waiting.bids.at(worker);
    if (bid.chance != Chance::kWaits || (nearest && bid.missing >= least)) continue;
    nearest = worker;
    least = bid.missing;
  }
  return nearest;
}

std::optional<ClusterName> KeptFor(const Waiting& waiting) {
  if (waiting.settings.policy != OrderPolicy::kBackfill) return std::nullopt;
  const bool stays =
      waiting.kept && waiting.first_on.contains(*waiting.kept) && WaitsOn(waiting, *waiting.kept);
  return stays ? waiting.kept : Nearest(waiting);
}

}  // namespace

std::set<ClusterName> KeptWorkers::FirstOn(const Waiting& waiting,
                                           dra::OverlapMemory& overlaps) const {
  std::set<ClusterName> workers;
  // One that fits wherever it bids goes at once.
  if (!waiting.Waits() || !WaitsAnywhere(waiting.bids)) return workers;
  // Both are by name: they are gone through side by side.
  auto here = first_here_.begin();
  for (const auto& [worker, bid] : waiting.bids) {
    if (bid.chance == Chance::kNone) continue;
    while (here != first_here_.end() && here->first < worker) ++here;
    const dra::DeviceSet* devices = bid.devices.get();
    const auto is_ahead = [&](const Head& head) {
      return head.waiting->rank < waiting.rank && devices != nullptr && head.devices != nullptr &&
             (head.devices.get() == devices || overlaps.Overlap(*head.devices, *devices));
    };
    const bool is_behind = here != first_here_.end() && here->first == worker &&
                           std::any_of(here->second.begin(), here->second.end(), is_ahead);
    if (!is_behind) workers.insert(workers.end(), worker);
  }
  return workers;
}

void KeptWorkers::OnBids(Waiting& waiting, dra::OverlapMemory& overlaps) {
  if (is_stale_ || !waiting.first_on.empty() || !FirstOn(waiting, overlaps).empty())
    return MarkStale();
  const auto ahead = std::partition_point(
      heads_.begin(), heads_.end(), [&](const Waiting* head) { return head->rank < waiting.rank; });
  waiting.heads_ahead = static_cast<size_t>(ahead - heads_.begin());
}

// As long as each has the same heads ahead, in the same order, nothing has changed.
void KeptWorkers::OnMoves(const WaitingOrder& order) {
  size_t ahead = 0;
  for (const Waiting* each : order) {
    if (is_stale_) return;
    if (!each->bids.empty() && each->heads_ahead != ahead) MarkStale();
    if (each->first_on.empty()) continue;
    if (ahead == heads_.size() || heads_[ahead] != each) MarkStale();
    ++ahead;
  }
}

void KeptWorkers::Remove(const Waiting& waiting) {
  if (waiting.first_on.empty()) return;
  MarkStale();
  std::erase(heads_, &waiting);
  for (auto& [worker, heads] : first_here_)
    std::erase_if(heads, [&](const Head& head) { return head.waiting == &waiting; });
}

std::vector<Waiting*> KeptWorkers::Find(const WaitingOrder& order, dra::OverlapMemory& overlaps) {
  std::vector<Waiting*> changed;
  if (!std::exchange(is_stale_, false)) return changed;
  heads_.clear();
  first_here_.clear();
  for (Waiting* each : order) {
    each->heads_ahead = heads_.size();
    const auto before = std::exchange(each->first_on, FirstOn(*each, overlaps));
    const auto kept_before = std::exchange(each->kept, KeptFor(*each));
    if (before != each->first_on || kept_before != each->kept) changed.push_back(each);
    if (each->first_on.empty()) continue;
    heads_.push_back(each);
    for (const ClusterName& worker : each->first_on)
      first_here_[worker].push_back({each, each->bids.at(worker).devices});
  }
  return changed;
}

}  // namespace fedra::placement
