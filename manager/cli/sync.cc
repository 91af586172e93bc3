// fedra sync: what the daemon does about copies of ResourceClaimTemplates, and would do now.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "config/load.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/template_fleet.h"
#include "manager/cli/text/as_of.h"
#include "manager/cli/text/output.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

using reconcile::TemplateStep;
using templates::Mode;

std::string_view NameOf(Mode mode) {
  switch (mode) {
    case Mode::kIfMissing:
      return "IfMissing";
    case Mode::kReconcile:
      return "Reconcile";
    case Mode::kNever:
      break;
  }
  return "Never";
}

void Print(const std::vector<TemplateStep>& steps, Mode mode, Terminal& terminal) {
  if (steps.empty()) {
    terminal.err << fmt::format("nothing to do with verification.templates.sync: {}\n",
                                NameOf(mode));
    return;
  }
  Table table({"WORKER", "ACTION", "TEMPLATE", "WHY"});
  for (const TemplateStep& step : steps) {
    table.Add({step.worker.value, std::string(templates::ToString(step.plan.step)),
               step.key.ToString(), step.plan.why});
  }
  terminal.out << table.Render({});
}

nlohmann::ordered_json StepsJson(const std::vector<TemplateStep>& steps, Mode mode,
                                 const std::vector<LeftAlone>& left_alone,
                                 const std::vector<UnreadWorker>& unread) {
  nlohmann::ordered_json document = Document("TemplateSync", AsOf{SystemClock().Now(), {}});
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
  PutUnread(document, unread);
  return document;
}

// Without --dry-run there is nothing to run: the daemon does it all the time.
int Explain(Mode mode, Format format, Terminal& terminal) {
  const std::string meaning = mode == Mode::kNever
                                  ? "in this mode no templates are copied to workers"
                                  : "in this mode the daemon (fedra run) copies templates and "
                                    "removes the copies as soon as "
                                    "there is something to do";
  const std::string more = std::string("fedra sync --dry-run shows what would be done now") +
                           (mode == Mode::kNever ? ", with --mode IfMissing or Reconcile" : "");
  if (!IsTable(format)) {
    nlohmann::ordered_json document = Document("TemplateSyncMode");
    document["mode"] = NameOf(mode);
    document["meaning"] = meaning;
    document["more"] = more;
    terminal.out << ToText(document, format);
    return 0;
  }
  terminal.out << fmt::format(
      "the configuration file says verification.templates.sync: {}\n{} (a daemon that was started "
      "before the file was changed does what the file said then)\n{}\n",
      NameOf(mode), meaning, more);
  return 0;
}

}  // namespace

int Sync(const SyncOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra sync: " << message << "\n";
    return 1;
  };
  const auto format = ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  const auto limit = ParseDuration(options.timeout);
  if (!limit) return fail("--timeout: " + limit.error().message);
  const auto loaded =
      config::Load(options.config, {.now = SystemClock().Now(),
                                    .in_cluster = config::InClusterFromEnvironment(),
                                    .manager_may_fail = !options.dry_run});
  if (!loaded) return fail(config::ToString(loaded.error()));
  reconcile::TemplateSettings settings = ToTemplates(loaded->configuration);
  if (!options.dry_run) return Explain(settings.mode, *format, terminal);
  if (options.mode == NameOf(Mode::kIfMissing)) settings.mode = Mode::kIfMissing;
  if (options.mode == NameOf(Mode::kReconcile)) settings.mode = Mode::kReconcile;

  TemplateFleet fleet(*loaded);
  fleet.Read(*limit);
  if (const std::string problem = fleet.Problem(); !problem.empty()) return fail(problem);
  const std::vector<TemplateStep> steps = fleet.Survey(settings);
  const std::vector<LeftAlone> left_alone = fleet.LeftAloneIn(settings);
  const std::vector<UnreadWorker> unread = fleet.Unread();
  for (const UnreadWorker& one : unread)
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
