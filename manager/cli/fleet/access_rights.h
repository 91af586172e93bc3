#pragma once
//
// The rights that fedra needs on its clusters, as deploy/*-rbac*.yaml grants them, and which of
// them it lacks.
//
// Thread rules: MissingRights blocks; any thread.

#include <string>
#include <vector>

#include "cluster-clients/cluster.h"
#include "manager/reconcile/manager_inputs.h"
#include "manager/verify/worker_objects.h"

namespace fedra::cli {

struct Right {
  std::string verb;
  kube::Resource resource;
  std::string subresource;  // may be empty
  std::string name;         // of the one object; empty: all
  bool if_served = false;   // needed only where the server has the resource
  std::string ns = {};      // in this namespace; empty: in all
  bool operator==(const Right&) const = default;
};

// "patch workloads.kueue.x-k8s.io/status", "get secrets in kueue-system".
std::string ToText(const Right& right);

// `copies_templates`: verification.templates.sync is not Never. `reads_logs`:
// dispatch.failureLogLines is not 0. `nominates`: kueue.mode is dispatcher, and nothing is written.
std::vector<Right> WorkerRights(const verify::WorkerObjectsOptions& verified, bool copies_templates,
                                bool reads_logs, bool nominates = false);
// `nominates`: kueue.mode is dispatcher; of what is written only Workloads' status is left.
// `takes_over`: it is multikueue, and MultiKueueClusters' conditions are kept.
std::vector<Right> ManagerRights(const tracking::JobKinds& kinds,
                                 const reconcile::Discovery& discovery = {}, bool nominates = false,
                                 bool takes_over = false);
// On the manager, too: to agree with others on the one that decides, or to notice them.
std::vector<Right> LeaderRights(const ObjectKey& lease);
// On the manager, too, where there are several replicas.
// `outages`: the ConfigMap that they share.
std::vector<Right> ReplicaRights(const ObjectKey& outages);

// On the manager, too, where api.secure.address is set.
std::vector<Right> SecureApiRights();

// Those that the server's access reviews deny, in their namespace, or in all namespaces together: a
// right to all that is granted namespace by namespace counts as denied.
Result<std::vector<Right>> MissingRights(Cluster& cluster, const std::vector<Right>& rights);

// Whether it may be granted namespace by namespace, as `fedra join --in` does: what is done in one.
bool IsOfNamespaces(const Right& right);
// Of these namespaces, those in which the server's access reviews grant all of these rights.
Result<std::vector<std::string>> GrantedIn(Cluster& cluster, const std::vector<Right>& rights,
                                           const std::vector<std::string>& namespaces);

}  // namespace fedra::cli
