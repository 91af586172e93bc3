// A RequestReport in words.

#include <algorithm>
#include <set>

#include "dra/judge/explain.h"

namespace fedra::dra {

using verdict::CountedCause;

namespace {

// " (a, b)"
std::string InBrackets(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? " (" : ", ") + text;
  return all.empty() ? "" : all + ")";
}

// "a", "b", "c and 4 more". `others`: that are not in the list.
std::vector<std::string> FirstOf(const std::vector<std::string>& names, size_t others) {
  const size_t shown = std::min(names.size(), kMaxHolders);
  std::vector<std::string> first(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown));
  const size_t more = names.size() - shown + others;
  if (more > 0 && !first.empty()) first.back() += " and " + std::to_string(more) + " more";
  return first;
}

void Append(std::vector<CountedCause>& parts, int devices, std::string what) {
  if (devices > 0) parts.push_back({std::move(what), devices});
}

}  // namespace

std::string Describe(const CapacityShortage& shortage, const Text& device) {
  const std::string text = "need " + shortage.need.ToString() + " of " + shortage.name.str();
  if (!shortage.left) return text + " (" + device.str() + " has none)";
  if (shortage.refused) return text + " (" + device.str() + " gives no such amount)";
  return text + " (" + shortage.left->ToString() + " left on " + device.str() + ")";
}

void RequestReport::NameAfter(const PodClaims& pod, const SubRequest& ask) {
  claim = pod.claims[ask.claim].Name();
  claim_description = pod.claims[ask.claim].Describe();
  request = ask.Name();
}

std::string RequestReport::Subject() const {
  return "request " + request + " of " + claim_description;
}

std::vector<CountedCause> RequestReport::Parts() const {
  std::vector<CountedCause> parts;
  Append(parts, unusable_pool, "in incomplete or invalid pools" + InBrackets(pool_problems));
  Append(parts, other_driver, "other driver");
  for (const CountedCause& cause : class_selectors)
    Append(parts, cause.devices, "fail class selector " + cause.what);
  for (const CountedCause& cause : request_selectors)
    Append(parts, cause.devices, "fail request selector " + cause.what);
  for (const CountedCause& cause : errors)
    Append(parts, cause.devices, "cannot be evaluated: " + cause.what);
  Append(parts, other_node, "on nodes the pod cannot use");
  for (const CountedCause& cause : taints) Append(parts, cause.devices, "tainted " + cause.what);
  Append(parts, allocated, "allocated" + InBrackets(FirstOf(holders, all_claims - claims.size())));
  Append(parts, assumed, "reserved for jobs already dispatched here");
  Append(parts, placed, "taken by other pods of this job");
  Append(parts, capacity, "without enough capacity" + (shortage.empty() ? "" : ": " + shortage));
  Append(parts, free, "free");
  return parts;
}

void NameHolders(const JobOfClaim* jobs, RequestReport& report) {
  report.holders.clear();
  std::set<std::string> known;
  for (const ObjectKey& claim : report.claims) {
    const bool has_job = jobs != nullptr && jobs->contains(claim);
    std::string name = has_job ? "job " + jobs->at(claim).ToString() : claim.ToString();
    if (known.insert(name).second) report.holders.push_back(std::move(name));
  }
}

RequestReport ForTenantsOf(const std::string& ns, const JobOfClaim* jobs, RequestReport report) {
  const size_t unlisted = report.all_claims - report.claims.size();
  const size_t all = report.holders.size();
  std::erase_if(report.claims, [&](const ObjectKey& claim) { return claim.ns != ns; });
  NameHolders(jobs, report);
  report.all_claims = report.claims.size() + unlisted + all - report.holders.size();
  return report;
}

std::string RequestReport::ToString() const {
  return verdict::DeviceCounts{.wish = {}, .devices = devices, .parts = Parts()}.ToString();
}

}  // namespace fedra::dra
