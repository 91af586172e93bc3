#include "manager/cli/status_screen.h"

#include <memory>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/guarded.h"
#include "manager/api/parameters.h"
#include "manager/api/question.h"
#include "manager/cli/remote.h"
#include "manager/cli/rendered_view.h"
#include "manager/cli/screen/screen.h"
#include "manager/report/job_filter.h"
#include "store/reader.h"

namespace fedra::cli {
namespace {

using screen::Question;
using screen::What;

api::View ViewOf(What what) {
  switch (what) {
    case What::kGroups:
      return api::View::kCounts;
    case What::kJobs:
      return api::View::kJobs;
    case What::kJob:
      return api::View::kJob;
    case What::kWhy:
      return api::View::kWhy;
    case What::kHistory:
      return api::View::kHistory;
    default:
      return api::View::kWorkers;
  }
}

// `view`, as a question; `jobs`: what the command line asks for, checked.
Question FirstQuestion(api::View view, const std::string& job, const report::JobFilter& jobs) {
  switch (view) {
    case api::View::kWorkers:
      return {.what = What::kWorkers};
    case api::View::kJobs:
      return {.what = What::kJobs, .sort_by = jobs.order, .limit = screen::kPage, .all = jobs.all};
    case api::View::kJob:
      return {.what = What::kJob, .subject = job};
    default:
      break;
  }
  return {.what = What::kGroups, .group_by = jobs.grouping.value_or(report::kJobGroupings.front())};
}

// Only the jobs of this group.
void Narrow(store::JobGrouping by, const std::string& group, ViewOptions& options) {
  switch (by) {
    case store::JobGrouping::kState:
      options.jobs.states = {group};
      return;
    case store::JobGrouping::kReason:
      options.jobs.reasons = {group};
      return;
    case store::JobGrouping::kWorker:
      options.jobs.workers = {group};
      return;
    case store::JobGrouping::kQueue:
      options.jobs.queues = {group};
      return;
    case store::JobGrouping::kNamespace:
      options.ns = group;
      options.all_namespaces = false;
      return;
  }
}

// "-n ml --state Blocked": which jobs the command line has chosen.
std::string ScopeText(const ViewOptions& options) {
  std::string scope;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) scope += fmt::format("{}{} {}", scope.empty() ? "" : " ", option, value);
  };
  const report::JobFilter& jobs = options.jobs;
  add("-n", options.all_namespaces ? std::string() : options.ns);
  add("--state", fmt::format("{}", fmt::join(jobs.states, ",")));
  add("--reason", fmt::format("{}", fmt::join(jobs.reasons, ",")));
  add("--worker", fmt::format("{}", fmt::join(jobs.workers, ",")));
  add("--queue", fmt::format("{}", fmt::join(jobs.queues, ",")));
  add("--name", jobs.name);
  add("-l", jobs.labels);
  return scope;
}

// Who answers. Asked on the fetcher's thread; Stop() comes from the screen's.
class ScreenSource final {
 public:
  ScreenSource(ViewOptions options, const Terminal& terminal)
      : options_(std::move(options)), terminal_(terminal) {
    if (!options_.daemon.empty())
      daemon_.With([&](auto& daemon) { daemon = std::make_shared<RemoteDaemon>(options_.daemon); });
  }

  Result<text::Output> Ask(const Question& question) {
    if (question.what == What::kDevices) return AskDevices(question);
    FEDRA_ASSIGN_OR_RETURN(text::ViewSettings settings,
                           SettingsOf(OptionsFor(question, options_), terminal_));
    settings.style.width = question.columns;
    const api::View view = ViewOf(question.what);
    if (!options_.daemon.empty())
      return daemon_.Copy()->Ask(api::TargetOf(view, question.subject, settings));
    FEDRA_ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(options_.store));
    return api::RenderView(view, question.subject, *reader, settings);
  }

  void Stop() {
    if (const auto daemon = daemon_.Copy()) daemon->Stop();
  }

 private:
  // Only a daemon knows them. Where the store is read, it is the one that writes it.
  Result<std::shared_ptr<RemoteDaemon>> DaemonForDevices() {
    if (auto daemon = daemon_.Copy()) return daemon;
    const auto socket = FindSocket(options_.sockets);
    if (!socket)
      return Fail(ErrorCode::kConnection,
                  "devices are shown as a daemon sees them, and none listens on a socket that this "
                  "user may use: start it, or name it with --server");
    auto daemon = std::make_shared<RemoteDaemon>(DaemonAddress{.socket = *socket});
    daemon_.With([&](auto& known) { known = daemon; });
    return daemon;
  }

  Result<text::Output> AskDevices(const Question& question) {
    FEDRA_ASSIGN_OR_RETURN(const std::shared_ptr<RemoteDaemon> daemon, DaemonForDevices());
    const std::string query = api::QueryOf({{"worker", question.subject},
                                            {"output", "table"},
                                            {"columns", std::to_string(question.columns)},
                                            {"color", terminal_.color ? "true" : ""},
                                            {"ascii", terminal_.utf8 ? "" : "true"}});
    return daemon->Ask(fmt::format("{}device-map{}", api::kPrefix, query));
  }

  const ViewOptions options_;
  const Terminal& terminal_;
  Guarded<std::shared_ptr<RemoteDaemon>> daemon_;  // null: none was needed yet
};

}  // namespace

bool HasScreen(const ViewOptions& options, const Terminal& terminal) {
  return options.watch && !options.no_tui && options.format == "table" && options.headers &&
         terminal.out_is_tty && terminal.moves_cursor && screen::IsPossible();
}

ViewOptions OptionsFor(const Question& question, ViewOptions options) {
  const bool is_of_rows = screen::IsRows(question.what) || question.what == What::kWorker;
  options.format = is_of_rows ? "json" : "table";
  report::JobFilter& jobs = options.jobs;
  if (question.what != What::kGroups && question.what != What::kJobs) {
    jobs = {};
    return options;
  }
  const bool is_list = question.what == What::kJobs;
  jobs.group_by = is_list ? "" : report::ToString(question.group_by.value());
  if (!is_list || question.group_by || !question.name.empty()) jobs.go_on.clear();
  if (!is_list) return options;
  if (question.sort_by) jobs.sort_by = report::ToString(*question.sort_by);
  // The command line's --limit is the first page.
  jobs.limit = jobs.limit == 0 ? question.limit : jobs.limit + question.limit - screen::kPage;
  jobs.all = jobs.all || question.all;
  // Both must be in the name.
  if (!question.name.empty()) jobs.name += " " + question.name;
  if (question.group_by) Narrow(*question.group_by, question.group, options);
  return options;
}

int StatusScreen(api::View view, const std::string& job, const ViewOptions& options,
                 Terminal& terminal) {
  // What is wrong with the options belongs on the terminal that was there before.
  const auto settings = SettingsOf(options, terminal);
  if (!settings) {
    terminal.err << fmt::format("fedra status: {}\n", ToString(settings.error()));
    return 1;
  }
  const auto source = std::make_shared<ScreenSource>(options, terminal);
  screen::Show(
      {FirstQuestion(view, job, settings->query.jobs), ScopeText(options), terminal.color,
       terminal.utf8},
      {[source](const Question& question) { return source->Ask(question); },
       [source] { source->Stop(); }, std::chrono::milliseconds(LookAgainMilliseconds(options))},
      terminal.out);
  return 0;
}

}  // namespace fedra::cli
