#pragma once
//
// One ResourceClaimTemplate as the caches of the manager and of a worker show it.
//
// Thread rules: any thread; the caches change under it, each object in a look is immutable.

#include <memory>
#include <vector>

#include "manager/reconcile/manager_templates.h"
#include "manager/reconcile/worker.h"
#include "manager/templates/plan.h"

namespace fedra::reconcile {

struct TemplateView {
  std::shared_ptr<const verify::ClaimSummary> original;
  std::shared_ptr<const verify::ClaimSummary> there;
  templates::View view;  // points to the two
};

// `leaving`: the worker was removed from the configuration (WorkerList::removed()).
TemplateView ReadTemplate(const ObjectKey& key, const Worker& worker,
                          const ManagerTemplates& manager, const TemplateUse& use, bool leaving);

// The copies that `us` has made on the worker.
std::vector<std::shared_ptr<const verify::ClaimSummary>> OurTemplateCopies(
    const Worker& worker, const ManagerTemplates& manager, const tracking::Identity& us);

}  // namespace fedra::reconcile
