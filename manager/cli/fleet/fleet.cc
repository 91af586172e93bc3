#include "manager/cli/fleet/fleet.h"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "config/load.h"
#include "manager/cli/fleet/discover.h"
#include "manager/cli/snapshots/snapshot_file.h"
#include "manager/cli/terminal/read_input.h"
#include "manager/text/display_text.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

using reconcile::WorkerSettings;

// The workers' answers do not wait for the manager's any longer.
constexpr std::chrono::seconds kManagerGrace{2};
constexpr std::chrono::milliseconds kAskManagerAgain{100};

FleetWorkerSettings ToJudged(const WorkerSettings& worker, const tracking::Identity& us,
                             const verify::Rules& rules) {
  return {.name = worker.cluster.name,
          .us = us,
          .verified = worker.verified,
          .rules = rules,
          .capabilities = worker.capabilities};
}

void KeepDevicesOnly(FleetWorkerSettings& settings) {
  settings.verified.devices.emplace().node_resources = false;
  settings.verified.dependencies.reset();
  settings.verified.queue_quota = false;
}

// Every name that was asked for must be there.
Result<void> CheckNames(const std::vector<std::string>& wanted,
                        const std::vector<std::string>& known) {
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("--worker {}: there is no such worker; there are {}", name,
                              fmt::join(known, ", ")));
    }
  }
  return {};
}

bool IsWanted(const FleetOptions& options, const std::string& name) {
  const std::vector<std::string>& wanted = options.workers;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

constexpr std::chrono::seconds kUsualTimeout{15};  // FleetOptions::timeout

// Absent: nothing of this worker is read.
std::optional<FleetWorkerSettings> Chosen(const FleetOptions& options,
                                          FleetWorkerSettings settings) {
  settings.claims_only = !IsWanted(options, settings.name.value);
  if (settings.claims_only && !options.claims_of_others) return std::nullopt;
  if (options.devices_only) KeepDevicesOnly(settings);
  return settings;
}

// In the order of `settings`: those that were asked for, and the others.
std::vector<FleetWorker*> MakeWorkers(const FleetOptions& options,
                                      const std::vector<FleetWorkerSettings>& settings,
                                      Fleet& fleet) {
  std::vector<FleetWorker*> all;
  for (const FleetWorkerSettings& worker : settings) {
    FleetWorkers& workers = worker.claims_only ? fleet.others : fleet.workers;
    workers.push_back(
        std::make_unique<FleetWorker>(worker, [signal = &fleet.signal] { signal->Raise(); }));
    workers.back()->UseKinds(options.kinds);
    all.push_back(workers.back().get());
  }
  return all;
}

Result<std::unique_ptr<Fleet>> FromSnapshot(const FleetOptions& options, const Terminal& terminal) {
  FEDRA_ASSIGN_OR_RETURN(const std::string content, ReadInput(options.snapshot, kMostSnapshot));
  Result<SnapshotFile> file = ParseSnapshot(content);
  if (!file) return Fail(std::move(file).error().WithContext(options.snapshot));
  std::vector<std::string> known;
  for (const RecordedWorker& worker : file->workers) known.push_back(worker.settings.name.value);
  FEDRA_RETURN_IF_ERROR(CheckNames(options.workers, known));
  auto fleet = std::make_unique<Fleet>();
  fleet->redacted = file->redacted;
  fleet->as_of = {file->taken_at, options.snapshot};
  fleet->manager_templates = ManagerTemplatesOf(*file);
  for (const RecordedWorker& recorded : file->workers) {
    const auto settings = Chosen(options, recorded.settings);
    if (!settings) continue;
    FleetWorker& worker = *MakeWorkers(options, {*settings}, *fleet).front();
    worker.SetManager({fleet->manager_templates.get(), file->manager_uid});
    for (const std::string& complaint : FeedRecorded(recorded, worker))
      terminal.err << fmt::format("{}: {}\n", options.snapshot, text::Printable(complaint));
  }
  return fleet;
}

}  // namespace

Result<ConfiguredWorkers> LoadWorkers(const FleetOptions& options) {
  ConfiguredWorkers workers;
  const auto timeout = ParseDuration(options.timeout);
  if (!timeout) return Fail(Error(timeout.error()).WithContext("--timeout"));
  workers.timeout = *timeout;
  auto loaded = config::Load(options.config, config::OptionsNow(/*manager_may_fail=*/true));
  if (!loaded) {
    std::string why = config::ToString(loaded.error());
    std::error_code ignored;
    if (!std::filesystem::exists(options.config, ignored))
      why += " (name the daemon's file with --config or $FEDRA_CONFIG, or a --snapshot)";
    return Fail(ErrorCode::kInvalidArgument, std::move(why));
  }
  workers.not_discovered = DiscoverWorkers(*loaded, workers.timeout);
  const verify::Rules rules = ToRules(loaded->configuration.verification);
  if (loaded->manager) workers.manager = ToManager(*loaded);
  workers.us = ToIdentity(loaded->configuration);
  workers.mode = ToMode(loaded->configuration);
  workers.controller_name = ControllerOf(loaded->configuration);
  workers.store = loaded->configuration.store.path;
  std::vector<std::string> known;
  for (WorkerSettings& worker : ToWorkers(*loaded)) {
    known.push_back(worker.cluster.name.value);
    auto settings = Chosen(options, ToJudged(worker, workers.us, rules));
    if (!settings) continue;
    // Who asks for more time than usual gives it to one that accepts connections and is silent,
    // too.
    if (workers.timeout > kUsualTimeout) {
      ClusterOptions& options_there = worker.cluster.options;
      options_there.connect_timeout = std::max(options_there.connect_timeout, workers.timeout);
      options_there.probe_timeout = std::max(options_there.probe_timeout, workers.timeout);
      options_there.call_timeout = std::max(options_there.call_timeout, workers.timeout);
    }
    workers.judged.push_back(*std::move(settings));
    workers.access.push_back(std::move(worker.cluster));
  }
  FEDRA_RETURN_IF_ERROR(CheckNames(options.workers, known));
  if (workers.access.empty())
    return Fail(ErrorCode::kInvalidArgument, workers.not_discovered.empty()
                                                 ? options.config + ": no worker is configured"
                                                 : workers.not_discovered);
  return workers;
}

std::unique_ptr<AskedManager> AskManager(const ConfiguredWorkers& workers,
                                         std::span<const tracking::JobAdapter* const> kinds,
                                         FleetSignal& signal) {
  if (!workers.manager) return nullptr;
  return std::make_unique<AskedManager>(*workers.manager, workers.controller_name,
                                        KueueCopies(workers.mode), kinds,
                                        [&signal] { signal.Raise(); });
}

// Without them nothing is said of drift and of copies: the workers are what was asked for.
void AwaitManager(AskedManager& manager, FleetSignal& signal) {
  const SteadyTime begin = SystemClock().Steady();
  while (!manager.HasAnswered() && SystemClock().Steady() - begin < kManagerGrace)
    signal.Await(kAskManagerAgain);
  manager.Identify();
}

Result<std::unique_ptr<Fleet>> OpenFleet(const FleetOptions& options, const Terminal& terminal) {
  if (!options.snapshot.empty()) return FromSnapshot(options, terminal);
  FEDRA_ASSIGN_OR_RETURN(const ConfiguredWorkers configured, LoadWorkers(options));
  if (!configured.not_discovered.empty()) terminal.err << configured.not_discovered << "\n";
  auto fleet = std::make_unique<Fleet>();
  fleet->store = configured.store;
  if (!options.devices_only) fleet->manager = AskManager(configured, options.kinds, fleet->signal);
  const std::vector<FleetWorker*> workers = MakeWorkers(options, configured.judged, *fleet);
  fleet->live = std::make_unique<LiveFleet>(
      configured.access,
      [workers](size_t i, const kube::ServerInfo* server) { return workers[i]->Inputs(server); },
      [workers](size_t i) { return workers[i]->IsListing(); }, fleet->signal);
  fleet->live->Wait(configured.timeout, terminal);
  fleet->as_of.at = SystemClock().Now();
  std::vector<ConnectionState> states;
  for (size_t i = 0; i < workers.size(); ++i) states.push_back(fleet->live->state(i));
  // All jobs are judged by the same objects, and a template that is assumed stays so.
  fleet->live->Freeze();
  for (size_t i = 0; i < workers.size(); ++i)
    workers[i]->SetConnection(std::move(states[i]), fleet->live->waited());
  if (fleet->manager == nullptr) return fleet;
  AwaitManager(*fleet->manager, fleet->signal);
  for (FleetWorker* worker : workers) worker->SetManager(fleet->manager->Facts());
  return fleet;
}

}  // namespace fedra::cli
