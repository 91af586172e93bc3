#pragma once
//
// Everything that would be done about templates now, for a person: `fedra templates diff`.
//
// Thread rules: any thread. Reads the caches only.

#include "manager/reconcile/gather.h"
#include "manager/reconcile/templates/template_reconciler.h"
#include "manager/templates/survey.h"

namespace fedra::reconcile {

// In the order of the workers, then of the templates. A copy is really made only on the worker that
// a workload is dispatched to; here it stands under every worker that a waiting workload may use
// and that lacks the template. Workers without full contact are left out.
templates::TemplateSurvey SurveyTemplates(const TemplateSettings& settings, ManagerCluster& manager,
                                          const WorkerSet& workers, const Gatherer& gatherer);

}  // namespace fedra::reconcile
