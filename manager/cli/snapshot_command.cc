// fedra snapshot: what decides placement on the workers, in one file.

#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/write_file.h"
#include "cluster-clients/kube/resource_name.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/fleet.h"
#include "manager/cli/snapshots/snapshot_missing.h"
#include "manager/cli/snapshots/snapshot_names.h"
#include "manager/cli/snapshots/snapshot_recorder.h"
#include "manager/cli/snapshots/snapshot_reduce.h"
#include "manager/text/display_text.h"
#include "manager/text/status_format.h"
#include "manager/tracking/resources.h"
#include "manager/version.h"

namespace fedra::cli {
namespace {

SnapshotFile Record(const ConfiguredWorkers& configured, const Terminal& terminal) {
  SnapshotFile file;
  file.taken_at = SystemClock().Now();
  file.fedra_version = kVersion;
  file.us = configured.us;
  FleetSignal signal;
  const std::unique_ptr<AskedManager> manager = AskManager(configured, {}, signal);
  std::vector<std::unique_ptr<WorkerRecorder>> recorders;
  for (const FleetWorkerSettings& settings : configured.judged) {
    recorders.push_back(std::make_unique<WorkerRecorder>(settings, [&signal] { signal.Raise(); }));
  }
  LiveFleet live(
      configured.access,
      [&](size_t i, const kube::ServerInfo* server) { return recorders[i]->Inputs(server); },
      [&](size_t i) { return recorders[i]->IsListing(); }, signal);
  live.Wait(configured.timeout, terminal);
  for (size_t i = 0; i < recorders.size(); ++i)
    file.workers.push_back(recorders[i]->Recorded(live.state(i), live.server(i).get()));
  if (manager == nullptr) return file;
  AwaitManager(*manager, signal);
  file.manager_uid = manager->Facts().uid;
  if (const auto* templates = manager->cache(); templates != nullptr) {
    RecordedResource& recorded = file.manager_templates.emplace();
    recorded.name = kube::ResourceName(tracking::kTemplates);
    recorded.health = templates->health();
    for (const auto& item : templates->List()) recorded.items.push_back(ReducedTemplate(*item));
  }
  return file;
}

std::string Summary(const SnapshotFile& file, const std::string& path, size_t bytes) {
  size_t objects = 0;
  for (const RecordedWorker& worker : file.workers)
    for (const RecordedResource& resource : worker.resources) objects += resource.items.size();
  return fmt::format("{}: {}, {}, {}{}\n", path, Counted(file.workers.size(), "worker"),
                     Counted(objects, "object"), Counted(bytes, "byte"),
                     file.redacted ? "; names are pseudonyms" : "");
}

}  // namespace

int Snapshot(const SnapshotOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra snapshot: " << message << "\n";
    return kFailed;
  };
  const auto configured = LoadWorkers({.config = options.config,
                                       .snapshot = {},
                                       .workers = options.workers,
                                       .timeout = options.timeout});
  if (!configured) return fail(configured.error().message);
  SnapshotFile file = Record(*configured, terminal);
  const std::vector<std::string> missing = WhatIsMissing(file);
  for (const std::string& line : missing) terminal.err << text::Printable(line) << "\n";
  if (options.redact_names) RedactNames(file);
  const std::string text = ToText(file);
  if (options.file == "-") {
    terminal.out << text << std::flush;
    if (!terminal.out) return kFailed;  // the command line says why
  } else if (const Result<void> written = WriteFile(options.file, text); !written) {
    return fail(written.error().message);
  }
  terminal.err << Summary(file, options.file, text.size());
  return missing.empty() ? 0 : kUnknown;
}

}  // namespace fedra::cli
