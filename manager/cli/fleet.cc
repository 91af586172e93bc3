#include "manager/cli/fleet.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "base/time.h"
#include "config/load.h"
#include "manager/cli/display_text.h"
#include "manager/cli/input.h"
#include "manager/cli/snapshot_file.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

using reconcile::WorkerSettings;

// The workers' answers do not wait for the manager's any longer.
constexpr std::chrono::seconds kManagerGrace{2};
constexpr std::chrono::milliseconds kLookAgain{100};

JudgedWorkerSettings ToJudged(const WorkerSettings& worker,
                              const reconcile::GatherSettings& gather) {
  return {.name = worker.name,
          .origin = worker.origin,
          .devices = worker.devices,
          .dependencies = worker.dependencies,
          .undeclared = gather.undeclared,
          .drift = gather.drift,
          .copies_templates = gather.copies_templates,
          .capabilities = worker.capabilities};
}

bool NeedsManager(const JudgedWorkerSettings& worker) {
  return worker.drift != verify::Drift::kIgnore || worker.copies_templates;
}

// Without them nothing is said of drift and of copies: the workers are what was asked for.
void CompareWithManager(Fleet& fleet) {
  const SteadyTime begin = SystemClock().Steady();
  while (!fleet.manager->IsSettled() && SystemClock().Steady() - begin < kManagerGrace)
    fleet.signal.Await(kLookAgain);
  for (const auto& worker : fleet.workers) worker->CompareWith(fleet.manager->cache());
}

void KeepDevicesOnly(JudgedWorkerSettings& settings) {
  settings.devices.emplace().node_resources = false;
  settings.dependencies.reset();
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

bool IsWanted(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

Result<std::unique_ptr<Fleet>> FromSnapshot(const FleetOptions& options, const Terminal& terminal) {
  FEDRA_ASSIGN_OR_RETURN(const std::string text, ReadInput(options.snapshot));
  Result<SnapshotFile> file = ParseSnapshot(text);
  if (!file) return Fail(std::move(file).error().WithContext(options.snapshot));
  std::vector<std::string> known;
  for (const RecordedWorker& worker : file->workers) known.push_back(worker.settings.name.value);
  FEDRA_RETURN_IF_ERROR(CheckNames(options.workers, known));
  auto fleet = std::make_unique<Fleet>();
  fleet->redacted = file->redacted;
  fleet->as_of = FormatRfc3339(file->taken_at);
  for (const RecordedWorker& recorded : file->workers) {
    JudgedWorkerSettings settings = recorded.settings;
    if (!IsWanted(options.workers, settings.name.value)) continue;
    if (options.devices_only) KeepDevicesOnly(settings);
    fleet->workers.push_back(std::make_unique<JudgedWorker>(std::move(settings), [] {}));
    for (const std::string& complaint : FeedRecorded(recorded, *fleet->workers.back()))
      terminal.err << fmt::format("{}: {}\n", options.snapshot, Printable(complaint));
  }
  return fleet;
}

}  // namespace

Result<ConfiguredWorkers> LoadWorkers(const FleetOptions& options) {
  ConfiguredWorkers workers;
  const auto timeout = ParseDuration(options.timeout);
  if (!timeout) return Fail(Error(timeout.error()).WithContext("--timeout"));
  workers.timeout = *timeout;
  const auto loaded =
      config::Load(options.config, {.now = SystemClock().Now(),
                                    .in_cluster = config::InClusterFromEnvironment(),
                                    .manager_may_fail = true});
  if (!loaded) return Fail(ErrorCode::kInvalidArgument, "\n" + config::ToString(loaded.error()));
  const reconcile::GatherSettings gather = ToGather(loaded->configuration);
  if (loaded->manager) {
    workers.manager = {ToAccess(*loaded->manager),
                       ToOptions(loaded->configuration.manager.http_version)};
  }
  workers.origin = loaded->configuration.origin;
  std::vector<std::string> known;
  for (WorkerSettings& worker : ToWorkers(*loaded)) {
    known.push_back(worker.name.value);
    if (!IsWanted(options.workers, worker.name.value)) continue;
    workers.judged.push_back(ToJudged(worker, gather));
    if (options.devices_only) KeepDevicesOnly(workers.judged.back());
    workers.access.push_back(std::move(worker));
  }
  FEDRA_RETURN_IF_ERROR(CheckNames(options.workers, known));
  if (workers.access.empty())
    return Fail(ErrorCode::kInvalidArgument, options.config + ": no worker is configured");
  return workers;
}

Result<std::unique_ptr<Fleet>> OpenFleet(const FleetOptions& options, const Terminal& terminal) {
  if (!options.snapshot.empty()) return FromSnapshot(options, terminal);
  FEDRA_ASSIGN_OR_RETURN(const ConfiguredWorkers configured, LoadWorkers(options));
  auto fleet = std::make_unique<Fleet>();
  if (!options.devices_only && configured.manager && NeedsManager(configured.judged.front())) {
    fleet->manager =
        std::make_unique<ManagerTemplates>(configured.manager->access, configured.manager->options,
                                           [signal = &fleet->signal] { signal->Raise(); });
  }
  for (const JudgedWorkerSettings& settings : configured.judged) {
    fleet->workers.push_back(
        std::make_unique<JudgedWorker>(settings, [signal = &fleet->signal] { signal->Raise(); }));
  }
  const JudgedWorkers& workers = fleet->workers;
  fleet->live = std::make_unique<LiveFleet>(
      configured.access,
      [&workers](size_t i, const kube::ServerInfo* server) { return workers[i]->Feeds(server); },
      [&workers](size_t i) { return workers[i]->IsListing(); }, fleet->signal);
  fleet->live->Wait(configured.timeout, terminal);
  for (size_t i = 0; i < workers.size(); ++i) workers[i]->SetConnection(fleet->live->state(i));
  if (fleet->manager != nullptr) CompareWithManager(*fleet);
  return fleet;
}

}  // namespace fedra::cli
