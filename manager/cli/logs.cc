// fedra logs: what a job's pods print.

#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/time.h"
#include "config/load.h"
#include "manager/cli/commands.h"
#include "manager/cli/join.h"
#include "manager/cli/logs/arrivals.h"
#include "manager/cli/logs/caller_on_worker.h"
#include "manager/cli/logs/job_place.h"
#include "manager/cli/logs/log_text.h"
#include "manager/cli/logs/pod_choice.h"
#include "manager/cli/rendered_view.h"
#include "manager/cli/terminal/checked_output.h"
#include "manager/kind_settings.h"
#include "manager/text/display_text.h"

namespace fedra::cli {
namespace {

// Each is a stream of one connection, and a log file that a kubelet keeps open.
constexpr size_t kMostFollowed = 20;
constexpr size_t kMaxUnread = size_t{16} << 20;          // of what is followed
constexpr std::chrono::milliseconds kLookAtOutput{500};  // whether standard output is still read

// Those of the configuration that this user can read, and all that fedra knows by itself: whether
// the daemon runs pods does not matter here.
tracking::JobKinds KindsIn(const std::string& config) {
  std::vector<tracking::KindRow> rows;
  if (const auto loaded = config::Load(config, config::OptionsNow(/*manager_may_fail=*/true)))
    for (const config::KindSettings& kind : loaded->configuration.kinds)
      rows.push_back(ToRow(kind));
  return tracking::JobKinds(std::move(rows), /*pods=*/true);
}

Result<config::KubeAccess> ContextFor(const std::string& worker, ContextChoice choice) {
  if (choice.context.empty()) choice.context = worker;
  Result<config::KubeAccess> access = FindContext(choice);
  if (access) return access;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("your context for worker {}: {}; --worker-context names another one, "
                          "--kubeconfig another file",
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
    const Result<std::string> log = worker.Log(source, options.tail, options.limit_bytes);
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

// Prints what followed containers print.
class Following final {
 public:
  Following(const std::vector<LogSource>& sources, CallerOnWorker& worker,
            const LogsOptions& options, Terminal& terminal)
      : sources_(sources),
        worker_(worker),
        terminal_(terminal),
        arrivals_(std::make_shared<Arrivals>(sources.size(), kMaxUnread)),
        cutters_(sources.size()),
        open_(sources.size()) {
    for (size_t i = 0; i < sources.size(); ++i)
      worker.Follow(sources[i], options.tail, i, arrivals_);
  }

  // Until all have ended, or standard output is not read any more. kUnknown: one ended before its
  // container.
  Result<int> Run() {
    while (open_ > 0) {
      for (const Arrival& arrival : arrivals_->Take(kLookAtOutput))
        FEDRA_RETURN_IF_ERROR(Print(arrival));
      terminal_.out << std::flush;
      if (!terminal_.out || !WaitWhileRead(0)) break;
    }
    return code_;
  }

 private:
  Result<void> Print(const Arrival& arrival) {
    const LogSource& source = sources_[arrival.stream];
    const std::string name = fmt::format("[{}/{}] ", source.pod, source.container);
    std::string lines = cutters_[arrival.stream].Cut(arrival.bytes);
    if (arrival.ends()) lines += cutters_[arrival.stream].Rest();
    terminal_.out << LogText(lines, {.prefix = sources_.size() > 1 ? name : "",
                                     .terminal = terminal_.out_is_tty,
                                     .utf8 = terminal_.utf8});
    if (!arrival.ends()) return {};
    --open_;
    if (arrival.reply && arrival.reply->ok()) return {};
    const std::string why = arrival.overflow
                                ? std::string("it prints faster than this output is read: left off")
                                : worker_.WhyEnded(*arrival.reply).message;
    if (arrival.reply && IsRefused(*arrival.reply)) return Fail(worker_.WhyEnded(*arrival.reply));
    code_ = kUnknown;
    terminal_.err << text::Printable(name + why, terminal_.utf8) << "\n" << std::flush;
    return {};
  }

  static bool IsRefused(const http::Reply& reply) {
    return !reply.failure && (reply.status == 401 || reply.status == 403);
  }

  const std::vector<LogSource>& sources_;
  CallerOnWorker& worker_;
  Terminal& terminal_;
  const std::shared_ptr<Arrivals> arrivals_;  // shared with streams, which end when they end
  std::vector<LineCutter> cutters_;           // by source, as the others
  size_t open_;                               // that have not ended
  int code_ = 0;
};

Result<int> FollowAll(const std::vector<LogSource>& sources, CallerOnWorker& worker,
                      const LogsOptions& options, Terminal& terminal) {
  if (sources.size() > kMostFollowed)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("of {} containers, at most {} can be followed at a time: choose by "
                            "--pod or --container",
                            sources.size(), kMostFollowed));
  return Following(sources, worker, options, terminal).Run();
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
  return options.follow ? FollowAll(sources, worker, options, terminal)
                        : PrintAll(sources, worker, options, terminal);
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
