#include "manager/cli/fleet/access_rights.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "cluster-clients/kube/resource_name.h"
#include "manager/access/reviews.h"
#include "manager/leader/lease_record.h"
#include "manager/reconcile/manager_cluster.h"
#include "manager/tracking/job.h"
#include "manager/tracking/resources.h"

namespace fedra::cli {
namespace {

class Rights final {
 public:
  void Add(const kube::Resource& resource, std::initializer_list<const char*> verbs,
           const std::string& subresource = {}) {
    for (const char* verb : verbs)
      all_.push_back({verb, resource, subresource, {}, if_served_, {}});
  }
  void Get(const kube::Resource& resource, const std::string& name) {
    all_.push_back({"get", resource, {}, name, if_served_, {}});
  }
  void GetIn(const std::string& ns, const kube::Resource& resource) {
    all_.push_back({"get", resource, {}, {}, if_served_, ns});
  }
  void Read(const kube::Resource& resource, const std::string& ns = {}) {
    for (const char* verb : {"list", "watch"})
      all_.push_back({verb, resource, {}, {}, if_served_, ns});
  }
  // What is needed of this kind's jobs.
  template <class F>
  void OfKind(const tracking::JobAdapter& kind, F&& add) {
    const std::string& group = kind.resource().group;
    if_served_ = !group.empty() && group != "batch";  // these two every cluster serves
    add(kind.resource());
    if_served_ = false;
  }
  // Each once: pods are read for devices and as jobs.
  std::vector<Right> Take() {
    std::vector<Right> each;
    for (Right& right : all_)
      if (std::ranges::find(each, right) == each.end()) each.push_back(std::move(right));
    return each;
  }

 private:
  std::vector<Right> all_;
  bool if_served_ = false;
};

}  // namespace

std::string ToText(const Right& right) {
  return fmt::format("{} {}{}{}{}{}{}{}", right.verb, kube::ResourceName(right.resource),
                     right.subresource.empty() ? "" : "/", right.subresource,
                     right.name.empty() ? "" : " ", right.name, right.ns.empty() ? "" : " in ",
                     right.ns);
}

std::vector<Right> WorkerRights(const verify::WorkerObjectsOptions& verified, bool copies_templates,
                                bool reads_logs, bool nominates) {
  Rights rights;
  verify::WorkerObjects objects(verified, {});
  for (const verify::Input& input : objects.Inputs(nullptr)) rights.Read(input.resource);
  if (!nominates) rights.Add(tracking::kWorkloads, {"get", "create", "patch", "delete"});
  for (const tracking::JobAdapter* kind : objects.kinds().all()) {
    rights.OfKind(*kind, [&](const kube::Resource& jobs) {
      if (!objects.Uses(*kind)) rights.Read(jobs);
      if (!nominates) rights.Add(jobs, {"get", "create", "delete"});
      // Of members of a group Kueue's finalizer is taken off; a copy may get its queue later, or
      // what it follows of its job.
      const bool patches = !kind->group_kind().empty() || kind->copies_follow() || kind->scales() ||
                           kind->adoption() == tracking::Adoption::kOwner;
      if (!nominates && patches) rights.Add(jobs, {"patch"});
      for (const kube::Resource& named : kind->ReferencedResources()) rights.Read(named);
    });
  }
  if (copies_templates) rights.Add(tracking::kTemplates, {"create", "patch", "delete"});
  if (reads_logs) rights.Add(tracking::kPods, {"get"}, "log");
  return rights.Take();
}

std::vector<Right> ManagerRights(const tracking::JobKinds& kinds,
                                 const reconcile::Discovery& discovery, bool nominates,
                                 bool takes_over) {
  Rights rights;
  for (const reconcile::ManagerInput& input :
       reconcile::ManagerInputs(kinds, nullptr, nominates, discovery)) {
    if (input.kind == nullptr) rights.Read(input.resource, input.ns);
    if (input.kind != nullptr)
      rights.OfKind(*input.kind, [&](const kube::Resource&) { rights.Read(input.resource); });
  }
  rights.Add(tracking::kWorkloads, {"get"});  // `fedra orphans`
  rights.Add(tracking::kWorkloads, {"patch"}, "status");
  if (!nominates) {
    for (const tracking::JobAdapter* kind : kinds.all()) {
      if (!kind->MirrorsStatus()) continue;
      rights.OfKind(*kind,
                    [&](const kube::Resource& jobs) { rights.Add(jobs, {"patch"}, "status"); });
    }
    rights.Add(tracking::kAdmissionChecks, {"patch"}, "status");
  }
  if (takes_over) rights.Add(tracking::kMultiKueueClusters, {"patch"}, "status");
  rights.Add(tracking::kEvents, {"create", "patch"});
  rights.Get(tracking::kNamespaces, reconcile::kIdentityNamespace);
  if (!discovery.secrets_in.empty()) rights.GetIn(discovery.secrets_in, tracking::kSecrets);
  return rights.Take();
}

std::vector<Right> LeaderRights(const ObjectKey& lease) {
  const auto right = [&](const char* verb, const std::string& name) {
    return Right{.verb = verb, .resource = leader::kLeases, .name = name, .ns = lease.ns};
  };
  return {right("get", lease.name), right("create", {}), right("update", lease.name)};
}

std::vector<Right> ReplicaRights(const ObjectKey& outages) {
  const auto right = [&](const char* verb, const std::string& name) {
    return Right{.verb = verb, .resource = tracking::kConfigMaps, .name = name, .ns = outages.ns};
  };
  std::vector<Right> rights = {right("get", outages.name), right("create", {}),
                               right("patch", outages.name)};
  // `delete`: for the admission plugin alone (tracking::RecordBody).
  for (const char* verb : {"list", "watch", "create", "patch", "delete"})
    rights.push_back({.verb = verb, .resource = tracking::kPlacementRecords, .if_served = true});
  return rights;
}

std::vector<Right> SecureApiRights() {
  return {{.verb = "create", .resource = access::kTokenReviews, .subresource = {}, .name = {}},
          {.verb = "create", .resource = access::kAccessReviews, .subresource = {}, .name = {}}};
}

Result<std::vector<Right>> MissingRights(Cluster& cluster, const std::vector<Right>& rights) {
  std::vector<Right> missing;
  const auto server = cluster.server();
  for (const Right& right : rights) {
    if (right.if_served && (server == nullptr || !server->Serves(right.resource))) continue;
    FEDRA_ASSIGN_OR_RETURN(const bool granted, cluster.MayI(right.verb, right.resource, right.ns,
                                                            right.subresource, right.name));
    if (!granted) missing.push_back(right);
  }
  return missing;
}

bool IsOfNamespaces(const Right& right) {
  return right.resource.namespaced && right.ns.empty() && right.verb != "list" &&
         right.verb != "watch";
}

Result<std::vector<std::string>> GrantedIn(Cluster& cluster, const std::vector<Right>& rights,
                                           const std::vector<std::string>& namespaces) {
  std::vector<std::string> granted;
  for (const std::string& ns : namespaces) {
    bool all = true;
    for (const Right& right : rights) {
      if (!all) break;
      FEDRA_ASSIGN_OR_RETURN(
          all, cluster.MayI(right.verb, right.resource, ns, right.subresource, right.name));
    }
    if (all) granted.push_back(ns);
  }
  return granted;
}

}  // namespace fedra::cli
