#include "manager/placement/nominated.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/placement/note_reasons.h"
#include "manager/placement/rank.h"
#include "manager/placement/steps.h"

namespace fedra::placement {
namespace {

using Names = std::vector<ClusterName>;

// Between two of our writes, while something else writes nominations, too.
constexpr std::chrono::seconds kTruce{30};

Names NominatedNow(const Context& context) {
  Names names;
  for (const std::string& name : context.workload().nominated) names.emplace_back(name);
  return names;
}

// A copy that was switched off on its worker is never admitted.
bool IsSwitchedOff(const ClusterView& cluster) {
  return HasOwnClone(cluster) && !cluster.clone->active;
}

}  // namespace

NominatedNames SortNominated(const Context& context) {
  const PlacementRecord& record = context.record;
  NominatedNames nominated{.all = NominatedNow(context), .ours = {}};
  for (const ClusterName& name : nominated.all)
    if (!record.nominated_at || Contains(record.nominated, name)) nominated.ours.push_back(name);
  return nominated;
}

std::optional<WallTime> TruceEnd(const Context& context) {
  const auto& round = context.record.nominated_at;
  if (!round || context.now >= *round + kTruce) return std::nullopt;
  return *round + kTruce;
}

bool RefuseSpent(const Context& context, const Names& nominated, Decision& decision) {
  for (const ClusterView& cluster : context.clusters) {
    if (!Contains(nominated, cluster.name) || !IsSwitchedOff(cluster) ||
        PausedUntil(context.record, cluster.name, context.now))
      continue;
    RememberSpent(context, cluster, decision);
    decision.phase = Phase::kDispatching;
    decision.worker = cluster.name;
    decision.why = fmt::format("{} has switched off its copy", cluster.name.value);
    WakeBy(context.now, decision.wake_at);
    return true;
  }
  return false;
}

Names WithoutSpent(const Context& context, Names nominated) {
  std::erase_if(nominated, [&](const ClusterName& name) {
    const ClusterView* cluster = context.Find(name.value);
    return cluster != nullptr && IsSwitchedOff(*cluster);
  });
  return nominated;
}

void KeepUnseen(const Context& context, const Names& nominated, Choice& choice) {
  for (const ClusterName& name : nominated) {
    const ClusterView* cluster = context.Find(name.value);
    if (cluster == nullptr || cluster->contact != Contact::kNone || !cluster->allowed ||
        !cluster->kueue_connected || Contains(choice.clusters, name))
      continue;
    if (choice.clusters.size() < kMaxNominated) choice.clusters.push_back(name);
  }
}

void TakeBackNominations(const Context& context, const Names& nominated, const Choice& choice,
                         Decision& decision) {
  for (const ClusterName& name : nominated) {
    if (Contains(choice.clusters, name)) continue;
    const ClusterView* cluster = context.Find(name.value);
    if (cluster == nullptr || !Contains(choice.timed_out, name)) {
      EndOn(name, AttemptEnd::kWithdrawn, decision);
      continue;
    }
    std::string message = TooLate(context, *cluster);
    RememberFailure(context, *cluster, verdict::ReasonCode::kRecentlyFailed, message, decision,
                    FailureKind::kLate);
    decision.actions.emplace_back(Note{notes::kAdmissionTimedOut.name, name, std::move(message)});
  }
}

}  // namespace fedra::placement
