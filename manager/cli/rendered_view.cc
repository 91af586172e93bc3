#include "manager/cli/rendered_view.h"

#include <memory>

#include "manager/api/question.h"
#include "manager/cli/remote.h"
#include "store/reader.h"

namespace fedra::cli {

Result<text::ViewSettings> SettingsOf(const ViewOptions& options, const Terminal& terminal) {
  text::ViewSettings settings;
  FEDRA_ASSIGN_OR_RETURN(settings.format, text::ParseFormat(options.format));
  settings.style = StyleOf(terminal, options.headers);
  if (settings.format == text::Format::kWide) settings.style.width = 0;
  settings.query.now = SystemClock().Now();
  settings.query.ns = options.all_namespaces ? std::string() : options.ns;
  FEDRA_ASSIGN_OR_RETURN(settings.query.jobs, report::Checked(options.jobs, settings.query.ns));
  settings.query.worker_lost_timeout = options.worker_lost_timeout;
  settings.query.admission_timeout = options.admission_timeout;
  settings.query.race = options.race;
  return settings;
}

Result<text::Output> RenderOnce(const ViewOptions& options, const Terminal& terminal,
                                const Render& render) {
  FEDRA_ASSIGN_OR_RETURN(const text::ViewSettings settings, SettingsOf(options, terminal));
  return render(settings);
}

int LookAgainMilliseconds(const ViewOptions& options) {
  return options.daemon.url.empty() ? 500 : 2'000;
}

Render RenderBy(api::View view, const ViewOptions& options, const std::string& job) {
  if (options.daemon.empty()) {
    return [=](const text::ViewSettings& settings) -> Result<text::Output> {
      FEDRA_ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(options.store));
      return api::RenderView(view, job, *reader, settings);
    };
  }
  const auto daemon = std::make_shared<RemoteDaemon>(options.daemon);
  return [=](const text::ViewSettings& settings) {
    return daemon->Ask(api::TargetOf(view, job, settings));
  };
}

}  // namespace fedra::cli
