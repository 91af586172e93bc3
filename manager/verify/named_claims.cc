#include "manager/verify/named_claims.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "manager/verify/devices.h"
#include "manager/verify/reason_order.h"

namespace fedra::verify {
namespace {

// Where a claim is, and so where its users belong.
struct WhereClaimIs {
  std::set<ClusterName> workers;  // empty: not decided yet
  std::optional<ObjectKey> user;  // who was dispatched there; absent: it is allocated
};

std::optional<WhereClaimIs> WhereAllocated(const ObjectKey& claim,
                                           std::span<const ClaimCandidate> candidates) {
  WhereClaimIs place;
  for (const ClaimCandidate& candidate : candidates) {
    if (!candidate.usable || candidate.objects->devices() == nullptr) continue;
    const auto snapshot = candidate.objects->devices()->snapshot();
    const auto* found = snapshot->claims().Find(claim);
    if (found != nullptr && (*found)->allocation.has_value())
      place.workers.insert(candidate.worker);
  }
  if (place.workers.empty()) return std::nullopt;
  return place;
}

std::optional<WhereClaimIs> WhereDispatched(const ObjectKey& claim,
                                            std::span<const ClaimCandidate> candidates,
                                            const ClaimUsers& users) {
  if (!users) return std::nullopt;
  for (const auto& [user, workers] : users(claim)) {
    WhereClaimIs place;
    for (const ClaimCandidate& candidate : candidates)
      if (candidate.usable && workers.contains(candidate.worker))
        place.workers.insert(candidate.worker);
    if (place.workers.empty()) continue;
    place.user = user;
    const bool is_racing = place.workers.size() > 1;
    if (is_racing) place.workers.clear();
    return place;
  }
  return std::nullopt;
}

// The strictest word of the workers' claims of that name; without one, the configuration's.
SharedClaims RuleFor(const ObjectKey& claim, std::span<const ClaimCandidate> candidates,
                     SharedClaims configured) {
  std::optional<SharedClaims> said;
  for (const ClaimCandidate& candidate : candidates) {
    const auto found = candidate.objects->claims().Find(claim);
    if (found == nullptr || !found->shared) continue;
    said = said ? std::max(*said, *found->shared) : found->shared;
  }
  return said.value_or(configured);
}

void Refuse(const ObjectKey& claim, const WhereClaimIs& place, verdict::Verdict& verdict) {
  const auto says_so = [](const verdict::Reason& reason) {
    return reason.code == verdict::ReasonCode::kClaimElsewhere;
  };
  if (std::any_of(verdict.reasons.begin(), verdict.reasons.end(), says_so)) return;
  const std::string object = "ResourceClaim " + claim.ToString();
  verdict::ClaimPlace facts{.claim = object, .workers = {}, .user = place.user};
  for (const ClusterName& name : place.workers) facts.workers.push_back(name.value);
  verdict::Verdict elsewhere;
  elsewhere.outcome = verdict::Outcome::kNo;
  elsewhere.reasons.push_back({verdict::ReasonCode::kClaimElsewhere, object, std::move(facts)});
  verdict = Combine(std::move(verdict), std::move(elsewhere));
  OrderReasons(verdict);
}

}  // namespace

void KeepClaimsTogether(const tracking::Requirement& requirement,
                        std::span<ClaimCandidate> candidates, const ClaimUsers& users,
                        SharedClaims configured) {
  for (const std::string& name : requirement.ClaimNames()) {
    const ObjectKey claim{requirement.ns, name};
    auto place = WhereAllocated(claim, candidates);
    if (!place) place = WhereDispatched(claim, candidates, users);
    if (!place) continue;
    const SharedClaims rule = RuleFor(claim, candidates, configured);
    for (ClaimCandidate& candidate : candidates) {
      if (place->workers.contains(candidate.worker)) {
        ++candidate.claims_in_use;
      } else if (rule == SharedClaims::kRequireTogether && candidate.verdict != nullptr) {
        Refuse(claim, *place, *candidate.verdict);
      }
    }
  }
}

}  // namespace fedra::verify
