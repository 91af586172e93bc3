#include "manager/cli/cordon.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "base/utf8.h"
#include "manager/cli/commands.h"
#include "manager/cli/join.h"
#include "manager/cli/known_workers.h"
#include "manager/cli/membership/member_clusters.h"
#include "manager/text/display_text.h"
#include "manager/tracking/admission_check.h"
#include "manager/tracking/resources.h"

namespace fedra::cli {
namespace {

constexpr std::array kCommands = {"cordon", "drain", "uncordon"};

const char* CommandOf(const CordonOptions& options) {
  return kCommands[static_cast<size_t>(options.wanted)];
}

bool IsNamed(const tracking::AdmissionCheck& check, const CordonOptions& options) {
  return std::ranges::find(options.checks, check.name) != options.checks.end();
}

bool MeansCheck(const tracking::AdmissionCheck& check, const CordonOptions& options) {
  return options.checks.empty() ? MayBeServed(check) : IsNamed(check, options);
}

// Those to annotate: a check that is cordoned and not meant any more counts as well.
Result<std::vector<std::string>> Chosen(const std::vector<CheckPtr>& all,
                                        const CordonOptions& options) {
  std::vector<std::string> names;
  const ClusterName worker(options.worker);
  for (const CheckPtr& check : all) {
    const bool is_chosen = options.wanted == Service::kRestored
                               ? IsNamed(*check, options) || check->cordons.contains(worker)
                               : MeansCheck(*check, options);
    if (is_chosen) names.push_back(check->name);
  }
  for (const std::string& name : options.checks)
    if (std::ranges::find(names, name) == names.end())
      return Fail(ErrorCode::kNotFound, fmt::format("the manager has no AdmissionCheck {}", name));
  if (names.empty() && options.wanted != Service::kRestored)
    return Fail(ErrorCode::kNotFound,
                "the manager has no AdmissionCheck of fedra's (docs/kueue-setup.md); one with "
                "another controllerName is named by --check");
  return names;
}

// The checks that may name the worker. One that is cordoned already may have left them.
std::vector<CheckPtr> MeantChecks(const std::vector<CheckPtr>& all, const CordonOptions& options) {
  std::vector<CheckPtr> meant;
  for (const CheckPtr& check : all)
    if (MeansCheck(*check, options)) meant.push_back(check);
  return meant;
}

// What was done, and what is to be said of a worker that there is not, or that may not be.
void Tell(const CordonOptions& options, const std::vector<std::string>& checks,
          const KnownWorkers& known, Terminal& terminal) {
  constexpr std::array kOutcomes = {
      "is cordoned: it gets no new jobs, and those that run there stay",
      "is drained: it gets no new jobs, and those that run there move to other workers",
      "is in service again"};
  const std::string& worker = options.worker;
  const auto say = [&](const std::string& text) {
    terminal.err << text::Printable(text, terminal.utf8) << "\n";
  };
  const std::string where = fmt::format("(AdmissionCheck {})", fmt::join(checks, ", "));
  if (known.Lacks(worker) && options.wanted == Service::kRestored)
    return say(
        fmt::format("there is no worker {} any more; its cordon is removed {}", worker, where));
  say(fmt::format("{} {} {}; fedra status workers shows it", worker,
                  kOutcomes[static_cast<size_t>(options.wanted)], where));
  if (known.Lacks(worker)) {
    say(fmt::format("(there is no worker {0} any more: fedra uncordon {0} removes its cordon)",
                    worker));
  } else if (!known.is_complete && !known.unsure.empty() && !known.names.contains(worker)) {
    say(
        fmt::format("(whether there is a worker {} is not known: AdmissionCheck {} names none on "
                    "the manager)",
                    worker, known.unsure));
  }
}

std::string PatchOf(const CordonOptions& options) {
  const auto key = [&](std::string_view prefix) { return std::string(prefix) + options.worker; };
  const auto value = [&](Service service) {
    return options.wanted == service ? nlohmann::json(options.reason) : nlohmann::json(nullptr);
  };
  return nlohmann::json{{"metadata",
                         {{"annotations",
                           {{key(tracking::kCordonPrefix), value(Service::kCordoned)},
                            {key(tracking::kDrainPrefix), value(Service::kDrained)}}}}}}
      .dump();
}

Result<void> Change(const CordonOptions& options, Terminal& terminal) {
  FEDRA_RETURN_IF_ERROR(IsWorkerName(options.worker));
  if (options.reason.size() > tracking::kMaxCordonReason || !IsUtf8(options.reason))
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--reason: at most {} bytes of text", tracking::kMaxCordonReason));
  FEDRA_ASSIGN_OR_RETURN(const std::chrono::milliseconds timeout, ParseDuration(options.timeout));
  FEDRA_ASSIGN_OR_RETURN(const config::KubeAccess access, FindManagerContext(options.manager));
  ManagerChecks known(MemberSettings("the manager", access), timeout, terminal);
  FEDRA_ASSIGN_OR_RETURN(const std::vector<CheckPtr> all, known.All());
  FEDRA_ASSIGN_OR_RETURN(const std::vector<std::string> checks, Chosen(all, options));
  const KnownWorkers workers =
      FindWorkers(known, MeantChecks(all, options), DaemonHere::Find(options.config, access));
  const auto is_recorded = [&](const CheckPtr& check) {
    return check->cordons.contains(ClusterName(options.worker));
  };
  if (workers.Lacks(options.worker) && std::ranges::none_of(all, is_recorded))
    return Fail(workers.NoWorker(options.worker));
  if (checks.empty()) {
    terminal.err << options.worker << " is in service: nothing to do\n";
    return {};
  }
  for (const std::string& check : checks)
    FEDRA_RETURN_IF_ERROR(
        known.manager().MergePatch(tracking::kAdmissionChecks, {"", check}, PatchOf(options), {}));
  Tell(options, checks, workers, terminal);
  return {};
}

}  // namespace

int Cordon(const CordonOptions& options, Terminal& terminal) {
  const Result<void> changed = Change(options, terminal);
  return changed ? 0 : Failed(CommandOf(options), changed.error(), terminal);
}

}  // namespace fedra::cli
