#include "manager/cli/fleet/daemon_check.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "manager/api/withhold.h"
#include "manager/cli/fleet/check_run.h"
#include "manager/cli/fleet/job_scopes.h"
#include "manager/text/display_text.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

constexpr size_t kMostOfName = 300;  // bytes

// What does not change while the daemon runs.
struct CheckSetup {
  reconcile::Federation& federation;
  store::Store& store;
  tracking::JobKindsPtr kinds;
  verify::Rules rules;
  std::string controller_name;
  tracking::Identity us;
  bool kueue_copies = false;
  const Clock& clock;
  const std::shared_ptr<std::atomic<bool>> ends = std::make_shared<std::atomic<bool>>(false);
};

Result<void> IsServed(const CheckSetup& setup) {
  if (setup.ends->load()) return Fail(ErrorCode::kUnavailable, "the daemon ends");
  return {};
}

FleetWorkerSettings JudgedSettings(const reconcile::Worker& worker, const CheckSetup& setup,
                                   bool claims_only) {
  const reconcile::WorkerSettings& settings = worker.settings();
  return {.name = settings.cluster.name,
          .us = setup.us,
          .verified = settings.verified,
          .rules = setup.rules,
          .capabilities = settings.capabilities,
          .claims_only = claims_only};
}

JobScopes ScopesOf(const CheckSetup& setup) {
  const reconcile::ManagerCluster& manager = setup.federation.manager();
  return {setup.controller_name,
          {.checks = manager.checks(),
           .configs = manager.configs(),
           .queue =
               [&manager](const ObjectKey& local_queue) {
                 return manager.queues().Find(manager.queues().ClusterQueueOf(local_queue));
               },
           .worker_clusters = setup.kueue_copies ? &manager.worker_clusters() : nullptr}};
}

ManagerFacts FactsOfManager(const reconcile::ManagerCluster& manager, const CheckInput& input,
                            const JobScopes& scopes) {
  ManagerFacts facts;
  const auto& templates = manager.templates().cache();
  if (templates.health().complete) facts.templates = &templates;
  facts.uid = manager.identity().uid();
  for (const tracking::JobAdapter* kind : KindsOf(input))
    facts.references[kind] = &manager.jobs().references(*kind);
  facts.why_not_allowed = [&scopes](const tracking::Requirement& job, const ClusterName& worker) {
    return scopes.WhyNotAllowed(job, worker);
  };
  return facts;
}

std::string TooManyVerdicts(size_t jobs, size_t workers) {
  return fmt::format("{} on {} are too many at once: send fewer, or name workers",
                     Counted(jobs, "job"), Counted(workers, "worker"));
}

// Those that are configured and were asked for; of the others the claims where these matter.
Result<void> AddWorkers(const reconcile::WorkerList& workers, const api::CheckRequest& asked,
                        const CheckInput& input, const CheckSetup& setup, const ManagerFacts& facts,
                        Fleet& fleet) {
  std::vector<std::string> known;
  for (const auto& worker : workers) {
    const std::string& name = worker->name().value;
    const bool is_removed = workers.removed().contains(worker->name());
    if (!is_removed) known.push_back(name);
    const bool is_other = is_removed || (!asked.workers.empty() && !Contains(asked.workers, name));
    if (is_other && !NameClaims(input)) continue;
    FleetWorkers& list = is_other ? fleet.others : fleet.workers;
    list.push_back(std::make_unique<FleetWorker>(JudgedSettings(*worker, setup, is_other),
                                                 worker->objects(), worker->Facts()));
    list.back()->SetManager(facts);
  }
  for (const std::string& name : asked.workers)
    if (!Contains(known, name))
      return Fail(WrongOption("worker", "there is no such worker", Cut(name, kMostOfName)));
  if (fleet.workers.empty())
    return Fail(ErrorCode::kUnavailable, "no worker is known yet: nothing can be judged");
  if (input.jobs.size() * fleet.workers.size() > kMostVerdicts)
    return Fail(ErrorCode::kInvalidArgument,
                TooManyVerdicts(input.jobs.size(), fleet.workers.size()));
  return {};
}

// Kinds of which the daemon reads no jobs.
std::vector<std::string> UnwatchedKinds(const CheckInput& input,
                                        const reconcile::ManagerCluster& manager) {
  const std::vector<const tracking::JobAdapter*> used = manager.jobs().KindsInUse();
  std::set<std::string> unread;
  for (const tracking::JobAdapter* kind : KindsOf(input))
    if (std::ranges::find(used, kind) == used.end()) unread.insert(kind->resource().kind);
  std::vector<std::string> lines;
  for (const std::string& kind : unread)
    lines.push_back(
        fmt::format("{}: the manager does not serve this kind, so the daemon watches none", kind));
  return lines;
}

// A request, read.
struct SentManifests {
  api::CheckRequest asked;
  std::vector<Manifest> manifests;  // of its files
};

Result<text::Output> AnswerCheck(const CheckSetup& setup, const SentManifests& sent,
                                 const api::CheckForm& form, const api::Viewer& viewer) {
  FEDRA_RETURN_IF_ERROR(IsServed(setup));
  const SteadyTime until = setup.clock.Steady() + kMostTime;
  const api::CheckRequest& asked = sent.asked;
  FEDRA_ASSIGN_OR_RETURN(CheckInput input,
                         CheckInputOf(sent.manifests, asked.files, *setup.kinds, asked.ns));
  const JobScopes scopes = ScopesOf(setup);
  const reconcile::ManagerCluster& manager = setup.federation.manager();
  const ManagerFacts facts = FactsOfManager(manager, input, scopes);
  const auto workers = setup.federation.workers();  // they stay until all is judged
  Fleet fleet;
  fleet.as_of = form.as_of;
  FEDRA_RETURN_IF_ERROR(AddWorkers(*workers, asked, input, setup, facts, fleet));
  FEDRA_ASSIGN_OR_RETURN(const auto memory, setup.store.Read());
  FEDRA_ASSIGN_OR_RETURN(const auto hidden, api::HiddenFrom(viewer, *memory));
  const JudgeOptions judge{.judge = Judge::kDaemon,
                           .ns = asked.ns,
                           .tells_of_workers = viewer.fleet,
                           .goes_on = [&]() -> Result<void> {
                             FEDRA_RETURN_IF_ERROR(IsServed(setup));
                             if (setup.clock.Steady() < until) return {};
                             return Fail(ErrorCode::kUnavailable,
                                         TooManyVerdicts(input.jobs.size(), fleet.workers.size()));
                           }};
  FEDRA_ASSIGN_OR_RETURN(Checked checked, JudgeInput(input, judge, fleet, memory.get()));
  const std::vector<std::string> unwatched = UnwatchedKinds(input, manager);
  checked.skipped.insert(checked.skipped.begin(), unwatched.begin(), unwatched.end());
  for (report::JobReport& report : checked.reports) api::Withhold(viewer, hidden, report);
  text::Style style = form.style;
  style.color = style.color && text::IsTable(form.format);
  text::Output output = RenderCheck(input, judge, checked, &fleet.as_of, form.format, style);
  std::vector<std::string> remarks = checked.skipped;
  if (!output.note.empty()) remarks.push_back(std::move(output.note));
  output.note = fmt::format("{}", fmt::join(remarks, "\n"));
  return output;
}

Result<api::ReadCheck> ReadSent(const CheckSetup& setup, api::CheckRequest asked) {
  FEDRA_ASSIGN_OR_RETURN(std::vector<Manifest> manifests, ParseManifests(asked.files, kSentBounds));
  std::set<std::string> namespaces = NamespacesIn(manifests, *setup.kinds, asked.ns);
  const auto sent =
      std::make_shared<const SentManifests>(SentManifests{std::move(asked), std::move(manifests)});
  return api::ReadCheck{std::move(namespaces),
                        [setup, sent](const api::CheckForm& form, const api::Viewer& viewer) {
                          return AnswerCheck(setup, *sent, form, viewer);
                        }};
}

}  // namespace

api::CheckSource DaemonCheck(const config::Configuration& configuration,
                             reconcile::Federation& federation, store::Store& store) {
  return DaemonCheckBy(SystemClock(), configuration, federation, store);
}

api::CheckSource DaemonCheckBy(const Clock& clock, const config::Configuration& configuration,
                               reconcile::Federation& federation, store::Store& store) {
  const CheckSetup setup{.federation = federation,
                         .store = store,
                         .kinds = ToKinds(configuration),
                         .rules = ToRules(configuration.verification),
                         .controller_name = ControllerOf(configuration),
                         .us = ToIdentity(configuration),
                         .kueue_copies = KueueCopies(ToMode(configuration)),
                         .clock = clock};
  return {.read = [setup](api::CheckRequest asked) { return ReadSent(setup, std::move(asked)); },
          .stop = [ends = setup.ends] { ends->store(true); }};
}

}  // namespace fedra::cli
