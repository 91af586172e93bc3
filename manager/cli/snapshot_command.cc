// fedra snapshot: what decides placement on the workers, in one file.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/commands.h"
#include "manager/cli/contact.h"
#include "manager/cli/display_text.h"
#include "manager/cli/fleet.h"
#include "manager/cli/snapshot_names.h"
#include "manager/cli/snapshot_recorder.h"
#include "manager/cli/snapshot_reduce.h"
#include "manager/cli/view_parts.h"
#include "manager/tracking/resources.h"
#include "manager/version.h"

namespace fedra::cli {
namespace {

constexpr int kSnapshotFailed = 1;

SnapshotFile Record(const ConfiguredWorkers& configured, const Terminal& terminal) {
  SnapshotFile file;
  file.taken_at = SystemClock().Now();
  file.fedra_version = kVersion;
  file.origin = configured.origin;
  FleetSignal signal;
  const std::unique_ptr<ManagerTemplates> manager = AskManager(configured, signal);
  std::vector<std::unique_ptr<WorkerRecorder>> recorders;
  for (const JudgedWorkerSettings& settings : configured.judged) {
    recorders.push_back(std::make_unique<WorkerRecorder>(settings, [&signal] { signal.Raise(); }));
  }
  LiveFleet live(
      configured.access,
      [&](size_t i, const kube::ServerInfo* server) { return recorders[i]->Feeds(server); },
      [&](size_t i) { return recorders[i]->IsListing(); }, signal);
  live.Wait(configured.timeout, terminal);
  for (size_t i = 0; i < recorders.size(); ++i)
    file.workers.push_back(recorders[i]->Recorded(live.state(i), live.server(i).get()));
  if (manager == nullptr) return file;
  AwaitManager(*manager, signal);
  if (const auto* templates = manager->cache(); templates != nullptr) {
    RecordedResource& recorded = file.manager_templates.emplace();
    recorded.name = ResourceName(tracking::kTemplates);
    recorded.health = templates->health();
    for (const auto& item : templates->List()) recorded.items.push_back(ReducedTemplate(*item));
  }
  return file;
}

// Readable by its owner only, and never half: written beside it first.
Result<void> WriteFile(const std::string& path, const std::string& text) {
  const std::string beside = fmt::format("{}.{}.tmp", path, getpid());
  const auto fail = [&](const char* what) {
    const int error = errno;
    unlink(beside.c_str());
    return Fail(ErrorCode::kStorage, fmt::format("{}: {}: {}", path, what, std::strerror(error)));
  };
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail("cannot be created");
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(file, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const auto failure = fail("cannot be written");
      close(file);
      return failure;
    }
    written += static_cast<size_t>(n);
  }
  if (close(file) != 0) return fail("cannot be written");
  if (rename(beside.c_str(), path.c_str()) != 0) return fail("cannot be replaced");
  return {};
}

// What could not be read: one line each. Whether there is any.
bool SayWhatIsMissing(const SnapshotFile& file, std::ostream& err) {
  bool any = false;
  const auto say = [&](const RecordedWorker& worker, const std::string& what) {
    any = true;
    err << Printable(fmt::format("{}: {}", worker.settings.name.value, what)) << "\n";
  };
  for (const RecordedWorker& worker : file.workers) {
    if (worker.connection.phase != ConnectionPhase::kConnected)
      say(worker, NotReached(worker.connection, std::nullopt).message);
    for (const RecordedResource& resource : worker.resources) {
      // What a cluster does not serve it does not have: that is complete.
      if (resource.health.state == watch::CacheState::kSynced ||
          resource.health.state == watch::CacheState::kNotServed)
        continue;
      say(worker, fmt::format("{} could not be read completely: {}", resource.name,
                              resource.health.error ? resource.health.error->message
                                                    : "still being listed"));
    }
  }
  return any;
}

std::string Summary(const SnapshotFile& file, const std::string& path, size_t bytes) {
  size_t objects = 0;
  for (const RecordedWorker& worker : file.workers)
    for (const RecordedResource& resource : worker.resources) objects += resource.items.size();
  return fmt::format("{}: {}, {}, {}{}\n", path, Count(file.workers.size(), "worker"),
                     Count(objects, "object"), Count(bytes, "byte"),
                     file.redacted ? "; names are pseudonyms" : "");
}

}  // namespace

int Snapshot(const SnapshotOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra snapshot: " << message << "\n";
    return kSnapshotFailed;
  };
  const auto configured = LoadWorkers({.config = options.config,
                                       .snapshot = {},
                                       .workers = options.workers,
                                       .timeout = options.timeout});
  if (!configured) return fail(configured.error().message);
  SnapshotFile file = Record(*configured, terminal);
  const bool incomplete = SayWhatIsMissing(file, terminal.err);
  if (options.redact_names) RedactNames(file);
  const std::string text = ToText(file);
  if (options.file == "-") {
    terminal.out << text;
  } else if (const Result<void> written = WriteFile(options.file, text); !written) {
    return fail(written.error().message);
  }
  terminal.err << Summary(file, options.file, text.size());
  return incomplete ? kUnknown : 0;
}

}  // namespace fedra::cli
