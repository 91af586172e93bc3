#pragma once
//
// RBAC's bindings: what a service account may do by the objects of the cluster.
//
// Thread rules: a pure function; the caller holds the store's lock.

#include <vector>

#include "base/types.h"
#include "tests/sim/api/resource_types.h"
#include "tests/sim/api/store.h"
#include "tests/sim/users.h"

namespace fedra::sim {

// The rules of every role that a RoleBinding or ClusterRoleBinding gives the account by its name;
// bindings of groups and aggregated roles are not known here.
std::vector<PolicyRule> BoundRules(const Registry& registry, const Store& store,
                                   const ObjectKey& account);

}  // namespace fedra::sim
