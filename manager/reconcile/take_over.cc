#include "manager/reconcile/take_over.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fedra::reconcile {
namespace {

// Outages are shared once they have lasted so long, or a quarter of the time after which jobs move;
// at most once in the interval.
constexpr std::chrono::seconds kSharedOutage{10};
constexpr std::chrono::seconds kShareInterval{1};

// The one key of its loop.
constexpr const char* kOutages = "outages";

}  // namespace

TakeOver::TakeOver(TakeOverSettings settings, TakeOverParts parts)
    : settings_(settings), parts_(parts) {}

void TakeOver::Begin() {
  has_begun_ = true;
  began_ = parts_.clock.Steady();
  parts_.placements.ForgetAll();
  parts_.workloads.ForgetReports();
  // Workloads that were gone while we stood by still have their rows.
  parts_.workload_loop.AddAll(parts_.status_writer.Known());
  relisting_.push_back(parts_.manager.Relist());
  const auto workers = parts_.workers.Now();
  for (const auto& worker : *workers) relisting_.push_back(worker->RelistCopies());
  if (!settings_.shares_outages) return;
  parts_.outage_loop.Add(kOutages);
  parts_.outage_loop.Start();
}

bool TakeOver::IsRelisting() const {
  return std::any_of(relisting_.begin(), relisting_.end(),
                     [](const auto& begun) { return !begun.expired(); });
}

bool TakeOver::AwaitsOutages() const {
  return has_begun_ && settings_.shares_outages && !parts_.outages.Left();
}

void TakeOver::InheritOutages() {
  const Outages left = parts_.outages.Left().value_or(Outages());
  const auto workers = parts_.workers.Now();
  for (const auto& worker : *workers) {
    const auto found = left.find(worker->name());
    worker->outage().Inherit(found == left.end() ? std::nullopt : std::optional(found->second));
  }
}

// A short one moves no deadline by much, and API servers that restart would make many.
void TakeOver::NoteOutages() {
  if (!settings_.shares_outages) return;
  const std::chrono::milliseconds shortest =
      std::min<std::chrono::milliseconds>(kSharedOutage, settings_.worker_lost_timeout / 4);
  const WallTime now = parts_.clock.Now();
  Outages lost = parts_.cluster_rows.Lost(parts_.outages.Left().value_or(Outages()));
  std::erase_if(lost, [&](const auto& outage) { return now - outage.second < shortest; });
  if (parts_.outages.Set(std::move(lost))) parts_.outage_loop.AddAfter(kOutages, kShareInterval);
}

bool TakeOver::HasLastedFor(SteadyTime::duration limit) const {
  const SteadyTime since = began_;
  return since != SteadyTime::max() && parts_.clock.Steady() - since > limit;
}

}  // namespace fedra::reconcile
