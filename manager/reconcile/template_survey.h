#pragma once
//
// Everything that would be done about templates now, for a person: `fedra templates diff`.
//
// Thread rules: any thread. Reads the caches only.

#include <vector>

#include "manager/reconcile/gather.h"
#include "manager/reconcile/template_reconciler.h"

namespace fedra::reconcile {

struct TemplateStep {
  ClusterName worker;
  ObjectKey key;
  templates::Plan plan;  // its step is never kNone
};

// In the order of the workers, then of the templates. A copy is really made only on the worker that
// a workload is sent to; here it stands under every worker that a waiting workload may use and that
// lacks the template. Workers without full contact are left out.
std::vector<TemplateStep> SurveyTemplates(const TemplateSettings& settings, ManagerCluster& manager,
                                          const WorkerSet& workers, const Gatherer& gatherer);

}  // namespace fedra::reconcile
