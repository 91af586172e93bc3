#include "manager/report/template_document.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace fedra::report {

using templates::SyncPolicy;

std::string_view NameOf(SyncPolicy mode) {
  switch (mode) {
    case SyncPolicy::kIfMissing:
      return "IfMissing";
    case SyncPolicy::kReconcile:
      return "Reconcile";
    case SyncPolicy::kNever:
      break;
  }
  return "Never";
}

nlohmann::ordered_json TemplateDocument(const templates::TemplateSurvey& survey,
                                        const AsOf& as_of) {
  nlohmann::ordered_json document = Document("TemplateSync", as_of);
  document["mode"] = NameOf(survey.mode);
  auto& items = document["items"] = nlohmann::ordered_json::array();
  for (const templates::TemplateStep& step : survey.steps) {
    items.push_back({{"worker", step.worker.value},
                     {"action", templates::ToString(step.plan.step)},
                     {"namespace", step.key.ns},
                     {"name", step.key.name},
                     {"why", step.plan.why}});
  }
  auto& left = document["leftAlone"] = nlohmann::ordered_json::array();
  for (const templates::TemplateLeftAlone& item : survey.left_alone) {
    left.push_back({{"worker", item.worker.value},
                    {"namespace", item.key.ns},
                    {"name", item.key.name},
                    {"why", "differs, and is not fedra's: " + item.difference}});
  }
  std::vector<UnreadWorker> unread;
  for (const templates::UnreadTemplates& one : survey.unread)
    unread.push_back({one.worker.value, one.problem});
  PutUnread(document, unread);
  return document;
}

}  // namespace fedra::report
