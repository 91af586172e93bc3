// What a RequestReport says, as facts of a reason.

#include <algorithm>
#include <set>

#include "dra/judge/explain.h"
#include "verdict/reason_text.h"

namespace fedra::dra {

using verdict::CountedCause;
using verdict::Holder;
using verdict::Rule;

namespace {

void AppendCount(std::vector<CountedCause>& parts, Rule rule, int devices,
                 std::string detail = {}) {
  if (devices > 0) parts.push_back({.rule = rule, .devices = devices, .detail = std::move(detail)});
}

void AppendCounts(std::vector<CountedCause>& parts, const std::vector<CountedCause>& causes) {
  for (const CountedCause& cause : causes)
    if (cause.devices > 0) parts.push_back(cause);
}

std::string WithCommas(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

// As many as a message names, for those who may see all and for the tenants of `ns`.
std::vector<Holder> FirstOf(const std::vector<Holder>& holders, std::string_view ns) {
  std::vector<Holder> first;
  size_t own = 0;
  for (size_t i = 0; i < holders.size(); ++i) {
    const bool is_own = holders[i].name.ns == ns && own < verdict::kMaxHoldersNamed;
    if (i < verdict::kMaxHoldersNamed || is_own) first.push_back(holders[i]);
    own += is_own ? 1 : 0;
  }
  return first;
}

}  // namespace

verdict::CapacityNeed NeedOf(const CapacityShortage& shortage, const Symbol& device) {
  return {.capacity = shortage.name.str(),
          .need = shortage.need,
          .left = shortage.left,
          .refused = shortage.refused,
          .device = device.str()};
}

void RequestReport::NameAfter(const PodClaims& pod, const SubRequest& ask) {
  claim = pod.claims[ask.claim].Name();
  claim_description = pod.claims[ask.claim].Describe();
  request = ask.Name();
}

verdict::RequestedDevices RequestReport::Requested() const {
  return {.request = request,
          .claim = claim_description,
          .device_class = device_class,
          .count = wanted,
          .all = all};
}

std::vector<CountedCause> RequestReport::Parts(std::string_view ns) const {
  std::vector<CountedCause> parts;
  AppendCount(parts, Rule::kUnusablePool, unusable_pool, WithCommas(pool_problems));
  AppendCount(parts, Rule::kOtherDriver, other_driver);
  AppendCounts(parts, class_selectors);
  AppendCounts(parts, request_selectors);
  AppendCounts(parts, errors);
  AppendCount(parts, Rule::kOtherNode, other_node);
  AppendCounts(parts, taints);
  if (allocated > 0)
    parts.push_back({.rule = Rule::kAllocated,
                     .devices = allocated,
                     .holders = FirstOf(holders, ns),
                     .all_holders = holders.size() + all_claims - claims.size()});
  AppendCount(parts, Rule::kReserved, assumed);
  AppendCount(parts, Rule::kTaken, placed);
  AppendCounts(parts, groups);
  AppendCount(parts, Rule::kCapacity, capacity);
  if (capacity > 0 && shortage) parts.back().needs.push_back(*shortage);
  AppendCount(parts, Rule::kFree, free);
  return parts;
}

verdict::DeviceCounts RequestReport::Counts(std::string_view ns) const {
  return {.requested = Requested(), .devices = devices, .parts = Parts(ns)};
}

void NameHolders(const JobOfClaim* jobs, RequestReport& report) {
  report.holders.clear();
  std::set<Holder> known;
  for (const ObjectKey& claim : report.claims) {
    const bool has_job = jobs != nullptr && jobs->contains(claim);
    Holder holder{.is_job = has_job, .name = has_job ? jobs->at(claim) : claim};
    if (known.insert(holder).second) report.holders.push_back(std::move(holder));
  }
}

}  // namespace fedra::dra
