#include "manager/cli/job_request.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/time.h"
#include "cluster-clients/kube/json_object.h"
#include "cluster-clients/kube/verbs.h"
#include "cluster-clients/own_connection.h"
#include "manager/cli/commands.h"
#include "manager/cli/join.h"
#include "manager/cli/known_workers.h"
#include "manager/placement/move.h"
#include "manager/report/job_name.h"
#include "manager/text/display_text.h"
#include "manager/tracking/cancel_move.h"
#include "manager/tracking/job_requests.h"
#include "manager/tracking/resources.h"
#include "manager/tracking/workload.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

using tracking::Workload;

// Of one namespace.
constexpr size_t kMostWorkloads = 200'000;
constexpr size_t kMaxPage = size_t{256} << 20;

// Workloads that a name may mean.
struct Found {
  std::vector<Workload> living;  // have not ended
  bool has_ended = false;        // one of them has
  bool first_ended = false;      // and decided for those that follow it, if some do

  void Add(Workload workload) {
    has_ended |= workload.Finished();
    first_ended |= workload.Finished() && !workload.follows;
    if (!workload.Finished() && !workload.deleting) living.push_back(std::move(workload));
  }
};

// The manager's API server, asked as the caller.
class CallerOnManager final {
 public:
  CallerOnManager(const config::KubeAccess& access, std::chrono::milliseconds timeout)
      : context_(access.context),
        timeout_(timeout),
        connection_(ToAccess(access), {.max_response_bytes = kMaxPage}, SystemClock()) {}

  // Those that the name may mean and that have not ended. kNotFound: there is none.
  Result<Found> Find(const report::JobName& name) {
    Found found;
    const Result<void> listed =
        connection_.List(tracking::kWorkloads, {.ns = name.key.ns}, kMostWorkloads, timeout_,
                         [&](std::string_view item) -> Result<void> {
                           FEDRA_ASSIGN_OR_RETURN(Workload workload, Parse(item));
                           if (IsMeant(workload, name)) found.Add(std::move(workload));
                           return {};
                         });
    if (!listed) return Fail(Explained(listed.error(), "list", name.key.ns));
    if (!found.living.empty()) return found;
    return Fail(ErrorCode::kNotFound,
                found.has_ended
                    ? fmt::format("{} has ended", name.key.ToString())
                    : fmt::format("the manager{} has no Workload of a job {}, nor one of that name",
                                  Where(), name.key.ToString()));
  }

  // The Workload of this name, if it has not ended. Nothing: there is none, or the caller may not
  // ask for it.
  std::optional<Found> Get(const ObjectKey& key) {
    const Result<std::string> object =
        connection_.Call(kube::Get(tracking::kWorkloads, key), timeout_);
    if (!object) return std::nullopt;
    Result<Workload> workload = Parse(*object);
    if (!workload) return std::nullopt;
    Found found;
    found.Add(*std::move(workload));
    return found.living.empty() ? std::nullopt : std::optional(std::move(found));
  }

  // By the manager's clock, which other times are compared with; the caller's may be wrong. An
  // answer has whole seconds, so within the second that it tells ours is the better one.
  WallTime Now() const {
    const WallTime ours = SystemClock().Now();
    const std::optional<WallTime> theirs = connection_.ServerTime();
    return theirs ? std::clamp(ours, *theirs, *theirs + std::chrono::seconds(1)) : ours;
  }

  Result<void> Annotate(const Workload& workload, std::string patch) {
    const Result<std::string> written =
        connection_.Call(kube::MergePatch(tracking::kWorkloads, workload.key, {}, std::move(patch),
                                          {.field_manager = "fedra-cli"}),
                         timeout_);
    if (!written) return Fail(Explained(written.error(), "patch", workload.key.ns));
    return {};
  }

 private:
  static Result<Workload> Parse(std::string_view text) {
    const auto object = kube::ParseObject(text);
    if (!object) return Fail(ErrorCode::kBadResponse, "a Workload is not a JSON object");
    return tracking::ParseClone(*object);
  }

  static bool IsMeant(const Workload& workload, const report::JobName& name) {
    if (workload.key == name.key) return true;
    return workload.owner.name == name.key.name &&
           (name.kind.empty() || report::IsKind(name.kind, workload.owner.kind));
  }

  std::string Where() const {
    return context_.empty() ? std::string() : fmt::format(" (context {})", context_);
  }

  Error Explained(Error error, const char* verb, const std::string& ns) const {
    if (error.code == ErrorCode::kForbidden)
      error.message += fmt::format(
          "; you need the right to {} workloads.kueue.x-k8s.io in namespace {} there", verb, ns);
    return std::move(error).WithContext("the manager" + Where());
  }

  const std::string context_;
  const std::chrono::milliseconds timeout_;
  OwnConnection connection_;
};

// "jobset/ml/train", as it may be named.
std::string KindAndNameOf(const Workload& workload) {
  return fmt::format("{}/{}/{}", report::KindWord(workload.owner.kind), workload.key.ns,
                     workload.owner.name);
}

// Of several Workloads of one job the first decides for all; these are others.
Error OnlyFollow(const std::vector<Workload>& followers, bool first_ended) {
  std::set<std::string> names, jobs;
  for (const Workload& each : followers) {
    names.insert(each.key.ToString());
    jobs.insert(KindAndNameOf(each));
  }
  Error error;
  error.code = ErrorCode::kInvalidArgument;
  error.message = fmt::format("{} follow{} another Workload of the job, which decides for all: {}",
                              fmt::join(names, ", "), names.size() == 1 ? "s" : "",
                              first_ended ? std::string("that one has ended")
                                          : fmt::format("name {}", fmt::join(jobs, ", ")));
  return error;
}

// The one that decides for the job. kInvalidArgument: it is not clear which is meant, or none does.
Result<Workload> TheOne(Found all) {
  std::vector<Workload>& found = all.living;
  const auto others = std::ranges::stable_partition(found, std::not_fn(&Workload::follows));
  if (others.begin() == found.begin()) return Fail(OnlyFollow(found, all.first_ended));
  found.erase(others.begin(), found.end());
  if (found.size() == 1) return std::move(found.front());
  std::set<std::string> names;
  for (const Workload& each : found) names.insert(KindAndNameOf(each));
  if (names.size() < found.size()) {
    names.clear();
    for (const Workload& each : found) names.insert("workload/" + each.key.ToString());
  }
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("it is not clear which is meant: choose one of {}", fmt::join(names, ", ")));
}

Result<Workload> FindWorkload(CallerOnManager& manager, const JobRequestOptions& options) {
  FEDRA_ASSIGN_OR_RETURN(std::vector<report::JobName> names,
                         report::ParseWorkloadName(options.job, options.ns));
  std::erase_if(names, [](const report::JobName& name) { return name.key.ns.empty(); });
  if (names.empty())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" names no namespace: write NAMESPACE/NAME, or -n NAMESPACE",
                            options.job));
  // Named itself, it is not looked for among all.
  const size_t slash = options.job.find('/');
  if (slash != std::string::npos && report::IsAnyKind(options.job.substr(0, slash)))
    if (std::optional<Found> named = manager.Get(names.back().key))
      return TheOne(*std::move(named));
  // "job/train" may be of namespace "job", which the caller may not list.
  std::optional<Error> first;
  for (const report::JobName& name : names) {
    Result<Found> found = manager.Find(name);
    if (found) return TheOne(*std::move(found));
    if (!first) first = std::move(found).error();
  }
  return Fail(*std::move(first));
}

// "ml/train"; of a Workload without an owner its own name.
std::string JobOf(const Workload& workload) {
  const std::string& name = workload.owner.name;
  return ObjectKey{workload.key.ns, name.empty() ? workload.key.name : name}.ToString();
}

void Say(const std::string& text, Terminal& terminal) {
  terminal.err << text::Printable(text, terminal.utf8) << "\n";
}

Result<void> AskForRetry(const JobRequestOptions& options, Terminal& terminal) {
  FEDRA_ASSIGN_OR_RETURN(const std::chrono::milliseconds timeout, ParseDuration(options.timeout));
  FEDRA_ASSIGN_OR_RETURN(const config::KubeAccess access, FindManagerContext(options.manager));
  CallerOnManager manager(access, timeout);
  FEDRA_ASSIGN_OR_RETURN(const Workload workload, FindWorkload(manager, options));
  const std::string job = JobOf(workload);
  if (!workload.cluster_name.empty()) {
    Say(fmt::format("{} runs on {}: nothing to do", job, workload.cluster_name), terminal);
    return {};
  }
  const auto here = DaemonHere::Find(options.config, access);
  if (here && here->HasFailed(workload) == false) {
    Say(fmt::format("no worker has failed {0}, so there is nothing to forget; fedra why {0} says "
                    "what it waits for",
                    job),
        terminal);
    return {};
  }
  FEDRA_RETURN_IF_ERROR(
      manager.Annotate(workload, tracking::RetryPatch(workload.uid, manager.Now())));
  Say(fmt::format("workers that have failed {0} may be tried again now (Workload {1}); fedra why "
                  "{0} says how it goes on",
                  job, workload.key.name),
      terminal);
  return {};
}

// Later than the job's beginning on its worker, or the move would be over. Its times have whole
// seconds.
WallTime AskedAt(const Workload& workload, WallTime now) {
  WallTime began = workload.quota_reserved ? workload.quota_reserved->since : WallTime{};
  for (const tracking::AdmissionCheckState& check : workload.checks)
    began = std::max(began, check.since);
  return std::max(now, began + std::chrono::seconds(1));
}

// kNotFound: there is certainly no such worker, or it was removed. The caller may not be allowed to
// list AdmissionChecks.
Result<void> CheckTarget(const MoveOptions& options, const config::KubeAccess& access,
                         const Workload& workload, std::chrono::milliseconds timeout,
                         Terminal& terminal) {
  const ManagerChecks checks(MemberSettings("the manager", access), timeout, terminal);
  std::vector<CheckPtr> meant;
  if (const auto all = checks.All()) {
    for (const CheckPtr& check : *all)
      if (MayBeServed(*check) && workload.Check(check->name) != nullptr) meant.push_back(check);
  }
  const KnownWorkers known =
      FindWorkers(checks, meant, DaemonHere::Find(options.request.config, access));
  if (known.Lacks(options.to)) return Fail(known.NoWorker(options.to));
  if (!known.removed.contains(options.to)) return {};
  return Fail(
      ErrorCode::kNotFound,
      fmt::format("{} was removed from the configuration, and gets no jobs any more", options.to));
}

Result<void> AskForMove(const MoveOptions& options, Terminal& terminal) {
  if (!options.to.empty()) FEDRA_RETURN_IF_ERROR(IsWorkerName(options.to));
  FEDRA_ASSIGN_OR_RETURN(const std::chrono::milliseconds timeout,
                         ParseDuration(options.request.timeout));
  FEDRA_ASSIGN_OR_RETURN(const config::KubeAccess access,
                         FindManagerContext(options.request.manager));
  CallerOnManager manager(access, timeout);
  FEDRA_ASSIGN_OR_RETURN(const Workload workload, FindWorkload(manager, options.request));
  const std::string job = JobOf(workload);
  if (options.cancel) {
    FEDRA_RETURN_IF_ERROR(manager.Annotate(workload, tracking::CancelMovePatch(workload.uid)));
    Say(fmt::format("no move is asked of {} any more (Workload {})", job, workload.key.name),
        terminal);
    return {};
  }
  const std::string& from = workload.cluster_name;
  if (from.empty())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{0} is on no worker, so there is nothing to move: fedra why {0} says "
                            "what it waits for",
                            job));
  if (from == options.to) {
    Say(fmt::format("{} is on {}: nothing to do", job, from), terminal);
    return {};
  }
  if (!options.to.empty())
    FEDRA_RETURN_IF_ERROR(CheckTarget(options, access, workload, timeout, terminal));
  const tracking::MoveRequest move{
      .at = AskedAt(workload, manager.Now()), .from = from, .to = options.to};
  FEDRA_RETURN_IF_ERROR(manager.Annotate(workload, tracking::MovePatch(workload.uid, move)));
  Say(fmt::format(
          "{0} is to be moved from {1} to {2} (Workload {3}): it is taken back as soon as "
          "that can take it, within {4} minutes, unless Kueue has it (kueue.mode "
          "dispatcher); fedra why {0} says how it goes on, fedra move {0} --cancel takes the "
          "request back",
          job, from, options.to.empty() ? "another worker" : options.to, workload.key.name,
          placement::kMoveStands.count()),
      terminal);
  return {};
}

}  // namespace

int Move(const MoveOptions& options, Terminal& terminal) {
  const Result<void> asked = AskForMove(options, terminal);
  return asked ? 0 : Failed("move", asked.error(), terminal);
}

int Retry(const JobRequestOptions& options, Terminal& terminal) {
  const Result<void> asked = AskForRetry(options, terminal);
  return asked ? 0 : Failed("retry", asked.error(), terminal);
}

}  // namespace fedra::cli
