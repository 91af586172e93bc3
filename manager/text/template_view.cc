#include "manager/text/template_view.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/report/template_document.h"
#include "manager/text/display_text.h"

namespace fedra::text {
namespace {

using templates::SyncPolicy;

std::string StepTable(const templates::TemplateSurvey& survey, const Style& style) {
  Table table({"WORKER", "ACTION", "TEMPLATE", "WHY"});
  for (const templates::TemplateStep& step : survey.steps) {
    table.Add({step.worker.value, std::string(templates::ToString(step.plan.step)),
               step.key.ToString(), step.plan.why});
  }
  return table.empty() ? std::string() : table.Render(style);
}

std::string WhyNothing(SyncPolicy mode) {
  return fmt::format(
      "With verification.templates.sync: {} there is nothing to do{}", report::NameOf(mode),
      mode == SyncPolicy::kNever ? "; --mode IfMissing or Reconcile shows what they would do" : "");
}

}  // namespace

Output RenderTemplates(const templates::TemplateSurvey& survey, const report::AsOf& as_of,
                       Format format, const Style& style) {
  Output output;
  const auto note = [&](const std::string& line) {
    output.note += (output.note.empty() ? "" : "\n") + Printable(line, style.utf8);
  };
  for (const templates::UnreadTemplates& one : survey.unread)
    note(fmt::format("{} is left out: {}", one.worker.value, one.problem));
  if (IsForPrograms(format)) {
    output.out = ToText(report::TemplateDocument(survey, as_of), format);
    return output;
  }
  output.out = StepTable(survey, style);
  if (survey.steps.empty()) note(WhyNothing(survey.mode));
  for (const templates::TemplateLeftAlone& item : survey.left_alone) {
    note(fmt::format("left alone: {} on {} differs, not fedra's: {}", item.key.ToString(),
                     item.worker.value, item.difference));
  }
  return output;
}

}  // namespace fedra::text
