#include "manager/cli/fleet/daemon_fleet.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "manager/cli/fleet/config_connect.h"
#include "manager/cli/fleet/wait_progress.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

using reconcile::Worker;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks{200};

reconcile::ManagerListener ManagerRaising(FleetSignal& signal) {
  return {.on_kinds = [](const auto&) {},
          .on_workload = [](const ObjectKey&) {},
          .on_progress = [](const ObjectKey&) {},
          .on_siblings = [](const std::vector<ObjectKey>&) {},
          .on_checks = [&signal] { signal.Raise(); },
          .on_check_status = [] {},
          .on_worker_cluster = [](const std::string&) {},
          .on_kueue_reach = [&signal](const ClusterName&) { signal.Raise(); },
          .on_order = [](const std::vector<ObjectKey>&) {},
          .on_queue_checks = [](const std::vector<ObjectKey>&) {},
          .on_template = [](const ObjectKey&) {},
          .on_template_use = [](const ObjectKey&) {},
          .on_templates_health = [&signal] { signal.Raise(); }};
}

reconcile::WorkerListener WorkerRaising(FleetSignal& signal) {
  return {.on_workload = [](const ObjectKey&) {},
          .on_job = [](const tracking::JobKey&) {},
          .on_progress = [](const ObjectKey&) {},
          .on_input = [](const Worker&, const reconcile::InputChange&) {},
          .on_contact = [&signal](const Worker&) { signal.Raise(); }};
}

}  // namespace

DaemonFleet::DaemonFleet(const config::Loaded& loaded, const DaemonFleetOptions& options)
    : options_(options),
      manager_(ToManager(loaded), ToKinds(loaded.configuration), threads_.loop, threads_.pool,
               SystemClock(), ManagerRaising(signal_), KueueCopies(ToMode(loaded.configuration))),
      gatherer_(ToGather(loaded.configuration), manager_, workers_, failures_) {
  if (options.worker_clusters)
    manager_.DiscoverWorkers(ToDiscovery(loaded.configuration.workers_from));
  reconcile::Workers all;
  for (reconcile::WorkerSettings& settings : ToWorkers(loaded)) {
    if (!options.judges) {
      settings.verified.devices.reset();
      settings.verified.dependencies.reset();
      settings.verified.queue_quota = false;
    }
    all.push_back(std::make_shared<Worker>(std::move(settings), threads_.loop, threads_.pool,
                                           SystemClock(), WorkerRaising(signal_)));
  }
  workers_.Publish(reconcile::WorkerList(std::move(all)));
}

DaemonFleet::~DaemonFleet() {
  const auto list = workers_.Now();
  for (const auto& worker : *list) worker->Stop();
  manager_.Stop();
}

void DaemonFleet::Read(milliseconds limit, const Terminal& terminal) {
  manager_.Start();
  const auto list = workers_.Now();
  for (const auto& worker : *list) worker->Start();
  const SteadyTime begin = SystemClock().Steady();
  WaitProgress progress(terminal);
  bool uses_kinds = !options_.judges;
  while (true) {
    // Which kinds the manager has is known when it is listed.
    if (!uses_kinds && manager_.lists().AreListed()) {
      for (const auto& worker : *list) worker->kinds().Use(manager_.jobs().KindsInUse());
      uses_kinds = true;
    }
    const size_t answered = Answered();
    const auto waited = std::chrono::duration_cast<milliseconds>(SystemClock().Steady() - begin);
    if (answered == list->size() + 1 || waited >= limit) break;
    progress.Show(answered, list->size() + 1, waited);
    signal_.Await(kBetweenLooks);
  }
  // Without an answer the origin alone must do.
  if (manager_.lists().AreListed()) (void)manager_.identity().Identify();
}

size_t DaemonFleet::Answered() {
  const ConnectionPhase phase = manager_.cluster().state().phase;
  const auto list = workers_.Now();
  const bool failed = phase != ConnectionPhase::kConnecting && phase != ConnectionPhase::kConnected;
  const bool listed =
      manager_.lists().AreListed() && !manager_.templates().cache().health().IsListing();
  size_t answered = failed || listed ? 1 : 0;
  for (const auto& worker : *list) answered += worker->HasAnswered() ? 1 : 0;
  return answered;
}

std::string DaemonFleet::Problem() {
  const ConnectionState state = manager_.cluster().state();
  if (state.phase != ConnectionPhase::kConnected) return "manager: " + WhyUnusable(state);
  return manager_.lists().AreListed() ? std::string() : "manager: " + manager_.lists().Problem();
}

std::vector<report::UnreadWorker> DaemonFleet::UnreadWorkers() const {
  std::vector<report::UnreadWorker> unread;
  const auto list = workers_.Now();
  for (const auto& worker : *list) {
    const reconcile::WorkerStatus status = worker->Status();
    if (status.contact != placement::Contact::kFull)
      unread.push_back({worker->name().value, status.problem});
  }
  return unread;
}

reconcile::Gathered DaemonFleet::Gather(const ObjectKey& workload) const {
  reconcile::Known known;
  const auto list = workers_.Now();
  for (const auto& worker : *list) known.workers.insert(worker->name());
  return gatherer_.Gather(workload, known);
}

templates::TemplateSurvey DaemonFleet::Survey(const reconcile::TemplateSettings& settings) {
  return reconcile::SurveyTemplates(settings, manager_, workers_, gatherer_);
}

}  // namespace fedra::cli
