#include "manager/placement/move.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/placement/rank.h"
#include "manager/verify/reason_order.h"
#include "verdict/reason_text.h"

namespace fedra::placement {
namespace {

using tracking::MoveRequest;

constexpr size_t kMostNamed = 3;  // workers in a message

// Of the worker that has it, since it began there, whenever that was; null: nothing is. One that
// goes where the first Workload of its job is moves with that one.
const MoveRequest* AskedOf(const WorkloadView& view) {
  const tracking::Workload* workload = view.workload.get();
  if (workload == nullptr || workload->cluster_name.empty() || !workload->QuotaReserved() ||
      workload->follows)
    return nullptr;
  const MoveRequest* move = workload->Move();
  const tracking::AdmissionCheckState* check = workload->Check(view.check);
  if (move == nullptr || check == nullptr || move->to == workload->cluster_name) return nullptr;
  const bool is_elsewhere = !move->from.empty() && move->from != workload->cluster_name;
  const WallTime began = std::max(workload->quota_reserved->since, check->since);
  return is_elsewhere || move->at <= began ? nullptr : move;
}

// A job that runs is not given up for a place in a queue, nor for a guess.
bool CanTake(const ClusterView& cluster, const PlacementRecord& record, const Policy& policy,
             WallTime now) {
  return IsEligible(cluster, policy) && cluster.verdict.outcome == verdict::Outcome::kYes &&
         !IsQueueFull(cluster.verdict) && !PausedUntil(record, cluster.name, now);
}

// Whether waiting does not help there.
bool CanNever(const ClusterView& cluster) {
  std::vector<verdict::ReasonCode> codes;
  for (const verdict::Reason& reason : cluster.verdict.reasons) codes.push_back(reason.code);
  return cluster.contact == Contact::kFull && cluster.verdict.outcome == verdict::Outcome::kNo &&
         verify::ProspectOf(codes) == verify::Prospect::kNever;
}

// "NotEnoughDevices: request gpu of claim gpu wants 1 device of class gpu; 2 pods need 2 devices".
// Who holds the devices is said where it matters.
std::string WhyNot(const ClusterView& cluster, const PlacementRecord& record, WallTime now,
                   std::string_view tenants_of) {
  if (cluster.contact != Contact::kFull) return "no contact";
  if (PausedUntil(record, cluster.name, now)) return FailureOf(record, cluster.name)->message;
  const auto& reasons = cluster.verdict.reasons;
  if (reasons.empty()) return std::string(verdict::ToString(cluster.verdict.outcome));
  const verdict::TwoLines lines =
      verdict::InTwoLines(reasons.front(), {.tenants_of = tenants_of, .now = {}});
  const bool counts = !lines.counts.empty() && !CanNever(cluster);
  return fmt::format("{}: {}{}{}", verdict::ToString(reasons.front().code), lines.text,
                     counts ? "; " : "", counts ? lines.counts : "");
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
  std::vector<const ClusterView*> others;
  for (const ClusterView& cluster : clusters) {
    if (cluster.name == from.name || (!move.to.empty() && cluster.name.value != move.to)) continue;
    if (CanTake(cluster, record, policy, now)) return {.worker = &cluster, .why_not = {}};
    others.push_back(&cluster);
  }
  const auto why = [&](const ClusterView* cluster) {
    return WhyNot(*cluster, record, now, tenants_of);
  };
  if (!move.to.empty()) {
    if (others.empty()) return {nullptr, fmt::format("{}, and there is no such worker", move.to)};
    const bool never = CanNever(*others.front());
    return {nullptr,
            fmt::format("{}, which cannot {} ({})", move.to,
                        never ? "ever take it as it is" : "take it now", why(others.front()))};
  }
  if (others.empty()) return {nullptr, "another worker, and there is none"};
  std::vector<std::string> each;
  for (size_t i = 0; i < std::min(others.size(), kMostNamed); ++i)
    each.push_back(fmt::format("{}, {}", others[i]->name.value, why(others[i])));
  if (others.size() > kMostNamed)
    each.push_back(fmt::format("{} more", others.size() - kMostNamed));
  const bool never = std::ranges::all_of(others, [](const auto* it) { return CanNever(*it); });
  return {nullptr,
          fmt::format("another worker, and none can {} ({})",
                      never ? "ever take it as they are" : "take it now", fmt::join(each, "; "))};
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
  // Where it has failed since, it is not dispatched again for that.
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
