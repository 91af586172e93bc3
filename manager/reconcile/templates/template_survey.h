#pragma once
//
// Everything that would be done about templates now, for a person: `fedra templates diff`.
//
// Thread rules: any thread. Reads the caches only.

#include <string>
#include <vector>

#include "manager/reconcile/gather.h"
#include "manager/reconcile/templates/template_reconciler.h"

namespace fedra::reconcile {

struct TemplateStep {
  ClusterName worker;
  ObjectKey key;
  templates::Plan plan;  // its step is never kNone
};

// A worker's template that is neither the manager's nor fedra's: only its owner changes it.
struct TemplateLeftAlone {
  ClusterName worker;
  ObjectKey key;
  std::string difference;
};

// A worker that nothing is known of.
struct UnreadTemplates {
  ClusterName worker;
  std::string problem;
};

struct TemplateSurvey {
  templates::SyncPolicy mode = templates::SyncPolicy::kNever;
  std::string problem;  // why nothing can be said, and the rest is empty; empty: something can
  std::vector<TemplateStep> steps;
  std::vector<TemplateLeftAlone> left_alone;  // what a person might expect to be replaced, too
  std::vector<UnreadTemplates> unread;
};

// In the order of the workers, then of the templates. A copy is really made only on the worker that
// a workload is sent to; here it stands under every worker that a waiting workload may use and that
// lacks the template. Workers without full contact are left out.
TemplateSurvey SurveyTemplates(const TemplateSettings& settings, ManagerCluster& manager,
                               const WorkerSet& workers, const Gatherer& gatherer);

}  // namespace fedra::reconcile
