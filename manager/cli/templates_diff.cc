// fedra templates diff: what the daemon would do now about copies of ResourceClaimTemplates.

#include <ostream>

#include "base/time.h"
#include "config/load.h"
#include "manager/api/question.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/daemon_fleet.h"
#include "manager/cli/fleet/discover.h"
#include "manager/cli/remote.h"
#include "manager/report/template_document.h"
#include "manager/text/template_view.h"
#include "manager/wiring.h"

namespace fedra::cli {

using templates::SyncPolicy;

int TemplatesDiff(const TemplatesDiffOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra templates diff: " << message << "\n";
    return 1;
  };
  const auto format = text::ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  if (!options.daemon.empty()) {
    RemoteDaemon daemon(options.daemon);
    // Its columns are never cut, as below.
    return Finish("templates diff",
                  daemon.Ask(api::TargetOf("templates", {{"mode", options.mode}}, *format, {})),
                  terminal);
  }
  const auto limit = ParseDuration(options.timeout);
  if (!limit) return fail("--timeout: " + limit.error().message);
  auto loaded = config::Load(options.config, config::OptionsNow(/*manager_may_fail=*/false));
  if (!loaded) return fail(config::ToString(loaded.error()));
  if (const std::string why = DiscoverWorkers(*loaded, *limit); !why.empty()) return fail(why);
  reconcile::TemplateSettings settings = ToTemplates(loaded->configuration);
  for (const SyncPolicy mode : {SyncPolicy::kIfMissing, SyncPolicy::kReconcile})
    if (options.mode == report::NameOf(mode)) settings.mode = mode;

  DaemonFleet fleet(*loaded, {});
  fleet.Read(*limit, terminal);
  const templates::TemplateSurvey survey = fleet.Survey(settings);
  if (!survey.problem.empty()) return fail(survey.problem);
  const text::Output output = text::RenderTemplates(survey, {SystemClock().Now(), {}}, *format, {});
  terminal.out << output.out;
  if (!output.note.empty()) terminal.err << output.note << "\n";
  return survey.unread.empty() ? 0 : kUnknown;
}

}  // namespace fedra::cli
