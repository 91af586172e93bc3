#include "manager/placement/move.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/placement/rank.h"
#include "verdict/reason_text.h"

namespace fedra::placement {
namespace {

using tracking::MoveRequest;

constexpr size_t kMostNamed = 3;  // workers in a message

// Of the worker that has it, since it began there, whenever that was; null: nothing is.
const MoveRequest* AskedOf(const WorkloadView& view) {
  const tracking::Workload* workload = view.workload.get();
  if (workload == nullptr || workload->cluster_name.empty() || !workload->QuotaReserved())
    return nullptr;
  const MoveRequest* move = workload->Move();
  const tracking::AdmissionCheckState* check = workload->Check(view.check);
  if (move == nullptr || check == nullptr || move->to == workload->cluster_name) return nullptr;
  const bool is_elsewhere = !move->from.empty() && move->from != workload->cluster_name;
  const WallTime began = std::max(workload->quota_reserved->since, check->since);
  return is_elsewhere || move->at <= began ? nullptr : move;
}

bool IsFull(const verdict::Verdict& verdict) {
  return std::ranges::any_of(verdict.reasons, [](const verdict::Reason& reason) {
    return reason.code == verdict::ReasonCode::kQueueFull;
  });
}

// A job that runs is not given up for a place in a queue, nor for a guess.
bool CanTake(const ClusterView& cluster, const PlacementRecord& record, const Policy& policy,
             WallTime now) {
  return IsEligible(cluster, policy) && cluster.verdict.outcome == verdict::Outcome::kYes &&
         !IsFull(cluster.verdict) && !PausedUntil(record, cluster.name, now);
}

std::string WhyNot(const ClusterView& cluster, const PlacementRecord& record, WallTime now,
                   std::string_view tenants_of) {
  if (cluster.contact != Contact::kFull) return cluster.name.value + ": no contact";
  if (PausedUntil(record, cluster.name, now))
    return fmt::format("{}: {}", cluster.name.value, FailureOf(record, cluster.name)->message);
  const auto& reasons = cluster.verdict.reasons;
  return fmt::format(
      "{}: {}", cluster.name.value,
      reasons.empty() ? std::string(verdict::ToString(cluster.verdict.outcome))
                      : verdict::MessageOf(reasons.front(), {.tenants_of = tenants_of, .now = {}}));
}

}  // namespace

const MoveRequest* DueMove(const WorkloadView& view, WallTime now) {
  const MoveRequest* move = AskedOf(view);
  return move != nullptr && move->at <= now && now < move->at + kMoveStands ? move : nullptr;
}

std::optional<WallTime> NextMove(const WorkloadView& view, WallTime now) {
  const MoveRequest* move = AskedOf(view);
  return move != nullptr && move->at > now ? std::optional(move->at) : std::nullopt;
}

MoveTarget TargetOf(const MoveRequest& move, const ClusterView& from,
                    std::span<const ClusterView> clusters, const PlacementRecord& record,
                    const Policy& policy, WallTime now, std::string_view tenants_of) {
  std::vector<std::string> why_not;
  size_t others = 0;
  for (const ClusterView& cluster : clusters) {
    if (cluster.name == from.name || (!move.to.empty() && cluster.name.value != move.to)) continue;
    if (CanTake(cluster, record, policy, now)) return {.worker = &cluster, .why_not = {}};
    if (++others <= kMostNamed) why_not.push_back(WhyNot(cluster, record, now, tenants_of));
  }
  if (others > kMostNamed) why_not.push_back(fmt::format("{} more", others - kMostNamed));
  if (!move.to.empty() && others == 0)
    return {.worker = nullptr, .why_not = fmt::format("there is no worker {}", move.to)};
  if (others == 0) return {.worker = nullptr, .why_not = "there is no other worker"};
  return {.worker = nullptr,
          .why_not = fmt::format("{} take it now: {}",
                                 move.to.empty() ? "no other worker can" : "that worker cannot",
                                 fmt::join(why_not, "; "))};
}

WorkloadView AsRequeued(const WorkloadView& view, WallTime now) {
  auto workload = std::make_shared<tracking::Workload>(*view.workload);
  workload->cluster_name.clear();
  workload->nominated.clear();
  if (workload->quota_reserved) workload->quota_reserved->since = now;
  for (tracking::AdmissionCheckState& check : workload->checks)
    if (check.name == view.check) check.state = tracking::CheckState::kPending;
  WorkloadView requeued = view;
  requeued.workload = std::move(workload);
  return requeued;
}

void FollowMove(const WorkloadView& view, std::span<ClusterView> clusters,
                const PlacementRecord& record, const Policy& policy, WallTime now) {
  const tracking::Workload* workload = view.workload.get();
  const MoveRequest* move = workload == nullptr ? nullptr : workload->Move();
  if (move == nullptr || !workload->cluster_name.empty() || move->at > now ||
      now >= move->at + kMoveMemory)
    return;
  const auto is_left = [&](const ClusterView& cluster) {
    return move->to.empty() ? cluster.name.value == move->from : cluster.name.value != move->to;
  };
  // Where it has failed since, it is not sent again for that.
  const auto may_keep_it = [&](const ClusterName& name) {
    const Failure* failure = FailureOf(record, name);
    return (failure == nullptr || failure->at < move->at) && !PausedUntil(record, name, now);
  };
  const bool has_target = std::ranges::any_of(clusters, [&](const ClusterView& cluster) {
    return !is_left(cluster) && (IsEligible(cluster, policy) || cluster.in_turn_soon) &&
           may_keep_it(cluster.name);
  });
  if (!has_target) return;
  for (ClusterView& cluster : clusters) {
    if (!is_left(cluster) || cluster.verdict.outcome == verdict::Outcome::kNo) continue;
    cluster.verdict.outcome = verdict::Outcome::kNo;
    cluster.verdict.reasons.insert(
        cluster.verdict.reasons.begin(),
        {verdict::ReasonCode::kMovedAway, "",
         verdict::MovedAway{.to = move->to, .until = move->at + kMoveMemory}});
  }
}

}  // namespace fedra::placement
