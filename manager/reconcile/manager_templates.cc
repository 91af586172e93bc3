// Which ResourceClaimTemplates the manager's workloads name. The part of ManagerCluster that knows
// templates.

#include <utility>

#include "manager/reconcile/manager_cluster.h"

namespace fedra::reconcile {

// Looked at under the lock: of a Workload and its job, which come by two watches, the second one
// sees both.
void ManagerCluster::IndexTemplates(const ObjectKey& workload) {
  const std::set<ObjectKey> changed = named_.With([&](NamedTemplatesIndex& index) {
    std::set<ObjectKey> names;
    if (const auto now = workloads_.Find(workload); now != nullptr && !now->Finished()) {
      for (std::string& name : Completed(now)->requirement.TemplateNames())
        names.insert({workload.ns, std::move(name)});
    }
    std::set<ObjectKey> before;
    if (const auto known = index.by_workload.extract(workload)) before = known.mapped();
    for (const ObjectKey& name : before) {
      const auto found = index.by_template.find(name);
      found->second.erase(workload);
      if (found->second.empty()) index.by_template.erase(found);
    }
    for (const ObjectKey& name : names) index.by_template[name].insert(workload);
    before.insert(names.begin(), names.end());
    if (!names.empty()) index.by_workload.emplace(workload, std::move(names));
    return before;
  });
  for (const ObjectKey& name : changed) listener_.on_template_use(name);
}

bool ManagerCluster::IsNamed(const ObjectKey& claim_template) const {
  return named_.With([&](const auto& index) { return index.by_template.contains(claim_template); });
}

TemplateUse ManagerCluster::UseOf(const ObjectKey& claim_template) const {
  const std::set<ObjectKey> workloads = named_.With([&](const auto& index) {
    const auto found = index.by_template.find(claim_template);
    return found == index.by_template.end() ? std::set<ObjectKey>() : found->second;
  });
  TemplateUse use;
  for (const ObjectKey& key : workloads) {
    const auto workload = workloads_.Find(key);
    if (workload == nullptr || workload->Finished()) continue;
    use.named = true;
    use.workers.merge(workload->PlacedOn());
  }
  return use;
}

std::vector<ObjectKey> ManagerCluster::NamedTemplates() const {
  return named_.With([](const auto& index) {
    std::vector<ObjectKey> keys;
    for (const auto& [key, workloads] : index.by_template) keys.push_back(key);
    return keys;
  });
}

}  // namespace fedra::reconcile
