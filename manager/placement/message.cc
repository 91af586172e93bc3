#include "manager/placement/message.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "manager/placement/context.h"
#include "manager/placement/rank.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::placement {
namespace {

// Above this many workers a message counts reasons instead of naming each worker.
constexpr size_t kNamedWorkers = 5;
constexpr size_t kMaxWorkerWords = 200;

// Who mends only the first reason should know that it is not the last.
std::string WhatItLacks(const ClusterView& cluster) {
  if (cluster.verdict.reasons.empty()) return std::string(dra::ToString(cluster.verdict.outcome));
  const std::string& first = cluster.verdict.reasons.front().message;
  const size_t more = cluster.verdict.reasons.size() - 1;
  return more == 0 ? first : fmt::format("{} (and {} more)", first, more);
}

// A worker that refused it says so itself, by name.
std::string Refusal(const ClusterView& cluster, const PlacementRecord& record, WallTime now) {
  const Failure* failure = FailureOf(record, cluster.name);
  if (PausedUntil(record, cluster.name, now) && !failure->message.empty()) return failure->message;
  return fmt::format("{}: {}", cluster.name.value, WhatItLacks(cluster));
}

std::string CountReasons(const std::vector<const ClusterView*>& refused) {
  std::map<std::string_view, int> counts;
  std::set<std::string_view> further;
  for (const ClusterView* cluster : refused) {
    ++counts[dra::Headline(cluster->verdict)];
    for (const dra::Reason& reason : cluster->verdict.reasons)
      further.insert(dra::ToString(reason.code));
  }
  for (const auto& [reason, count] : counts) further.erase(reason);
  std::vector<std::pair<std::string_view, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [reason, count] : sorted) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", reason, count);
  }
  if (!further.empty()) text += fmt::format(" (and {})", Counted(further.size(), "more reason"));
  return text;
}

}  // namespace

std::string Join(const std::vector<ClusterName>& names) {
  std::string text;
  for (const ClusterName& name : names) text += (text.empty() ? "" : ", ") + name.value;
  return text;
}

std::string EligibleCount(std::span<const ClusterView> clusters, const Policy& policy) {
  const auto allowed = std::count_if(clusters.begin(), clusters.end(),
                                     [](const ClusterView& c) { return c.allowed; });
  const auto eligible =
      std::count_if(clusters.begin(), clusters.end(),
                    [&](const ClusterView& cluster) { return IsEligible(cluster, policy); });
  return fmt::format("{} of {} workers eligible", eligible, allowed);
}

std::string WorkerWords(const ClusterView& cluster) {
  const tracking::Workload* clone = cluster.clone.get();
  if (clone == nullptr) return "the copy could not be created there yet";
  if (clone->QuotaReserved() || !clone->quota_reserved) return {};
  return Cut(clone->quota_reserved->message, kMaxWorkerWords);
}

std::string NoWorkerEligible(std::span<const ClusterView> clusters, const PlacementRecord& record,
                             WallTime now) {
  std::vector<const ClusterView*> refused;
  for (const ClusterView& cluster : clusters) {
    if (cluster.allowed) refused.push_back(&cluster);
  }
  if (refused.empty())
    return "no worker eligible: the queue's AdmissionCheck names no configured worker";
  if (refused.size() > kNamedWorkers)
    return fmt::format("no worker eligible: {} workers: {}", refused.size(), CountReasons(refused));
  std::string text;
  for (const ClusterView* cluster : refused)
    text += (text.empty() ? "" : "; ") + Refusal(*cluster, record, now);
  return Cut("no worker eligible: " + text, tracking::kMaxCheckMessage);
}

std::string ReasonsByWorker(std::span<const ClusterView> clusters) {
  std::string text;
  for (const ClusterView& cluster : clusters)
    if (cluster.allowed && cluster.contact == Contact::kFull)
      text += fmt::format("{}={} ", cluster.name.value, dra::Headline(cluster.verdict));
  return text;
}

std::string SentTo(std::span<const ClusterView> clusters, const std::vector<ClusterName>& chosen,
                   const std::vector<ClusterName>& nominated, const Policy& policy) {
  std::string text = fmt::format("{}; sent to {}, waiting for admission",
                                 EligibleCount(clusters, policy), Join(chosen));
  for (const ClusterView& cluster : clusters) {
    if (!Contains(chosen, cluster.name)) continue;
    if (cluster.clone == nullptr && !Contains(nominated, cluster.name)) continue;
    const std::string words = WorkerWords(cluster);
    if (!words.empty()) text += fmt::format(" ({}: {})", cluster.name.value, words);
  }
  return Cut(text, tracking::kMaxCheckMessage);
}

}  // namespace fedra::placement
