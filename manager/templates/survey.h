#pragma once
//
// Everything that would be done about templates at one moment, for documents and for people;
// reconcile/templates/template_survey.h finds it. Plain values.

#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "manager/templates/plan.h"

namespace fedra::templates {

struct TemplateStep {
  ClusterName worker;
  ObjectKey key;
  Plan plan;  // its step is never kNone
  // The Workload that must be dispatched there first; null: none.
  std::optional<ObjectKey> awaits = std::nullopt;
};

// The `why` of such a plan; null: the Workload may not be named.
std::string WhenDispatched(const std::optional<ObjectKey>& workload);

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
  SyncPolicy mode = SyncPolicy::kNever;
  std::string problem;  // why nothing can be said, and the rest is empty; empty: something can
  std::vector<TemplateStep> steps;
  std::vector<TemplateLeftAlone> left_alone;  // what a person might expect to be replaced, too
  std::vector<UnreadTemplates> unread;
};

}  // namespace fedra::templates
