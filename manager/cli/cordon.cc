#include "manager/cli/cordon.h"

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "base/utf8.h"
#include "config/configuration.h"
#include "config/names.h"
#include "manager/cli/commands.h"
#include "manager/cli/join.h"
#include "manager/cli/membership/member_clusters.h"
#include "manager/text/display_text.h"
#include "manager/tracking/admission_check.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"
#include "manager/verify/check_scope.h"

namespace fedra::cli {
namespace {

constexpr std::array kCommands = {"cordon", "drain", "uncordon"};

const char* CommandOf(const CordonOptions& options) {
  return kCommands[static_cast<size_t>(options.wanted)];
}

using CheckPtr = std::shared_ptr<const tracking::AdmissionCheck>;

bool MayBeServed(const tracking::AdmissionCheck& check) {
  return check.controller_name == tracking::kMultiKueueController ||
         check.controller_name == config::KueueSettings().controller_name;
}

// Those to annotate: a check that is cordoned and not meant any more counts as well.
Result<std::vector<std::string>> Chosen(const std::vector<CheckPtr>& all,
                                        const CordonOptions& options) {
  std::vector<std::string> names;
  const ClusterName worker(options.worker);
  for (const CheckPtr& check : all) {
    const bool is_named = std::ranges::find(options.checks, check->name) != options.checks.end();
    const bool is_meant = options.wanted == Service::kRestored
                              ? check->cordons.contains(worker)
                              : options.checks.empty() && MayBeServed(*check);
    if (is_named || is_meant) names.push_back(check->name);
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

bool MeansCheck(const tracking::AdmissionCheck& check, const CordonOptions& options) {
  if (options.checks.empty()) return MayBeServed(check);
  return std::ranges::find(options.checks, check.name) != options.checks.end();
}

// Whether a check that is meant has such a worker. One that is cordoned already may have left it.
// Nothing is refused where a check allows all that fedra is configured with, which the manager
// does not know, or where its workers cannot be read: `unsure` is the check then.
Result<void> CheckWorker(const ManagerChecks& manager, const std::vector<CheckPtr>& all,
                         const CordonOptions& options, std::string& unsure) {
  std::set<std::string> known;
  for (const CheckPtr& check : all) {
    if (check->cordons.contains(ClusterName(options.worker))) return {};
    if (!MeansCheck(*check, options)) continue;
    const verify::CheckScope scope = manager.ScopeOf(*check);
    if (scope.all || !scope.problem.empty()) unsure = check->name;
    known.insert(scope.names.begin(), scope.names.end());
  }
  if (known.contains(options.worker)) {
    unsure.clear();
    return {};
  }
  if (!unsure.empty() || known.empty()) return {};
  const std::string closest =
      config::ClosestName(options.worker, std::vector<std::string>(known.begin(), known.end()));
  const std::string hint = closest.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                           : fmt::format("did you mean {}?", closest);
  return Fail(ErrorCode::kNotFound, fmt::format("no AdmissionCheck of fedra's has a worker {}; {}",
                                                options.worker, hint));
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
  std::string unsure;
  FEDRA_RETURN_IF_ERROR(CheckWorker(known, all, options, unsure));
  if (checks.empty()) {
    terminal.err << options.worker << " is in service: nothing to do\n";
    return {};
  }
  for (const std::string& check : checks)
    FEDRA_RETURN_IF_ERROR(
        known.manager().MergePatch(tracking::kAdmissionChecks, {"", check}, PatchOf(options), {}));
  if (!unsure.empty())
    terminal.err << text::Printable(
                        fmt::format("(whether there is a worker {} is not known: AdmissionCheck {} "
                                    "names none on the manager)",
                                    options.worker, unsure),
                        terminal.utf8)
                 << "\n";
  constexpr std::array kOutcomes = {
      "is cordoned: it gets no new jobs, and those that run there stay",
      "is drained: it gets no new jobs, and those that run there move to other workers",
      "is in service again"};
  terminal.err << text::Printable(
                      fmt::format("{} {} (AdmissionCheck {}); fedra status workers shows it",
                                  options.worker, kOutcomes[static_cast<size_t>(options.wanted)],
                                  fmt::join(checks, ", ")),
                      terminal.utf8)
               << "\n";
  return {};
}

}  // namespace

int Cordon(const CordonOptions& options, Terminal& terminal) {
  const Result<void> changed = Change(options, terminal);
  return changed ? 0 : Failed(CommandOf(options), changed.error(), terminal);
}

}  // namespace fedra::cli
