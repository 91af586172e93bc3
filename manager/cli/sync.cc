// fedra sync: what the daemon does about copies of ResourceClaimTemplates, and would do now.

#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "cluster-clients/threads.h"
#include "config/load.h"
#include "manager/cli/commands.h"
#include "manager/cli/text/as_of.h"
#include "manager/cli/text/output.h"
#include "manager/reconcile/template_survey.h"
#include "manager/verify/difference.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

using reconcile::ManagerCluster;
using reconcile::TemplateStep;
using reconcile::Worker;
using std::chrono::milliseconds;
using templates::Mode;

constexpr milliseconds kLookAgain{200};

std::string_view NameOf(Mode mode) {
  switch (mode) {
    case Mode::kIfMissing:
      return "IfMissing";
    case Mode::kReconcile:
      return "Reconcile";
    case Mode::kNever:
      break;
  }
  return "Never";
}

// A worker's template that is not the manager's and not fedra's: nobody but its owner changes it.
struct LeftAlone {
  std::string worker;
  ObjectKey key;
  std::string difference;
};

// Manager and workers as the daemon sees them. Only lists and watches: nothing is written.
class ReadOnlyFleet final {
 public:
  ReadOnlyFleet(const config::Loaded& loaded, const reconcile::GatherSettings& gather)
      : manager_(ToAccess(*loaded.manager), ToOptions(loaded.configuration.manager.http_version),
                 threads_.loop, threads_.pool, SystemClock(), ListenToManager()),
        gatherer_(gather, manager_, workers_, failures_) {
    reconcile::Workers all;
    for (reconcile::WorkerSettings& settings : ToWorkers(loaded)) {
      settings.verified.devices.reset();
      settings.verified.dependencies.reset();
      settings.verified.queue_quota = false;
      all.push_back(std::make_shared<Worker>(std::move(settings), threads_.loop, threads_.pool,
                                             SystemClock(), Listen()));
    }
    workers_.Publish(reconcile::WorkerList(std::move(all)));
  }
  ~ReadOnlyFleet() {
    const auto list = workers_.Now();
    for (const auto& worker : *list) worker->Stop();
    manager_.Stop();
  }

  // Until everything is listed or has failed, at most `limit`.
  void Read(milliseconds limit) {
    manager_.Start();
    const auto list = workers_.Now();
    for (const auto& worker : *list) worker->Start();
    const SteadyTime begin = SystemClock().Steady();
    while (!IsSettled() && SystemClock().Steady() - begin < limit)
      changed_.WaitFor(
          kLookAgain, [](bool flag) { return flag; }, [](bool& flag) { flag = false; });
    // Without an answer the origin alone must do.
    if (manager_.IsListed()) (void)manager_.Identify();
  }

  // Why nothing can be said; empty: something can.
  std::string Problem() {
    const ConnectionState state = manager_.cluster().state();
    if (state.phase != ConnectionPhase::kConnected)
      return "the manager: " + (state.why ? state.why->message : std::string("no answer yet"));
    if (!manager_.IsListed()) return "the manager: " + manager_.Problem();
    const watch::CacheHealth templates = manager_.templates().health();
    if (templates.complete && !templates.error) return {};
    return "the manager's ResourceClaimTemplates: " +
           (templates.error ? templates.error->message : std::string("not listed yet"));
  }

  std::vector<TemplateStep> Survey(const reconcile::TemplateSettings& settings) {
    return reconcile::SurveyTemplates(settings, manager_, workers_, gatherer_);
  }

  // What a person might expect to be replaced, too.
  std::vector<LeftAlone> LeftAloneIn(const reconcile::TemplateSettings& settings) const {
    std::vector<LeftAlone> left;
    if (settings.mode != Mode::kReconcile) return left;
    const tracking::Identity us{settings.origin, manager_.uid()};
    const auto list = workers_.Now();
    for (const auto& worker : *list) {
      if (worker->contact() != placement::Contact::kFull) continue;
      for (const auto& original : manager_.templates().List()) {
        const auto there = worker->templates().cache().Find(original->key);
        if (there == nullptr || IsOurs(templates::OwnershipOf(*there, original.get(), us)))
          continue;
        if (there->spec == original->spec) continue;
        left.push_back({worker->name().value, original->key,
                        verify::TemplateDifference(there->spec, original->spec)});
      }
    }
    return left;
  }

  // Workers that nothing is known about, and why.
  std::vector<std::pair<std::string, std::string>> Skipped() const {
    std::vector<std::pair<std::string, std::string>> skipped;
    const auto list = workers_.Now();
    for (const auto& worker : *list) {
      const reconcile::WorkerStatus status = worker->Status();
      if (status.contact == placement::Contact::kFull) continue;
      const bool silent =
          status.connection.phase == ConnectionPhase::kConnecting && !status.connection.why;
      skipped.emplace_back(worker->name().value, silent ? "no answer yet" : status.problem);
    }
    return skipped;
  }

 private:
  void Changed() {
    changed_.With([](bool& flag) { flag = true; });
    changed_.Notify();
  }
  reconcile::ManagerListener ListenToManager() {
    return {.on_workload = [](const ObjectKey&) {},
            .on_progress = [](const ObjectKey&) {},
            .on_checks = [this] { Changed(); },
            .on_template = [](const ObjectKey&) {},
            .on_template_use = [](const ObjectKey&) {},
            .on_templates_health = [this] { Changed(); }};
  }
  reconcile::WorkerListener Listen() {
    return {.on_workload = [](const ObjectKey&) {},
            .on_job = [](const ObjectKey&) {},
            .on_progress = [](const ObjectKey&) {},
            .on_input = [](const Worker&, const reconcile::InputChange&) {},
            .on_contact = [this](const Worker&) { Changed(); }};
  }
  bool IsSettled() {
    const ConnectionPhase phase = manager_.cluster().state().phase;
    const auto list = workers_.Now();
    const bool manager_failed =
        phase != ConnectionPhase::kConnecting && phase != ConnectionPhase::kConnected;
    const bool listed = manager_.IsListed() && !manager_.templates().health().IsListing();
    return manager_failed ||
           (listed && std::all_of(list->begin(), list->end(),
                                  [](const auto& worker) { return worker->IsSettled(); }));
  }

  Threads threads_{4};
  Guarded<bool> changed_;
  reconcile::CopyFailures failures_;
  reconcile::WorkerSet workers_;
  ManagerCluster manager_;
  reconcile::Gatherer gatherer_;
};

void Print(const std::vector<TemplateStep>& steps, Mode mode, Terminal& terminal) {
  if (steps.empty()) {
    terminal.err << fmt::format("nothing to do with verification.templates.sync: {}\n",
                                NameOf(mode));
    return;
  }
  Table table({"WORKER", "ACTION", "TEMPLATE", "WHY"});
  for (const TemplateStep& step : steps) {
    table.Add({step.worker.value, std::string(templates::ToString(step.plan.step)),
               step.key.ToString(), step.plan.why});
  }
  terminal.out << table.Render({});
}

nlohmann::ordered_json StepsJson(const std::vector<TemplateStep>& steps, Mode mode,
                                 const std::vector<LeftAlone>& left_alone,
                                 const std::vector<std::pair<std::string, std::string>>& skipped) {
  nlohmann::ordered_json document = Document("TemplateSync", AsOf{SystemClock().Now(), {}});
  document["mode"] = NameOf(mode);
  auto& items = document["items"] = nlohmann::ordered_json::array();
  for (const TemplateStep& step : steps) {
    items.push_back({{"worker", step.worker.value},
                     {"action", templates::ToString(step.plan.step)},
                     {"namespace", step.key.ns},
                     {"name", step.key.name},
                     {"why", step.plan.why}});
  }
  auto& left = document["leftAlone"] = nlohmann::ordered_json::array();
  for (const LeftAlone& item : left_alone) {
    left.push_back({{"worker", item.worker},
                    {"namespace", item.key.ns},
                    {"name", item.key.name},
                    {"why", "differs, and is not fedra's: " + item.difference}});
  }
  auto& unknown = document["skipped"] = nlohmann::ordered_json::array();
  for (const auto& [worker, why] : skipped) unknown.push_back({{"worker", worker}, {"why", why}});
  return document;
}

// Without --dry-run there is nothing to run: the daemon does it all the time.
int Explain(Mode mode, Format format, Terminal& terminal) {
  const std::string meaning =
      mode == Mode::kNever
          ? "with that no template is copied to a worker"
          : "with that the daemon (fedra run) copies templates and removes the copies, as soon as "
            "there is something to do";
  const std::string more = std::string("fedra sync --dry-run shows what would be done now") +
                           (mode == Mode::kNever ? ", with --mode IfMissing or Reconcile" : "");
  if (!IsTable(format)) {
    nlohmann::ordered_json document = Document("TemplateSyncMode");
    document["mode"] = NameOf(mode);
    document["meaning"] = meaning;
    document["more"] = more;
    terminal.out << ToText(document, format);
    return 0;
  }
  terminal.out << fmt::format(
      "the configuration file says verification.templates.sync: {}\n{} (a daemon that was started "
      "before the file was changed does what the file said then)\n{}\n",
      NameOf(mode), meaning, more);
  return 0;
}

}  // namespace

int Sync(const SyncOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra sync: " << message << "\n";
    return 1;
  };
  const auto format = ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  const auto limit = ParseDuration(options.timeout);
  if (!limit) return fail("--timeout: " + limit.error().message);
  const auto loaded =
      config::Load(options.config, {.now = SystemClock().Now(),
                                    .in_cluster = config::InClusterFromEnvironment(),
                                    .manager_may_fail = !options.dry_run});
  if (!loaded) return fail(config::ToString(loaded.error()));
  reconcile::TemplateSettings settings = ToTemplates(loaded->configuration);
  if (!options.dry_run) return Explain(settings.mode, *format, terminal);
  if (options.mode == NameOf(Mode::kIfMissing)) settings.mode = Mode::kIfMissing;
  if (options.mode == NameOf(Mode::kReconcile)) settings.mode = Mode::kReconcile;

  ReadOnlyFleet fleet(*loaded, ToGather(loaded->configuration));
  fleet.Read(*limit);
  if (const std::string problem = fleet.Problem(); !problem.empty()) return fail(problem);
  const std::vector<TemplateStep> steps = fleet.Survey(settings);
  const std::vector<LeftAlone> left_alone = fleet.LeftAloneIn(settings);
  const auto skipped = fleet.Skipped();
  for (const auto& [worker, why] : skipped)
    terminal.err << fmt::format("{} is left out: {}\n", worker, why);
  if (IsTable(*format)) {
    Print(steps, settings.mode, terminal);
    for (const LeftAlone& item : left_alone) {
      terminal.err << fmt::format("left alone: {} on {} differs, not fedra's: {}\n",
                                  item.key.ToString(), item.worker, item.difference);
    }
  } else {
    terminal.out << ToText(StepsJson(steps, settings.mode, left_alone, skipped), *format);
  }
  return skipped.empty() ? 0 : kUnknown;
}

}  // namespace fedra::cli
