#include "manager/reconcile/manager_templates.h"

#include <memory>
#include <string>
#include <utility>

namespace fedra::reconcile {

ManagerTemplates::ManagerTemplates(const ManagerJobs& jobs, ManagerTemplatesListener listener)
    : jobs_(jobs),
      listener_(std::move(listener)),
      cache_(
          &verify::ParseTemplate,
          [this](const ObjectKey& key, const auto&, const auto&) { listener_.on_template(key); },
          [this](const watch::CacheHealth&) { listener_.on_templates_health(); }) {}

// Looked at under the lock: of a Workload and its job, which come by two watches, the second one
// sees both.
void ManagerTemplates::Index(const ObjectKey& workload) {
  const std::set<ObjectKey> changed = named_.With([&](NamedTemplatesIndex& index) {
    std::set<ObjectKey> names;
    if (const auto now = jobs_.workloads().Find(workload); now != nullptr && !now->Finished()) {
      for (std::string& name : jobs_.Completed(now)->requirement.TemplateNames())
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

bool ManagerTemplates::IsNamed(const ObjectKey& claim_template) const {
  return named_.With([&](const auto& index) { return index.by_template.contains(claim_template); });
}

TemplateUse ManagerTemplates::UseOf(const ObjectKey& claim_template) const {
  const std::set<ObjectKey> workloads = named_.With([&](const auto& index) {
    const auto found = index.by_template.find(claim_template);
    return found == index.by_template.end() ? std::set<ObjectKey>() : found->second;
  });
  TemplateUse use;
  for (const ObjectKey& key : workloads) {
    const auto workload = jobs_.workloads().Find(key);
    if (workload == nullptr || workload->Finished()) continue;
    use.named = true;
    use.workers.merge(workload->PlacedOn());
  }
  return use;
}

std::vector<ObjectKey> ManagerTemplates::Named() const {
  return named_.With([](const auto& index) {
    std::vector<ObjectKey> keys;
    for (const auto& [key, workloads] : index.by_template) keys.push_back(key);
    return keys;
  });
}

}  // namespace fedra::reconcile
