#include "manager/cli/fleet/template_fleet.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "manager/verify/difference.h"
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
    : manager_(ToAccess(*loaded.manager), ToManager(loaded).options, ToKinds(loaded.configuration),
               threads_.loop, threads_.pool, SystemClock(), ManagerRaising(signal_)),
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

std::string TemplateFleet::Problem() {
  const ConnectionState state = manager_.cluster().state();
  if (state.phase != ConnectionPhase::kConnected)
    return "the manager: " + (state.why ? state.why->message : std::string("no answer yet"));
  if (!manager_.IsListed()) return "the manager: " + manager_.Problem();
  const watch::CacheHealth templates = manager_.templates().health();
  if (templates.complete && !templates.error) return {};
  return "the manager's ResourceClaimTemplates: " +
         (templates.error ? templates.error->message : std::string("not listed yet"));
}

std::vector<reconcile::TemplateStep> TemplateFleet::Survey(
    const reconcile::TemplateSettings& settings) {
  return reconcile::SurveyTemplates(settings, manager_, workers_, gatherer_);
}

std::vector<LeftAlone> TemplateFleet::LeftAloneIn(
    const reconcile::TemplateSettings& settings) const {
  std::vector<LeftAlone> left;
  if (settings.mode != templates::SyncPolicy::kReconcile) return left;
  const tracking::Identity us{settings.origin, manager_.uid()};
  const auto list = workers_.Now();
  for (const auto& worker : *list) {
    if (worker->contact() != placement::Contact::kFull) continue;
    for (const auto& original : manager_.templates().List()) {
      const auto there = worker->objects().templates().cache().Find(original->key);
      if (there == nullptr || IsOurs(templates::OwnershipOf(*there, original.get(), us))) continue;
      if (there->spec == original->spec) continue;
      left.push_back({worker->name().value, original->key,
                      verify::TemplateDifference(there->spec, original->spec)});
    }
  }
  return left;
}

std::vector<report::UnreadWorker> TemplateFleet::Unread() const {
  std::vector<report::UnreadWorker> unread;
  const auto list = workers_.Now();
  for (const auto& worker : *list) {
    const reconcile::WorkerStatus status = worker->Status();
    if (status.contact == placement::Contact::kFull) continue;
    const bool silent =
        status.connection.phase == ConnectionPhase::kConnecting && !status.connection.why;
    unread.push_back({worker->name().value, silent ? "no answer yet" : status.problem});
  }
  return unread;
}

}  // namespace fedra::cli
