#include "manager/reconcile/templates/template_view.h"

#include "manager/verify/cache_status.h"

namespace fedra::reconcile {
namespace {

// Whether the cache's silence about an object means that there is none.
bool CanTell(const verify::Cache<verify::ClaimSummary>& templates) {
  return !verify::WhySilent(templates.health(), {});
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
               .can_hold = look.original != nullptr && worker.CanHold(*look.original),
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
