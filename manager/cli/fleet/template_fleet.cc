#include "manager/cli/fleet/template_fleet.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "manager/wiring.h"

namespace fedra::cli {
namespace {

using reconcile::Worker;
using std::chrono::milliseconds;

constexpr milliseconds kLookAgain{200};

reconcile::ManagerListener ManagerRaising(FleetSignal& signal) {
  return {.on_kinds = [](const auto&) {},
          .on_workload = [](const ObjectKey&) {},
          .on_progress = [](const ObjectKey&) {},
          .on_checks = [&signal] { signal.Raise(); },
          .on_worker_cluster = [](const std::string&) {},
          .on_order = [](const std::vector<ObjectKey>&) {},
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

TemplateFleet::TemplateFleet(const config::Loaded& loaded)
    : manager_(ToManager(loaded), ToKinds(loaded.configuration), threads_.loop, threads_.pool,
               SystemClock(), ManagerRaising(signal_)),
      gatherer_(ToGather(loaded.configuration), manager_, workers_, failures_) {
  reconcile::Workers all;
  for (reconcile::WorkerSettings& settings : ToWorkers(loaded)) {
    settings.verified.devices.reset();
    settings.verified.dependencies.reset();
    settings.verified.queue_quota = false;
    all.push_back(std::make_shared<Worker>(std::move(settings), threads_.loop, threads_.pool,
                                           SystemClock(), WorkerRaising(signal_)));
  }
  workers_.Publish(reconcile::WorkerList(std::move(all)));
}

TemplateFleet::~TemplateFleet() {
  const auto list = workers_.Now();
  for (const auto& worker : *list) worker->Stop();
  manager_.Stop();
}

void TemplateFleet::Read(milliseconds limit) {
  manager_.Start();
  const auto list = workers_.Now();
  for (const auto& worker : *list) worker->Start();
  const SteadyTime begin = SystemClock().Steady();
  while (!HasAnswered() && SystemClock().Steady() - begin < limit) signal_.Await(kLookAgain);
  // Without an answer the origin alone must do.
  if (manager_.IsListed()) (void)manager_.Identify();
}

bool TemplateFleet::HasAnswered() {
  const ConnectionPhase phase = manager_.cluster().state().phase;
  const auto list = workers_.Now();
  const bool manager_failed =
      phase != ConnectionPhase::kConnecting && phase != ConnectionPhase::kConnected;
  const bool listed = manager_.IsListed() && !manager_.templates().health().IsListing();
  return manager_failed ||
         (listed && std::all_of(list->begin(), list->end(),
                                [](const auto& worker) { return worker->HasAnswered(); }));
}

reconcile::TemplateSurvey TemplateFleet::Survey(const reconcile::TemplateSettings& settings) {
  return reconcile::SurveyTemplates(settings, manager_, workers_, gatherer_);
}

}  // namespace fedra::cli
