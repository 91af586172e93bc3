#pragma once
//
// The subcommands, one file each: plain options in, text out, exit code back.
//
// Exit codes: 0 success, 1 error or wrong usage; the others by their names in report/exit_code.h,
// and what a command means by one of them is said beside it.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "manager/cli/cel_report.h"
#include "manager/cli/daemon_address.h"
#include "manager/cli/terminal/terminal.h"
#include "manager/report/exit_code.h"
#include "manager/report/job_filter.h"

namespace fedra::cli {

using report::kEvaluationError;
using report::kFailed;
using report::kTimedOut;
using report::kUnknown;

// fedra explain REASON: the catalogue's entry, or the whole catalogue when `reason` is empty.
int Explain(const std::string& reason, const std::string& format, Terminal& terminal);

// Every word that `fedra explain` knows.
std::vector<std::string> ExplainableWords();

// fedra version, fedra --version: version, commit and the libraries' versions.
int Version(const std::string& format, Terminal& terminal);
std::string VersionText();

// fedra completion bash|zsh|fish: a script that completes the subcommands and options given.
struct CompletionOption {
  std::vector<std::string> names;   // "-o", "--output"; empty: a positional argument
  std::vector<std::string> values;  // all it can be; empty: anything
  bool takes_value = false;
  bool takes_file = false;
  std::string from = {};  // a command of fedra that prints what it can be; empty: none does
  std::string help = {};
};
struct CompletionWord {
  std::string command;                // "status", or "config validate"
  std::vector<std::string> commands;  // below it: "validate", ...
  std::vector<CompletionOption> options;
  std::string help;
};
int Completion(const std::string& shell, const std::vector<CompletionWord>& words,
               Terminal& terminal);

// fedra config validate|print-defaults|view
struct ValidateOptions {
  std::string config;
  bool connect = false;         // also ask every cluster for our rights there
  std::string timeout = "15s";  // for connecting
  std::string format = "text";  // or json, yaml: one document on `out`, whatever is found
};
int ConfigValidate(const ValidateOptions& options, Terminal& terminal);
int ConfigPrintDefaults(Terminal& terminal);
// `format`: yaml (what the file may be replaced with) or json.
int ConfigView(const std::string& path, const std::string& format, Terminal& terminal);

// fedra check -f FILE: would these jobs run on these workers? Needs only kubeconfigs, or a snapshot
// file; writes nothing.
struct CheckOptions {
  std::string config;
  std::string snapshot;              // instead of asking the workers; "-": standard input
  std::vector<std::string> files;    // "-": standard input
  std::vector<std::string> workers;  // empty: all
  std::string ns;                    // of documents without one
  // Templates in the files count as if they existed on workers that lack them.
  bool assume_templates = false;
  std::string format = "table";  // or json, yaml
  std::string timeout = "15s";   // for connecting and listing
  DaemonAddress daemon = {};     // asked instead of the workers; empty: the workers are
};
// 0 placeable, 3 nowhere, 4 unknown, 1 error or a mistake in a manifest; of several documents the
// worst.
int Check(const CheckOptions& options, Terminal& terminal);

// fedra templates diff: what the daemon would do now about copies of ResourceClaimTemplates on the
// workers. Writes nothing.
struct TemplatesDiffOptions {
  std::string config;
  std::string mode;              // IfMissing or Reconcile; empty: as configured
  std::string format = "table";  // or json, yaml
  std::string timeout = "15s";   // for connecting and listing
  DaemonAddress daemon = {};     // asked instead of the clusters; empty: these are
};
int TemplatesDiff(const TemplatesDiffOptions& options, Terminal& terminal);

// fedra devices: what the workers publish, and what of it is free. Needs what `check` needs.
struct DevicesOptions {
  std::string config;
  std::string snapshot;
  std::vector<std::string> workers;
  std::string device_class;  // only devices that this class means
  std::string selector;      // CEL; only devices that it matches
  std::string format = "table";
  std::string timeout = "15s";
  bool headers = true;
  bool map = false;       // one by one, instead of counts; of one worker
  std::string node = {};  // of a map: only this one
  size_t limit = 0;       // of a map: as of report::DeviceMapQuery
  std::string go_on = {};
  DaemonAddress daemon = {};  // asked instead of the workers; empty: these are
};
int Devices(const DevicesOptions& options, Terminal& terminal);

// fedra orphans: objects fedra created on workers whose workload no longer exists. Needs the
// kubeconfigs of the manager and the workers.
struct OrphanOptions {
  std::string config;
  bool remove = false;  // delete them, after asking
  bool yes = false;     // without asking
  std::string format = "table";
  std::string timeout = "30s";
  bool headers = true;
};
int Orphans(const OrphanOptions& options, Terminal& terminal);

// fedra migrate --check: what would become of every job when fedra takes the place of Kueue's
// MultiKueue (kueue.mode multikueue), or gives it back. Writes nothing.
struct MigrateOptions {
  std::string config;
  bool check = false;  // required: there is nothing else to do yet
  bool back = false;   // MultiKueue takes back what fedra has
  std::string format = "table";
  std::string timeout = "30s";
  bool headers = true;
};
// 0 nothing is lost, 1 something would be or an error, 4 a cluster that decides was not read.
int Migrate(const MigrateOptions& options, Terminal& terminal);

// fedra snapshot -f FILE: everything that decides placement on the workers, without secrets.
struct SnapshotOptions {
  std::string config;
  std::string file;  // "-": standard output
  std::vector<std::string> workers;
  std::string timeout = "60s";
  bool redact_names = false;
};
int Snapshot(const SnapshotOptions& options, Terminal& terminal);

// fedra support-bundle: what others need to help, in one archive, without secrets.
struct SupportBundleOptions {
  std::string config;
  std::string file;               // "-": standard output; empty: named after the time
  std::vector<std::string> logs;  // files to put in; "-": standard input
  std::string timeout = "30s";    // for the clusters
  bool keep_names = false;        // no pseudonyms
};
int SupportBundle(const SupportBundleOptions& options, Terminal& terminal);

// fedra status, why, history: read the store, whether or not the daemon runs, or ask the daemon.
struct ViewOptions {
  std::string store;               // path of the file
  DaemonAddress daemon;            // is asked instead; empty: none is
  std::vector<std::string> names;  // positional arguments
  std::string ns;
  bool all_namespaces = false;
  report::JobFilter jobs;  // of status
  std::string format = "table";
  bool headers = true;
  bool watch = false;
  bool no_tui = false;  // with `watch`: no full screen, even where there is a terminal for one
  // Where a daemon may listen on this machine, for what no store has; none may be there.
  std::vector<std::string> sockets;
  // Null when only the store is known: then nothing is said about when jobs move.
  std::optional<std::chrono::milliseconds> worker_lost_timeout;
  std::optional<std::chrono::milliseconds> admission_timeout;
  bool race = false;  // dispatch.policy; false when only the store is known
};
int Status(const ViewOptions& options, Terminal& terminal);
int Why(const ViewOptions& options, Terminal& terminal);
int History(const ViewOptions& options, Terminal& terminal);

// fedra wait: until a job is as far as that, or further. Says on standard error what it waits for.
struct WaitOptions {
  ViewOptions view;               // format: table or json
  std::string goal = "finished";  // report::ParseGoal
  std::string timeout = "0s";     // 0: none
};
// 0 reached, 3 the job has failed or was deleted, 4 not within the timeout, 1 error.
inline constexpr int kEndedOtherwise = 3;
int Wait(const WaitOptions& options, Terminal& terminal);

// fedra logs: what a job's pods print, read from the worker where it is or was last, with the
// caller's own credentials there.
struct LogsOptions {
  ViewOptions view;       // says which worker
  std::string config;     // may add kinds of jobs
  ContextChoice worker;   // without a context: the one that is called as the worker is
  std::string pod;        // only this one; empty: all of the job's
  std::string container;  // only this one; empty: all but init containers
  bool follow = false;    // and go on with what they print from now on
  int tail = 100;         // last lines of each container
  size_t limit_bytes = size_t{1} << 20;  // of each container's lines, the first
  std::string timeout = "30s";           // for each answer
};
// 0 printed, kNothingToRead, kUnknown: of some containers the log could not be read, 1 error.
inline constexpr int kNothingToRead = 3;
int Logs(const LogsOptions& options, Terminal& terminal);

// fedra dashboard: pages on 127.0.0.1 for a browser, until interrupted, or until standard
// output is closed. Asks the daemon that listens at `socket`.
struct DashboardOptions {
  std::string socket;
  int port = 0;  // 0: a free one
};
int Dashboard(const DashboardOptions& options, Terminal& terminal);

// fedra backup FILE: a copy of the store, whether or not the daemon runs. FILE must not exist; "-":
// standard output.
int Backup(const std::string& store, const std::string& target, Terminal& terminal);

// fedra cel EXPR: evaluates a device selector against ResourceSlice files ("-": standard input).
// Exit codes: see cel_report.h.
struct CelCommand {
  CelOptions options;
  std::vector<std::string> slices;
};
int Cel(const CelCommand& command, Terminal& terminal);

}  // namespace fedra::cli
