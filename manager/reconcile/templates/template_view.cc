#include "manager/reconcile/templates/template_view.h"

#include <algorithm>

#include "manager/verify/cache_status.h"

namespace fedra::reconcile {
namespace {

// Whether the cache's silence about an object means that there is none.
bool CanTell(const verify::Cache<verify::ClaimSummary>& templates) {
  return !verify::WhySilent(templates.health(), {});
}

// Whether a copy of this template of the manager could be used there: its namespace is there,
// stays, and may have admin access if the template asks for it, and the DeviceClasses that it names
// are there.
bool CanHold(const verify::WorkerObjects& worker, const verify::ClaimSummary& original) {
  const auto ns = worker.namespaces().Find({"", original.key.ns});
  return ns != nullptr && !ns->terminating && (ns->admin_access || !original.admin_access) &&
         std::ranges::all_of(original.device_classes, [&](const std::string& name) {
           return worker.classes().Find({"", name}) != nullptr;
         });
}

}  // namespace

TemplateView ReadTemplate(const ObjectKey& key, const Worker& worker,
                          const ManagerTemplates& manager, const TemplateUse& use, bool leaving) {
  TemplateView look;
  look.original = manager.cache().Find(key);
  look.there = worker.objects().templates().Find(key);
  look.view = {.original = look.original.get(),
               .original_known = CanTell(manager.cache()),
               .there = look.there.get(),
               .there_known = CanTell(worker.objects().templates().cache()),
               .can_hold = look.original != nullptr && CanHold(worker.objects(), *look.original),
               .named = use.named,
               .here = use.workers.contains(worker.name()),
               .leaving = leaving};
  return look;
}

std::vector<std::shared_ptr<const verify::ClaimSummary>> OurTemplateCopies(
    const Worker& worker, const ManagerTemplates& manager, const tracking::Identity& us) {
  auto copies = worker.objects().templates().cache().List();
  std::erase_if(copies, [&](const auto& copy) {
    const auto original = manager.cache().Find(copy->key);
    return !tracking::IsOurs(templates::OwnershipOf(*copy, original.get(), us));
  });
  return copies;
}

}  // namespace fedra::reconcile
