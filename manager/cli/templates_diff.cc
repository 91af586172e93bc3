// fedra templates diff: what the daemon would do now about copies of ResourceClaimTemplates.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "config/load.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/template_fleet.h"
#include "manager/cli/text/output.h"
#include "manager/report/as_of.h"
#include "manager/report/document.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

using reconcile::TemplateStep;
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

void Print(const std::vector<TemplateStep>& steps, SyncPolicy mode, Terminal& terminal) {
  if (steps.empty()) {
    terminal.err << fmt::format(
        "With verification.templates.sync: {} there is nothing to do{}\n", NameOf(mode),
        mode == SyncPolicy::kNever ? "; --mode IfMissing or Reconcile shows what they would do"
                                   : "");
    return;
  }
  Table table({"WORKER", "ACTION", "TEMPLATE", "WHY"});
  for (const TemplateStep& step : steps) {
    table.Add({step.worker.value, std::string(templates::ToString(step.plan.step)),
               step.key.ToString(), step.plan.why});
  }
  terminal.out << table.Render({});
}

nlohmann::ordered_json StepsJson(const std::vector<TemplateStep>& steps, SyncPolicy mode,
                                 const std::vector<LeftAlone>& left_alone,
                                 const std::vector<report::UnreadWorker>& unread) {
  nlohmann::ordered_json document =
      report::Document("TemplateSync", report::AsOf{SystemClock().Now(), {}});
  document["mode"] = NameOf(mode);
  auto& items = document["items"] = nlohmann::ordered_json::array();
  for (const TemplateStep& step : steps) {
    items.push_back({{"worker", step.worker.value},
                     {"action", templates::ToString(step.plan.step)},
                     {"namespace", step.key.ns},
                     {"name", step.key.name},
                     {"why", step.plan.why}});
  }
  auto& left = document["leftAlone"] = nlohmann::ordered_json::array();
  for (const LeftAlone& item : left_alone) {
    left.push_back({{"worker", item.worker},
                    {"namespace", item.key.ns},
                    {"name", item.key.name},
                    {"why", "differs, and is not fedra's: " + item.difference}});
  }
  report::PutUnread(document, unread);
  return document;
}

}  // namespace

int TemplatesDiff(const TemplatesDiffOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra templates diff: " << message << "\n";
    return 1;
  };
  const auto format = ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  const auto limit = ParseDuration(options.timeout);
  if (!limit) return fail("--timeout: " + limit.error().message);
  const auto loaded = config::Load(options.config, config::OptionsNow(/*manager_may_fail=*/false));
  if (!loaded) return fail(config::ToString(loaded.error()));
  reconcile::TemplateSettings settings = ToTemplates(loaded->configuration);
  if (options.mode == NameOf(SyncPolicy::kIfMissing)) settings.mode = SyncPolicy::kIfMissing;
  if (options.mode == NameOf(SyncPolicy::kReconcile)) settings.mode = SyncPolicy::kReconcile;

  TemplateFleet fleet(*loaded);
  fleet.Read(*limit);
  if (const std::string problem = fleet.Problem(); !problem.empty()) return fail(problem);
  const std::vector<TemplateStep> steps = fleet.Survey(settings);
  const std::vector<LeftAlone> left_alone = fleet.LeftAloneIn(settings);
  const std::vector<report::UnreadWorker> unread = fleet.Unread();
  for (const report::UnreadWorker& one : unread)
    terminal.err << fmt::format("{} is left out: {}\n", one.worker, one.problem);
  if (IsTable(*format)) {
    Print(steps, settings.mode, terminal);
    for (const LeftAlone& item : left_alone) {
      terminal.err << fmt::format("left alone: {} on {} differs, not fedra's: {}\n",
                                  item.key.ToString(), item.worker, item.difference);
    }
  } else {
    terminal.out << ToText(StepsJson(steps, settings.mode, left_alone, unread), *format);
  }
  return unread.empty() ? 0 : kUnknown;
}

}  // namespace fedra::cli
