// fedra support-bundle: runs the commands that an operator would be asked to run, and packs what
// they print.

#include <functional>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "base/time.h"
#include "base/write_file.h"
#include "config/load.h"
#include "manager/cli/bundle/archive.h"
#include "manager/cli/bundle/disclosure.h"
#include "manager/cli/bundle/known_names.h"
#include "manager/cli/bundle/raw_texts.h"
#include "manager/cli/bundle/secrets.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/discover.h"
#include "manager/cli/snapshots/snapshot_file.h"
#include "manager/cli/snapshots/snapshot_missing.h"
#include "manager/cli/snapshots/snapshot_names.h"
#include "manager/placement/action.h"
#include "manager/placement/note_reasons.h"
#include "manager/tracking/manager_name.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostJobs = 100;    // whose why and history get in
constexpr size_t kMostRows = 1'000;  // of the status
constexpr std::string_view kPodLogLeftOut = "(left out)";

constexpr std::string_view kReadme =
    "What `fedra support-bundle` has collected, for those who are to help.\n\n"
    "version.txt          the program and its libraries, the system\n"
    "configuration.yaml   the effective configuration; it names files, never their content\n"
    "validation.json      fedra config validate --connect\n"
    "status.json          fedra status\n"
    "jobs/                why and history of jobs that have not ended, blocked ones first\n"
    "snapshot.json        for fedra check and fedra devices, with --snapshot\n"
    "metrics.txt readyz.txt  the daemon's pages\n"
    "log-N.txt            the logs that were given with --log\n\n"
    "Credentials of the kubeconfigs, and what looks like some, are [removed]: private keys, "
    "tokens, passwords in addresses, values called password, secret, token, access key or "
    "credential. What pods printed is left out.\n"
    "Not hidden: names of workers, ClusterQueues, DeviceClasses and drivers, this machine's host "
    "name, addresses of API servers, paths, the reason given to `fedra cordon`, and in errors and "
    "logs whatever is no name that fedra knows.\n";

// The job's own words stay in the store.
void LeaveOutPodLogs(ordered_json& document) {
  if (!document.is_structured()) return;
  if (document.is_object() &&
      document.value("reason", ordered_json()) == placement::notes::kPodLog.name &&
      document.contains("message"))
    document["message"] = kPodLogLeftOut;
  for (ordered_json& value : document) LeaveOutPodLogs(value);
}

class SupportBundleMaker final {
 public:
  SupportBundleMaker(const SupportBundleOptions& options, Terminal& terminal)
      : options_(options), terminal_(terminal) {}

  void Collect();
  std::string Packed(WallTime now, const std::string& folder) const;
  size_t files() const { return texts_.size() + documents_.size() + logs_.size() + 1; }
  bool is_complete() const { return notes_.empty(); }

 private:
  void Note(const std::string& what, std::string why);
  // A report as JSON; nothing, with a note, where there is none.
  std::optional<ordered_json> Report(const std::string& name,
                                     const std::function<int(Terminal&)>& command);
  void Store(const config::Loaded& loaded);
  void Jobs(const ordered_json& status, ViewOptions view);
  void Snapshot();
  void Pages(const std::string& address);
  void Logs();
  std::string Readme() const;

  const SupportBundleOptions& options_;
  Terminal& terminal_;
  Secrets secrets_;
  KnownNames names_;
  std::vector<std::pair<std::string, ordered_json>> documents_;  // with names
  std::vector<ArchivedFile> logs_;                               // with names
  std::vector<ArchivedFile> texts_;                              // without
  std::vector<std::string> notes_;                               // what could not be read
};

void SupportBundleMaker::Note(const std::string& what, std::string why) {
  while (!why.empty() && why.back() == '\n') why.pop_back();
  notes_.push_back(fmt::format("{}: {}", what, why));
  terminal_.err << notes_.back() << "\n";
}

std::optional<ordered_json> SupportBundleMaker::Report(
    const std::string& name, const std::function<int(Terminal&)>& command) {
  const Captured captured = Capture(command);
  ordered_json document = ordered_json::parse(captured.out, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) {
    Note(name, captured.err);
    return std::nullopt;
  }
  LeaveOutPodLogs(document);
  return document;
}

void SupportBundleMaker::Collect() {
  texts_.push_back({"version.txt", VersionText() + SystemText()});
  if (auto validation = Report("validation.json", [&](Terminal& terminal) {
        return ConfigValidate({.config = options_.config,
                               .connect = true,
                               .timeout = options_.timeout,
                               .format = "json"},
                              terminal);
      }))
    documents_.emplace_back("validation.json", *std::move(validation));
  auto loaded = config::Load(options_.config, config::OptionsNow(/*manager_may_fail=*/true));
  if (loaded) {
    if (const auto limit = ParseDuration(options_.timeout))
      (void)DiscoverWorkers(*loaded,
                            *limit);  // for the names to keep; validation.json says why not
    secrets_.AddAll(*loaded);
    names_.Keep(tracking::kManagerName);
    for (const config::WorkerSettings& worker : loaded->configuration.workers)
      names_.Keep(worker.name);
    texts_.push_back({"configuration.yaml", Capture([&](Terminal& terminal) {
                                              return ConfigView(options_.config, "yaml", terminal);
                                            }).out});
    Store(*loaded);
    Snapshot();
    Pages(loaded->configuration.http.address);
  } else {
    Note("configuration.yaml", config::ToString(loaded.error()));
  }
  Logs();
}

void SupportBundleMaker::Store(const config::Loaded& loaded) {
  const config::Configuration& configuration = loaded.configuration;
  ViewOptions view;
  view.store = configuration.store.path;
  view.format = "json";
  view.jobs.all = true;
  view.worker_lost_timeout = configuration.worker_lost_timeout;
  view.admission_timeout = configuration.dispatch.admission_timeout;
  view.race = configuration.dispatch.policy == config::DispatchPolicy::kRace;
  auto status = Report("status.json", [&](Terminal& terminal) { return Status(view, terminal); });
  if (!status) return;
  names_.AddAll(*status);
  Jobs(*status, std::move(view));
  if (auto& rows = (*status)["jobs"]; rows.size() > kMostRows) {
    (*status)["remaining"] = rows.size() - kMostRows;
    rows.erase(rows.begin() + kMostRows, rows.end());
  }
  documents_.emplace_back("status.json", *std::move(status));
}

void SupportBundleMaker::Jobs(const ordered_json& status, ViewOptions view) {
  std::vector<std::string> blocked, others;
  for (const ordered_json& row : status.value("jobs", ordered_json::array())) {
    const auto phase = placement::ParsePhase(row.value("state", ""));
    // Failed ones get in: why they failed may be the question.
    if (phase == placement::Phase::kFinished || phase == placement::Phase::kGone) continue;
    (phase == placement::Phase::kBlocked ? blocked : others)
        .push_back(row.value("namespace", "") + "/" + row.value("name", ""));
  }
  blocked.insert(blocked.end(), others.begin(), others.end());
  if (blocked.size() > kMostJobs) blocked.resize(kMostJobs);
  for (size_t i = 0; i < blocked.size(); ++i) {
    view.names = {blocked[i]};
    using View = int (*)(const ViewOptions&, Terminal&);
    for (const auto& [what, show] : {std::pair<const char*, View>("why", &Why),
                                     std::pair<const char*, View>("history", &History)}) {
      const std::string name = fmt::format("jobs/{:03}-{}.json", i + 1, what);
      if (auto report = Report(name, [&](Terminal& terminal) { return show(view, terminal); })) {
        names_.AddAll(*report);
        documents_.emplace_back(name, *std::move(report));
      }
    }
  }
}

void SupportBundleMaker::Snapshot() {
  const Captured captured = Capture([&](Terminal& terminal) {
    return cli::Snapshot(
        {.config = options_.config, .file = "-", .workers = {}, .timeout = options_.timeout},
        terminal);
  });
  if (captured.out.empty()) return Note("snapshot.json", captured.err);
  Result<SnapshotFile> snapshot = ParseSnapshot(captured.out);
  if (!snapshot) return Note("snapshot.json", snapshot.error().message);
  for (std::string& missing : WhatIsMissing(*snapshot)) Note("snapshot.json", std::move(missing));
  names_.AddAll(*snapshot);
  if (!options_.keep_names) RedactNames(*snapshot);
  texts_.push_back({"snapshot.json", ToText(*snapshot)});
}

void SupportBundleMaker::Pages(const std::string& address) {
  for (const auto& [name, path] :
       {std::pair("metrics.txt", "/metrics"), std::pair("readyz.txt", "/readyz?verbose")}) {
    const Result<std::string> page = FetchPage(address, path);
    if (!page) {
      Note(name, page.error().message);
      continue;
    }
    (std::string_view(name) == "metrics.txt" ? texts_ : logs_).push_back({name, *page});
  }
}

void SupportBundleMaker::Logs() {
  for (size_t i = 0; i < options_.logs.size(); ++i) {
    const Result<std::string> log = LogEnd(options_.logs[i]);
    if (!log)
      Note(options_.logs[i], log.error().message);
    else
      logs_.push_back({fmt::format("log-{}.txt", i + 1), *log});
  }
}

std::string SupportBundleMaker::Readme() const {
  std::string text(kReadme);
  text += options_.keep_names ? "Names are as they are (--keep-names).\n"
                              : "Names of namespaces, jobs, claims, templates, pods, nodes and "
                                "pools are pseudonyms: name-HASH here is template-HASH, job-HASH "
                                "and so on in the snapshot, where nodes and pools have numbers. "
                                "Who guesses a name can confirm it: the hash is that of the name "
                                "alone.\n";
  if (options_.logs.empty()) text += "No log was given.\n";
  if (!notes_.empty()) text += "\nWhat could not be read:\n";
  for (const std::string& note : notes_) text += fmt::format("- {}\n", note);
  return text;
}

std::string SupportBundleMaker::Packed(WallTime now, const std::string& folder) const {
  const Disclosure told(secrets_, options_.keep_names ? nullptr : &names_);
  std::vector<ArchivedFile> files;
  // Once more: keys of documents, and the texts that have no names.
  const auto put = [&](const std::string& name, std::string_view text) {
    files.push_back({folder + "/" + name, secrets_.Removed(text)});
  };
  put("README.txt", told.Text(Readme()));
  for (const ArchivedFile& text : texts_) put(text.name, text.text);
  for (const auto& [name, document] : documents_)
    put(name, text::ToText(told.Document(document), text::Format::kJson));
  for (const ArchivedFile& log : logs_) put(log.name, told.Text(log.text));
  return TarGz(files, now);
}

}  // namespace

int SupportBundle(const SupportBundleOptions& options, Terminal& terminal) {
  if (const auto timeout = ParseDuration(options.timeout); !timeout) {
    terminal.err << "--timeout: " << timeout.error().message << "\n";
    return kFailed;
  }
  const WallTime now = SystemClock().Now();
  std::string time;  // "20261124T040000Z"
  for (const char c : FormatRfc3339(now))
    if (c != '-' && c != ':') time += c;
  const std::string folder = "fedra-support-" + time;
  const std::string file = options.file.empty() ? folder + ".tar.gz" : options.file;
  SupportBundleMaker maker(options, terminal);
  maker.Collect();
  const std::string packed = maker.Packed(now, folder);
  if (file == "-") {
    terminal.out << packed << std::flush;
    if (!terminal.out) return kFailed;  // the command line says why
  } else if (const Result<void> written = WriteFile(file, packed); !written) {
    terminal.err << "fedra support-bundle: " << written.error().message << "\n";
    return kFailed;
  }
  terminal.err << fmt::format("{}: {}, {}; look through it before you send it\n", file,
                              Counted(maker.files(), "file"), Counted(packed.size(), "byte"));
  return maker.is_complete() ? 0 : kUnknown;
}

}  // namespace fedra::cli
