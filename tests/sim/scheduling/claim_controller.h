#pragma once
//
// kube-controller-manager's ResourceClaim controller: a claim for every template entry of a pod,
// one for every template entry of a PodGroup, which its pods with the same entry share, and claims
// that are given back when no pod uses them any more. Where PodGroups are served their claims are,
// as with the gates GenericWorkload and DRAWorkloadResourceClaims.
//
// Thread rules and lifetime: see actors/actor.h.

#include "tests/sim/actors/actor.h"

namespace fedra::sim {

class ClaimController final : public Actor {
 public:
  explicit ClaimController(Core& core);
  ~ClaimController() override { End(); }

 private:
  void Notice(const Store& store, const ResourceType& type, const Event& event) override;
  void Reconcile(Store& store, const Place& place) override;

  void ReconcilePod(Store& store, const ObjectKey& key);
  // For a pod or a PodGroup.
  void CreateClaims(Store& store, const Place& place, Object& owner);
  // The claim's name; empty: it cannot be made yet.
  std::string CreateClaim(Store& store, const Place& place, const Json& owner, const Json& entry);
  // The pod's claim for the entry, made for it or its group; empty: there is none yet.
  std::string ClaimFor(Store& store, const Place& place, const Json& owner, const Json& entry);
  void DeleteGenerated(Store& store, const Object& pod);
  void ReconcileClaim(Store& store, const ObjectKey& key);
  bool StillUsedBy(const Store& store, const Json& consumer) const;

  const ResourceType& pods_;
  const ResourceType* const claims_;  // null pointers: resource.k8s.io is not served
  const ResourceType* const templates_;
  const ResourceType* const groups_;  // a null pointer: not served
};

// Succeeded or Failed.
bool IsDone(const Json& pod);

// The ResourceClaim of an entry of spec.resourceClaims; empty: it was not made yet.
std::string ClaimNameOf(const Json& pod, const Json& entry);

}  // namespace fedra::sim
