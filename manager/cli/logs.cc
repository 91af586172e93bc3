// fedra logs: what a job's pods print.

#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/time.h"
#include "cluster-clients/kube/verbs.h"
#include "cluster-clients/own_connection.h"
#include "config/load.h"
#include "manager/cli/commands.h"
#include "manager/cli/join.h"
#include "manager/cli/logs/job_place.h"
#include "manager/cli/logs/log_text.h"
#include "manager/cli/logs/pod_choice.h"
#include "manager/cli/rendered_view.h"
#include "manager/kind_settings.h"
#include "manager/text/display_text.h"
#include "manager/tracking/resources.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

constexpr size_t kMaxPods = 10'000;
constexpr size_t kMaxPage = size_t{64} << 20;
// An answer may be this much larger than what was asked for: a server cuts at its own places.
constexpr size_t kLogMargin = size_t{64} << 10;

// Those of the configuration that this user can read, and all that fedra knows by itself: whether
// the daemon runs pods does not matter here.
tracking::JobKinds KindsIn(const std::string& config) {
  std::vector<tracking::KindRow> rows;
  if (const auto loaded = config::Load(config, config::OptionsNow(/*manager_may_fail=*/true)))
    for (const config::KindSettings& kind : loaded->configuration.kinds)
      rows.push_back(ToRow(kind));
  return tracking::JobKinds(std::move(rows), /*pods=*/true);
}

// The worker's API server, asked as the caller.
class CallerOnWorker final {
 public:
  CallerOnWorker(const JobPlace& place, const config::KubeAccess& access,
                 std::chrono::milliseconds timeout)
      : place_(place),
        context_(access.context),
        timeout_(timeout),
        connection_(ToAccess(access), {.max_response_bytes = kMaxPage + kLogMargin},
                    SystemClock()) {}

  // kTooLarge: there are more than kMaxPods. Empty: there are none.
  Result<std::vector<PodContainers>> Pods(const PodQuestion& question) {
    const bool is_named = !question.pod.name.empty();
    Result<std::vector<PodContainers>> pods =
        is_named ? Named(question.pod) : Labelled(question.labels);
    if (!pods) return Fail(Explained(std::move(pods).error(), is_named ? "get pods" : "list pods"));
    return pods;
  }

  Result<std::string> Log(const LogSource& source, const LogsOptions& options) {
    kube::Verb verb = kube::PodLog({place_.job.ns, source.pod}, source.container, options.tail,
                                   options.limit_bytes);
    verb.request.max_bytes = options.limit_bytes + kLogMargin;
    Result<std::string> log = connection_.Call(verb, timeout_);
    if (!log) return Fail(Explained(std::move(log).error(), "get pods/log"));
    return log;
  }

 private:
  Result<std::vector<PodContainers>> Named(const ObjectKey& key) {
    const Result<std::string> text = connection_.Call(kube::Get(tracking::kPods, key), timeout_);
    if (!text && text.error().code == ErrorCode::kNotFound) return std::vector<PodContainers>();
    if (!text) return Fail(text.error());
    FEDRA_ASSIGN_OR_RETURN(PodContainers pod, ParsePodContainers(*text));
    return std::vector{std::move(pod)};
  }

  Result<std::vector<PodContainers>> Labelled(const std::string& labels) {
    std::vector<PodContainers> pods;
    FEDRA_RETURN_IF_ERROR(connection_.List(tracking::kPods, {place_.job.ns, labels}, kMaxPods,
                                           timeout_, [&](std::string_view item) -> Result<void> {
                                             FEDRA_ASSIGN_OR_RETURN(PodContainers pod,
                                                                    ParsePodContainers(item));
                                             pods.push_back(std::move(pod));
                                             return {};
                                           }));
    return pods;
  }

  // With where it happened, and what a 403 asks for.
  Error Explained(Error error, const char* right) const {
    if (error.code == ErrorCode::kForbidden)
      error.message +=
          fmt::format("; you need the right to {} in namespace {} there", right, place_.job.ns);
    return std::move(error).WithContext(
        fmt::format("worker {} (context {})", place_.worker, context_));
  }

  const JobPlace& place_;
  const std::string context_;
  const std::chrono::milliseconds timeout_;
  OwnConnection connection_;
};

Result<config::KubeAccess> ContextFor(const std::string& worker, ContextChoice choice) {
  if (choice.context.empty()) choice.context = worker;
  Result<config::KubeAccess> access = FindContext(choice);
  if (access) return access;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("your context for worker {}: {}; --worker-context names another one",
                          worker, access.error().message));
}

std::string WhyNoPods(const JobPlace& place) {
  if (place.is_there)
    return fmt::format("{0} has no pods on {1} now: it is {2} there; fedra why {0} says more",
                       place.job.ToString(), place.worker, place.state);
  return fmt::format(
      "{0} was on {1} last and has no pods there any more: they go with the copy of a job that has "
      "ended or moved; fedra history {0} has the last lines where dispatch.failureLogLines is set",
      place.job.ToString(), place.worker);
}

// What concerns one container only: it waits, its pod is gone, its node does not answer.
bool IsOfOneContainer(ErrorCode code) {
  return code == ErrorCode::kInvalid || code == ErrorCode::kNotFound ||
         code == ErrorCode::kUnavailable || code == ErrorCode::kTooLarge;
}

// kUnknown: some could not be read.
Result<int> PrintAll(const std::vector<LogSource>& sources, CallerOnWorker& worker,
                     const LogsOptions& options, Terminal& terminal) {
  int code = 0;
  for (const LogSource& source : sources) {
    const std::string name = fmt::format("[{}/{}] ", source.pod, source.container);
    const Result<std::string> log = worker.Log(source, options);
    if (!log && !IsOfOneContainer(log.error().code)) return Fail(log.error());
    if (!log) {
      code = kUnknown;
      terminal.err << text::Printable(name + log.error().message, terminal.utf8) << "\n";
      continue;
    }
    terminal.out << LogText(*log, {.prefix = sources.size() > 1 ? name : "",
                                   .terminal = terminal.out_is_tty,
                                   .utf8 = terminal.utf8})
                 << std::flush;
    if (!terminal.out) return code;  // the command line says why
  }
  return code;
}

Result<nlohmann::ordered_json> ReportOf(ViewOptions view, const Terminal& terminal) {
  view.format = "json";
  FEDRA_ASSIGN_OR_RETURN(
      const text::Output output,
      RenderOnce(view, terminal, RenderBy(api::View::kJob, view, view.names.front())));
  return nlohmann::ordered_json::parse(output.out, nullptr, /*allow_exceptions=*/false);
}

Result<int> ReadLogs(const JobPlace& place, const LogsOptions& options, Terminal& terminal) {
  FEDRA_ASSIGN_OR_RETURN(const std::chrono::milliseconds timeout, ParseDuration(options.timeout));
  FEDRA_ASSIGN_OR_RETURN(const PodQuestion question,
                         QuestionFor(KindsIn(options.config), place.kind, place.job));
  FEDRA_ASSIGN_OR_RETURN(const config::KubeAccess access, ContextFor(place.worker, options.worker));
  CallerOnWorker worker(place, access, timeout);
  FEDRA_ASSIGN_OR_RETURN(std::vector<PodContainers> pods, worker.Pods(question));
  if (pods.empty()) {
    terminal.err << text::Printable("fedra logs: " + WhyNoPods(place), terminal.utf8) << "\n";
    return kNothingToRead;
  }
  FEDRA_ASSIGN_OR_RETURN(const std::vector<LogSource> sources,
                         SourcesIn(std::move(pods), {options.pod, options.container}));
  return PrintAll(sources, worker, options, terminal);
}

}  // namespace

int Logs(const LogsOptions& options, Terminal& terminal) {
  const auto report = ReportOf(options.view, terminal);
  if (!report) return Failed("logs", report.error(), terminal);
  const Result<JobPlace> place = PlaceOf(*report);
  if (!place) {
    Failed("logs", place.error(), terminal);
    return place.error().code == ErrorCode::kNotFound ? kNothingToRead : kFailed;
  }
  const Result<int> code = ReadLogs(*place, options, terminal);
  return code ? *code : Failed("logs", code.error(), terminal);
}

}  // namespace fedra::cli
