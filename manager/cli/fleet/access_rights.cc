#include "manager/cli/fleet/access_rights.h"

#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "manager/reconcile/manager_cluster.h"
#include "manager/tracking/job.h"
#include "manager/tracking/resources.h"
#include "manager/verify/worker_objects.h"

namespace fedra::cli {
namespace {

class Rights final {
 public:
  void Add(const kube::Resource& resource, std::initializer_list<const char*> verbs,
           const std::string& subresource = {}) {
    for (const char* verb : verbs) all_.push_back({verb, resource, subresource, {}});
  }
  void Get(const kube::Resource& resource, const std::string& name) {
    all_.push_back({"get", resource, {}, name});
  }
  void Read(const kube::Resource& resource) { Add(resource, {"list", "watch"}); }
  std::vector<Right> Take() { return std::move(all_); }

 private:
  std::vector<Right> all_;
};

}  // namespace

std::string ToText(const Right& right) {
  return fmt::format("{} {}{}{}{}{}{}{}", right.verb, right.resource.plural,
                     right.resource.group.empty() ? "" : ".", right.resource.group,
                     right.subresource.empty() ? "" : "/", right.subresource,
                     right.name.empty() ? "" : " ", right.name);
}

std::vector<Right> WorkerRights(const reconcile::WorkerSettings& worker, bool copies_templates,
                                bool reads_logs) {
  Rights rights;
  verify::WorkerObjects objects(worker.verified, {});
  for (const verify::Input& input : objects.Inputs(nullptr)) rights.Read(input.resource);
  rights.Add(tracking::kWorkloads, {"get", "create", "patch", "delete"});
  for (const tracking::JobAdapter* adapter : tracking::JobAdapters())
    rights.Add(adapter->resource(), {"get", "create", "delete"});
  if (copies_templates) rights.Add(tracking::kTemplates, {"create", "patch", "delete"});
  if (reads_logs) rights.Add(tracking::kPods, {"get"}, "log");
  return rights.Take();
}

std::vector<Right> ManagerRights() {
  Rights rights;
  for (const reconcile::ManagerInput& input : reconcile::ManagerInputs(nullptr))
    rights.Read(input.resource);
  rights.Add(tracking::kWorkloads, {"patch"}, "status");
  for (const tracking::JobAdapter* adapter : tracking::JobAdapters())
    rights.Add(adapter->resource(), {"patch"}, "status");
  rights.Add(tracking::kAdmissionChecks, {"patch"}, "status");
  rights.Add(tracking::kEvents, {"create", "patch"});
  rights.Get(tracking::kNamespaces, reconcile::kIdentityNamespace);
  return rights.Take();
}

Result<std::vector<Right>> MissingRights(Cluster& cluster, const std::vector<Right>& rights) {
  std::vector<Right> missing;
  for (const Right& right : rights) {
    FEDRA_ASSIGN_OR_RETURN(const bool granted, cluster.MayI(right.verb, right.resource, {},
                                                            right.subresource, right.name));
    if (!granted) missing.push_back(right);
  }
  return missing;
}

}  // namespace fedra::cli
