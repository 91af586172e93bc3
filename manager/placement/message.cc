#include "manager/placement/message.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "manager/placement/context.h"
#include "manager/placement/rank.h"
#include "manager/tracking/kueue_api.h"
#include "manager/verify/reason_order.h"
#include "verdict/further_text.h"
#include "verdict/quoted.h"
#include "verdict/reason_hash.h"
#include "verdict/reason_text.h"

namespace fedra::placement {
namespace {

// Above this many workers a message counts reasons instead of naming each worker.
constexpr size_t kNamedWorkers = 5;

// Adds one fact to a hash of some; neighbours do not run together.
void Add(std::string_view fact, uint64_t& facts) { facts = Hash64("\n", Hash64(fact, facts)); }
void Add(size_t fact, uint64_t& facts) { Add(std::to_string(fact), facts); }

uint64_t Begin(std::string_view kind) {
  uint64_t facts = Hash64({});
  Add(kind, facts);
  return facts;
}

// Not what only says how far another reason goes.
bool IsLacking(const verdict::Reason& reason) {
  return verify::HindranceOf(reason.code) != verify::Hindrance::kDetail;
}

// Who mends only the first reason should know that it is not the last.
std::string WhatItLacks(const ClusterView& cluster, std::string_view tenants_of) {
  if (cluster.verdict.reasons.empty())
    return std::string(verdict::ToString(cluster.verdict.outcome));
  const std::string first =
      verdict::MessageOf(cluster.verdict.reasons.front(), {.tenants_of = tenants_of, .now = {}});
  const auto more =
      std::count_if(cluster.verdict.reasons.begin() + 1, cluster.verdict.reasons.end(), IsLacking);
  return more == 0 ? first : fmt::format("{} (and {} more)", first, more);
}

// Its devices are in use, or go to jobs ahead in line.
bool IsWaitedFor(const ClusterView& cluster) {
  if (cluster.verdict.reasons.empty()) return false;
  const verdict::ReasonCode code = cluster.verdict.reasons.front().code;
  return code == verdict::ReasonCode::kInLine || code == verdict::ReasonCode::kDevicesAllocated;
}

// Whether what is against it passes by itself: its first reason is the one that takes longest
// (verify::OrderReasons).
bool PassesThere(const ClusterView& cluster) {
  const verdict::Verdict& verdict = cluster.verdict;
  return verdict.outcome == verdict::Outcome::kNo && !verdict.reasons.empty() &&
         verify::HindranceOf(verdict.reasons.front().code) == verify::Hindrance::kUntilFree;
}

// Of workers that say the same.
struct Refusal {
  std::string text;
  std::vector<ClusterName> workers;  // empty: one, which the text names

  std::string ToString() const { return workers.empty() ? text : Join(workers) + ": " + text; }
};

// Adds what is against this worker. One that refused it says so itself, by name.
void AddRefusal(const ClusterView& cluster, const PlacementRecord& record, WallTime now,
                std::string_view tenants_of, std::vector<Refusal>& refusals) {
  const Failure* failure = FailureOf(record, cluster.name);
  if (PausedUntil(record, cluster.name, now) && !failure->message.empty())
    return refusals.push_back({failure->message, {}});
  std::string text =
      IsWaitedFor(cluster) ? "waiting in line for devices" : WhatItLacks(cluster, tenants_of);
  const auto same = std::ranges::find_if(
      refusals, [&](const Refusal& each) { return !each.workers.empty() && each.text == text; });
  if (same != refusals.end())
    same->workers.push_back(cluster.name);
  else
    refusals.push_back({std::move(text), {cluster.name}});
}

// The facts of what that says.
void AddFacts(const ClusterView& cluster, const PlacementRecord& record, WallTime now,
              uint64_t& facts) {
  Add(cluster.name.value, facts);
  const Failure* failure = FailureOf(record, cluster.name);
  if (PausedUntil(record, cluster.name, now) && !failure->message.empty()) {
    Add("paused", facts);
    return Add(verdict::ToString(failure->reason), facts);
  }
  if (IsWaitedFor(cluster)) return Add("waits", facts);
  const std::vector<verdict::Reason>& reasons = cluster.verdict.reasons;
  if (reasons.empty()) return Add(verdict::ToString(cluster.verdict.outcome), facts);
  Add(reasons.size(), facts);
  facts = verdict::LastingHash(reasons.front(), facts);
}

// "waiting in line for devices on gpu-east, gpu-west", of long fleets on how many.
std::string WaitingOn(const std::vector<const ClusterView*>& refused) {
  if (refused.size() > kNamedWorkers)
    return fmt::format("waiting in line for devices on {} workers", refused.size());
  std::vector<ClusterName> names;
  for (const ClusterView* cluster : refused) names.push_back(cluster->name);
  return "waiting in line for devices on " + Join(names);
}

// How a worker's refusal is counted.
std::string_view CountedAs(const ClusterView& cluster) {
  return IsWaitedFor(cluster) ? verdict::ToString(verdict::ReasonCode::kDevicesAllocated)
                              : verdict::Headline(cluster.verdict);
}

std::string CountReasons(const std::vector<const ClusterView*>& refused, uint64_t& facts) {
  std::map<std::string_view, int> counts;
  std::set<std::string_view> further;
  for (const ClusterView* cluster : refused) {
    ++counts[CountedAs(*cluster)];
    for (const verdict::Reason& reason : cluster->verdict.reasons)
      if (IsLacking(reason)) further.insert(verdict::ToString(reason.code));
  }
  for (const auto& [reason, count] : counts) further.erase(reason);
  std::vector<std::pair<std::string_view, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [reason, count] : sorted) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", reason, count);
    Add(reason, facts);
    Add(static_cast<size_t>(count), facts);
  }
  Add(further.size(), facts);
  return text + verdict::FurtherText(further.size(), further.empty() ? "" : *further.begin());
}

}  // namespace

std::string EligibleCount(std::span<const ClusterView> clusters, const Policy& policy) {
  const auto is_eligible = [&](const ClusterView& each) { return IsEligible(each, policy); };
  return fmt::format("{} of {} workers eligible", std::ranges::count_if(clusters, is_eligible),
                     std::ranges::count_if(clusters, &ClusterView::allowed));
}

std::string Join(const std::vector<ClusterName>& names) {
  std::string text;
  for (const ClusterName& name : names) text += (text.empty() ? "" : ", ") + name.value;
  return text;
}

std::string AdmittedText(const ClusterName& worker) {
  return fmt::format("The workload was admitted on \"{}\"", worker.value);
}

std::string EvictedText(const ClusterView& cluster) {
  const auto& evicted = cluster.clone->evicted;
  return fmt::format("evicted on {}: {}", cluster.name.value,
                     evicted ? evicted->message : "not admitted any more");
}

std::string PendingMessage(const ClusterView& cluster) {
  const tracking::Workload* clone = cluster.clone.get();
  if (clone == nullptr) return "the copy could not be created there yet";
  if (clone->QuotaReserved() || !clone->quota_reserved) return {};
  return Cut(clone->quota_reserved->message, verdict::kMaxQuoted);
}

Message NoWorkerEligible(std::span<const ClusterView> clusters, const PlacementRecord& record,
                         WallTime now, std::string_view ns) {
  std::vector<const ClusterView*> refused;
  for (const ClusterView& cluster : clusters) {
    if (cluster.allowed) refused.push_back(&cluster);
  }
  uint64_t facts = Begin("none eligible");
  Add(refused.size(), facts);
  if (refused.empty())
    return {"no worker eligible: the queue's AdmissionCheck names no configured worker", facts};
  const auto paused = [&](const ClusterView* cluster) {
    return PausedUntil(record, cluster->name, now).has_value();
  };
  const auto is_waited_for = [](const auto* each) { return IsWaitedFor(*each); };
  const bool waits = std::ranges::any_of(refused, is_waited_for);
  if (std::ranges::all_of(refused, is_waited_for) && std::ranges::none_of(refused, paused)) {
    for (const ClusterView* cluster : refused) AddFacts(*cluster, record, now, facts);
    return {Cut(WaitingOn(refused), tracking::kMaxCheckMessage), facts, true};
  }
  const bool passes = std::ranges::any_of(
      refused, [&](const auto* each) { return PassesThere(*each) && !paused(each); });
  if (refused.size() > kNamedWorkers) {
    const std::string counted = CountReasons(refused, facts);
    const std::string workers = fmt::format("{} workers: {}", refused.size(), counted);
    return {(passes ? "waits for one of " : "no worker eligible: ") + workers, facts, waits};
  }
  std::vector<Refusal> refusals;
  for (const ClusterView* cluster : refused) {
    AddRefusal(*cluster, record, now, ns, refusals);
    AddFacts(*cluster, record, now, facts);
  }
  std::string text = passes ? "waits for a worker: " : "no worker eligible: ";
  for (const Refusal& each : refusals)
    text += (&each == &refusals.front() ? "" : "; ") + each.ToString();
  return {Cut(text, tracking::kMaxCheckMessage), facts, waits};
}

std::set<std::string> ReasonsByWorker(std::span<const ClusterView> clusters) {
  std::set<std::string> reasons;
  for (const ClusterView& cluster : clusters)
    if (cluster.allowed && cluster.contact == Contact::kFull)
      reasons.insert(fmt::format("{}={}", cluster.name.value, CountedAs(cluster)));
  return reasons;
}

Message DispatchedMessage(std::span<const ClusterView> clusters,
                          const std::vector<ClusterName>& chosen,
                          const std::vector<ClusterName>& nominated) {
  uint64_t facts = Begin("sent");
  Add(chosen.size(), facts);
  for (const ClusterName& name : chosen) Add(name.value, facts);
  std::string text = fmt::format("dispatched to {}, waiting for admission", Join(chosen));
  for (const ClusterView& cluster : clusters) {
    if (!Contains(chosen, cluster.name)) continue;
    if (cluster.clone == nullptr && !Contains(nominated, cluster.name)) continue;
    const std::string pending = PendingMessage(cluster);
    if (pending.empty()) continue;
    text += fmt::format(" ({}: {})", cluster.name.value, pending);
    Add(cluster.name.value, facts);
    Add(cluster.clone == nullptr ? "no copy" : pending, facts);  // in its Kueue's words
  }
  return {Cut(text, tracking::kMaxCheckMessage), facts};
}

Message WaitsForFirstMessage(const std::string& why) { return {why, Begin("waits for first")}; }

Message TwoChecks(const std::string& check, const std::string& second) {
  uint64_t facts = Begin("two checks");
  Add(check, facts);
  Add(second, facts);
  return {fmt::format("the ClusterQueue has two AdmissionChecks of fedra, {} and {}: remove one of "
                      "them",
                      check, second),
          facts};
}

}  // namespace fedra::placement
