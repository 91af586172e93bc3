#pragma once
//
// kube-scheduler and kubelet: binds a pod to the first node, by name, that has room and devices for
// it, and starts it there. A PodGroup counts for its claims only: no gangs.
//
// Thread rules and lifetime: see actors/actor.h.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/actors/actor.h"
#include "tests/sim/actors/quantity.h"
#include "tests/sim/scheduling/inventory.h"
#include "tests/sim/scheduling/nodes.h"

namespace fedra::sim {

class PodScheduler final : public Actor {
 public:
  explicit PodScheduler(Core& core);
  ~PodScheduler() override { End(); }

 private:
  // What one node would do for a pod.
  struct Plan {
    std::vector<ObjectKey> claims;  // to be allocated
    std::vector<Json> allocations;  // in the same order
    Json extended_claim;            // spec of the claim for extended resources; null: none
    Json extended_allocation;
    Json mappings = Json::array();  // status.extendedResourceClaimStatus.requestMappings
    int score = 0;                  // the higher, the earlier the alternatives
  };

  void Notice(const Store& store, const ResourceType& type, const Event& event) override;
  void Reconcile(Store& store, const Place& place) override;

  // Nothing: one of them does not exist yet.
  std::optional<std::vector<ObjectKey>> ClaimsOf(const Store& store, const ObjectKey& key,
                                                 const Json& pod) const;
  // Sets `error` when the scheduler would give up on all nodes because of this one.
  std::optional<Plan> Fit(const Store& store, const Json& pod, const std::vector<ObjectKey>& claims,
                          const Json& node, const Rooms& rooms, const Inventory& inventory,
                          std::string& error) const;
  // False: the node offers one of them in no way.
  bool AddExtended(const Store& store, const Json& pod, const Json& node, Plan& plan) const;
  const Json* ClassFor(const Store& store, const std::string& resource) const;
  void Bind(Store& store, const ObjectKey& key, const std::vector<ObjectKey>& claims, Plan plan,
            const Json& node);
  void CreateExtendedClaim(Store& store, const ObjectKey& key, Object& pod, const Plan& plan);
  void Allocate(Store& store, const ObjectKey& claim, Json allocation);
  void Reserve(Store& store, const ObjectKey& claim, const Json& pod);
  void Refuse(Store& store, const ObjectKey& key, Object& pod, const char* reason,
              const std::string& message);

  const ResourceType& pods_;
  const ResourceType& nodes_;
  const ResourceType* const claims_;  // null pointers: resource.k8s.io is not served
  const ResourceType* const classes_;

  // Under the store's lock: pods that fitted nowhere when last looked at, and those of which a
  // claim was missing.
  std::set<ObjectKey> waiting_;
  std::set<ObjectKey> without_claims_;
};

}  // namespace fedra::sim
